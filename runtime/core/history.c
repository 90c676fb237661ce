/* history.c - records every event one by one, with history=ring or history=all, or while the
 * program asks for it.
 *
 * ledger.c and shadow_stack.c call this after they have counted an event; each thread appends to
 * its own chunk, without a lock. capture.h describes the encoding: an event leaves out what it has
 * in common with the one before, so it takes 4 to 6 bytes. In a ring, the oldest full chunk of any
 * thread is reused once the other chunks contain enough events.
 *
 * An event is written after its figures, so the figures of a killed thread may include one event
 * that the history lacks.
 */
#include "core/history.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "core/ended_frames.h"
#include "options/options.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define CHUNK_BYTES ((uint64_t)64 << 10)
#define EVENT_LARGEST 64u

struct full_chunk { /* in the order in which they filled up */
  struct gpumemprof_chunk *chunk;
  uint64_t events;
  struct full_chunk *next;
};

/* Allocations failed before a reset, which set their counter to 0. */
static _Atomic bool failed_before;
static struct gpm_lock history_lock = GPM_LOCK(history); /* protects what follows */
static struct full_chunk *oldest_full, *newest_full, *unused_full;
static uint64_t full_events, latest_sequence;
static _Atomic bool is_ring;

static void switch_on(bool on) {
  if (on) atomic_fetch_or(&gpm_observers, GPM_OBSERVING_HISTORY);
  else atomic_fetch_and(&gpm_observers, ~(unsigned)GPM_OBSERVING_HISTORY);
}

void gpm_history_start(void) {
  atomic_store(&history_lock.held, 0);
  oldest_full = newest_full = NULL;
  full_events = latest_sequence = 0;
  is_ring = gpm_options.history[0] == 'r';
  atomic_store(&failed_before, false);
  switch_on(gpm_options.history[0] != 'o');
}

/* The oldest full chunk, if the ring has enough events without it, or null. */
static struct gpumemprof_chunk *take_oldest(void) {
  struct full_chunk *f = oldest_full;
  if (!f || full_events - f->events < gpm_options.ring) return NULL;
  oldest_full = f->next;
  if (!oldest_full) newest_full = NULL;
  full_events -= f->events;
  if (gpm_capture)
    __atomic_fetch_add(&gpm_capture->counters[GPUMEMPROF_COUNTER_events_overwritten], f->events,
                       __ATOMIC_RELAXED);
  f->next = unused_full;
  unused_full = f;
  return f->chunk;
}

static void note_full(const struct gpm_history *h) {
  GPM_ASSERT(gpm_lock_is_mine(&history_lock));
  struct full_chunk *f = unused_full;
  if (f) unused_full = f->next;
  else if (!(f = gpm_memory_get(sizeof *f))) return; /* it is never overwritten then */
  *f = (struct full_chunk){h->chunk, h->events, NULL};
  if (newest_full) newest_full->next = f;
  else oldest_full = f;
  newest_full = f;
  full_events += h->events;
}

static struct gpumemprof_capture_events *head_of(struct gpumemprof_chunk *chunk) {
  return (struct gpumemprof_capture_events *)(chunk + 1);
}

/* An empty chunk with its sequence number set; null: no room. */
static struct gpumemprof_chunk *next_chunk(struct gpm_thread *thread) {
  const struct gpm_history *h = &thread->history;
  gpm_lock_take(&history_lock);
  if (is_ring && h->chunk) note_full(h);
  struct gpumemprof_chunk *chunk = is_ring ? take_oldest() : NULL;
  uint64_t number = ++latest_sequence;
  gpm_lock_release(&history_lock);
  if (chunk) {
    __atomic_store_n(&head_of(chunk)->sequence, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->used, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&chunk->owner, thread->number, __ATOMIC_RELAXED); /* dump.c reads it */
  } else chunk = gpm_capture_chunk(GPUMEMPROF_CHUNK_EVENTS, 1, thread->number, CHUNK_BYTES);
  if (chunk) __atomic_store_n(&head_of(chunk)->sequence, number, __ATOMIC_RELEASE);
  return chunk;
}

static GPM_NOINLINE bool begin_chunk(struct gpm_thread *thread, uint64_t clock, uint64_t ticks) {
  struct gpm_history *h = &thread->history;
  struct gpumemprof_chunk *chunk = next_chunk(thread);
  if (!chunk) return false;
  struct gpumemprof_capture_events *head = head_of(chunk);
  *h = (struct gpm_history){.chunk = chunk,
                            .limit = CHUNK_BYTES - EVENT_LARGEST,
                            .clock = clock,
                            .time = ticks >> GPUMEMPROF_EVENT_TIME_BITS};
  head->clock = h->clock;
  head->time = h->time;
  h->sequence = head->sequence;
  __atomic_store_n(&chunk->used, sizeof *head, __ATOMIC_RELEASE);
  gpm_thread_forget_launches(thread); /* their values are in the chunk before */
  return true;
}

