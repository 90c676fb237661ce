/* every_header: each macro that a program uses in its own code, in C and in C++, several on one
 * line. */
#include <cuda_runtime.h>

#include "gpumemprof/control.h"
#include "gpumemprof/gpumemprof.h"
#include "gpumemprof/measure.h"

#ifndef FUNCTION
#define FUNCTION static
#endif

FUNCTION int pieces(void) {
  void *block = 0;
  GPUMEMPROF_SCOPE("one");
  GPUMEMPROF_SCOPE("two");
  GPUMEMPROF_LABEL("text");
  struct gpumemprof_context *context = gpumemprof_context_capture();
  struct gpumemprof_pool *pool = gpumemprof_pool_create("pool");
  {
    GPUMEMPROF_ATTACH(context);
    GPUMEMPROF_SCOPE_BUDGET("three", "1MiB");
    GPUMEMPROF_SCOPE_NO_ALLOC("four");
    GPUMEMPROF_SCOPE_NO_LEAK("five");
    gpumemprof_pool_alloc(pool, &block, sizeof block);
    gpumemprof_pool_free(pool, &block);
    gpumemprof_step();
  }
  gpumemprof_pool_reset(pool);
  gpumemprof_pool_destroy(pool);
  gpumemprof_context_release(context);
  GPUMEMPROF_SWITCH(cudaMalloc(&block, 100));
  cudaFree(block);
  return gpumemprof_is_enabled();
}

#ifndef NO_MAIN
int main(void) {
  return pieces() == 2;
}
#endif
