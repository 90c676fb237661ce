/* capture_events.h - a part of capture.h: the history, event by event. */
#ifndef GPUMEMPROF_CAPTURE_EVENTS_H
#define GPUMEMPROF_CAPTURE_EVENTS_H

#include "gpumemprof/capture.h"

/* A piece is in the events with its address and this on top (^), since a segment, and pieces of
 * several pools, may start at one address. number: of the pool's record. */
static inline uint64_t gpumemprof_piece_key(uint32_t number) {
  return ((uint64_t)1 << 63) | (uint64_t)(number & 0x7fff) << 48;
}

/* What happened, event by event: the payload of an EVENTS chunk begins with this, bytes follow. A
 * chunk stands for itself; those of a thread are ordered by sequence. In a ring (history=ring) the
 * oldest chunks are used again, so their order in the file says nothing and their owner is (live).
 *
 * An event is one byte, enum gpumemprof_event_kind in bits 0 and 1 and the flags below, then
 * numbers of 7 bits a byte, the lowest first, bit 7 set in all bytes but the last:
 *
 *   allocation            [clock] time cell address [size] [padding]
 *   free, free taken back [clock] time pair address
 *   other                 what (enum gpumemprof_event_other) and the numbers named there
 *   other, repeated       record of USES in two bytes, time in six
 *
 * Brackets: only with the flag. clock: how many ticks of the clock came between the thread's latest
 * event and this one (without the flag: none; an `other` has no tick). time: since the thread's
 * latest event, in units of 2^GPUMEMPROF_EVENT_TIME_BITS ticks. address: less that of the thread's
 * latest event in the chunk (0 before the first), in 512 bytes, or in bytes with the flag; the
 * lowest bit is its sign (2 d, or 2 |d| - 1 for a negative d). size: 2 n for n bytes, or 2 n + 1
 * for n times 512 bytes; without the flag that of the thread's latest allocation in the chunk.
 *
 * Repeated: a launch with the values of the thread's latest event of that record in this chunk, and
 * with the clock of the thread's latest event. Both numbers have a fixed size, the lowest byte
 * first. time: the lowest 48 bits of the ticks then. The times of later events do not count from
 * this one, but from the latest event that was not repeated. Writers store it so because that takes
 * three instructions, and the time as a difference takes fifteen (decision 90). */
struct gpumemprof_capture_events {
  uint64_t sequence; /* (live) number of the chunk among all of the process; 0: no events here */
  uint64_t clock;    /* allocation clock before its first event */
  uint64_t time;     /* time then, in units of 2^GPUMEMPROF_EVENT_TIME_BITS ticks */
  uint64_t reserved;
};
_Static_assert(sizeof(struct gpumemprof_capture_events) == 32, "events layout");

#define GPUMEMPROF_EVENT_TIME_BITS 6 /* 20 to 30 ns on x86, 46 to 92 ns on AArch64 */
enum gpumemprof_event_kind {
  GPUMEMPROF_EVENT_ALLOCATED = 0,
  GPUMEMPROF_EVENT_FREED = 1,      /* written before the call, as every free is */
  GPUMEMPROF_EVENT_TAKEN_BACK = 2, /* that free failed: the block lives on */
  GPUMEMPROF_EVENT_OTHER = 3
};
#define GPUMEMPROF_EVENT_KIND 3u
#define GPUMEMPROF_EVENT_CLOCK 4u
#define GPUMEMPROF_EVENT_SIZE 8u
#define GPUMEMPROF_EVENT_BYTES 16u
#define GPUMEMPROF_EVENT_PADDING 32u
#define GPUMEMPROF_EVENT_REPEATED 128u
/* Of a repeated event: where its parts are, and its length. */
#define GPUMEMPROF_REPEATED_RECORD 1u
#define GPUMEMPROF_REPEATED_TIME 3u
#define GPUMEMPROF_REPEATED_LENGTH 9u
enum gpumemprof_event_other {
  /* clock node: its innermost activation ended, in which memory moved (a scope's, or a line's).
   * clock: of the process, less that of the thread's latest event; it does not count as one. */
  GPUMEMPROF_OTHER_SCOPE = 1,
  /* clock node, requested bytes, 1 if out of memory else 0: an allocation failed */
  GPUMEMPROF_OTHER_FAILED = 2,
  /* clock record of OPERANDS, how many values, these: what the size of the thread's next event was
   * computed from, an allocation or a failed one. No event by itself */
  GPUMEMPROF_OTHER_OPERANDS = 3,
  /* clock time record flags [values]: an operation used memory (capture_uses.h). time: as that of
   * an allocation. record: of USES. values: as many as the record says, each less the one before,
   * the first less the first that the thread wrote before it in the chunk (0 before that), as
   * signed differences (2 d, or 2 |d| - 1 for a negative d); none with GPUMEMPROF_USE_AGAIN */
  GPUMEMPROF_OTHER_USE = 4
};
/* The values are those of the thread's latest event of that record in this chunk. */
#define GPUMEMPROF_USE_AGAIN 1u

/* A block that got a label after its allocation: the event of that clock is one of this cell. Of
 * several records of one clock the last counts. Not in the order of the clock. */
struct gpumemprof_capture_named {
  uint64_t clock;
  uint32_t cell; /* record of CELLS */
  uint32_t reserved;
};
_Static_assert(sizeof(struct gpumemprof_capture_named) == 16, "named layout");

#endif /* GPUMEMPROF_CAPTURE_EVENTS_H */
