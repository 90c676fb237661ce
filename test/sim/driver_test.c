/* driver_test.c - the driver API: initialisation, contexts, memory, modules, entry points. */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

static void start(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuCtxCreate(&context, NULL, 0, 0));
}

TEST(nothing_answers_before_cuinit) {
  CUdevice device;
  CUdeviceptr p;
  CHECK_EQ(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  CHECK_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
}

TEST(runtime_api_that_counts_devices_starts_the_driver) {
  CUdevice device;
  CUcontext context = (CUcontext)1;
  int count;
  CHECK_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  OK(cudaGetDeviceCount(&count));
  OK(cuDeviceGet(&device, 0));
  OK(cuCtxGetCurrent(&context));
  CHECK(context == NULL);
}

TEST(memory_needs_a_current_context) {
  CUcontext context = (CUcontext)1;
  CUdeviceptr p;
  OK(cuInit(0));
  OK(cuCtxGetCurrent(&context));
  CHECK(context == NULL);
  CHECK_EQ(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(allocations_are_freed_once) {
  CUdeviceptr p;
  start();
  CHECK_EQ(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAlloc(&p, 100));
  OK(cuMemFree(p));
  CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(0));
  CHECK_EQ(cuMemAlloc(&p, (size_t)1 << 46), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(both_apis_see_one_device) {
  CUcontext context = NULL;
  CUdevice device = -1;
  size_t base_size = 0;
  CUdeviceptr base = 0;
  void *p, *q;
  OK(cudaMalloc(&p, 100));
  OK(cuCtxGetCurrent(&context));
  CHECK(context != NULL);
  OK(cuCtxGetDevice(&device));
  CHECK_EQ(device, 0);
  OK(cuMemGetAddressRange(&base, &base_size, (CUdeviceptr)p + 50));
  CHECK_EQ(base, p);
  CHECK_EQ(base_size, 100);
  OK(cuMemFree((CUdeviceptr)p));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  OK(cuMemAlloc((CUdeviceptr *)&q, 100));
  OK(cudaFree(q));
}

TEST(contexts_form_a_stack) {
  CUcontext a, b, found;
  start();
  OK(cuCtxGetCurrent(&a));
  OK(cuCtxCreate(&b, NULL, 0, 0));
  OK(cuCtxPopCurrent(&found));
  CHECK(found == b);
  OK(cuCtxGetCurrent(&found));
  CHECK(found == a);
  OK(cuCtxPushCurrent(b));
  OK(cuCtxSetCurrent(a));
  OK(cuCtxGetCurrent(&found));
  CHECK(found == a);
}

TEST_WITH(a_destroyed_context_takes_its_memory_along, "memory=64MiB") {
  CUcontext a, b;
  CUdeviceptr p;
  size_t left, total;
  start();
  OK(cuCtxGetCurrent(&a));
  OK(cuCtxCreate(&b, NULL, 0, 0));
  OK(cuMemAlloc(&p, 10 * MIB));
  OK(cuCtxDestroy(b));
  CHECK_EQ(cuCtxDestroy(b), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  OK(cuCtxSetCurrent(a));
  OK(cuMemGetInfo(&left, &total));
  CHECK_EQ(left, total);
  CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
}

TEST(primary_contexts_live_while_retained) {
  CUcontext a, b;
  unsigned flags;
  int active = -1;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK_EQ(active, 0);
  OK(cuDevicePrimaryCtxRetain(&a, 0));
  OK(cuDevicePrimaryCtxRetain(&b, 0));
  CHECK(a == b);
  OK(cuDevicePrimaryCtxRelease(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK_EQ(active, 1);
  OK(cuDevicePrimaryCtxRelease(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK_EQ(active, 0);
}

TEST(bytes_and_patterns_arrive) {
  unsigned char host[64], back[64];
  CUdeviceptr p;
  start();
  for (int i = 0; i < 64; i++) host[i] = (unsigned char)i;
  OK(cuMemAlloc(&p, 64));
  OK(cuMemcpyHtoD(p, host, 64));
  OK(cuMemsetD32(p + 8, 0x0a0b0c0d, 2));
  OK(cuMemsetD16(p + 32, 0x1234, 3));
  OK(cuMemcpyDtoH(back, p, 64));
  CHECK_EQ(back[7], 7);
  CHECK_EQ(back[8], 0x0d);
  CHECK_EQ(back[15], 0x0a);
  CHECK_EQ(back[16], 16);
  CHECK_EQ(back[36], 0x34);
  CHECK_EQ(back[37], 0x12);
  CHECK_EQ(back[38], 38);
  CHECK_EQ(cuMemcpyHtoD(p, host, 65), CUDA_ERROR_INVALID_VALUE);
}

TEST(two_dimensional_copies_reach_arrays) {
  CUDA_ARRAY_DESCRIPTOR format = {16, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1}, found;
  unsigned char host[64], back[64] = {0};
  CUarray array;
  start();
  for (int i = 0; i < 64; i++) host[i] = (unsigned char)(i + 1);
  OK(cuArrayCreate(&array, &format));
  OK(cuArrayGetDescriptor(&found, array));
  CHECK_EQ(found.Width, 16);
  CHECK_EQ(found.NumChannels, 1);
  CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = host,
                      .srcPitch = 16,
                      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                      .dstArray = array,
                      .WidthInBytes = 16,
                      .Height = 4};
  OK(cuMemcpy2D(&to));
  CUDA_MEMCPY2D from = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = array,
                        .srcXInBytes = 2,
                        .srcY = 1,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = back,
                        .dstPitch = 8,
                        .WidthInBytes = 8,
                        .Height = 2};
  OK(cuMemcpy2D(&from));
  CHECK_EQ(back[0], host[18]);
  CHECK_EQ(back[8], host[34]);
  OK(cuArrayDestroy(array));
}

TEST(pointer_attributes_tell_where_memory_is) {
  CUmemorytype type = 0;
  int managed = -1, host = 0;
  CUdeviceptr p, m;
  start();
  OK(cuMemAlloc(&p, 100));
  OK(cuMemAllocManaged(&m, 100, CU_MEM_ATTACH_GLOBAL));
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
  OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
  CHECK_EQ(managed, 1);
  CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&host),
           CUDA_ERROR_INVALID_VALUE);
}

TEST_WITH(any_image_is_a_module_and_any_name_a_kernel, "devices=1") {
  CUmodule module;
  CUfunction function, same;
  const char *name = NULL;
  CUdeviceptr variable;
  size_t size;
  start();
  OK(cuModuleLoadData(&module, ".version 8.0"));
  OK(cuModuleGetFunction(&function, module, "scale"));
  OK(cuModuleGetFunction(&same, module, "scale"));
  CHECK(function == same);
  OK(cuFuncGetName(&name, function));
  CHECK(!strcmp(name, "scale"));
  OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
  CHECK_EQ(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL),
           CUDA_ERROR_INVALID_VALUE);
  OK(cuModuleGetGlobal(&variable, &size, module, "table"));
  OK(cuMemsetD8(variable, 1, size));
  OK(cuModuleUnload(module));
  CHECK_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL),
           CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuModuleLoad(&module, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST(entry_points_are_found_by_documented_name_and_version) {
  CUdriverProcAddressQueryResult status;
  CUresult (*alloc)(CUdeviceptr *, size_t) = NULL;
  CUresult (*create)(CUcontext *, unsigned, CUdevice) = NULL;
  CUdeviceptr p = 0;
  void *found = NULL;
  start();
  OK(cuGetProcAddress("cuMemAlloc", (void **)&alloc, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  OK(alloc(&p, 100));
  OK(cuMemFree(p));
  OK(cuGetProcAddress("cuCtxCreate", (void **)&create, 11000, CU_GET_PROC_ADDRESS_DEFAULT,
                      &status));
  CUcontext context;
  OK(create(&context, 0, 0)); /* the form without parameters */
  OK(cuGetProcAddress("cuNoSuch", &found, 12000, 0, &status));
  CHECK_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  enum cudaDriverEntryPointQueryResult result;
  OK(cudaGetDriverEntryPointByVersion("cuMemFree", &found, 12000, cudaEnableDefault, &result));
  CHECK_EQ(result, cudaDriverEntryPointSuccess);
  CHECK(found != NULL);
}

TEST(errors_of_the_driver_have_its_names) {
  const char *text = NULL;
  OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(!strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY"));
  OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(!strcmp(text, "out of memory"));
  CHECK_EQ(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
  CHECK(text == NULL);
}

#ifdef GPUMEMPROF_SIM_CUDA_H             /* the toolkit's header declares it otherwise */
int cuMemGetHandleForAddressRange(void); /* in no header of the simulated device */
int cuIpcGetEventHandle(void);

TEST_WITH(what_is_not_simulated_says_so, "devices=1") {
  start();
  CHECK_EQ(cuMemGetHandleForAddressRange(), CUDA_ERROR_NOT_SUPPORTED);
  CHECK_EQ(cuIpcGetEventHandle(), CUDA_ERROR_NOT_SUPPORTED);
}
#endif
