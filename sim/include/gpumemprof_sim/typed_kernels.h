/* typed_kernels.h - calls that take a kernel itself, not its address: launches, attributes,
 * occupancy. Included by cuda_runtime.h. */
#ifndef GPUMEMPROF_SIM_TYPED_KERNELS_H
#define GPUMEMPROF_SIM_TYPED_KERNELS_H

#pragma GCC system_header

template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void *>(function), grid, block, arguments,
                            shared, stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                      void **arguments, size_t shared = 0,
                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(function), grid, block,
                                       arguments, shared, stream);
}

template <class T>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *function,
                                              void **arguments) {
  return ::cudaLaunchKernelExC(config, reinterpret_cast<const void *>(function), arguments);
}

#if __cplusplus >= 201103L

/* The arguments are converted to the kernel's parameters, as in a call. */
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Parameters...),
                                             Arguments &&...arguments) {
  return [&](Parameters... values) {
    void *pointers[] = {const_cast<void *>(static_cast<const volatile void *>(&values))..., 0};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void *>(kernel), pointers);
  }(static_cast<Arguments &&>(arguments)...);
}

#endif

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                                T *function) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute,
                                               int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}

template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void *>(function), config);
}

template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *function) {
  return ::cudaFuncGetName(name, reinterpret_cast<const void *>(function));
}

template <class T>
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *f, const T *entry) {
  return ::cudaGetFuncBySymbol(f, reinterpret_cast<const void *>(entry));
}

template <class T> static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, const T *entry) {
  return ::cudaGetKernel(kernel, reinterpret_cast<const void *>(entry));
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size,
                                                       size_t shared, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<const void *>(function), block_size, shared, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                        int block_size,
                                                                        size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void *>(function), block_size, shared);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *function,
                                                                    int blocks, int block_size) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(
      shared, reinterpret_cast<const void *>(function), blocks, block_size);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function,
                                                               const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, reinterpret_cast<const void *>(function),
                                                config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *function,
                                                         const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void *>(function),
                                          config);
}

/* Tries all sizes that are whole warps, from the largest on, and keeps the first of those that fill
 * a multiprocessor best. */
template <class Shared, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *grid, int *block, T function, Shared shared_of, int limit = 0, unsigned int flags = 0) {
  if (!grid || !block || !function) return cudaErrorInvalidValue;
  int device, processors, warp, largest, best = 0;
  cudaError_t error = ::cudaGetDevice(&device);
  if (!error) error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (!error) error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  struct cudaFuncAttributes attributes;
  if (!error)
    error = ::cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(function));
  if (error) return error;
  largest = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < largest) largest = limit;
  for (int whole = (largest + warp - 1) / warp * warp; whole > 0; whole -= warp) {
    int size = whole < largest ? whole : largest, blocks;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, reinterpret_cast<const void *>(function), size, shared_of(size), flags);
    if (error) return error;
    if (blocks * size > best) {
      best = blocks * size;
      *block = size;
      *grid = blocks * processors;
    }
  }
  return cudaSuccess;
}

template <class Shared, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function, Shared shared_of,
                                               int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, function, shared_of,
                                                                 limit);
}

namespace gpm_sim {
struct same_for_each_size {
  size_t shared;
  size_t operator()(int) const { return shared; }
};
} // namespace gpm_sim

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T function, size_t shared = 0,
                                            int limit = 0, unsigned int flags = 0) {
  gpm_sim::same_for_each_size same = {shared};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, function, same, limit,
                                                                 flags);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function,
                                                             size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared, limit);
}

#endif /* GPUMEMPROF_SIM_TYPED_KERNELS_H */
