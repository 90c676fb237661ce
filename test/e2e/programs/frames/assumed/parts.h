/* parts.h - what the files of these programs share: each allocates with sizes of its own, so that a
 * wrong line shows. */
#ifndef PARTS_H
#define PARTS_H
#include <cuda_runtime_api.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
static inline void *take(size_t n) {
  void *p = 0;
  cudaMalloc(&p, n);
  return p;
}
/* Names that begin like those of libraries. */
void *mtx_create(size_t n), *cnd_create(size_t n), *sem_create(size_t n), *omp_create(size_t n),
    *nvtxCreate(size_t n);
void *pthread_mutex_pool(size_t n), *__printf_buffer(size_t n);
__attribute__((leaf)) void *leaf_one(size_t n);
__attribute__((pure)) void *pure_one(size_t n);
__attribute__((const)) void *const_one(size_t n);
__attribute__((noreturn)) void dies(size_t n), ends_too(size_t n);
#ifdef __cplusplus
}
#endif
#endif
