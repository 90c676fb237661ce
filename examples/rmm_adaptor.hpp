// rmm_adaptor.hpp - shows what RMM hands out: `gpumemprof pools` has the pool with its peak, its
// free memory and its growth, and `report --kind custom` the lines that took the pieces. What the
// pool itself takes from CUDA is recorded anyway, and counts once.
//
//   rmm::mr::pool_memory_resource pool{...};
//   auto seen = gpumemprof_rmm(pool, "batch pool");
//   rmm::mr::set_current_device_resource(seen);         // &seen before RMM 26.06
//
// For RMM from 23.12 on, with C++20. The pool has to outlive the result. Without gpumemprof's
// runtime the calls do nothing.
#pragma once

#if __has_include(<rmm/mr/callback_memory_resource.hpp>)
#include <rmm/mr/callback_memory_resource.hpp>
#else
#include <rmm/mr/device/callback_memory_resource.hpp> // before RMM 25.12
#endif

#include <cstddef>
#include <rmm/aligned.hpp>

#include "gpumemprof/gpumemprof.h"

template <class Resource>
rmm::mr::callback_memory_resource gpumemprof_rmm(Resource &pool, const char *name) {
  constexpr std::size_t ALIGNMENT = rmm::CUDA_ALLOCATION_ALIGNMENT;
  gpumemprof_pool *pieces = gpumemprof_pool_create(name); // null: nothing is recorded
  auto take = [&pool, pieces](std::size_t bytes, rmm::cuda_stream_view stream, void *)
                  GPUMEMPROF_IGNORE -> void * {
    void *piece;
    if constexpr (requires { pool.allocate(stream, bytes, ALIGNMENT); })
      piece = pool.allocate(stream, bytes, ALIGNMENT);
    else piece = pool.allocate(bytes, stream); // before RMM 26.06
    gpumemprof_pool_alloc(pieces, piece, bytes);
    return piece;
  };
  auto give = [&pool, pieces](void *piece, std::size_t bytes, rmm::cuda_stream_view stream, void *)
                  GPUMEMPROF_IGNORE {
    gpumemprof_pool_free(pieces, piece); // first, because another thread may get it at once
    if constexpr (requires { pool.deallocate(stream, piece, bytes, ALIGNMENT); })
      pool.deallocate(stream, piece, bytes, ALIGNMENT);
    else pool.deallocate(piece, bytes, stream);
  };
  return {take, give};
}
