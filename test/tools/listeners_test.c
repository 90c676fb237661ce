/* listeners_test.c - the tool, linked once more with two of its functions wrapped (--wrap): main
 * and gpm_history_open. walks.py runs it.
 *
 *   listeners_test tool ARGUMENT...   as gpumemprof; how often the history was opened goes to the
 *                                     file that WALKS names
 *   listeners_test compare CAPTURE    listeners of each kind receive the same in one walk with all
 *                                     the others, before or behind them, as each in its own walk
 */
#include "events/block_lifetimes.h"
#include "events/walk.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);
struct gpm_history *__real_gpm_history_open(struct gpm_reader *reader, char *error, size_t size);
struct gpm_history *__wrap_gpm_history_open(struct gpm_reader *reader, char *error, size_t size);

/* ---- how often ---------------------------------------------------------------------------------
 */

static unsigned walks;

struct gpm_history *__wrap_gpm_history_open(struct gpm_reader *reader, char *error, size_t size) {
  walks++;
  return __real_gpm_history_open(reader, error, size);
}

static void write_walks(void) {
  FILE *file = fopen(getenv("WALKS"), "w");
  if (!file || fprintf(file, "%u", walks) < 0 || fclose(file)) abort();
}

/* ---- what they receive -------------------------------------------------------------------------
 */

/* What one listener received, as a hash of all its words. */
struct received {
  uint64_t hash, count, most; /* most: after so many events the listener wants no more */
};

static void mix(struct received *to, uint64_t word) {
  to->hash = gpm_map_mix(to->hash ^ word) + 1;
}

static bool on_event(void *self, const struct gpm_event *e) {
  struct received *to = self;
  mix(to, e->kind);
  mix(to, e->clock);
  mix(to, e->id);
  mix(to, e->address);
  return ++to->count < to->most;
}

static bool on_step(void *self, const struct gpm_step *s) {
  struct received *to = self;
  mix(to, s->event.clock);
  mix(to, s->time_ns);
  mix(to, s->node);
  mix(to, s->block ? s->block->bytes ^ s->block->clock << 32 : 1);
  mix(to, s->block ? s->block->generation : 0);
  return ++to->count < to->most;
}

static void on_life(void *self, const struct gpm_lifetime *l) {
  struct received *to = self;
  mix(to, l->address);
  mix(to, l->clock);
  mix(to, l->age);
  mix(to, l->pair);
  mix(to, l->before);
  mix(to, l->temporary);
  to->count++;
}

static void on_end(void *self, uint64_t clock) {
  mix(self, clock);
}

enum { LISTENERS = 10 };

static void listen(struct gpm_listener *l, struct received *to, const struct gpm_profile *all,
                   const struct gpm_profile *some) {
  const struct gpm_listener kinds[LISTENERS] = {
      {.step = on_step},
      {.step = on_step, .profile = all, .stops = true},
      {.step = on_step, .profile = some},
      {.life = on_life},
      {.life = on_life, .stops = true},
      {.life = on_life, .profile = some},
      {.event = on_event},
      {.event = on_event, .stops = true},
      {.event = on_event},
      {.step = on_step, .life = on_life, .profile = some},
  };
  for (size_t i = 0; i < LISTENERS; i++) {
    to[i] = (struct received){.most = i < LISTENERS - 2 ? UINT64_MAX : 40};
    l[i] = kinds[i];
    l[i].self = &to[i];
    l[i].end = on_end;
  }
}

static void read_events(struct gpm_reader *r, const struct gpm_listener *l, size_t count) {
  char error[512];
  if (gpm_listeners_read(r, l, count, error, sizeof error)) return;
  fprintf(stderr, "%s\n", error);
  exit(1);
}

static int compare(const char *order, const struct received *single,
                   const struct received *together) {
  int wrong = 0;
  for (size_t i = 0; i < LISTENERS; i++) {
    if (single[i].hash == together[i].hash && single[i].count == together[i].count) continue;
    fprintf(stderr, "listener %zu, %s: received %" PRIu64 " by itself, %" PRIu64 " together\n", i,
            order, single[i].count, together[i].count);
    wrong = 1;
  }
  return wrong;
}

static int test_listeners(const char *path) {
  char error[512];
  struct gpm_reader *r = gpm_reader_open(path, NULL, error, sizeof error);
  if (!r) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  struct gpm_filter all = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS}, some = all;
  some.kind = GPUMEMPROF_KIND_DEVICE;
  struct gpm_profile *p = gpm_profile_new(r, &all), *q = gpm_profile_new(r, &some);
  struct gpm_listener l[LISTENERS], reversed[LISTENERS];
  struct received single[LISTENERS], together[LISTENERS];
  listen(l, single, p, q);
  for (size_t i = 0; i < LISTENERS; i++) read_events(r, &l[i], 1);
  listen(l, together, p, q);
  read_events(r, l, LISTENERS);
  int wrong = compare("in one walk", single, together);
  listen(l, together, p, q);
  for (size_t i = 0; i < LISTENERS; i++) reversed[i] = l[LISTENERS - 1 - i];
  read_events(r, reversed, LISTENERS);
  wrong |= compare("in one walk, the last first", single, together);
  for (size_t i = 0; i < LISTENERS; i++) printf("%" PRIu64 "\n", single[i].count);
  gpm_profile_free(p);
  gpm_profile_free(q);
  gpm_reader_close(r);
  return wrong;
}

int __wrap_main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "compare")) return test_listeners(argv[2]);
  if (getenv("WALKS")) atexit(write_walks);
  return __real_main(argc - 1, argv + 1);
}
