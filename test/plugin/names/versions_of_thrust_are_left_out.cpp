// The inline namespace of a version of Thrust or CUB is no part of a name, because it differs between builds of one
// source; a namespace of the program is one.
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
#include <cuda_runtime_api.h>
namespace thrust {
namespace THRUST_300001_SM_900_NS {
template <class T> struct Vector {
  T *p;
  void grow(size_t n) { cudaMalloc(&p, n); }
};
} // namespace THRUST_300001_SM_900_NS
using namespace THRUST_300001_SM_900_NS;
} // namespace thrust
namespace ours {
namespace V2_NS {
void *take(size_t n) {
  void *p;
  cudaMalloc(&p, n);
  return p;
}
} // namespace V2_NS
} // namespace ours
int main() {
  thrust::Vector<thrust::Vector<int>> v;
  v.grow(8);
  thrust::Vector<int> *few = (thrust::Vector<int> *)ours::V2_NS::take(8);
  cudaMalloc(&few, 16);
}
// CHECK-DAG: calls thrust::Vector<thrust::Vector<int>>::grow
// CHECK-DAG: calls ours::V2_NS::take
// CHECK-DAG: variable=[few] type=[thrust::Vector<int>] size=[16]
