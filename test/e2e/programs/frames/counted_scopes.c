/* Scopes whose every call is counted, and in which no memory moves: each lies below the line that
 * called it, and not below the line of the allocation before it. */
#include <cuda_runtime.h>

#include "gpumemprof/gpumemprof.h"

#define OUT_OF_LINE __attribute__((noinline))

static void *kept;
static volatile int calls;

OUT_OF_LINE static void block(void) {
  GPUMEMPROF_SCOPE("rest");
  calls++;
}
GPUMEMPROF_PROFILE OUT_OF_LINE static void profiled(void) {
  calls++;
}
OUT_OF_LINE static void by_way(void) {
  profiled();
  calls++;
}
GPUMEMPROF_PROFILE OUT_OF_LINE static void pointed_to(void) {
  calls++;
}
static void (*volatile pointer)(void) = pointed_to;

int main(void) {
  cudaMalloc(&kept, 1000);
  block();    /* called here */
  profiled(); /* called here */
  by_way();   /* called here */
  pointer();  /* called here */
  return 0;
}
