/* launch.c - functions, kernels, launches and occupancy of the driver API. */
#include "base/object.h"
#include "driver_api/cudrv.h"

#include <string.h>

#define DEFAULT_SHARED 49152

static struct gpm_sim_function *function_get(const void *handle) {
  return gpm_sim_object_get(handle, GPM_SIM_FUNCTION);
}

static CUresult launch(CUfunction f, const unsigned grid[3], const unsigned block[3],
                       unsigned shared, CUstream stream, void **arguments) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_launch(stream, f, grid, block, shared, arguments);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void **kernelParams, void **extra) {
  (void)extra;
  const unsigned grid[3] = {gridDimX, gridDimY, gridDimZ};
  const unsigned block[3] = {blockDimX, blockDimY, blockDimZ};
  return launch(f, grid, block, sharedMemBytes, hStream, kernelParams);
}
GPM_CU_ALIAS(cuLaunchKernel, _ptsz);

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams) {
  return cuLaunchKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
                        sharedMemBytes, hStream, kernelParams, NULL);
}
GPM_CU_ALIAS(cuLaunchCooperativeKernel, _ptsz);

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                          void **extra) {
  GPM_CU_REQUIRE(config);
  return cuLaunchKernel(f, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                        config->blockDimY, config->blockDimZ, config->sharedMemBytes,
                        config->hStream, kernelParams, extra);
}
GPM_CU_ALIAS(cuLaunchKernelEx, _ptsz);

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(fn);
  struct gpm_sim_node call = {.operation = GPM_SIM_OP_HOST, .host = fn, .data = userData};
  return (CUresult)gpm_sim_submit(hStream, &call);
}
GPM_CU_ALIAS(cuLaunchHostFunc, _ptsz);

static CUresult get_attribute(int *value, CUfunction_attribute attribute, const void *handle) {
  GPM_CU_BEGIN;
  struct gpm_sim_function *f = function_get(handle);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(value && attribute < CU_FUNC_ATTRIBUTE_MAX);
  *value = f->attributes[attribute];
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = 1024;
  if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = 32;
  if (attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION) *value = 90;
  if (attribute == CU_FUNC_ATTRIBUTE_BINARY_VERSION) *value = 90;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && !*value)
    *value = DEFAULT_SHARED;
  return CUDA_SUCCESS;
}

static CUresult set_attribute(const void *handle, CUfunction_attribute attribute, int value) {
  GPM_CU_BEGIN;
  struct gpm_sim_function *f = function_get(handle);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(attribute >= CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
                 attribute < CU_FUNC_ATTRIBUTE_MAX);
  int most = 0;
  gpm_sim_attribute(0, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &most);
  GPM_CU_REQUIRE(attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
                 (value >= 0 && value <= most));
  f->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return get_attribute(pi, attrib, hfunc);
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return set_attribute(hfunc, attrib, value);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  GPM_CU_DEVICE(dev);
  return get_attribute(pi, attrib, kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  GPM_CU_DEVICE(dev);
  return set_attribute(kernel, attrib, val);
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  (void)config;
  return function_get(hfunc) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  GPM_CU_DEVICE(dev);
  return cuFuncSetCacheConfig((CUfunction)kernel, config);
}

static CUresult name_of(const char **name, const void *handle) {
  struct gpm_sim_function *f = function_get(handle);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(name);
  *name = f->name;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc) {
  return name_of(name, hfunc);
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc) {
  return name_of(name, hfunc);
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
  struct gpm_sim_function *f = function_get(hfunc);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(hmod);
  if (!f->module) f->module = gpm_sim_module_of_program();
  *hmod = f->module;
  return f->module ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pFunc);
  *pFunc = (CUfunction)function_get(kernel);
  return *pFunc ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
  return cuFuncGetModule((CUmodule *)pLib, (CUfunction)kernel);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  if (!function_get(function)) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(state);
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function) {
  return function_get(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags) {
  GPM_CU_CONTEXT;
  if (!function_get(func)) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(numBlocks && blockSize > 0 && !(flags & ~1u));
  *numBlocks = gpm_sim_occupancy(blockSize, dynamicSMemSize);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                              dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
  (void)blockSizeToDynamicSMemSize;
  GPM_CU_REQUIRE(minGridSize && blockSize);
  int threads = blockSizeLimit > 0 && blockSizeLimit < 1024 ? blockSizeLimit : 1024, blocks = 0;
  CUresult error = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, func, threads,
                                                                        dynamicSMemSize, flags);
  if (error) return error;
  int multiprocessors = 0;
  gpm_sim_attribute(0, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors);
  *blockSize = threads;
  *minGridSize = blocks * multiprocessors;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize) {
  GPM_CU_CONTEXT;
  if (!function_get(func)) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(dynamicSmemSize && numBlocks > 0 && blockSize > 0);
  *dynamicSmemSize = gpm_sim_shared_per_block(numBlocks);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                            const CUlaunchConfig *config) {
  GPM_CU_CONTEXT;
  if (!function_get(func)) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(clusterSize && config);
  *clusterSize = GPM_SIM_CLUSTER_SIZE;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                      const CUlaunchConfig *config) {
  GPM_CU_CONTEXT;
  if (!function_get(func)) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(numClusters && config);
  *numClusters = GPM_SIM_CLUSTERS;
  return CUDA_SUCCESS;
}
