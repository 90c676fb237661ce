/* prelude.h - what every random program of this folder includes, in C and in C++.
 *
 * note() mixes a value into the running checksum, and so decides what a difference is: everything a
 * program computes goes through it. line() prints the checksum so far. With -DTRACE each value is
 * printed, which shows the first one that differs. Pointers, times and figures of the device are
 * never mixed in.
 */
#ifndef GPUMEMPROF_TEST_DIFFERENTIAL_PRELUDE_H
#define GPUMEMPROF_TEST_DIFFERENTIAL_PRELUDE_H

#include <cuda_runtime_api.h>

#include <gpumemprof/gpumemprof.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define UNUSED __attribute__((unused))

static uint64_t checksum = 1469598103934665603u;
static int32_t fuel;                             /* calls that are left: ends every recursion */
static UNUSED volatile uint32_t unknown_two = 2; /* a 2 that the compiler does not know */
static UNUSED void *held[8];                     /* memory that lives across calls */

static inline void note(uint64_t value) {
#ifdef TRACE
  printf("  %016llx\n", (unsigned long long)value);
#endif
  checksum = (checksum ^ value) * 1099511628211u;
  checksum ^= checksum >> 29;
}

static UNUSED void line(const char *what) {
  printf("%s %016llx\n", what, (unsigned long long)checksum);
}

typedef uint32_t v4u __attribute__((vector_size(16)));
typedef unsigned __int128 u128;

static UNUSED inline uint32_t fold64(uint64_t v) {
  return (uint32_t)(v ^ (v >> 32));
}
static UNUSED inline uint32_t fold128(u128 v) {
  return fold64((uint64_t)(v ^ (v >> 64)));
}
static UNUSED inline u128 make128(uint32_t v) {
  return ((u128)v << 96) | ((u128)(v * 7u) << 40) | v;
}
static UNUSED inline uint32_t fold_v4(v4u v) {
  return v[0] ^ (v[1] * 3u) ^ (v[2] * 5u) ^ (v[3] * 7u);
}
static UNUSED inline v4u make_v4(uint32_t v) {
  v4u made = {v, v + 1u, v * 3u, ~v};
  return made;
}

/* Memory of the device: taken and given back at once, or held in one of eight places. */
#define TOUCH(size)                                                                                \
  do {                                                                                             \
    void *touched = NULL;                                                                          \
    note((uint64_t)cudaMalloc(&touched, (size)));                                                  \
    note((uint64_t)cudaFree(touched));                                                             \
  } while (0)
#define HOLD(at, size)                                                                             \
  do {                                                                                             \
    if (held[at] == NULL) note((uint64_t)cudaMalloc(&held[at], (size)));                           \
  } while (0)
#define RELEASE(at)                                                                                \
  do {                                                                                             \
    note((uint64_t)cudaFree(held[at]));                                                            \
    held[at] = NULL;                                                                               \
  } while (0)

#endif
