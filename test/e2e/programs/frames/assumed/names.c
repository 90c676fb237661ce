/* names.c - calls of functions in another file that a name or an attribute makes look harmless. */
#include "parts.h"
#include <grow.h>
static void before(void) {
  take(100);
}
void *volatile kept;
int main(int argc, char **argv) {
  (void)argv;
  before();
  kept = mtx_create(1000); /* 1000 */
  before();
  kept = cnd_create(2000); /* 2000 */
  before();
  kept = sem_create(3000); /* 3000 */
  before();
  kept = omp_create(4000); /* 4000 */
  before();
  kept = nvtxCreate(5000); /* 5000 */
  before();
  kept = pthread_mutex_pool(6000); /* 6000 */
  before();
  kept = __printf_buffer(7000); /* 7000 */
  before();
  kept = leaf_one(8000); /* 8000 */
  before();
  kept = pure_one(9000); /* 9000 */
  before();
  kept = const_one(10000); /* 10000 */
  before();
  cuGrowBuffer(11000); /* 11000 */
  before();
  cudaGrowBuffer(12000); /* 12000 */
  before();
  if (argc > 1) {
    void (*volatile end)(size_t) __attribute__((noreturn)) = ends_too;
    end(13000); /* 13000 */
  }
  dies(13000); /* 13000 */
}
