// Which words of a kernel's parameters may hold an address: = is a pointer, ? a number or a part of a union. This is what
// nvcc prints for its host compiler: launches pass the function that calls the stub.
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep ^kernel | FileCheck %s
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep ^kernel | FileCheck %s
#include <cuda_runtime_api.h>
struct Inner {
  char tag;
  double *values;
};
struct Layer : Inner {
  float *weights[2];
  int rows, columns;
  union {
    unsigned long bits;
    char text[16];
  };
  static int count;
};
struct Empty {};
struct Virtual {
  virtual ~Virtual();
  int *p;
};
template <class T> struct Span {
  T *first;
  size_t size;
};
static void __device_stub__Z4stepPfi(float *, int) {}
template <class... A> static void __wrapper__device_stub_many(A...) {}
// CHECK-DAG: kernel step kernels_have_records.cpp:[[#@LINE+1]]: 0+0=p{{$}}
void step(float *p, int n) {
  __device_stub__Z4stepPfi(p, n);
}
// CHECK-DAG: kernel apply {{.*}}: 0+8=layer.values 0+16=layer.weights[0] 0+24=layer.weights[1] 0+40?layer{{.*}} 0+48?layer{{.*}} 2+0?n{{$}}
void apply(Layer layer, float f, long n, Empty) {
  __wrapper__device_stub_many(layer, n, f);
}
// CHECK-DAG: kernel spans<int> {{.*}}: 0+0=a.first 0+8?a.size 1+0=? 2+0=?{{$}}
template <class T> void spans(Span<T> a, const T *__cuda_1, int *const) {
  __wrapper__device_stub_many(a, __cuda_1);
}
// CHECK-DAG: kernel many {{.*}}: and others{{$}}
struct Many {
  float *values[513];
};
void many(Many a) {
  __wrapper__device_stub_many(a);
}
// CHECK-DAG: kernel most {{.*}}:{{.*}} 0+4088=a.values[511]{{$}}
struct Most {
  float *values[512];
};
void most(Most a) {
  __wrapper__device_stub_many(a);
}
// That of a header of the toolkit.
# 70 "/usr/local/cuda/include/cub.cuh" 3
namespace cub {
template <class T> static void scan(T a, int n) {
  __wrapper__device_stub_many(a, n);
  return;
}
} // namespace cub
# 62 "kernels_have_records.cpp"
// CHECK-DAG: kernel cub::scan<int*> cub.cuh:71: 0+0=a{{$}}
// CHECK-DAG: kernel nothing {{.*}}:{{$}}
void nothing(int, float) {
  __wrapper__device_stub_many(1);
}
// CHECK-NOT: kernel no_kernel
void no_kernel(int *p) {
  step(p ? nullptr : (float *)p, 1);
}
int main() {
  void *p;
  cudaMalloc(&p, 4);
  step(nullptr, 0);
  apply({}, 1, 2, {});
  spans<int>({}, nullptr, nullptr);
  nothing(1, 2);
  many({});
  most({});
  cub::scan((int *)nullptr, 1);
  no_kernel(nullptr);
}
