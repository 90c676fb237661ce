/* preload_count.c - counts the CUDA memory calls a program makes, by interposition.
 *
 *   LD_PRELOAD=.../libpreload_count.so PRELOAD_COUNT_OUT=file.json ./program
 *
 * A second count beside cupti_count.c. It sees the calls of programs with a shared cudart, and none
 * of the libraries that carry a runtime of their own. One lock is held across the real call, so
 * that the order of operations is the true one also with several threads. CUDA's headers are not
 * used: the prototypes below are the whole of what it needs.
 */
#define _GNU_SOURCE
#include "tally.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

struct pitched {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct extent {
  size_t width, height, depth;
};
struct channels {
  int x, y, z, w, f;
};

static pthread_mutex_t lock =
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* held across the real call */
static int depth;    /* under lock: calls made inside a counted call are not the program's */
static uint64_t now; /* order of operations */

static void *real(const char *name) {
  void *f = dlsym(RTLD_NEXT, name);
  if (!f) { /* a driver that only the CUDA runtime opened is in nobody's search order */
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    f = driver ? dlsym(driver, name) : NULL;
  }
  if (!f) {
    fprintf(stderr, "preload_count: %s is not in the libraries after this one\n", name);
    abort();
  }
  return f;
}

static int runtime_device(void) {
  int device = 0;
  int (*get)(int *) = (int (*)(int *))real("cudaGetDevice");
  return get(&device) == 0 ? device : -1;
}

static int driver_device(void) {
  int device = 0;
  int (*get)(int *) = (int (*)(int *))real("cuCtxGetDevice");
  return get(&device) == 0 ? device : -1;
}

/* Prints at exit, after the program's own destructors. */
__attribute__((destructor)) static void finish(void) {
  tally_print("preload", "PRELOAD_COUNT_OUT", 0);
}

/* ALLOC(kind, where, name, block, bytes, (parameters), (arguments)) */
#define ALLOC(kind, where, name, block, bytes, parameters, arguments)                              \
  EXPORT int name parameters;                                                                      \
  EXPORT int name parameters {                                                                     \
    static int(*next) parameters;                                                                  \
    int result;                                                                                    \
    pthread_mutex_lock(&lock);                                                                     \
    if (!next) next = (int(*) parameters)real(#name);                                              \
    depth++;                                                                                       \
    result = next arguments;                                                                       \
    depth--;                                                                                       \
    if (result == 0 && !depth)                                                                     \
      tally_add(0, kind, where##_device(), (uint64_t)(uintptr_t)(block), bytes, "program", now++); \
    pthread_mutex_unlock(&lock);                                                                   \
    return result;                                                                                 \
  }

#define FREE(name, block, parameters, arguments)                                                   \
  EXPORT int name parameters;                                                                      \
  EXPORT int name parameters {                                                                     \
    static int(*next) parameters;                                                                  \
    int result;                                                                                    \
    pthread_mutex_lock(&lock);                                                                     \
    if (!next) next = (int(*) parameters)real(#name);                                              \
    depth++;                                                                                       \
    result = next arguments;                                                                       \
    depth--;                                                                                       \
    if (result == 0 && block && !depth)                                                            \
      tally_add(1, TALLY_OTHER, 0, (uint64_t)(uintptr_t)(block), 0, "program", now++);             \
    pthread_mutex_unlock(&lock);                                                                   \
    return result;                                                                                 \
  }

static size_t element(const struct channels *c) {
  return (size_t)(c->x + c->y + c->z + c->w) / 8;
}
static size_t or_one(size_t n) {
  return n ? n : 1;
}

/* clang-format off */
ALLOC(TALLY_DEVICE, runtime, cudaMalloc, *p, n, (void **p, size_t n), (p, n))
ALLOC(TALLY_MANAGED, runtime, cudaMallocManaged, *p, n, (void **p, size_t n, unsigned f), (p, n, f))
ALLOC(TALLY_PINNED, runtime, cudaMallocHost, *p, n, (void **p, size_t n), (p, n))
ALLOC(TALLY_PINNED, runtime, cudaHostAlloc, *p, n, (void **p, size_t n, unsigned f), (p, n, f))
ALLOC(TALLY_DEVICE, runtime, cudaMallocPitch, *p, *pitch * h, (void **p, size_t *pitch, size_t w, size_t h), (p, pitch, w, h))
ALLOC(TALLY_DEVICE, runtime, cudaMalloc3D, p->ptr, p->pitch * e.height * e.depth, (struct pitched *p, struct extent e), (p, e))
ALLOC(TALLY_POOL, runtime, cudaMallocAsync, *p, n, (void **p, size_t n, void *s), (p, n, s))
ALLOC(TALLY_POOL, runtime, cudaMallocAsync_ptsz, *p, n, (void **p, size_t n, void *s), (p, n, s))
ALLOC(TALLY_POOL, runtime, cudaMallocFromPoolAsync, *p, n, (void **p, size_t n, void *pool, void *s), (p, n, pool, s))
ALLOC(TALLY_POOL, runtime, cudaMallocFromPoolAsync_ptsz, *p, n, (void **p, size_t n, void *pool, void *s), (p, n, pool, s))
ALLOC(TALLY_ARRAY, runtime, cudaMallocArray, *a, element(c) * w * or_one(h), (void **a, const struct channels *c, size_t w, size_t h, unsigned f), (a, c, w, h, f))
ALLOC(TALLY_ARRAY, runtime, cudaMalloc3DArray, *a, element(c) * e.width * or_one(e.height) * or_one(e.depth), (void **a, const struct channels *c, struct extent e, unsigned f), (a, c, e, f))
FREE(cudaFree, p, (void *p), (p))
FREE(cudaFreeHost, p, (void *p), (p))
FREE(cudaFreeAsync, p, (void *p, void *s), (p, s))
FREE(cudaFreeAsync_ptsz, p, (void *p, void *s), (p, s))
FREE(cudaFreeArray, a, (void *a), (a))

ALLOC(TALLY_DEVICE, driver, cuMemAlloc_v2, *p, n, (uint64_t *p, size_t n), (p, n))
ALLOC(TALLY_DEVICE, driver, cuMemAllocPitch_v2, *p, *pitch * h, (uint64_t *p, size_t *pitch, size_t w, size_t h, unsigned e), (p, pitch, w, h, e))
ALLOC(TALLY_MANAGED, driver, cuMemAllocManaged, *p, n, (uint64_t *p, size_t n, unsigned f), (p, n, f))
ALLOC(TALLY_PINNED, driver, cuMemAllocHost_v2, *p, n, (void **p, size_t n), (p, n))
ALLOC(TALLY_PINNED, driver, cuMemHostAlloc, *p, n, (void **p, size_t n, unsigned f), (p, n, f))
ALLOC(TALLY_POOL, driver, cuMemAllocAsync, *p, n, (uint64_t *p, size_t n, void *s), (p, n, s))
ALLOC(TALLY_POOL, driver, cuMemAllocAsync_ptsz, *p, n, (uint64_t *p, size_t n, void *s), (p, n, s))
ALLOC(TALLY_VMM, driver, cuMemCreate, *p, n, (uint64_t *p, size_t n, const void *prop, unsigned long long f), (p, n, prop, f))
FREE(cuMemFree_v2, p, (uint64_t p), (p))
FREE(cuMemFreeHost, p, (void *p), (p))
FREE(cuMemFreeAsync, p, (uint64_t p, void *s), (p, s))
FREE(cuMemFreeAsync_ptsz, p, (uint64_t p, void *s), (p, s))
FREE(cuMemRelease, p, (uint64_t p), (p))
/* clang-format on */

EXPORT int cudaDeviceReset(void);
EXPORT int cudaDeviceReset(void) {
  int (*next)(void) = (int (*)(void))real("cudaDeviceReset");
  int device, result;
  pthread_mutex_lock(&lock);
  device = runtime_device();
  result = next();
  if (result == 0 && !depth) tally_reset(device, now++);
  pthread_mutex_unlock(&lock);
  return result;
}
