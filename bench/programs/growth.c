/* growth.c - much of one thing: how the cost of events, call paths, live blocks and open scopes
 * grows.
 *
 *   growth events|replace|paths|blocks|scopes COUNT
 *
 * events: COUNT allocations and frees over 1000 paths, 4096 blocks live, three scopes for each
 *         allocation
 * replace: COUNT allocations and frees of eight sizes on four lines of one scope, 4096 blocks live
 * paths:  one allocation and free on each of COUNT call paths, up to 10^6
 * blocks: COUNT blocks that stay live to the end, on 10 paths
 * scopes: COUNT calls inside each other, with an allocation in each; what comes after the first
 * time is measured, when the paths are known */
#include "bench_cuda.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RAW_LOG /* the peer of the row log */
#include "raw_log.h"
#endif

static void *allocated(void) {
  void *p;
  if (cudaMalloc(&p, 512)) exit(1);
  return p;
}

/* Six levels of ten lines each: 10^6 paths. */
#define LEVEL level1
#define BELOW(path) allocated()
#include "growth_level.h"
#define LEVEL level2
#define BELOW(path) level1(path)
#include "growth_level.h"
#define LEVEL level3
#define BELOW(path) level2(path)
#include "growth_level.h"
#define LEVEL level4
#define BELOW(path) level3(path)
#include "growth_level.h"
#define LEVEL level5
#define BELOW(path) level4(path)
#include "growth_level.h"
#define LEVEL level6
#define BELOW(path) level5(path)
#include "growth_level.h"

static void events(uint64_t count) {
  static void *slots[4096];
  uint64_t random = 88172645463325252u;
  for (uint64_t i = 0; i < count / 2; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    void **slot = &slots[(random >> 20) % 4096];
    if (*slot) cudaFree(*slot);
    *slot = level3((unsigned)(random >> 40) % 1000);
  }
  for (unsigned i = 0; i < 4096; i++)
    if (slots[i]) cudaFree(slots[i]);
}

static void replace(uint64_t count) {
  static void *slots[4096];
  uint64_t random = 88172645463325252u;
  for (uint64_t i = 0; i < count / 2; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    void **slot = &slots[(random >> 20) % 4096];
    size_t size = (size_t)512 << (random >> 50) % 8;
    if (*slot) cudaFree(*slot);
    if (random & 1 << 10) cudaMalloc(slot, size);
    else if (random & 1 << 11) cudaMalloc(slot, size);
    else if (random & 1 << 12) cudaMalloc(slot, size);
    else cudaMalloc(slot, size);
  }
  for (unsigned i = 0; i < 4096; i++)
    if (slots[i]) cudaFree(slots[i]);
}

static void paths(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) cudaFree(level6((unsigned)i));
}

static void blocks(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) level1((unsigned)(i % 10));
}

static void scopes(uint64_t count) {
  void *p = allocated();
  if (count > 1) scopes(count - 1);
  cudaFree(p);
  __asm__ volatile("");
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(uint64_t);
  } modes[] = {{"events", events},
               {"replace", replace},
               {"paths", paths},
               {"blocks", blocks},
               {"scopes", scopes}};
  uint64_t count = bench_count(argc, argv, 2, "count");
  for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(argv[1], modes[i].name)) continue;
    bench_pin();
    uint64_t ns = 0;
    for (int round = modes[i].run == scopes ? 2 : 1; round; round--) { /* the same call line */
      uint64_t start = bench_cpu_ns();
      modes[i].run(count);
      ns = bench_cpu_ns() - start;
    }
    bench_print(ns, count);
    return 0;
  }
  fprintf(stderr, "usage: %s events|replace|paths|blocks|scopes COUNT\n", argv[0]);
  return 2;
}
