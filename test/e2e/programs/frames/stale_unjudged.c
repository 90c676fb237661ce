/* The filter file promises that other_make (stale_lines_other.c) is harmless, and it is not. The
 * call before goes through a pointer: nothing in the frames tells that its line is stale. */
#include <cuda_runtime.h>

void other_make(void **p, unsigned long n);

static void *a, *b;

static void init(void) {
  cudaMalloc(&a, 1000);
}

void (*volatile start)(void) = init;

int main(void) {
  start();
  other_make(&b, 2000);
  return 0;
}
