// callback_memory_resource.hpp - a stand-in for RMM's header of that name, written after its
// interface alone: a resource that calls functions of the program, and a pool. With OLD_RMM, as
// before RMM 26.06, the order of the arguments is another.
#pragma once
#include <cstddef>
#include <cuda_runtime.h>
#include <functional>
#include <map>

namespace rmm {
struct cuda_stream_view {
  cudaStream_t stream = nullptr;
};
namespace mr {
using allocate_callback_t = std::function<void *(std::size_t, cuda_stream_view, void *)>;
using deallocate_callback_t = std::function<void(void *, std::size_t, cuda_stream_view, void *)>;

class callback_memory_resource {
  allocate_callback_t take;
  deallocate_callback_t give;

public:
  callback_memory_resource(allocate_callback_t t, deallocate_callback_t g) : take(t), give(g) {}
  void *allocate(cuda_stream_view stream, std::size_t bytes, std::size_t) {
    return take(bytes, stream, nullptr);
  }
  void deallocate(cuda_stream_view stream, void *p, std::size_t bytes, std::size_t) {
    give(p, bytes, stream, nullptr);
  }
};

// Takes one slab from CUDA, and hands out its pieces in units of 256 bytes, each address once. It stays to
// the end.
class pool_memory_resource {
  char *slab = nullptr;
  std::size_t size, used = 0;

  void *take(std::size_t bytes) {
    void *p = slab + used;
    used += (bytes + 255) / 256 * 256;
    return used > size ? nullptr : p;
  }

public:
  explicit pool_memory_resource(std::size_t bytes) : size(bytes) { cudaMalloc(&slab, bytes); }
#ifdef OLD_RMM
  void *allocate(std::size_t bytes, cuda_stream_view) { return take(bytes); }
  void deallocate(void *, std::size_t, cuda_stream_view) {}
#else
  void *allocate(cuda_stream_view, std::size_t bytes, std::size_t) { return take(bytes); }
  void deallocate(cuda_stream_view, void *, std::size_t, std::size_t) {}
#endif
};
} // namespace mr
} // namespace rmm
