/* traced_cuda.c - precedes the simulated CUDA in the link and tells a listener of the driver's
 * calls, as CUPTI does, also of those a call of the runtime API comes down to. Built as a library
 * called libcuda.so.traced, so that it counts as CUDA's. */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>

struct cupti_call { /* the beginning of CUpti_CallbackData */
  int where;
  const char *function;
  const void *parameters;
  const int *result;
};
typedef void (*listener)(void *data, int domain, uint32_t number, const struct cupti_call *call);
listener traced_listener; /* fake_cupti.c sets them */
unsigned char traced_enabled[1024];

static void tell(int where, uint32_t number, const char *name, const void *a, const int *result) {
  struct cupti_call call = {where, name, a, result};
  if (traced_listener && traced_enabled[number]) traced_listener(NULL, 1, number, &call);
}

/* Members of a are the call's arguments in order; names the driver's call. */
#define TRACED(function, number, name, members, values, arguments)                                 \
  struct members a = values;                                                                       \
  __typeof__(&function) real = (__typeof__(&function))dlsym(RTLD_NEXT, #function);                 \
  tell(0, number, name, &a, NULL);                                                                 \
  int result = (int)real arguments;                                                                \
  tell(1, number, name, &a, &result);                                                              \
  return result
#define VALUES(...) {__VA_ARGS__}

cudaError_t cudaMalloc(void **p, size_t n) {
  TRACED(
      cudaMalloc, 243, "cuMemAlloc_v2",
      {
        void **p;
        size_t n;
      },
      VALUES(p, n), (p, n));
}
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h) {
  TRACED(
      cudaMallocPitch, 244, "cuMemAllocPitch_v2",
      {
        void **p;
        size_t *pitch;
        size_t w;
        size_t h;
        unsigned element;
      },
      VALUES(p, pitch, w, h, 4), (p, pitch, w, h));
}
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags) {
  TRACED(
      cudaMallocManaged, 371, "cuMemAllocManaged",
      {
        void **p;
        size_t n;
        unsigned flags;
      },
      VALUES(p, n, flags), (p, n, flags));
}
cudaError_t cudaMallocHost(void **p, size_t n) {
  TRACED(
      cudaMallocHost, 271, "cuMemHostAlloc_v2",
      {
        void **p;
        size_t n;
        unsigned flags;
      },
      VALUES(p, n, 0), (p, n));
}
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s) {
  TRACED(
      cudaMallocAsync, 598, "cuMemAllocAsync",
      {
        void **p;
        size_t n;
        cudaStream_t s;
      },
      VALUES(p, n, s), (p, n, s));
}
cudaError_t cudaFree(void *p) {
  TRACED(cudaFree, 245, "cuMemFree_v2", { void *p; }, VALUES(p), (p));
}
cudaError_t cudaFreeHost(void *p) {
  TRACED(cudaFreeHost, 38, "cuMemFreeHost", { void *p; }, VALUES(p), (p));
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
  TRACED(
      cudaFreeAsync, 600, "cuMemFreeAsync",
      {
        void *p;
        cudaStream_t s;
      },
      VALUES(p, s), (p, s));
}
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) {
  TRACED(
      cuMemAlloc_v2, 243, "cuMemAlloc_v2",
      {
        CUdeviceptr *p;
        size_t n;
      },
      VALUES(p, n), (p, n));
}
