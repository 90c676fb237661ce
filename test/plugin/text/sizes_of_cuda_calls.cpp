// Of each allocation in cuda_api.def, the arguments that its line names are the text of the size, and its operands
// where they are numbers. None of these calls is made, so the functions need not be there.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep flags=2 | FileCheck %s
// RUN: %clangxx %gmp -O0 -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
#include <cstddef>
struct Extent {
  size_t width, height, depth;
};
struct Wanted;
struct Opaque;
typedef Opaque *Handle;
typedef unsigned long long Address;
#define CUDA extern "C" __attribute__((weak)) int
CUDA cudaMalloc3D(Extent *p, Extent e);
CUDA cudaHostRegister(void *p, size_t n, unsigned flags);
CUDA cudaMallocArray(Handle *p, const Wanted *format, size_t w, size_t h = 0, unsigned flags = 0);
CUDA cudaMallocFromPoolAsync(void **p, size_t n, Handle pool, Handle stream);
CUDA cudaMemPoolImportPointer(void **p, Handle pool, Wanted *exported);
CUDA cudaGraphAddNode(Handle *p, Handle graph, const Handle *after, size_t n, Wanted *node);
CUDA cuGraphAddNode_v2(Handle *p, Handle graph, const Handle *after, const int *edges, size_t n, Wanted *node);
CUDA cudaImportExternalMemory(Handle *p, const Wanted *memory);
CUDA cudaExternalMemoryGetMappedMipmappedArray(Handle *p, Handle memory, const Wanted *view);
CUDA cuMemAllocPitch_v2(Address *p, size_t *pitch, size_t w, size_t h, unsigned element);
CUDA cuArray3DCreate_v2(Handle *p, const Wanted *array);
CUDA cuMipmappedArrayCreate(Handle *p, const Wanted *array, unsigned levels);
CUDA cuMemCreate(Address *p, size_t n, const Wanted *props, unsigned long long flags);
CUDA ncclMemAlloc(void **p, size_t n);

int all(size_t n, size_t m, Extent extent, const Wanted *format, Wanted *wanted, Handle any) {
  void *p;
  size_t pitch;
  Address address;
  Handle made;
  Extent at;
  // CHECK: calls cudaMalloc3D variable=[at] size=[extent]
  cudaMalloc3D(&at, extent);
  // CHECK: calls cudaHostRegister variable=[p] size=[n * 3]
  // IR-LABEL: define {{.*}}all
  // IR: store i64 {{.*}}, align 8, {{.*}}!nosanitize
  // IR: call i32 @__gpumemprof_thunk.cudaHostRegister
  cudaHostRegister(p, n * 3, 0);
  // CHECK: calls cudaMallocArray variable=[made] size=[n]
  cudaMallocArray(&made, format, n);
  // CHECK: calls cudaMallocArray variable=[made] size=[n * (m + 1)]
  cudaMallocArray(&made, format, n, m + 1);
  // CHECK: calls cudaMallocFromPoolAsync variable=[p] size=[m]
  cudaMallocFromPoolAsync(&p, m, any, any);
  // CHECK: calls cudaMemPoolImportPointer variable=[p] text
  cudaMemPoolImportPointer(&p, any, wanted);
  // CUDA 12 has no edges here.
  // CHECK: calls cudaGraphAddNode variable=[made] size=[wanted]
  cudaGraphAddNode(&made, any, &any, 1, wanted);
  // CHECK: calls cuGraphAddNode_v2 variable=[made] size=[wanted]
  cuGraphAddNode_v2(&made, any, &any, nullptr, 1, wanted);
  // CHECK: calls cudaImportExternalMemory variable=[made] type=[Opaque] size=[wanted]
  cudaImportExternalMemory(&made, wanted);
  // CHECK: calls cudaExternalMemoryGetMappedMipmappedArray variable=[made] size=[wanted]
  cudaExternalMemoryGetMappedMipmappedArray(&made, any, wanted);
  // CHECK: calls cuMemAllocPitch_v2 variable=[address] size=[n * m]
  cuMemAllocPitch_v2(&address, &pitch, n, m, 4);
  // CHECK: calls cuArray3DCreate_v2 variable=[made] type=[Opaque] size=[wanted]
  cuArray3DCreate_v2(&made, wanted);
  // CHECK: calls cuMipmappedArrayCreate variable=[made] type=[Opaque] size=[wanted]
  cuMipmappedArrayCreate(&made, wanted, 3);
  // CHECK: calls cuMemCreate variable=[address] size=[n]
  cuMemCreate(&address, n, wanted, 0);
  // CHECK: calls ncclMemAlloc variable=[p] size=[m * 2]
  return ncclMemAlloc(&p, m * 2);
}
int main() {}
