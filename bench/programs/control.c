/* control.c - what the program's own calls of the profiler take.
 *
 *   control none|snapshot|scope|label|step|pair-measured COUNT
 *
 * snapshot: gpumemprof_snapshot of the device, counters only
 * scope:    gpumemprof_scope_begin and _end with a result, around nothing
 * label:    gpumemprof_label_push and _pop
 * step:     gpumemprof_step, without a schedule
 * none:     the empty loop
 *
 * pair-measured: cudaMalloc and cudaFree of stub_cuda.c inside a measured scope; pairs.c has them
 * without one. */
#include "bench_cuda.h"
#include "timer.h"

#include <gpumemprof/gpumemprof.h>
#include <stdio.h>
#include <string.h>

static __attribute__((noinline)) void pairs(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    void *p;
    cudaMalloc(&p, 64);
    __asm__ volatile("" : "+r"(p) : : "memory");
    cudaFree(p);
  }
  __asm__ volatile("");
}

static __attribute__((noinline)) void snapshots(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    struct gpumemprof_snapshot s;
    gpumemprof_snapshot(&s, GPUMEMPROF_CURRENT_DEVICE, 0);
    __asm__ volatile("" : : "r"(&s) : "memory");
  }
}

static __attribute__((noinline)) void scopes(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    struct gpumemprof_result r;
    uint64_t scope = gpumemprof_scope_begin("measured");
    gpumemprof_scope_end(scope, &r);
    __asm__ volatile("" : : "r"(&r) : "memory");
  }
}

static __attribute__((noinline)) void labels(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    gpumemprof_label_push("forward");
    gpumemprof_label_pop();
  }
}

static __attribute__((noinline)) void steps(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) gpumemprof_step();
}

static __attribute__((noinline)) void measured_pairs(uint64_t count) {
  uint64_t scope = gpumemprof_scope_begin("measured");
  pairs(count);
  gpumemprof_scope_end(scope, NULL);
}

static void nothing(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) __asm__ volatile("");
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(uint64_t count);
  } modes[] = {{"none", nothing}, {"snapshot", snapshots}, {"scope", scopes},
               {"label", labels}, {"step", steps},         {"pair-measured", measured_pairs}};
  uint64_t count = bench_count(argc, argv, 2, "count");
  for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(argv[1], modes[i].name)) continue;
    bench_pin();
    pairs(1); /* a device is known */
    modes[i].run(1000);
    uint64_t start = bench_cpu_ns();
    modes[i].run(count);
    bench_print(bench_cpu_ns() - start, count);
    return 0;
  }
  fprintf(stderr, "usage: %s none|snapshot|scope|label|step|pair-measured COUNT\n", argv[0]);
  return 2;
}
