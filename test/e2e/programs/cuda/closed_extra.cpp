// closed_extra.cpp - a part of the closed library in C++: 1 KiB from a member of a template.
#include <cuda_runtime.h>

namespace store {
template <typename T> struct shelf {
  mutable T *items = nullptr;
  __attribute__((noinline)) void grow(size_t n) const {
    cudaMalloc((void **)&items, n * sizeof(T)); // EXTRA
    __asm__ volatile("" : : "r"(this));
  }
};
} // namespace store

extern "C" void closed_extra() {
  store::shelf<double> s;
  s.grow(128);
}
