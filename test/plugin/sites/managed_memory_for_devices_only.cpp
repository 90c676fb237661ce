// Managed memory that the host cannot reach: flag 8192 of the site that allocates it.
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep 'calls cudaMallocManaged' | FileCheck %s
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep 'calls cudaMallocManaged' | FileCheck %s
#include <cuda_runtime_api.h>
extern "C" {
int cudaMallocManaged(void **p, unsigned long n, unsigned flags);
int cudaMemset(void *p, int value, unsigned long n);
int cudaMemPrefetchAsync(const void *, unsigned long, int, void *) { return 0; }
}
template <class T> int cudaMallocManaged(T **p, unsigned long n) {
  return cudaMallocManaged((void **)p, n, 1);
}
struct arguments {
  float *p;
};
void __device_stub__step(float *, int) {}
void __device_stub__packed(arguments) {}
float *shown;
static float *kept, *read_elsewhere;
void reads() {
  read_elsewhere[0] = 1;
}
void take(float **) {}
int main(int count, char **) {
  float *a, *b, *c = nullptr, *d, *e, *f, *g, *h;
  unsigned long n = 4096;
  // CHECK: flags=8194 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&a, n);
  // CHECK-NEXT: flags=8194 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged((void **)&b, n, 1);
  // CHECK-NEXT: flags=8194 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&kept, n);
  for (int i = 0; i < count; i++) {
    __device_stub__step(a + i, i);
    __device_stub__step(i % 2 ? b : a, i);
    __device_stub__step(kept, i);
  }
  cudaMemset(a, 0, n);
  if (b) cudaFree(b);
  cudaFree(a);
  cudaFree(kept);
  // What the host reads or writes, also elsewhere in the file; what is copied, handed over in a structure, stored or shown to others.
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&c, n);
  c[0] = 1;
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&read_elsewhere, n);
  __device_stub__step(read_elsewhere, 0);
  reads();
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&d, n);
  cudaMemcpy(d, c, n, 4);
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&e, n);
  __device_stub__packed(arguments{e});
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&f, n);
  shown = f;
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&g, n);
  take(&g);
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&shown, n);
  // CHECK-NEXT: flags=2 {{.*}}:[[#@LINE+1]]:3 
  cudaMallocManaged(&h, n);
  cudaMemPrefetchAsync(h, n, 0, nullptr);
}
