/* events.c - many allocations and frees over 1000 call paths: the input of the report row.
 *
 *   events COUNT        COUNT events: half allocations, half frees
 *
 * 10 x 10 x 10 functions, each a source line of its own; 4096 blocks are live, the oldest of a
 * random slot is freed before the slot is filled again. One block size: heaptrack_interpret 1.4
 * runs out of memory on many distinct ones. BENCH_MALLOC as in pairs.c. */
#include "timer.h"

#include <stdlib.h>

#ifdef BENCH_MALLOC
#define ALLOCATE(p) ((p) = malloc(64))
#define RELEASE(p) free(p)
#else
#include "bench_cuda.h"
#define ALLOCATE(p) cudaMalloc(&(p), 64)
#define RELEASE(p) cudaFree(p)
#endif

#define SLOTS 4096u
static void *slots[SLOTS];

#define LEAF(n)                                                                                    \
  static __attribute__((noinline)) void *inner##n(void) {                                          \
    void *p;                                                                                       \
    ALLOCATE(p);                                                                                   \
    __asm__ volatile("" : "+r"(p) : : "memory");                                                   \
    return p;                                                                                      \
  }
#define LEVEL(name, n, below)                                                                      \
  static __attribute__((noinline)) void *name##n(unsigned path) {                                  \
    void *p = below(path / 10, path % 10);                                                         \
    __asm__ volatile("" : "+r"(p));                                                                \
    return p;                                                                                      \
  }
#define CHOOSE(name, parameter, argument)                                                          \
  static inline void *name##_any(unsigned rest, unsigned digit) {                                  \
    (void)rest;                                                                                    \
    switch (digit) {                                                                               \
    case 0:                                                                                        \
      return name##0 argument;                                                                     \
    case 1:                                                                                        \
      return name##1 argument;                                                                     \
    case 2:                                                                                        \
      return name##2 argument;                                                                     \
    case 3:                                                                                        \
      return name##3 argument;                                                                     \
    case 4:                                                                                        \
      return name##4 argument;                                                                     \
    case 5:                                                                                        \
      return name##5 argument;                                                                     \
    case 6:                                                                                        \
      return name##6 argument;                                                                     \
    case 7:                                                                                        \
      return name##7 argument;                                                                     \
    case 8:                                                                                        \
      return name##8 argument;                                                                     \
    default:                                                                                       \
      return name##9 argument;                                                                     \
    }                                                                                              \
  }
/* clang-format off */
LEAF(0) LEAF(1) LEAF(2) LEAF(3) LEAF(4) LEAF(5) LEAF(6) LEAF(7) LEAF(8) LEAF(9)
CHOOSE(inner, void, ())
LEVEL(middle, 0, inner_any) LEVEL(middle, 1, inner_any) LEVEL(middle, 2, inner_any)
LEVEL(middle, 3, inner_any) LEVEL(middle, 4, inner_any) LEVEL(middle, 5, inner_any)
LEVEL(middle, 6, inner_any) LEVEL(middle, 7, inner_any) LEVEL(middle, 8, inner_any)
LEVEL(middle, 9, inner_any)
CHOOSE(middle, unsigned, (rest))
LEVEL(outer, 0, middle_any) LEVEL(outer, 1, middle_any) LEVEL(outer, 2, middle_any)
LEVEL(outer, 3, middle_any) LEVEL(outer, 4, middle_any) LEVEL(outer, 5, middle_any)
LEVEL(outer, 6, middle_any) LEVEL(outer, 7, middle_any) LEVEL(outer, 8, middle_any)
LEVEL(outer, 9, middle_any)
CHOOSE(outer, unsigned, (rest))
    /* clang-format on */

    static __attribute__((noinline)) void evict(unsigned slot) {
  RELEASE(slots[slot]);
  __asm__ volatile("");
}

int main(int argc, char **argv) {
  uint64_t allocations = bench_count(argc, argv, 1, "events") / 2;
  bench_pin();
  uint64_t random = 88172645463325252u;
  uint64_t start = bench_cpu_ns();
  for (uint64_t i = 0; i < allocations; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    unsigned slot = (unsigned)(random >> 20) % SLOTS;
    if (slots[slot]) evict(slot);
    unsigned path = (unsigned)(random >> 40) % 1000;
    slots[slot] = outer_any(path / 10, path % 10);
  }
  for (unsigned slot = 0; slot < SLOTS; slot++)
    if (slots[slot]) evict(slot);
  bench_print(bench_cpu_ns() - start, 2 * allocations);
  return 0;
}
