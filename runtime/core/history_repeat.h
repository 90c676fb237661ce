/* history_repeat.h - the short way of an operation that uses what it used before: eight bytes are
 * written at once, of which seven or eight are the event.
 *
 * runtime/uses takes it for launches of kernels in loops; history.c records all other operations.
 * The calling thread is busy.
 */
#ifndef GPM_HISTORY_REPEAT_H
#define GPM_HISTORY_REPEAT_H

#include "base/compiler.h"
#include "base/ticks.h"
#include "threads/threads.h"

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <string.h>

/* The event of a record of USES whose values are those of its latest event, with zeros for what
 * only the moment tells. */
struct gpm_use_repeat {
  uint64_t bytes;  /* the first is in the lowest byte */
  uint32_t length; /* 0: the number of the record takes too many bytes */
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");
/* Offsets in the event. The time is a number of two bytes, even where one would do. */
enum { GPM_REPEAT_TIME = 3, GPM_REPEAT_RECORD = 5 };

static inline struct gpm_use_repeat gpm_history_repeat_of(uint32_t record) {
  uint8_t event[8] = {GPUMEMPROF_EVENT_OTHER, GPUMEMPROF_OTHER_USE};
  struct gpm_use_repeat repeat = {0, GPM_REPEAT_RECORD};
  if (record >= 1u << 14) return (struct gpm_use_repeat){0, 0};
  for (; record >= 128; record >>= 7) event[repeat.length++] = (uint8_t)(record | 128);
  event[repeat.length++] = (uint8_t)record;
  event[repeat.length++] = GPUMEMPROF_USE_AGAIN;
  memcpy(&repeat.bytes, event, sizeof event);
  return repeat;
}

/* sequence: of the chunk with the latest event of that record. False: nothing was recorded, because
 * another event came meanwhile, too much time passed, or the chunk is another one or full. */
static inline bool gpm_history_repeat_use(struct gpm_history *h, struct gpm_use_repeat repeat,
                                          uint64_t sequence) {
  uint64_t between = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED) - h->clock;
  if (GPM_UNLIKELY(sequence != h->sequence || between || h->at >= h->end || !repeat.length))
    return false;
  uint64_t time = (gpm_ticks() >> GPUMEMPROF_EVENT_TIME_BITS) - h->time;
  if (GPM_UNLIKELY(time >= 1u << 14))
    return false; /* also a stamp of another core, before the latest */
  h->time += time;
  uint64_t event = repeat.bytes | ((time & 127) | 128 | time >> 7 << 8) << 8 * GPM_REPEAT_TIME;
  memcpy(h->at, &event, sizeof event);
  h->at += repeat.length;
  h->events++;
  __atomic_store_n(&h->chunk->used, (uint64_t)(h->at - (uint8_t *)(h->chunk + 1)),
                   __ATOMIC_RELEASE);
  return true;
}

#endif /* GPM_HISTORY_REPEAT_H */
