/* share_test.c - memory lent and borrowed: files of cuMemCreate's memory and of pools, IPC handles,
 * external memory. Codes of the tests without options as seen on an H200.
 */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <sys/wait.h>

#define UNIT (2 * MIB)
#define BY_FILE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

static CUmemAllocationProp lendable = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .requestedHandleTypes = BY_FILE,
                                       .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static void *as_handle(int file) {
  return (void *)(intptr_t)file;
}

static size_t taken(void) {
  size_t left, total;
  OK(cudaMemGetInfo(&left, &total));
  return total - left;
}

TEST(memory_has_to_be_made_lendable) {
  CUmemAllocationProp plain = lendable;
  CUmemGenericAllocationHandle handle;
  int file = -1;
  OK(cudaFree(NULL));
  plain.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  OK(cuMemCreate(&handle, UNIT, &plain, 0));
  CHECK_EQ(cuMemExportToShareableHandle(&file, handle, BY_FILE, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemImportFromShareableHandle(&handle, as_handle(99), BY_FILE), CUDA_ERROR_UNKNOWN);
  CHECK_EQ(cuMemImportFromShareableHandle(&handle, NULL, BY_FILE), CUDA_ERROR_INVALID_VALUE);
}

TEST(an_imported_handle_is_the_same_memory) {
  CUmemGenericAllocationHandle handle, imported;
  const CUmemAccessDesc all = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemAllocationProp found;
  CUdeviceptr p;
  int file = -1, exported = -1, in = 77, out = 0;
  OK(cudaFree(NULL));
  size_t before = taken();
  OK(cuMemCreate(&handle, UNIT, &lendable, 0));
  OK(cuMemExportToShareableHandle(&file, handle, BY_FILE, 0));
  OK(cuMemImportFromShareableHandle(&imported, as_handle(file), BY_FILE));
  CHECK(imported != handle);
  OK(cuMemGetAllocationPropertiesFromHandle(&found, imported));
  CHECK_EQ(found.requestedHandleTypes, CU_MEM_HANDLE_TYPE_NONE);
  CHECK_EQ(cuMemExportToShareableHandle(&exported, imported, BY_FILE, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(taken() - before, UNIT);
  OK(cuMemAddressReserve(&p, 2 * UNIT, 0, 0, 0));
  CHECK_EQ(cuMemMap(p, 2 * UNIT, 0, imported, 0), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuMemMap(p, UNIT, 0, imported, 0));
  OK(cuMemMap(p + UNIT, UNIT, 0, handle, 0));
  OK(cuMemSetAccess(p, 2 * UNIT, &all, 1));
  OK(cuMemcpyHtoD(p, &in, sizeof in));
  OK(cuMemcpyDtoH(&out, p + UNIT, sizeof out));
  CHECK_EQ(out, 77);
  OK(cuMemRelease(handle));
  OK(cuMemRelease(imported));
  CHECK_EQ(cuMemRelease(imported), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemUnmap(p, MIB), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemAddressFree(p, 2 * UNIT), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(p, 2 * UNIT));
  CHECK_EQ(taken() - before, UNIT); /* the file keeps it */
  OK(close(file));
  CHECK_EQ(taken(), before);
  OK(cuMemAddressFree(p, 2 * UNIT));
}

TEST_WITH(a_copy_of_the_file_keeps_the_memory, "memory=16MiB") {
  CUmemGenericAllocationHandle handle, other;
  int file = -1;
  OK(cudaFree(NULL));
  OK(cuMemCreate(&handle, 16 * MIB, &lendable, 0));
  OK(cuMemExportToShareableHandle(&file, handle, BY_FILE, 0));
  int copy = dup(file);
  OK(cuMemRelease(handle));
  OK(close(file));
  CHECK_EQ(cuMemCreate(&other, UNIT, &lendable, 0), CUDA_ERROR_OUT_OF_MEMORY);
  OK(close(copy));
  OK(cuMemCreate(&other, UNIT, &lendable, 0));
}

TEST(host_memory_can_be_created_too) {
  static const int places[] = {CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA};
  CUmemAllocationProp host = lendable;
  CUmemGenericAllocationHandle handle;
  size_t unit = 0;
  OK(cudaFree(NULL));
  size_t before = taken();
  host.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  for (int i = 0; i < 2; i++) {
    host.location.type = (CUmemLocationType)places[i];
    OK(cuMemGetAllocationGranularity(&unit, &host, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK_EQ(unit, UNIT);
    OK(cuMemCreate(&handle, UNIT, &host, 0));
  }
  CHECK_EQ(taken(), before);
  host.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  CHECK_EQ(cuMemCreate(&handle, UNIT, &host, 0), CUDA_ERROR_INVALID_VALUE);
}

/* Whether the host may touch it depends on the machine. */
TEST_WITH(the_program_reads_and_writes_host_memory_where_it_is_mapped, "devices=1") {
  CUmemAllocationProp host = lendable;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_HOST, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle handle;
  CUdeviceptr p;
  OK(cudaFree(NULL));
  host.location.type = CU_MEM_LOCATION_TYPE_HOST;
  OK(cuMemCreate(&handle, UNIT, &host, 0));
  OK(cuMemAddressReserve(&p, 2 * UNIT, 0, 0, 0));
  OK(cuMemMap(p, UNIT, 0, handle, 0));
  OK(cuMemMap(p + UNIT, UNIT, 0, handle, 0));
  OK(cuMemSetAccess(p, 2 * UNIT, &access, 1));
  strcpy((char *)p, "twice");
  CHECK(!strcmp((char *)(p + UNIT), "twice"));
  OK(cuMemUnmap(p, 2 * UNIT));
  OK(cuMemRelease(handle));
}

TEST(external_memory_is_a_view_of_a_file) {
  CUmemGenericAllocationHandle handle;
  struct cudaExternalMemoryHandleDesc desc = {.type = cudaExternalMemoryHandleTypeOpaqueFd,
                                              .size = UNIT};
  struct cudaExternalMemoryBufferDesc part = {.offset = 0, .size = MIB};
  cudaExternalMemory_t external;
  CUdeviceptr base;
  size_t size;
  void *p, *q;
  OK(cudaFree(NULL));
  OK(cuMemCreate(&handle, UNIT, &lendable, 0));
  OK(cuMemExportToShareableHandle(&desc.handle.fd, handle, BY_FILE, 0));
  OK(cudaImportExternalMemory(&external, &desc));
  OK(cudaExternalMemoryGetMappedBuffer(&p, external, &part));
  OK(cuMemGetAddressRange(&base, &size, (CUdeviceptr)p));
  OK(cudaMemset(p, 1, MIB));
  part.offset = 3 * MIB;
  CHECK_EQ(cudaExternalMemoryGetMappedBuffer(&q, external, &part), cudaErrorInvalidValue);
  OK(cudaFree(p));
  OK(cudaDestroyExternalMemory(external));
}

TEST_WITH(external_memory_can_be_an_image, "devices=1") {
  CUmemGenericAllocationHandle handle;
  struct cudaExternalMemoryHandleDesc desc = {.type = cudaExternalMemoryHandleTypeOpaqueFd,
                                              .size = UNIT};
  struct cudaExternalMemoryMipmappedArrayDesc image = {
      .formatDesc = {8, 0, 0, 0, cudaChannelFormatKindUnsigned},
      .extent = {64, 64, 0},
      .numLevels = 1};
  cudaExternalMemory_t external;
  cudaMipmappedArray_t mipmap;
  cudaArray_t level;
  char text[64] = "pixels", back[64] = "";
  OK(cudaFree(NULL));
  OK(cuMemCreate(&handle, UNIT, &lendable, 0));
  OK(cuMemExportToShareableHandle(&desc.handle.fd, handle, BY_FILE, 0));
  size_t before = taken();
  OK(cudaImportExternalMemory(&external, &desc));
  OK(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, external, &image));
  OK(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
  OK(cudaMemcpy2DToArray(level, 0, 0, text, 64, 64, 1, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DFromArray(back, 64, level, 0, 0, 64, 1, cudaMemcpyDeviceToHost));
  CHECK(!strcmp(back, "pixels"));
  CHECK_EQ(taken(), before);
  OK(cudaFreeMipmappedArray(mipmap));
  OK(cudaDestroyExternalMemory(external));
  CHECK_EQ(cudaDestroyExternalMemory(external), cudaErrorInvalidResourceHandle);
}

TEST(a_lendable_pool_is_imported_without_an_allocator) {
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {cudaMemLocationTypeDevice, 0}};
  struct cudaMemPoolPtrExportData ticket;
  cudaMemPool_t pool, imported;
  uint64_t zero = 0;
  int file = -1;
  void *p, *q, *plain;
  OK(cudaMemPoolCreate(&pool, &properties));
  CHECK_EQ(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0),
           cudaErrorInvalidValue);
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  OK(cudaMemPoolCreate(&pool, &properties));
  OK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  OK(cudaMemPoolImportFromShareableHandle(&imported, as_handle(file),
                                          cudaMemHandleTypePosixFileDescriptor, 0));
  OK(cudaMallocAsync(&plain, MIB, NULL));
  OK(cudaMallocFromPoolAsync(&p, MIB, pool, NULL));
  OK(cudaStreamSynchronize(NULL));
  OK(cudaMemPoolExportPointer(&ticket, p));
  CHECK_EQ(cudaMemPoolExportPointer(&ticket, plain), cudaErrorInvalidValue);
  OK(cudaMemPoolExportPointer(&ticket, p));
  OK(cudaMemPoolImportPointer(&q, imported, &ticket));
  CHECK(q != p);
  CHECK_EQ(cudaMallocFromPoolAsync(&plain, 8, imported, NULL), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemPoolTrimTo(imported, 0), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemPoolSetAttribute(imported, cudaMemPoolAttrReleaseThreshold, &zero),
           cudaErrorInvalidValue);
  OK(cudaFree(q));
  OK(cudaFree(p));
}

TEST(an_ipc_handle_is_refused_where_it_was_made) {
  cudaIpcMemHandle_t handle;
  void *p, *pinned, *managed, *ordered;
  OK(cudaMalloc(&p, 8192));
  OK(cudaMallocHost(&pinned, 8));
  OK(cudaMallocManaged(&managed, 8, cudaMemAttachGlobal));
  OK(cudaMallocAsync(&ordered, 8, NULL));
  OK(cudaIpcGetMemHandle(&handle, (char *)p + 4));
  CHECK_EQ(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorDeviceUninitialized);
  CHECK_EQ(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
  CHECK_EQ(cudaIpcGetMemHandle(&handle, &handle), cudaErrorInvalidValue);
  CHECK_EQ(cudaIpcGetMemHandle(&handle, pinned), cudaErrorInvalidValue);
  CHECK_EQ(cudaIpcGetMemHandle(&handle, managed), cudaErrorInvalidValue);
  CHECK_EQ(cudaIpcGetMemHandle(&handle, ordered), cudaErrorInvalidValue);
}

/* What the program below inherits. */
#define LENT_IPC 60
#define LENT_MEMORY 61

HELPER(borrows) {
  cudaIpcMemHandle_t handle;
  CUmemGenericAllocationHandle imported;
  CUdeviceptr base;
  size_t size = 0;
  void *p, *reopened;
  int file = LENT_MEMORY;
  CHECK_EQ(read(LENT_IPC, &handle, sizeof handle), sizeof handle);
  OK(cudaFree(NULL));
  size_t before = taken();
  OK(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle(&reopened, handle, cudaIpcMemLazyEnablePeerAccess));
  CHECK(p == reopened);
  OK(cuMemGetAddressRange(&base, &size, (CUdeviceptr)p));
  CHECK_EQ(size, 3 * MIB);
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  OK(cudaMemset(p, 1, 3 * MIB));
  OK(cudaIpcCloseMemHandle(p));
  OK(cudaIpcCloseMemHandle(p));
  CHECK_EQ(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
  OK(cuMemImportFromShareableHandle(&imported, as_handle(file), BY_FILE));
  OK(cuMemRelease(imported));
  CHECK_EQ(taken(), before); /* it is the lender's */
}

TEST(another_process_borrows) {
  cudaIpcMemHandle_t handle;
  CUmemGenericAllocationHandle memory;
  void *p;
  int ends[2], file = -1, status = -1;
  OK(cudaMalloc(&p, 3 * MIB));
  OK(cudaIpcGetMemHandle(&handle, p));
  OK(cuMemCreate(&memory, UNIT, &lendable, 0));
  OK(cuMemExportToShareableHandle(&file, memory, BY_FILE, 0));
  OK(pipe(ends));
  CHECK_EQ(write(ends[1], &handle, sizeof handle), sizeof handle);
  pid_t child = fork();
  if (!child) {
    dup2(ends[0], LENT_IPC);
    dup2(file, LENT_MEMORY);
    execl("/proc/self/exe", "share_test", "borrows", (char *)NULL);
    _exit(127);
  }
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
}
