/* module.c - modules, libraries and kernels of the driver API. Images are not read. Here a module
 * and a library are the same object, and so are a function and a kernel.
 */
#include "base/lock.h"
#include "base/object.h"
#include "base/options.h"
#include "driver_api/cudrv.h"

static struct gpm_sim_module *module_get(const void *handle) {
  return gpm_sim_object_get(handle, GPM_SIM_MODULE);
}

static CUresult make(struct gpm_sim_module **result, const void *image) {
  GPM_CU_REQUIRE(result && image);
  *result = gpm_sim_module_create();
  return *result ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(module);
  return (CUresult)gpm_sim_module_open(fname, (struct gpm_sim_module **)module);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  GPM_CU_CONTEXT;
  return make((struct gpm_sim_module **)module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                            CUjit_option *options, void **optionValues) {
  (void)numOptions, (void)options, (void)optionValues;
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
  return cuModuleLoadData(module, fatCubin);
}

CUresult cuModuleUnload(CUmodule hmod) {
  GPM_CU_CONTEXT;
  struct gpm_sim_module *module = module_get(hmod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_object_destroy(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  GPM_CU_REQUIRE(mode);
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

static CUresult function(struct gpm_sim_function **result, const void *handle, const char *name) {
  GPM_CU_REQUIRE(result && name);
  struct gpm_sim_module *module = module_get(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  *result = gpm_sim_module_function(module, name);
  return *result ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
  GPM_CU_CONTEXT;
  return function((struct gpm_sim_function **)hfunc, hmod, name);
}

static CUresult count_functions(unsigned *count, const void *handle) {
  GPM_CU_REQUIRE(count);
  struct gpm_sim_module *module = module_get(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  GPM_SIM_LOCKED;
  *count = 0;
  for (struct gpm_sim_function *f = module->functions; f; f = f->next) ++*count;
  return CUDA_SUCCESS;
}

static CUresult list_functions(struct gpm_sim_function **list, unsigned count, const void *handle) {
  GPM_CU_REQUIRE(list || !count);
  struct gpm_sim_module *module = module_get(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  GPM_SIM_LOCKED;
  struct gpm_sim_function *f = module->functions;
  for (unsigned i = 0; i < count && f; i++, f = f->next) list[i] = f;
  return CUDA_SUCCESS;
}

/* Only functions that the program asked for are known. */
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
  GPM_CU_BEGIN;
  return count_functions(count, mod);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                    CUmodule mod) {
  GPM_CU_BEGIN;
  return list_functions((struct gpm_sim_function **)functions, numFunctions, mod);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(name);
  struct gpm_sim_module *module = module_get(hmod);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  uint64_t address = 0, size = 0;
  int error = gpm_sim_module_global(module, name, &address, &size);
  if (!error && dptr) *dptr = address;
  if (!error && bytes) *bytes = size;
  return (CUresult)error;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                           void **jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions) {
  (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
  (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
  GPM_CU_BEGIN;
  return make((struct gpm_sim_module **)library, code);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption *libraryOptions, void **libraryOptionValues,
                               unsigned int numLibraryOptions) {
  (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
  (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(library);
  return (CUresult)gpm_sim_module_open(fileName, (struct gpm_sim_module **)library);
}

CUresult cuLibraryUnload(CUlibrary library) {
  GPM_CU_BEGIN;
  struct gpm_sim_module *module = module_get(library);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_object_destroy(module);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
  GPM_CU_BEGIN;
  return function((struct gpm_sim_function **)pKernel, library, name);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
  GPM_CU_BEGIN;
  return count_functions(count, lib);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
  GPM_CU_BEGIN;
  return list_functions((struct gpm_sim_function **)kernels, numKernels, lib);
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pMod);
  *pMod = (CUmodule)module_get(library);
  return *pMod ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
  return cuModuleGetGlobal_v2(dptr, bytes, (CUmodule)library, name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                             const char *name) {
  (void)dptr, (void)bytes, (void)library, (void)name;
  return (CUresult)gpm_sim_unsupported("cuLibraryGetManaged");
}
