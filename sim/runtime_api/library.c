/* library.c - code loaded at run time, and the way from the runtime API to the driver API. */
#include "base/lock.h"
#include "base/object.h"
#include "base/options.h"
#include "runtime_api/cudart.h"

#include "cuda.h"

static struct gpm_sim_module *module_get(cudaLibrary_t library) {
  return gpm_sim_object_get(library, GPM_SIM_MODULE);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                void **libraryOptionValues, unsigned int numLibraryOptions) {
  (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
  (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
  GPM_CUDART_REQUIRE(library && code);
  GPM_CUDART_BEGIN;
  struct gpm_sim_module *module = gpm_sim_module_create();
  if (!module) return gpm_cudart_end(cudaErrorMemoryAllocation);
  *library = (cudaLibrary_t)module;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions,
                                    enum cudaLibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions) {
  (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
  (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
  GPM_CUDART_REQUIRE(library);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_module_open(fileName, (struct gpm_sim_module **)library));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  struct gpm_sim_module *module = module_get(library);
  if (!module) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  gpm_sim_object_destroy(module);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
  GPM_CUDART_REQUIRE(pKernel && name);
  struct gpm_sim_module *module = module_get(library);
  if (!module) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  *pKernel = (cudaKernel_t)gpm_sim_module_function(module, name);
  return gpm_cudart_end(*pKernel ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
  GPM_CUDART_REQUIRE(name);
  GPM_CUDART_BEGIN;
  struct gpm_sim_module *module = module_get(library);
  if (!module) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  uint64_t address = 0, size = 0;
  int error = gpm_sim_module_global(module, name, &address, &size);
  if (error) return gpm_cudart_end(error);
  if (dptr) *dptr = (void *)(uintptr_t)address;
  if (bytes) *bytes = size;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
  (void)dptr, (void)bytes, (void)library, (void)name;
  return gpm_cudart_end(gpm_sim_unsupported("cudaLibraryGetManaged"));
}

/* Only kernels that the program asked for are known. */
cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
  GPM_CUDART_REQUIRE(count);
  struct gpm_sim_module *module = module_get(lib);
  if (!module) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  GPM_SIM_LOCKED;
  *count = 0;
  for (struct gpm_sim_function *f = module->functions; f; f = f->next) ++*count;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                        cudaLibrary_t lib) {
  GPM_CUDART_REQUIRE(kernels || !numKernels);
  struct gpm_sim_module *module = module_get(lib);
  if (!module) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  GPM_SIM_LOCKED;
  struct gpm_sim_function *f = module->functions;
  for (unsigned i = 0; i < numKernels && f; i++, f = f->next) kernels[i] = (cudaKernel_t)f;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus) {
  GPM_CUDART_REQUIRE(symbol && funcPtr && flags <= cudaEnablePerThreadDefaultStream);
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  cuInit(0);
  CUresult error = cuGetProcAddress_v2(symbol, funcPtr, (int)cudaVersion, flags, &status);
  if (driverStatus) {
    *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    return gpm_cudart_end(cudaSuccess);
  }
  return gpm_cudart_end((int)error);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *driverStatus) {
  return cudaGetDriverEntryPointByVersion(symbol, funcPtr, GPM_CUDART_VERSION, flags, driverStatus);
}

/* The default differs: it is the per-thread stream in a program that is compiled for it. */
cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                      unsigned long long flags,
                                      enum cudaDriverEntryPointQueryResult *driverStatus);
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                                         unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *driverStatus);

cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                      unsigned long long flags,
                                      enum cudaDriverEntryPointQueryResult *driverStatus) {
  if (flags == cudaEnableDefault) flags = cudaEnablePerThreadDefaultStream;
  return cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, flags, driverStatus);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                                         unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *driverStatus) {
  return cudaGetDriverEntryPointByVersion_ptsz(symbol, funcPtr, GPM_CUDART_VERSION, flags,
                                               driverStatus);
}
