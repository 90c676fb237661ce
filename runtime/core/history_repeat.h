/* history_repeat.h - the short ways of operations that use what they used before. history.c records
 * all others. The calling thread is busy.
 *
 * gpm_history_repeat_launch is for launches of which all is compared that could make a difference
 * (launches.c); it takes ten instructions. gpm_history_repeat_use is for all others: eight bytes
 * are written at once, of which seven or eight are the event.
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
  if (GPM_UNLIKELY(!sequence || sequence != h->sequence || between || !repeat.length)) return false;
  uint64_t used = h->chunk->used;
  if (GPM_UNLIKELY(used >= h->limit)) return false;
  uint64_t time = (gpm_ticks() >> GPUMEMPROF_EVENT_TIME_BITS) - h->time;
  if (GPM_UNLIKELY(time >= 1u << 14))
    return false; /* also a stamp of another core, before the latest */
  h->time += time;
  uint64_t event = repeat.bytes | ((time & 127) | 128 | time >> 7 << 8) << 8 * GPM_REPEAT_TIME;
  memcpy((uint8_t *)(h->chunk + 1) + used, &event, sizeof event);
  h->events++;
  __atomic_store_n(&h->chunk->used, used + repeat.length, __ATOMIC_RELEASE);
  return true;
}

/* The first four bytes of a repeated event, of which the time overwrites the last; 0: the number of
 * the record takes too many. */
static inline uint32_t gpm_history_repeated_of(uint32_t record) {
  enum { KIND = GPUMEMPROF_EVENT_OTHER | GPUMEMPROF_EVENT_REPEATED };
  return record <= UINT16_MAX ? record << 8 * GPUMEMPROF_REPEATED_RECORD | KIND : 0;
}

/* event: as gpm_history_repeated_of returns it; the latest event of that record is in the chunk,
 * and had the clock that it is now. False: nothing was recorded, because the chunk is full. */
static inline bool gpm_history_repeat_launch(struct gpm_history *h, uint32_t event) {
  struct gpumemprof_chunk *chunk = h->chunk;
  uint64_t used = chunk->used;
  if (GPM_UNLIKELY(used >= h->limit)) return false;
  uint8_t *at = (uint8_t *)(chunk + 1) + used;
  memcpy(at, &event, sizeof event);
#if defined(__x86_64__) /* the builtin puts the two halves together first */
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
#else
  uint64_t ticks = gpm_ticks();
  uint32_t low = (uint32_t)ticks, high = (uint32_t)(ticks >> 32);
#endif
  uint16_t upper = (uint16_t)high;
  memcpy(at + GPUMEMPROF_REPEATED_TIME, &low, sizeof low);
  memcpy(at + GPUMEMPROF_REPEATED_TIME + sizeof low, &upper, sizeof upper);
#if defined(__x86_64__) /* one instruction; stores become visible in their order */
  __asm__ volatile("addq %1, %0"
                   : "+m"(chunk->used)
                   : "i"(GPUMEMPROF_REPEATED_LENGTH)
                   : "memory", "cc");
#else
  __atomic_store_n(&chunk->used, used + GPUMEMPROF_REPEATED_LENGTH, __ATOMIC_RELEASE);
#endif
  return true;
}
_Static_assert(GPUMEMPROF_REPEATED_TIME + 6 == GPUMEMPROF_REPEATED_LENGTH, "time is at the end");

#endif /* GPM_HISTORY_REPEAT_H */