/* Where the next event is written. */
static inline uint8_t *place_of_next(const struct gpm_history *h) {
  return (uint8_t *)(h->chunk + 1) + h->chunk->used;
}

/* An event has room that is `more` bytes longer than EVENT_LARGEST. */
static inline bool has_more(const struct gpm_history *h, uint64_t more) {
  return h->chunk && h->chunk->used + more < h->limit;
}

static inline bool has_room(struct gpm_thread *thread, uint64_t clock, uint64_t ticks) {
  return GPM_LIKELY(has_more(&thread->history, 0)) || begin_chunk(thread, clock, ticks);
}

static inline void append(struct gpm_history *h, uint8_t *at) {
  uint64_t used = (uint64_t)(at - (uint8_t *)(h->chunk + 1));
  GPM_ASSERT(used > h->chunk->used && used <= h->limit + EVENT_LARGEST);
  h->events++;
  __atomic_store_n(&h->chunk->used, used, __ATOMIC_RELEASE);
}

static inline uint8_t *put(uint8_t *at, uint64_t number) {
  for (; number >= 128; number >>= 7) *at++ = (uint8_t)(number | 128);
  *at++ = (uint8_t)number;
  return at;
}

static inline uint64_t with_sign(int64_t d) {
  return (uint64_t)d << 1 ^ (uint64_t)(d >> 63);
}

/* Writes the beginning of an allocation or a free. */
static inline uint8_t *put_head(struct gpm_history *h, unsigned byte, uint32_t id, uint64_t address,
                                uint64_t clock, uint64_t ticks) {
  uint8_t *first = place_of_next(h), *at = first + 1;
  uint64_t between = clock - h->clock - 1;
  if (between) {
    byte |= GPUMEMPROF_EVENT_CLOCK;
    at = put(at, between);
  }
  uint64_t time = ticks >> GPUMEMPROF_EVENT_TIME_BITS;
  if (time < h->time) time = h->time; /* stamps of two cores may differ */
  at = put(at, time - h->time);
  at = put(at, id);
  uint64_t distance = address - h->address;
  if (distance & 511) byte |= GPUMEMPROF_EVENT_BYTES;
  at = put(at, with_sign(distance & 511 ? (int64_t)distance : (int64_t)distance / 512));
  *first = (uint8_t)byte;
  h->clock = clock;
  h->time = time;
  h->address = address;
  return at;
}

GPM_NOINLINE void gpm_history_allocated(struct gpm_thread *thread, uint32_t cell, uint64_t address,
                                        uint64_t bytes, uint64_t padding, uint64_t clock,
                                        uint64_t ticks) {
  struct gpm_history *h = &thread->history;
  if (!has_room(thread, clock - 1, ticks)) return;
  bool resized = bytes != h->size;
  unsigned byte = GPUMEMPROF_EVENT_ALLOCATED | (resized ? GPUMEMPROF_EVENT_SIZE : 0) |
                  (padding ? GPUMEMPROF_EVENT_PADDING : 0);
  uint8_t *at = put_head(h, byte, cell, address, clock, ticks);
  if (resized) at = put(at, bytes & 511 ? bytes << 1 : bytes / 512 << 1 | 1);
  h->size = bytes;
  if (padding) at = put(at, padding);
  append(h, at);
}

GPM_NOINLINE void gpm_history_freed(struct gpm_thread *thread, unsigned kind, uint32_t pair,
                                    uint64_t address, uint64_t clock, uint64_t ticks) {
  struct gpm_history *h = &thread->history;
  if (!has_room(thread, clock - 1, ticks)) return;
  append(h, put_head(h, kind, pair, address, clock, ticks));
}

static uint8_t *other(struct gpm_thread *thread, enum gpumemprof_event_other what) {
  struct gpm_history *h = &thread->history;
  uint64_t now = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  bool first = !h->chunk;
  if (!has_room(thread, first ? now : h->clock,
                first ? gpm_ticks() : h->time << GPUMEMPROF_EVENT_TIME_BITS))
    return NULL;
  uint8_t *at = place_of_next(h);
  *at++ = GPUMEMPROF_EVENT_OTHER;
  return put(put(at, what), now - h->clock);
}

GPM_NOINLINE void gpm_history_failed(struct gpm_thread *thread, uint32_t node, uint64_t requested,
                                     bool out_of_memory) {
  uint8_t *at = other(thread, GPUMEMPROF_OTHER_FAILED);
  if (at) append(&thread->history, put(put(put(at, node), requested), out_of_memory));
}

