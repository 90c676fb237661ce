// Allocator.hpp - a stand-in for Umpire's header of that name, written after its interface alone.
#pragma once
#include "umpire/strategy/AllocationStrategy.hpp"

namespace umpire {
class Allocator {
  strategy::AllocationStrategy *strategy;

public:
  explicit Allocator(strategy::AllocationStrategy *s) : strategy(s) {}
  strategy::AllocationStrategy *getAllocationStrategy() noexcept { return strategy; }
  void *allocate(std::size_t bytes) { return strategy->allocate_internal(bytes); }
  void *allocate(const std::string &name, std::size_t bytes) {
    return strategy->allocate_named_internal(name, bytes);
  }
  void deallocate(void *p) { strategy->deallocate_internal(p); }
};
} // namespace umpire
