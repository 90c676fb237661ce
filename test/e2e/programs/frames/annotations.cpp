// Marked functions and blocks: every call counts, with or without memory; ignored functions vanish.
#include "../oracle/oracle.h"

#include "gpumemprof/gpumemprof.h"

static char *slots[16];
static int used;

GPUMEMPROF_IGNORE static char *my_malloc(size_t bytes) {
  char *p;
  cudaMalloc((void **)&p, bytes);
  return p;
}

GPUMEMPROF_PROFILE static int profiled(int n) {
  if (n % 2) slots[used++] = my_malloc(static_cast<size_t>(n) * KIB);
  return n;
}

static int blocks(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    GPUMEMPROF_SCOPE("round");
    if (i == 3) continue;
    sum += profiled(i);
    if (i == 6) break;
    GPUMEMPROF_SCOPE("rest");
    char *scratch = my_malloc(32 * KIB);
    cudaFree(scratch);
  }
  return sum;
}

int main() {
  int sum = blocks(10);
  while (used) cudaFree(slots[--used]);
  return sum == 0 + 1 + 2 + 4 + 5 + 6 ? 0 : 1;
}
