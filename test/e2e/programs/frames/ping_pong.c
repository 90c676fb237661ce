/* Five million tail calls between two functions run in one machine frame and one shadow frame. Each
 * activation ends before its tail call, so what it did is its own, and its caller is main.
 * At -O0 the calls have to be asked for. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __OPTIMIZE__
#define TAIL
#else
#define TAIL __attribute__((musttail))
#endif

static char *held;
static volatile int calls = 5000000;

static int pong(int n);
__attribute__((noinline)) static int ping(int n) {
  if (n % 100000 == 0) {
    cudaFree(held);
    cudaMalloc((void **)&held, 4096);
  }
  if (!n) return 0;
  TAIL return pong(n - 1);
}
__attribute__((noinline)) static int pong(int n) {
  if (n % 100000 == 1) cudaMalloc((void **)&held, 8192);
  if (!n) return 1;
  TAIL return ping(n - 1);
}

int main(void) {
  int parity = ping(calls);
  char *volatile here;
  cudaMalloc((void **)&here, 1024);
  cudaFree(here);
  return parity;
}
