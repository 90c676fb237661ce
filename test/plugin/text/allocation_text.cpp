// What an allocation's site says: the variable as written, its element type, the size as written.
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep -E "flags=(2|16386)" | FileCheck %s
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep -E "flags=(2|16386)" | FileCheck %s
#include <cuda_runtime_api.h>
extern "C" {
int cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h);
int cudaMallocManaged(void **p, size_t n, unsigned flags);
int cuMemAlloc_v2(unsigned long long *p, size_t n);
struct cudaExtent { size_t width, height, depth; };
struct format { int x; };
int cudaMalloc3DArray(struct cudaArray **p, const format *desc, cudaExtent e, unsigned flags);
int cudaMallocMipmappedArray(struct cudaMipmappedArray **p, const format *desc, cudaExtent e, unsigned levels, unsigned flags);
int cudaGraphAddMemAllocNode(struct node **p, struct graph *g, struct node **after, size_t n, struct params *what);
int cudaExternalMemoryGetMappedBuffer(void **p, struct external *memory, const struct buffer *desc);
int cudaMemPoolImportPointer(void **p, struct pool *from, struct exported *data);
}
#define cuMemAlloc cuMemAlloc_v2
#define CUDA_CHECK(x)                                                                              \
  do {                                                                                             \
    if (x) return 1;                                                                               \
  } while (0)
#define NEW_FLOATS(p, count) cudaMalloc((void **)&(p), (count) * sizeof(float))
#define COUNT 7
#define NEW_TWO(p, q, count) (cudaMalloc(&(p), (count)), cudaMalloc(&(q), (count)))

struct Cell {
  double value;
};
struct Store {
  float *buf;
  Cell *cells[2];
};
template <class T> int make(T **out, size_t n) {
  T *local;
  // CHECK-DAG: :[[#@LINE+1]]:3 in make<double> calls cudaMalloc<double> variable=[local] type=[double] size=[n * sizeof(T)]
  cudaMalloc(&local, n * sizeof(T));
  *out = local;
  // CHECK-DAG: :[[#@LINE+2]]:10 in make<double> calls cudaMalloc<double> variable=[*out] type=[double] size=[1]
  // CHECK-DAG: :[[#@LINE+1]]:10 in make<int> calls cudaMalloc<int> variable=[*out] type=[int] size=[1]
  return cudaMalloc(out, 1);
}
int main() {
  size_t n = 4, m = 2, pitch;
  float *d_grid;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMalloc variable=[d_grid] type=[float] size=[n * m * sizeof(float)] text=[cudaMalloc((void **)&d_grid, n * m * sizeof(float));]
  cudaMalloc((void **)&d_grid, n * m * sizeof(float));
  Store s, *ps = &s;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMalloc<float> variable=[ps->buf] type=[float] size=[n << 2]
  cudaMalloc(&ps->buf, n << 2);
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMalloc variable=[s.cells[1]] type=[Cell] size=[n * sizeof(Cell)]
  cudaMalloc(reinterpret_cast<void **>(&s.cells[1]), n * sizeof(Cell));
  // CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}} in main calls cudaMalloc variable=[d_grid] type=[float] size=[COUNT * sizeof *d_grid] text=[CUDA_CHECK(cudaMalloc((void **)&d_grid, COUNT * sizeof *d_grid));]
  CUDA_CHECK(cudaMalloc((void **)&d_grid, COUNT * sizeof *d_grid));
  // CHECK-DAG: :[[#@LINE+1]]:{{[0-9]+}} in main calls cudaMalloc variable=[d_grid] type=[float] size=[(count) * sizeof(float)]
  NEW_FLOATS(d_grid, n);
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMallocPitch variable=[d_grid] type=[float] size=[n * sizeof(float) * (m + 1)]
  cudaMallocPitch((void **)&d_grid, &pitch, n * sizeof(float), m + 1);
  // Both calls have the location of the macro, so which allocates which is not said; what they have in common is.
  float *first, *second;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMalloc<float> type=[float] size=[(count)] text=[NEW_TWO(first, second, n);]
  NEW_TWO(first, second, n);
  unsigned long long address;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cuMemAlloc_v2 variable=[address] size=[n * 16]
  cuMemAlloc(&address, n * 16);
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMallocManaged variable=[d_grid] type=[float] size=[n * m]
  cudaMallocManaged((void **)&d_grid, n *
                    m, 1);
  cudaArray *array;
  format floats{};
  cudaExtent extent{4, 5, 6};
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMalloc3DArray variable=[array] size=[extent] text
  cudaMalloc3DArray(&array, &floats, extent, 0);
  cudaMipmappedArray *levels;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMallocMipmappedArray variable=[levels] size=[extent] text
  cudaMallocMipmappedArray(&levels, &floats, extent, 3, 0);
  node *made;
  params *wanted = nullptr;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaGraphAddMemAllocNode variable=[made] size=[wanted] text
  cudaGraphAddMemAllocNode(&made, nullptr, nullptr, 0, wanted);
  buffer *view = nullptr;
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaExternalMemoryGetMappedBuffer variable=[d_grid] type=[float] size=[view] text
  cudaExternalMemoryGetMappedBuffer((void **)&d_grid, nullptr, view);
  // CHECK-DAG: :[[#@LINE+1]]:3 in main calls cudaMemPoolImportPointer variable=[d_grid] type=[float] text
  cudaMemPoolImportPointer((void **)&d_grid, nullptr, nullptr);
  auto lambda = [&](size_t count) {
    int *inner;
    // CHECK-DAG: :[[#@LINE+1]]:5 in main::'lambda'(unsigned long)::operator() calls cudaMalloc<int> variable=[inner] type=[int] size=[count]
    cudaMalloc(&inner, count);
  };
  lambda(3);
  double *pd;
  int *pi;
  return make(&pd, n) + make(&pi, n);
}
