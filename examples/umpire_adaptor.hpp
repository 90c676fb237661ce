// umpire_adaptor.hpp - shows what an allocator of Umpire hands out: `gpumemprof pools` has it with
// its peak, its free memory and its growth, and `report --kind custom` the lines that took the
// pieces. What the allocator itself takes from CUDA is recorded anyway, and counts once.
//
//   auto &rm = umpire::ResourceManager::getInstance();
//   auto pool = rm.makeAllocator<umpire::strategy::QuickPool>("pool", rm.getAllocator("DEVICE"));
//   auto seen = rm.makeAllocator<gpumemprof_umpire>("batch pool", pool);
//   double *x = static_cast<double *>(seen.allocate("pressure", bytes)); // the name is a label
//
// For Umpire from 2022.10 on. Without gpumemprof's runtime the calls do nothing.
#pragma once

#include <cstddef>
#include <string>

#include <umpire/Allocator.hpp>
#include <umpire/strategy/AllocationStrategy.hpp>

#include "gpumemprof/gpumemprof.h"

class gpumemprof_umpire : public umpire::strategy::AllocationStrategy {
  gpumemprof_pool *pieces; // null: nothing is recorded

  GPUMEMPROF_IGNORE void *allocate(std::size_t bytes) override {
    void *piece = m_parent->allocate_internal(bytes);
    gpumemprof_pool_alloc(pieces, piece, bytes);
    return piece;
  }
  GPUMEMPROF_IGNORE void *allocate_named(const std::string &name, std::size_t bytes) override {
    GPUMEMPROF_LABEL(name.c_str());
    return allocate(bytes);
  }
  GPUMEMPROF_IGNORE void deallocate(void *piece, std::size_t bytes) override {
    gpumemprof_pool_free(pieces, piece); // first, because another thread may get it at once
    m_parent->deallocate_internal(piece, bytes);
  }

public:
  gpumemprof_umpire(const std::string &name, int id, umpire::Allocator pool)
      : AllocationStrategy(name, id, pool.getAllocationStrategy(), "gpumemprof"),
        pieces(gpumemprof_pool_create(name.c_str())) {}
  umpire::Platform getPlatform() noexcept override { return m_parent->getPlatform(); }
  umpire::MemoryResourceTraits getTraits() const noexcept override { return m_parent->getTraits(); }
};
