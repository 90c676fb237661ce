/* fake_cuda.c - the CUDA functions the tests call, on malloc. */
#include "gpumemprof/cuda_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int give(void **p, size_t n) {
  *p = malloc(n ? n : 1);
  return *p ? GPM_CUDA_SUCCESS : GPM_CUDA_OUT_OF_MEMORY;
}

int cudaMalloc(void **p, size_t n) {
  return give(p, n);
}
int cudaMallocManaged(void **p, size_t n, unsigned flags) {
  return (void)flags, give(p, n);
}
int cudaMallocHost(void **p, size_t n) {
  return give(p, n);
}
int cudaHostAlloc(void **p, size_t n, unsigned flags) {
  return (void)flags, give(p, n);
}
/* Of these only the sites are looked at. */
int cudaMalloc3DArray(void) {
  return 0;
}
int cudaMallocMipmappedArray(void) {
  return 0;
}
int cudaGraphAddMemAllocNode(void) {
  return 0;
}
int cudaExternalMemoryGetMappedBuffer(void) {
  return 0;
}
int cudaMemPoolImportPointer(void) {
  return 0;
}
int cudaMemcpy(void *to, const void *from, size_t n, int kind) {
  return (void)kind, memcpy(to, from, n), 0;
}
int cudaMemset(void *to, int value, size_t n) {
  return memset(to, value, n), 0;
}
int __cudaPushCallConfiguration(struct gpm_dim3 grid, struct gpm_dim3 block, size_t shared, gpm_stream s) {
  return printf("%u blocks of %u threads, %zu bytes, stream %p\n", grid.x * grid.y * grid.z, block.x * block.y * block.z, shared,
                (void *)s), 0;
}
int cudaLaunchKernel(const void *kernel, struct gpm_dim3 grid, struct gpm_dim3 block, void **arguments, size_t shared,
                     gpm_stream s) {
  return printf("launched with %d, %u blocks of %u threads, %zu bytes, stream %p\n", *(int *)arguments[0], grid.z, block.z,
                shared, (void *)s), (void)kernel, 0;
}
int __cudaRegisterFunction(void) {
  return 0;
}
int cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h) {
  *pitch = (w + 511) / 512 * 512;
  return give(p, *pitch * h);
}
int cudaMalloc3D(struct gpm_pitched_ptr *p, struct gpm_extent e) {
  p->pitch = e.width;
  p->xsize = e.width;
  p->ysize = e.height;
  return give(&p->ptr, e.width * e.height * e.depth);
}
int cudaMallocAsync(void **p, size_t n, gpm_stream s) {
  return (void)s, give(p, n);
}
int cudaMallocAsync_ptsz(void **p, size_t n, gpm_stream s) {
  return (void)s, give(p, n);
}
int cudaFree(void *p) {
  return free(p), 0;
}
int cudaFreeHost(void *p) {
  return free(p), 0;
}
int cudaFreeAsync(void *p, gpm_stream s) {
  return (void)s, free(p), 0;
}
int cudaFreeAsync_ptsz(void *p, gpm_stream s) {
  return (void)s, free(p), 0;
}
int cudaDeviceReset(void) {
  return 0;
}
int cudaGetDevice(int *device) {
  return *device = 0, 0;
}
int cuMemAlloc_v2(gpm_deviceptr *p, size_t n) {
  return give((void **)p, n);
}
int cuMemFree_v2(gpm_deviceptr p) {
  return free((void *)p), 0;
}
