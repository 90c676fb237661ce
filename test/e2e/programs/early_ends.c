/* Allocates once, and ends, aborts or leaves by _exit before it would have freed. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  void *p;
  cudaMalloc(&p, 1 << 20);
  if (argc > 1 && !strcmp(argv[1], "aborts")) abort();
  if (argc > 1 && !strcmp(argv[1], "leaves")) _exit(3);
  cudaFree(p);
  return 0;
}
