/* listeners_test.c - the tool, linked once more with two of its functions wrapped (--wrap): main
 * and gpm_history_open. walks.py runs it.
 *
 *   listeners_test tool ARGUMENT...   as gpumemprof; how often the history was opened goes to the
 *                                     file that WALKS names
 *   listeners_test hear CAPTURE       listeners of each kind hear the same in one walk with all the
 *                                     others, before or behind them, as each in one of its own
 */
#include "events/block_lifetimes.h"
#include "events/walk.h"

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

/* ---- what they hear ----------------------------------------------------------------------------
 */

/* Of one listener: what it heard as a number that each word of it changes. */
struct ear {
  uint64_t heard, count, most; /* most: wants no more than so many */
};

static void hear(struct ear *ear, uint64_t word) {
  ear->heard = gpm_map_mix(ear->heard ^ word) + 1;
}

static bool hear_event(void *self, const struct gpm_event *e) {
  struct ear *ear = self;
  hear(ear, e->kind);
  hear(ear, e->clock);
  hear(ear, e->id);
  hear(ear, e->address);
  return ++ear->count < ear->most;
}

static bool hear_step(void *self, const struct gpm_step *s) {
  struct ear *ear = self;
  hear(ear, s->event.clock);
  hear(ear, s->time_ns);
  hear(ear, s->node);
  hear(ear, s->block ? s->block->bytes ^ s->block->clock << 32 : 1);
  hear(ear, s->block ? s->block->generation : 0);
  return ++ear->count < ear->most;
}

static void hear_life(void *self, const struct gpm_lifetime *l) {
  struct ear *ear = self;
  hear(ear, l->address);
  hear(ear, l->clock);
  hear(ear, l->age);
  hear(ear, l->pair);
  hear(ear, l->before);
  hear(ear, l->temporary);
  ear->count++;
}

static void hear_end(void *self, uint64_t clock) {
  hear(self, clock);
}

enum { LISTENERS = 10 };

static void listen(struct gpm_listener *l, struct ear *ear, const struct gpm_profile *all,
                   const struct gpm_profile *some) {
  const struct gpm_listener kinds[LISTENERS] = {
      {.step = hear_step},
      {.step = hear_step, .profile = all, .stops = true},
      {.step = hear_step, .profile = some},
      {.life = hear_life},
      {.life = hear_life, .stops = true},
      {.life = hear_life, .profile = some},
      {.event = hear_event},
      {.event = hear_event, .stops = true},
      {.event = hear_event},
      {.step = hear_step, .life = hear_life, .profile = some},
  };
  for (size_t i = 0; i < LISTENERS; i++) {
    ear[i] = (struct ear){.most = i < LISTENERS - 2 ? UINT64_MAX : 40};
    l[i] = kinds[i];
    l[i].self = &ear[i];
    l[i].end = hear_end;
  }
}

static void tell(struct gpm_reader *r, const struct gpm_listener *l, size_t count) {
  char error[512];
  if (gpm_listeners_tell(r, l, count, error, sizeof error)) return;
  fprintf(stderr, "%s\n", error);
  exit(1);
}

static int compare(const char *order, const struct ear *single, const struct ear *together) {
  int wrong = 0;
  for (size_t i = 0; i < LISTENERS; i++) {
    if (single[i].heard == together[i].heard && single[i].count == together[i].count) continue;
    fprintf(stderr, "listener %zu, %s: heard %" PRIu64 " by itself, %" PRIu64 " together\n", i,
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
  struct ear single[LISTENERS], together[LISTENERS];
  listen(l, single, p, q);
  for (size_t i = 0; i < LISTENERS; i++) tell(r, &l[i], 1);
  listen(l, together, p, q);
  tell(r, l, LISTENERS);
  int wrong = compare("in one walk", single, together);
  listen(l, together, p, q);
  for (size_t i = 0; i < LISTENERS; i++) reversed[i] = l[LISTENERS - 1 - i];
  tell(r, reversed, LISTENERS);
  wrong |= compare("in one walk, the last first", single, together);
  for (size_t i = 0; i < LISTENERS; i++) printf("%" PRIu64 "\n", single[i].count);
  gpm_profile_free(p);
  gpm_profile_free(q);
  gpm_reader_close(r);
  return wrong;
}

int __wrap_main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "hear")) return test_listeners(argv[2]);
  if (getenv("WALKS")) atexit(write_walks);
  return __real_main(argc - 1, argv + 1);
}
