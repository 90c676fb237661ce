// top_model_test.c - growth, rates and old bytes of literal refreshes; and of random ones, where
// every block's age is known: OLD never says more than what really is that old.
#include "support/memory.h"
#include "top/top_model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (condition) break;                                                                          \
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
    exit(1);                                                                                       \
  } while (0)

static bool is(double a, double b) {
  return a - b < 1e-9 && b - a < 1e-9;
}

static struct gpm_top_sums sums(uint64_t allocated, uint64_t freed, uint64_t blocks,
                                uint64_t freed_blocks) {
  return (struct gpm_top_sums){allocated - freed, blocks - freed_blocks, allocated, blocks, freed,
                               freed_blocks};
}

static void add_sample(struct gpm_top_model *m, double seconds, uint64_t resets,
                       const struct gpm_top_sums *lines, uint32_t count) {
  struct gpm_top_sample s = {
      .time_ns = (uint64_t)(seconds * 1e9) + 7, .resets = resets, .line = lines, .count = count};
  for (uint32_t i = 0; i < count; i++) {
    s.all.live += lines[i].live;
    s.all.blocks += lines[i].blocks;
    s.all.allocated += lines[i].allocated;
    s.all.allocated_blocks += lines[i].allocated_blocks;
    s.all.freed += lines[i].freed;
    s.all.freed_blocks += lines[i].freed_blocks;
  }
  s.live = s.all.live;
  gpm_top_model_add(m, &s);
}

static void first_sample_knows_no_rates(void) {
  struct gpm_top_model m = {.old_ns = 10 * SECOND};
  struct gpm_top_sums line = sums(1000, 400, 10, 4);
  add_sample(&m, 5, 0, &line, 1);
  CHECK(!m.has_before && !m.has_rates && !m.has_old && m.refreshes == 1);
  CHECK(m.line[0].now.live == 600 && m.line[0].growth == 0);
  gpm_top_model_free(&m);
}

static void rates_are_of_the_time_between_two_samples(void) {
  struct gpm_top_model m = {.old_ns = 10 * SECOND};
  struct gpm_top_sums before[] = {sums(1000, 400, 10, 4), sums(50, 50, 1, 1)};
  struct gpm_top_sums after[] = {sums(4000, 3900, 40, 39), sums(50, 50, 1, 1), sums(64, 0, 2, 0)};
  add_sample(&m, 5, 0, before, 2);
  add_sample(&m, 5.5, 0, after, 3); /* a line more */
  CHECK(m.has_before && m.has_rates && m.interval_ns == SECOND / 2);
  CHECK(is(m.line[0].allocations, 60) && is(m.line[0].frees, 70) && is(m.line[0].bytes, 6000) &&
        is(m.line[0].freed, 7000));
  CHECK(m.line[0].growth == -500 && m.line[0].change == -500);
  CHECK(is(m.line[1].allocations, 0) && m.line[1].change == 0);
  CHECK(is(m.line[2].allocations, 4) && m.line[2].growth == 64 && m.line[2].change == 64);
  CHECK(is(m.all.allocations, 64) && is(m.all.bytes, 6128) && m.all.growth == -436);
  add_sample(&m, 6.5, 0, after, 3);
  CHECK(m.line[0].growth == -500 && m.line[0].change == 0 && is(m.line[0].allocations, 0));
  CHECK(m.all.growth == -436 && m.all.change == 0);
  gpm_top_model_free(&m);
}

static void lines_grow_until_they_fall(void) {
  struct gpm_top_model m = {.old_ns = 10 * SECOND};
  const uint64_t live[] = {5, 6, 6, 7, 7, 8, 9, 8, 9, 9, 10, 11};
  const bool grows[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1};
  for (unsigned i = 0; i < sizeof live / sizeof *live; i++) {
    struct gpm_top_sums line = sums(live[i], 0, 1, 0);
    add_sample(&m, i, 0, &line, 1);
    CHECK(gpm_top_is_growing(&m.line[0]) == grows[i]);
  }
  gpm_top_model_free(&m);
}

