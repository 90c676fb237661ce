/* emit.h - the code the plugin emits, by hand, for tests of the runtime's core; and a tiny check
 * macro.
 *
 * The tests link the objects of the runtime, so they also reach its internals.
 */
#ifndef TEST_EMIT_H
#define TEST_EMIT_H

#include "capture/capture.h"
#include "core/ledger.h"
#include "core/repeats.h"
#include "records/blocks.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond)                                                                                \
  do                                                                                               \
    if (!(cond)) {                                                                                 \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond);                           \
      exit(1);                                                                                     \
    }                                                                                              \
  while (0)

/* What a random test adds to where its numbers begin: see seeds_in_turns.py. */
static inline uint64_t test_seed(void) {
  const char *seed = getenv("GPUMEMPROF_TEST_SEED");
  return seed ? strtoull(seed, NULL, 10) * 0x9e3779b97f4a7c15ULL : 0;
}

/* These are what gpumemprof.h calls (weakly). */
struct gpumemprof_context *__gpumemprof_context_capture(void);
struct gpumemprof_frame *__gpumemprof_context_attach(struct gpumemprof_context *context);
void __gpumemprof_context_detach(struct gpumemprof_frame *frame);
void __gpumemprof_context_release(struct gpumemprof_context *context);

/* A site followed by its strings, as self-relative offsets require. */
struct test_site {
  struct gpumemprof_site site;
  char file[16];
  char function[32];
  char variable[16];
};

static inline void test_site_set(struct test_site *s, uint16_t kind, const char *file,
                                 uint32_t line, const char *function, const char *variable) {
  memset(s, 0, sizeof *s);
  s->site.kind = kind;
  s->site.line = line;
  snprintf(s->file, sizeof s->file, "%s", file);
  snprintf(s->function, sizeof s->function, "%s", function);
  snprintf(s->variable, sizeof s->variable, "%s", variable);
  s->site.file = (int32_t)(s->file - (char *)&s->site.file);
  s->site.function = (int32_t)(s->function - (char *)&s->site.function);
  if (*variable) s->site.variable = (int32_t)(s->variable - (char *)&s->site.variable);
}

static inline struct gpumemprof_frame *test_push(const void *scope, uintptr_t stack) {
  struct gpumemprof_frame *f = __gpumemprof_stack.top;
  if (f >= __gpumemprof_stack.limit) f = __gpumemprof_frame_slow();
  f->scope = scope;
  f->entry_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  f->stack = stack;
  __gpumemprof_stack.top = f + 1;
  return f;
}

static inline void test_pop(struct gpumemprof_frame *f) {
  __gpumemprof_stack.top = f;
  if (!f->active) return;
  uint64_t now = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  if (__atomic_load_n(&f->entry_clock, __ATOMIC_RELAXED) != 0 - now) {
    __gpumemprof_scope_exit(f);
    return;
  }
  __atomic_store_n(&f->active, NULL, __ATOMIC_RELAXED);
  f->node = NULL;
}

/* Events are made as in cuda_hooks.c. These count those that repeats.c made, and those of them that
 * were the first of a scope: */
static _Atomic long test_repeat, test_first;

/* How call_events.h tries to repeat an event. False: it does not. */
static inline bool test_may_repeat(const struct gpm_thread *self, enum gpm_repeating *how) {
  bool in_history = gpm_repeats_in_history(self);
  *how = in_history ? GPM_REPEATING_IN_HISTORY : GPM_REPEATING_QUICKLY;
  return in_history || !gpm_thread_watched(self);
}

static inline bool test_repeats(struct gpm_thread *self, const struct gpm_device *of, uint16_t kind,
                                uint64_t address, uint64_t bytes) {
  enum gpm_repeating how;
  if (!test_may_repeat(self, &how)) return false;
  enum gpm_repeat repeat = gpm_repeats_allocated(self, how, of, kind, address, bytes);
  if (how != GPM_REPEATING_QUICKLY || repeat != GPM_REPEAT_SLOWLY) return repeat == GPM_REPEAT_DONE;
  gpm_count_ended(self);
  bool opened = gpm_repeats_opened(self, kind);
  repeat = gpm_repeats_allocated(self, GPM_REPEATING_SLOWLY, of, kind, address, bytes);
  test_first += opened && repeat == GPM_REPEAT_DONE;
  return repeat == GPM_REPEAT_DONE;
}

static inline void test_allocate(struct gpm_thread *self, int ordinal, uint16_t kind,
                                 uint64_t address, uint64_t bytes, uint64_t requested) {
  gpm_set_busy(self, true);
  struct gpm_device *device = gpm_ledger_device(ordinal), *of = gpm_cuda_one_device ? NULL : device;
  if (bytes == requested && test_repeats(self, of, kind, address, bytes)) test_repeat++;
  else {
    gpm_count_ended(self);
    gpm_ledger_allocated(self, device, kind, address, bytes, requested);
  }
  gpm_set_busy(self, false);
}

static inline bool test_repeats_free(struct gpm_thread *self, uint64_t address) {
  enum gpm_repeating how;
  if (!test_may_repeat(self, &how)) return false;
  enum gpm_repeat repeat = gpm_repeats_freed(self, how, address);
  gpm_count_ended(self);
  if (how == GPM_REPEATING_QUICKLY && repeat == GPM_REPEAT_SLOWLY)
    repeat = gpm_repeats_freed(self, GPM_REPEATING_SLOWLY, address);
  return repeat == GPM_REPEAT_DONE;
}

static inline void test_free(struct gpm_thread *self, uint64_t address) {
  gpm_set_busy(self, true);
  if (test_repeats_free(self, address)) test_repeat++;
  else gpm_ledger_free(self, address);
  gpm_set_busy(self, false);
}

/* Allocates device memory on the calling thread, each time at the next address, which it returns.
 * Not for threads that allocate at the same time. */
static inline uint64_t test_allocate_next(uint64_t bytes) {
  static uint64_t next = 1 << 20;
  uint64_t address = next;
  next += (bytes + 511) / 512 * 512;
  test_allocate(gpm_thread_self(), 0, GPUMEMPROF_KIND_DEVICE, address, bytes, bytes);
  return address;
}

static inline void test_release(uint64_t address) {
  test_free(gpm_thread_self(), address);
}

static inline void test_free_failed(struct gpm_thread *self) {
  gpm_set_busy(self, true);
  gpm_count_ended(self);
  gpm_ledger_free_failed(self, 1);
  gpm_set_busy(self, false);
}

static inline struct gpm_block *test_block(uint64_t address) {
  return gpm_blocks_find(address);
}

/* Returns the k-th record of one type, read from the capture in memory as a reader would. */
static inline const void *test_record(uint32_t type, uint32_t owner, uint64_t k) {
  const char *base = (const char *)gpm_capture;
  for (uint64_t at = gpm_capture->header_size; at < gpm_capture->used;) {
    const struct gpumemprof_chunk *c = (const void *)(base + at);
    at += c->size;
    if (c->type != type || c->owner != owner) continue;
    uint64_t count = c->used / c->record_size;
    if (k < count) return (const char *)(c + 1) + k * c->record_size;
    k -= count;
  }
  return NULL;
}

static inline uint64_t test_record_count(uint32_t type, uint32_t owner) {
  uint64_t n = 0;
  while (test_record(type, owner, n)) n++;
  return n;
}

#endif /* TEST_EMIT_H */
