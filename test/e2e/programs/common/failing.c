/* Allocations and frees that fail, by the simulated device's options; frees of what was never seen.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *allocate_elsewhere(size_t bytes); /* elsewhere.c, compiled without the plugin */

static int attempts(size_t bytes) {
  char *first = 0, *second = 0;
  int status = cudaMalloc((void **)&first, 1000);
  status = 10 * status + cudaMalloc((void **)&second, bytes);
  if (second) cudaFree(second);
  if (first) cudaFree(first);
  return status;
}

static void frees(void) {
  char *p;
  cudaMalloc((void **)&p, 3000);
  int first = cudaFree(p);
  int second = first ? cudaFree(p) : 0;
  printf("free %d then %d\n", first, second);
}

static void never_freed(void) {
  char *p;
  cudaMalloc((void **)&p, 5000);
  printf("free %d\n", cudaFree(p));
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (!strcmp(mode, "attempts"))
    printf("status %d\n", attempts(argc > 2 ? strtoul(argv[2], 0, 10) : 4000));
  if (!strcmp(mode, "frees")) frees();
  if (!strcmp(mode, "never_freed")) never_freed();
  if (!strcmp(mode, "unknown")) {
    cudaFree(allocate_elsewhere(7000));
    cudaFree(0); /* not a free */
  }
  return 0;
}