static void old_is_what_was_not_allocated_since(void) {
  struct gpm_top_model m = {.old_ns = 8 * SECOND};
  for (unsigned t = 0; t <= 20; t++) { /* 100 stay; 10 each second, freed after a second */
    uint64_t churned = 10 * (uint64_t)t;
    struct gpm_top_sums line = sums(110 + churned, churned, 2 + t, t);
    add_sample(&m, t, 0, &line, 1);
    CHECK(m.has_old == (t >= 8));
    /* live are 110, and 80 were allocated since: 30 at least are older, and no more is known. */
    if (t >= 8) CHECK(m.line[0].old == 30 && m.all.old == 30);
  }
  gpm_top_model_free(&m);
}

static void reset_makes_rates_and_old_bytes_unknown(void) {
  struct gpm_top_model m = {.old_ns = SECOND};
  struct gpm_top_sums before = sums(1000, 400, 10, 4), after = sums(600, 0, 6, 0);
  add_sample(&m, 0, 0, &before, 1);
  add_sample(&m, 2, 0, &before, 1);
  CHECK(m.has_old && m.line[0].old == 600);
  add_sample(&m, 3, 1, &after, 1);
  CHECK(m.has_before && !m.has_rates && !m.has_old && m.line[0].change == 0);
  add_sample(&m, 4, 1, &after, 1);
  CHECK(m.has_rates && is(m.line[0].allocations, 0) && m.has_old && m.line[0].old == 600);
  gpm_top_model_free(&m);
}

static void history_keeps_the_latest(void) {
  struct gpm_top_model m = {.old_ns = SECOND};
  uint64_t live;
  for (uint64_t i = 0; i < 1000; i++) {
    struct gpm_top_sums line = sums(i, 0, 1, 0);
    add_sample(&m, (double)i, 0, &line, 1);
  }
  CHECK(gpm_top_model_history(&m, 0, &live) && live == 999);
  CHECK(gpm_top_model_history(&m, GPM_TOP_HISTORY - 1, &live) && live == 1000 - GPM_TOP_HISTORY);
  CHECK(!gpm_top_model_history(&m, GPM_TOP_HISTORY, &live) && m.kept_count <= GPM_TOP_KEPT);
  gpm_top_model_free(&m);
}

/* Blocks come and go at random; which are how old is counted one by one. */
static void old_is_never_more_than_what_is_old(unsigned seed) {
  enum { BLOCKS = 400, T = 6 };
  struct gpm_top_model m = {.old_ns = T * SECOND};
  struct {
    uint64_t size;
    double born;
  } block[BLOCKS] = {{0}};
  struct gpm_top_sums line = {0};
  double now = 0;
  uint64_t found = 0;
  srand(seed);
  for (unsigned turn = 0; turn < 300; turn++) {
    now += 0.1 + rand() % 20 * 0.1;
    unsigned churn = 1 + (unsigned)rand() % 4;
    for (unsigned i = 0; i < churn; i++) {
      unsigned at = (unsigned)rand() % (rand() % 3 ? 8 : BLOCKS); /* some live long */
      line.freed += block[at].size;
      line.freed_blocks += block[at].size != 0;
      block[at].size = 1 + (unsigned)rand() % 1000;
      block[at].born = now - 0.01;
      line.allocated += block[at].size;
      line.allocated_blocks++;
    }
    line.live = line.allocated - line.freed;
    line.blocks = line.allocated_blocks - line.freed_blocks;
    add_sample(&m, now, 0, &line, 1);
    uint64_t old = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
      if (block[i].size && now - block[i].born >= (double)T) old += block[i].size;
    if (m.has_old) CHECK(m.line[0].old <= old);
    found += m.line[0].old;
  }
  CHECK(found); /* it is not always 0 */
  gpm_top_model_free(&m);
}

int main(void) {
  first_sample_knows_no_rates();
  rates_are_of_the_time_between_two_samples();
  lines_grow_until_they_fall();
  old_is_what_was_not_allocated_since();
  reset_makes_rates_and_old_bytes_unknown();
  history_keeps_the_latest();
  for (unsigned seed = 1; seed <= 50; seed++) old_is_never_more_than_what_is_old(seed);
  puts("7 tests");
}
