// umpire - pieces that an allocator of Umpire hands out, seen by examples/umpire_adaptor.hpp.
#include "umpire_adaptor.hpp"

#include <cuda_runtime.h>

constexpr std::size_t KIB = 1024;

// Takes one slab from CUDA, and hands out its pieces, each address once. It stays to the end.
class Slab : public umpire::strategy::AllocationStrategy {
  char *slab = nullptr;
  std::size_t used = 0;
  void *allocate(std::size_t bytes) override { return slab + (used += bytes) - bytes; }
  void deallocate(void *, std::size_t) override {}

public:
  Slab() : AllocationStrategy("slab", 0, nullptr, "Slab") { cudaMalloc(&slab, 1024 * KIB); }
  umpire::Platform getPlatform() noexcept override { return umpire::Platform::cuda; }
};

static void step(umpire::Allocator seen) {
  void *pressure = seen.allocate("pressure", 30 * KIB);
  void *scratch = seen.allocate(10 * KIB);
  seen.deallocate(scratch);
  seen.deallocate(pressure);
}

int main() {
  Slab slab;
  gpumemprof_umpire strategy("batch pool", 1, umpire::Allocator(&slab));
  umpire::Allocator seen(&strategy);
  void *kept = seen.allocate("mesh", 5 * KIB);
  for (int i = 0; i < 3; i++) step(seen);
  return !kept;
}
