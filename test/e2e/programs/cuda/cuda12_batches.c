/* cuda12_batches.c - batches of copies as CUDA 12.8 declares them, which the simulated runtime does
 * not have. They copy nothing, and fail if an argument did not arrive.
 */
#include <stddef.h>

#define BATCH(name)                                                                                \
  int name(void **to, void **from, size_t *n, size_t count, void *attributes, size_t *indices,     \
           size_t different, size_t *failed, void *stream);                                        \
  int name(void **to, void **from, size_t *n, size_t count, void *attributes, size_t *indices,     \
           size_t different, size_t *failed, void *stream) {                                       \
    return !(*to && *from && *n && count == 1 && !attributes && !*indices && different == 1 &&     \
             !*failed && stream);                                                                  \
  }
#define BATCH_3D(name)                                                                             \
  int name(size_t count, void *copies, size_t *failed, unsigned long long flags, void *stream);    \
  int name(size_t count, void *copies, size_t *failed, unsigned long long flags, void *stream) {   \
    return !(count == 3 && copies && !*failed && flags == 7 && stream);                            \
  }
BATCH(cudaMemcpyBatchAsync)
BATCH(cudaMemcpyBatchAsync_ptsz)
BATCH(cuMemcpyBatchAsync)
BATCH(cuMemcpyBatchAsync_ptsz)
BATCH_3D(cudaMemcpy3DBatchAsync)
BATCH_3D(cudaMemcpy3DBatchAsync_ptsz)
BATCH_3D(cuMemcpy3DBatchAsync)
BATCH_3D(cuMemcpy3DBatchAsync_ptsz)
