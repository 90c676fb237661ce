/* launch_test.c - kernels and variables as compiled programs register them, written out by hand so
 * that no CUDA compiler is needed.
 */
#include "check.h"

#include <cuda_runtime.h>

void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream);

static char kernel, unknown; /* addresses stand for host stubs */
static int variable[4];
static int *managed;
static const dim3 one = {1, 1, 1};

static void **start(void) {
  static int image;
  void **handle = __cudaRegisterFatBinary(&image);
  __cudaRegisterFunction(handle, &kernel, &kernel, "_Z6kernelv", -1, 0, 0, 0, 0, 0);
  __cudaRegisterVar(handle, (char *)variable, (char *)variable, "variable", 0, sizeof variable, 0,
                    0);
  __cudaRegisterManagedVar(handle, (void **)&managed, NULL, "managed", 0, 16, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  return handle;
}

static cudaError_t launch(dim3 grid, dim3 block, size_t shared) {
  return cudaLaunchKernel(&kernel, grid, block, NULL, shared, NULL);
}

TEST_WITH(registered_kernels_can_be_launched, "devices=1") {
  cudaLaunchConfig_t config = {.gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}};
  cudaKernel_t handle;
  start();
  OK(launch(one, one, 0));
  OK(cudaLaunchCooperativeKernel(&kernel, one, one, NULL, 0, NULL));
  OK(cudaLaunchKernelExC(&config, &kernel, NULL));
  OK(__cudaGetKernel(&handle, &kernel));
  OK(__cudaLaunchKernel(handle, one, one, NULL, 0, NULL));
  OK(cudaDeviceSynchronize());
}

TEST_WITH(launches_no_device_could_run_are_refused, "devices=1") {
  start();
  CHECK_EQ(launch((dim3){0, 1, 1}, one, 0), cudaErrorInvalidConfiguration);
  CHECK_EQ(launch(one, (dim3){1025, 1, 1}, 0), cudaErrorInvalidConfiguration);
  CHECK(launch(one, (dim3){1, 1, 65}, 0));
  CHECK(launch((dim3){1, 65536, 1}, one, 0));
  CHECK(launch(one, (dim3){32, 32, 2}, 0));
  CHECK_EQ(launch(one, one, 100000), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(&kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  OK(launch(one, one, 100000));
  CHECK_EQ(cudaFuncSetAttribute(&kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000),
           cudaErrorInvalidValue);
  CHECK_EQ(cudaLaunchKernel(&unknown, one, one, NULL, 0, NULL), cudaErrorInvalidResourceHandle);
}

TEST_WITH(functions_have_names_and_attributes, "devices=1") {
  struct cudaFuncAttributes attributes;
  const char *name = NULL;
  int blocks = 0;
  start();
  OK(cudaFuncGetName(&name, &kernel));
  CHECK(!strcmp(name, "_Z6kernelv"));
  OK(cudaFuncGetAttributes(&attributes, &kernel));
  CHECK_EQ(attributes.maxThreadsPerBlock, 1024);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 256, 0));
  CHECK_EQ(blocks, 8);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 32, 100 * KIB));
  CHECK_EQ(blocks, 2);
}

TEST_WITH(call_configurations_nest, "devices=1") {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  CHECK_EQ(__cudaPushCallConfiguration((dim3){1, 2, 3}, one, 4, NULL), 0);
  CHECK_EQ(__cudaPushCallConfiguration(one, (dim3){5, 6, 7}, 8, cudaStreamPerThread), 0);
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  CHECK_EQ(block.y, 6);
  CHECK_EQ(shared, 8);
  CHECK(stream == cudaStreamPerThread);
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  CHECK_EQ(grid.z, 3);
  CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
}

TEST_WITH(a_launch_gives_variables_their_memory, "devices=2") {
  size_t before, after, total;
  start();
  for (int device = 0; device < 2; device++) {
    OK(cudaSetDevice(device));
    OK(cudaMemGetInfo(&before, &total));
    OK(launch(one, one, 0));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(after < before);
    OK(launch(one, one, 0));
    OK(cudaMemGetInfo(&before, &total));
    CHECK_EQ(before, after);
  }
}

TEST_WITH(variables_are_copied_by_symbol, "devices=2") {
  int in[4] = {1, 2, 3, 4}, out[4] = {0};
  size_t size = 0;
  void *on_first, *on_second;
  start();
  OK(cudaGetSymbolSize(&size, variable));
  CHECK_EQ(size, sizeof variable);
  OK(cudaMemcpyToSymbol(variable, in, sizeof in, 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromSymbol(out, variable, 8, 8, cudaMemcpyDeviceToHost));
  CHECK_EQ(out[0], 3);
  CHECK_EQ(out[1], 4);
  CHECK_EQ(cudaMemcpyToSymbol(variable, in, sizeof in, 4, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
  CHECK_EQ(cudaMemcpyToSymbol(&unknown, in, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  OK(cudaGetSymbolAddress(&on_first, variable));
  OK(cudaSetDevice(1));
  OK(cudaGetSymbolAddress(&on_second, variable));
  CHECK(on_first != on_second);
}

TEST_WITH(managed_variables_are_there_before_main_calls_anything, "devices=1") {
  start();
  CHECK(managed != NULL);
  managed[3] = 5;
  int out = 0;
  OK(cudaMemcpyFromSymbol(&out, &managed, 4, 12, cudaMemcpyDeviceToHost));
  CHECK_EQ(out, 5);
}

TEST_WITH(unregistered_binaries_leave_nothing, "devices=1:memory=64MiB") {
  size_t left, total;
  void *p;
  void **handle = start();
  OK(cudaGetSymbolAddress(&p, variable));
  __cudaUnregisterFatBinary(handle);
  CHECK(launch(one, one, 0));
  CHECK_EQ(cudaGetSymbolAddress(&p, variable), cudaErrorInvalidSymbol);
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, total);
  start(); /* as dlclose and dlopen again */
  OK(launch(one, one, 0));
}

/* Two object files may bring the same template's kernel. */
TEST_WITH(a_kernel_registered_twice_is_one, "devices=1") {
  void **first = start();
  void **second = start();
  OK(launch(one, one, 0));
  __cudaUnregisterFatBinary(second);
  OK(launch(one, one, 0));
  __cudaUnregisterFatBinary(first);
  CHECK(launch(one, one, 0));
}
