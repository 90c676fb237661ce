/* peaks.c - the runtime's suffix maxima: what entering a total and asking for a scope's peak cost.
 *
 *   peaks PATTERN KINDS ROUNDS COUNT     KINDS: null, push, query, all of them in turns, or check
 *
 * A device's total over COUNT events follows a pattern. push: the total is entered whenever it
 * falls, as ledger.c does; query: that, and after each event the highest total since one of the
 * latest 64 clocks, as scopes ask when they end; null: the same loop without both. Before that the
 * answers of the first 3000 events, from all clocks of the latest 300 and some older ones, are
 * compared with a scan. */
#define _GNU_SOURCE
#include "core.h"
#include "records/maxima.c"

#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NONE, PUSH, QUERY, KINDS };
static const char *const names[KINDS] = {"null", "push", "query"};
static uint64_t *totals; /* after the event of that clock; [0]: before any */
static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

/* In place of the capture file: memory that each round uses from its start. */
static char *arena, *arena_next;
#define ARENA_SIZE (256u << 20)
struct gpumemprof_chunk *gpm_capture_chunk(uint32_t type, uint32_t record_size, uint32_t owner,
                                           uint64_t bytes) {
  struct gpumemprof_chunk *chunk = (void *)arena_next;
  (void)type;
  (void)record_size;
  (void)owner;
  arena_next += sizeof *chunk + bytes;
  return arena_next <= arena + ARENA_SIZE ? chunk : NULL;
}

static uint64_t shape(const char *pattern, uint64_t clock, uint64_t before, uint64_t count) {
  if (!strcmp(pattern, "walk")) {
    uint64_t step = 512 * (1 + random_bits() % 64);
    return random_bits() % 2 || before < step ? before + step : before - step;
  }
  if (!strcmp(pattern, "uniform")) return 512 * (random_bits() % (1u << 20));
  if (!strcmp(pattern, "sawtooth"))
    return 512 * (clock % 1000 < 500 ? clock % 500 : 500 - clock % 500);
  if (!strcmp(pattern, "rising")) return 512 * clock;
  if (!strcmp(pattern, "falling")) return 512 * (count - clock);
  fprintf(stderr, "peaks: a pattern is walk, uniform, sawtooth, rising or falling\n");
  exit(2);
}

static inline void push(struct gpm_maxima *m, uint64_t clock, uint64_t before) {
  struct gpumemprof_capture_maximum *at = gpm_maxima_position(m, before);
  if (__builtin_expect(!at, 0)) at = gpm_maxima_make_position(m, before);
  if (!at) abort();
  gpm_maxima_set(m, at, clock, before);
}

static inline uint64_t highest(const struct gpm_maxima *m, uint64_t since, uint64_t now) {
  uint64_t before = gpm_maxima_since(m, since);
  return before > now ? before : now;
}

static __attribute__((noinline)) uint64_t loop(enum kind kind, struct gpm_maxima *m,
                                               uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t clock = 1; clock <= count; clock++) {
    uint64_t before = totals[clock - 1], now = totals[clock];
    uint64_t back = (clock * 0x9e3779b97f4a7c15ULL >> 58) + 1; /* 1 to 64 */
    if (now < before) {
      if (kind != NONE) push(m, clock, before);
      else sum += before;
    }
    if (kind == QUERY) sum += highest(m, clock > back ? clock - back : 0, now);
    else sum += back;
  }
  return sum;
}

static void compare(void) {
  struct gpm_maxima m = {0};
  for (uint64_t clock = 1; clock <= 3000; clock++) {
    if (totals[clock] < totals[clock - 1]) push(&m, clock, totals[clock - 1]);
    uint64_t scan = 0;
    for (uint64_t back = 0; back <= clock; back++) {
      if (totals[clock - back] > scan) scan = totals[clock - back];
      if ((back < 300 || back % 97 == 0) && highest(&m, clock - back, totals[clock]) != scan) {
        fprintf(stderr, "peaks: wrong at clock %u since %u\n", (unsigned)clock,
                (unsigned)(clock - back));
        exit(1);
      }
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  uint64_t rounds = bench_count(argc, argv, 3, "rounds"),
           count = bench_count(argc, argv, 4, "count");
  if (count < 3000) return 2;
  arena = arena_next = gpm_memory_map(ARENA_SIZE);
  totals = gpm_memory_map((count + 1) * sizeof *totals);
  if (!arena || !totals) return 1;
  for (uint64_t clock = 1; clock <= count; clock++)
    totals[clock] = shape(argv[1], clock, totals[clock - 1], count);
  totals[0] = !strcmp(argv[1], "falling") ? 512 * count : 0;
  if (!strcmp(argv[2], "check")) return compare(), 0;
  bench_pin();
  volatile uint64_t sink = 0;
  for (uint64_t round = 0; round < rounds; round++)
    for (enum kind k = NONE; k < KINDS; k++) {
      if (strcmp(argv[2], "all") && strcmp(argv[2], names[k])) continue;
      struct gpm_maxima m = {0};
      arena_next = arena;
      uint64_t start = bench_cpu_ns();
      if (k == NONE) sink += loop(NONE, &m, count);
      else if (k == PUSH) sink += loop(PUSH, &m, count);
      else sink += loop(QUERY, &m, count);
      bench_print_as(names[k], bench_cpu_ns() - start, count);
    }
  return 0;
}
