// cudaMalloc3D takes 24 bytes by value: real function and hook see what the caller passed.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | FileCheck %s
#include <cstddef>
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
extern "C" int cudaMalloc3D(cudaPitchedPtr *p, cudaExtent e);
int main() {
  cudaPitchedPtr p = {};
  int result = cudaMalloc3D(&p, {8, 4, 2});
  // CHECK: cudaMalloc3D 64: main:[[#@LINE-1]]
  return result || p.pitch != 8;
}
