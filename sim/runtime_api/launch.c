/* launch.c - kernel launches, function attributes and occupancy of the runtime API. */
#include "base/object.h"
#include "runtime_api/cudart.h"

#include <string.h>

#define CONFIGURATIONS 64 /* depth of launches within the arguments of launches */

/* The configuration that <<<...>>> pushes before the arguments are evaluated, and the stub pops. */
static _Thread_local struct {
  struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
  } at[CONFIGURATIONS];
  unsigned depth;
} configurations;

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, void *stream) {
  if (configurations.depth == CONFIGURATIONS) return 1;
  unsigned i = configurations.depth++;
  configurations.at[i].grid = gridDim;
  configurations.at[i].block = blockDim;
  configurations.at[i].shared = sharedMem;
  configurations.at[i].stream = stream;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                       void *stream) {
  if (!configurations.depth) return gpm_cudart_end(cudaErrorMissingConfiguration);
  unsigned i = --configurations.depth;
  *gridDim = configurations.at[i].grid;
  *blockDim = configurations.at[i].block;
  *sharedMem = configurations.at[i].shared;
  *(cudaStream_t *)stream = configurations.at[i].stream;
  return cudaSuccess;
}

static cudaError_t launch(struct gpm_sim_function *function, dim3 grid, dim3 block, size_t shared,
                          cudaStream_t stream, void **arguments) {
  GPM_CUDART_BEGIN;
  if (!function) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  int error = gpm_cudart_load_symbols();
  if (error) return gpm_cudart_end(error);
  const unsigned g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  if (!gpm_sim_launch_fits(g, b)) return gpm_cudart_end(cudaErrorInvalidConfiguration);
  return gpm_cudart_end(gpm_sim_launch(stream, function, g, b, shared, arguments));
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream) {
  return launch(gpm_cudart_function(func), gridDim, blockDim, sharedMem, stream, args);
}
GPM_CUDART_ALIAS(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream) {
  return launch(gpm_cudart_function(func), gridDim, blockDim, sharedMem, stream, args);
}
GPM_CUDART_ALIAS(cudaLaunchCooperativeKernel, _ptsz);

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
  GPM_CUDART_REQUIRE(config);
  return launch(gpm_cudart_function(func), config->gridDim, config->blockDim,
                config->dynamicSmemBytes, config->stream, args);
}
GPM_CUDART_ALIAS(cudaLaunchKernelExC, _ptsz);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                               size_t sharedMem, cudaStream_t stream) {
  return launch(gpm_sim_object_get(kernel, GPM_SIM_FUNCTION), gridDim, blockDim, sharedMem, stream,
                args);
}
GPM_CUDART_ALIAS(__cudaLaunchKernel, _ptsz);

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
  GPM_CUDART_REQUIRE(kernelPtr);
  struct gpm_sim_function *function = gpm_cudart_function(entryFuncAddr);
  if (!function) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  *kernelPtr = (cudaKernel_t)function;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry) {
  return cudaGetKernel(kernel, entry);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
  return cudaGetKernel((cudaKernel_t *)functionPtr, symbolPtr);
}

/* Declares `f`, or returns an error if no such kernel is registered. */
#define FUNCTION(entry)                                                                            \
  GPM_CUDART_BEGIN;                                                                                \
  struct gpm_sim_function *f = gpm_cudart_function(entry);                                         \
  if (!f) return gpm_cudart_end(cudaErrorInvalidResourceHandle)

cudaError_t cudaFuncGetName(const char **name, const void *func) {
  GPM_CUDART_REQUIRE(name);
  FUNCTION(func);
  *name = f->name;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
  GPM_CUDART_REQUIRE(attr);
  FUNCTION(func);
  memset(attr, 0, sizeof *attr);
  attr->maxThreadsPerBlock = 1024;
  attr->numRegs = 32;
  attr->ptxVersion = attr->binaryVersion = 90;
  attr->maxDynamicSharedSizeBytes = f->attributes[cudaFuncAttributeMaxDynamicSharedMemorySize];
  if (!attr->maxDynamicSharedSizeBytes) attr->maxDynamicSharedSizeBytes = 49152;
  attr->preferredShmemCarveout = f->attributes[cudaFuncAttributePreferredSharedMemoryCarveout];
  return gpm_cudart_end(cudaSuccess);
}

static cudaError_t set_attribute(struct gpm_sim_function *f, enum cudaFuncAttribute attr,
                                 int value) {
  GPM_CUDART_REQUIRE(attr >= cudaFuncAttributeMaxDynamicSharedMemorySize &&
                     attr < cudaFuncAttributeMax);
  int most = 0;
  gpm_sim_attribute(gpm_sim_current_device(), cudaDevAttrMaxSharedMemoryPerBlockOptin, &most);
  GPM_CUDART_REQUIRE(attr != cudaFuncAttributeMaxDynamicSharedMemorySize ||
                     (value >= 0 && value <= most));
  f->attributes[attr] = value;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
  FUNCTION(func);
  return set_attribute(f, attr, value);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device) {
  struct gpm_sim_function *f = gpm_sim_object_get(kernel, GPM_SIM_FUNCTION);
  if (!f) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  if (!gpm_sim_device(device)) return gpm_cudart_end(cudaErrorInvalidDevice);
  return set_attribute(f, attr, value);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig) {
  (void)cacheConfig;
  FUNCTION(func);
  (void)f;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags) {
  GPM_CUDART_REQUIRE(numBlocks && blockSize > 0 && !(flags & ~1u));
  FUNCTION(func);
  (void)f;
  *numBlocks = gpm_sim_occupancy(blockSize, dynamicSMemSize);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                                dynamicSMemSize, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize) {
  GPM_CUDART_REQUIRE(dynamicSmemSize && numBlocks > 0 && blockSize > 0);
  FUNCTION(func);
  (void)f;
  *dynamicSmemSize = gpm_sim_shared_per_block(numBlocks);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig) {
  GPM_CUDART_REQUIRE(clusterSize && launchConfig);
  FUNCTION(func);
  (void)f;
  *clusterSize = GPM_SIM_CLUSTER_SIZE;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig) {
  GPM_CUDART_REQUIRE(numClusters && launchConfig);
  FUNCTION(func);
  (void)f;
  *numClusters = GPM_SIM_CLUSTERS;
  return gpm_cudart_end(cudaSuccess);
}
