/* C: function pointers, tables of CUDA entry points, callbacks of libc, longjmp, variable
 * arguments. */
#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

typedef cudaError_t (*allocate_fn)(void **, size_t);
typedef cudaError_t (*free_fn)(void *);
static const struct {
  allocate_fn allocate;
  free_fn release;
} api = {cudaMalloc, cudaFree};

static jmp_buf out;
static char *slots[8];

static void through_table(int slot, size_t bytes) {
  SCOPE("through_table");
  ALLOC_BY(api.allocate, slots[slot], bytes);
}

static int by_size(const void *a, const void *b) {
  SCOPE("by_size");
  static int once;
  if (!once++) ALLOC(slots[0], 16 * KIB);
  return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void jumps(int depth) {
  SCOPE("jumps");
  ALLOC(slots[1 + depth], (size_t)(depth + 1) * KIB);
  if (depth == 2) longjmp(out, 1);
  jumps(depth + 1);
}

static void returns_twice(void) {
  SCOPE("returns_twice");
  if (!setjmp(out)) {
    jumps(0);
  } else {
    BACK_IN_SCOPE();
    FREE(slots[3]);
  }
  ALLOC(slots[4], 32 * KIB); /* on returns_twice, not on the frames that were jumped over */
}

static void each(void (*visit)(int, size_t), int count, ...) {
  SCOPE("each");
  va_list sizes;
  va_start(sizes, count);
  for (int i = 0; i < count; i++) visit(5 + i, va_arg(sizes, size_t));
  va_end(sizes);
}

int main(void) {
  SCOPE("main");
  int numbers[] = {5, 3, 9, 1};
  qsort(numbers, 4, sizeof numbers[0], by_size);
  returns_twice();
  each(through_table, 2, 100 * KIB, 200 * KIB);
  FREE_BY(api.release, slots[5]);
  FREE(slots[1]);
  SUMMARY();
  return 0;
}