GPM_NOINLINE void gpm_history_operands(struct gpm_thread *thread, uint32_t number, uint32_t count,
                                       const uint64_t *values) {
  uint8_t *at = other(thread, GPUMEMPROF_OTHER_OPERANDS);
  if (!at) return;
  at = put(put(at, number), count);
  for (uint32_t i = 0; i < count; i++) at = put(at, values[i]);
  append(&thread->history, at);
}

/* The most that an operation takes: what it is, its clock, time, record and flags, and values. */
#define USE_LARGEST(count) (1u + 1u + 10u + 10u + 5u + 1u + 10u * (uint64_t)(count))

static uint8_t *put_values(struct gpm_history *h, uint8_t *at, uint32_t count,
                           const uint64_t *values) {
  uint64_t before = h->used_first;
  for (uint32_t i = 0; i < count; i++) {
    at = put(at, with_sign((int64_t)(values[i] - before)));
    before = values[i];
  }
  if (count) h->used_first = values[0];
  return at;
}

GPM_NOINLINE void gpm_history_used(struct gpm_thread *thread, uint32_t record, uint32_t count,
                                   const uint64_t *values, bool same, uint64_t *sequence) {
  struct gpm_history *h = &thread->history;
  uint64_t now = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  uint64_t ticks = gpm_ticks(), time = ticks >> GPUMEMPROF_EVENT_TIME_BITS;
  uint64_t most = USE_LARGEST(count);
  bool room = has_more(h, most > EVENT_LARGEST ? most - EVENT_LARGEST : 0);
  if (GPM_UNLIKELY(!room) && !begin_chunk(thread, h->chunk ? h->clock : now, ticks)) return;
  same = same && *sequence == h->sequence;
  *sequence = h->sequence;
  uint8_t *at = place_of_next(h);
  *at++ = GPUMEMPROF_EVENT_OTHER;
  *at++ = GPUMEMPROF_OTHER_USE;
  at = put(at, now - h->clock);
  at = put(at, time > h->time ? time - h->time : 0); /* stamps of two cores may differ */
  if (time > h->time) h->time = time;
  at = put(at, record);
  *at++ = same ? GPUMEMPROF_USE_AGAIN : 0;
  if (!same) at = put_values(h, at, count, values);
  append(h, at);
}

GPM_NOINLINE void gpm_history_scope_ended(struct gpm_thread *thread, uint32_t node) {
  uint8_t *at = other(thread, GPUMEMPROF_OTHER_SCOPE);
  if (at) append(&thread->history, put(at, node));
}

/* ---- called by the program ---------------------------------------------------------------------
 */

static bool anything_failed(void) {
  const uint64_t *failed = &gpm_capture->counters[GPUMEMPROF_COUNTER_failed_allocations];
  return __atomic_load_n(failed, __ATOMIC_RELAXED) || atomic_load(&failed_before);
}

bool gpm_history_is_ring(void) {
  return atomic_load_explicit(&is_ring, memory_order_relaxed);
}

void gpm_history_reset(void) {
  if (anything_failed()) atomic_store(&failed_before, true);
}

/* Whether the capture has no event yet and no other thread that could have one under way: a history
 * that begins now is complete. */
static bool nothing_happened(void) {
  const uint64_t *counters = gpm_capture->counters;
  return !__atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED) && !anything_failed() &&
         __atomic_load_n(&counters[GPUMEMPROF_COUNTER_threads], __ATOMIC_RELAXED) == 1;
}

/* Under the lock. Also sets the option, so that a child forked later begins with this mode. */
static void change_mode(const char *mode) {
  bool on = mode[0] != 'o', was_on = gpm_history_is_on();
  is_ring = mode[0] == 'r';
  memset(gpm_options.history, 0, sizeof gpm_options.history);
  gpm_text_add(gpm_options.history, sizeof gpm_options.history, 0, mode);
  if (on != was_on) {
    if (was_on || !nothing_happened())
      __atomic_fetch_or(&gpm_capture->flags, GPUMEMPROF_CAPTURE_HISTORY_PART, __ATOMIC_RELAXED);
    switch_on(on);
  }
  gpm_own_next_generation(); /* behind the change: launches.c reads it before it looks */
}

int __gpumemprof_history(const char *mode) {
  int saved = errno;
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  if (!gpm_values_among(mode, "off", "ring", "all", NULL)) {
    gpm_values_refuse("gpumemprof_history", mode, "off, ring or all");
    return GPUMEMPROF_ERROR_ARGUMENT;
  }
  if (!gpm_thread_is_outside()) return GPUMEMPROF_ERROR_OFF;
  gpm_threads_count_ended();
  gpm_lock_take(&history_lock);
  change_mode(mode);
  gpm_lock_release(&history_lock);
  errno = saved;
  return 0;
}
