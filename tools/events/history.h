/* history.h - reads the events of a capture one by one, those of all threads in the order of the
 * allocation clock.
 *
 * Only listeners.c calls gpm_history_*, so that there is one walk over the events: code that needs
 * them registers a listener (`ctest -R lint.walks`).
 *
 * Only captures recorded with GPUMEMPROF_OPTIONS=history=ring or =all have events. They are read
 * chunk by chunk, so that memory does not grow with their number.
 */
#ifndef GPM_TOOLS_HISTORY_H
#define GPM_TOOLS_HISTORY_H

#include "capture/reader.h"

enum gpm_event_kind {
  GPM_EVENT_ALLOCATED,
  GPM_EVENT_FREED,
  GPM_EVENT_TAKEN_BACK,  /* the latest free of that block failed */
  GPM_EVENT_SCOPE_ENDED, /* the innermost activation of `id` in that thread */
  GPM_EVENT_FAILED,
  GPM_EVENT_USED /* an operation used memory */
};

struct gpm_event {
  enum gpm_event_kind kind;
  uint32_t thread;
  uint64_t clock;   /* of the event; from SCOPE_ENDED on: of the one before it */
  uint64_t ticks;   /* time stamp, to 64 ticks; SCOPE_ENDED, FAILED: of the thread's latest event */
  uint32_t id;      /* record of CELLS, PAIRS (frees), USES (USED) or NODES; in range */
  uint32_t first;   /* ALLOCATED: the cell before the block got its name (named.h); else the same */
  uint64_t address; /* of the block; 0 for events without one */
  uint64_t bytes;   /* allocated; FAILED: requested; else 0 */
  uint64_t padding;
  bool out_of_memory;
  uint32_t operands;                     /* ALLOCATED, FAILED: index in OPERANDS, or NONE */
  uint64_t operand[GPUMEMPROF_OPERANDS]; /* then: the values that its size was computed from */
  const uint64_t *value; /* USED: as many as its record says (capture_uses.h), else null */
};

/* The node of the call that made the event; not for USED. For a free this is not the node that
 * allocated the block. */
uint32_t gpm_event_node(const struct gpm_reader *reader, const struct gpm_event *event);
/* The address as the program knows it. The history marks the address of a piece, to distinguish it
 * from the address of the segment that it lies in. */
uint64_t gpm_event_address(const struct gpm_event *event);

/* Ends of scopes, failed calls and uses have no tick of the clock of their own, but that of an
 * event before them. Uses of several threads that have the same are in the order of their time. */
static inline bool gpm_event_has_tick(const struct gpm_event *event) {
  return event->kind < GPM_EVENT_SCOPE_ENDED;
}

struct gpm_history;
/* Returns null if the capture has no events or cannot be read; `error` says which. */
struct gpm_history *gpm_history_open(struct gpm_reader *reader, char *error, size_t error_size);
/* Returns null after the last event, or if the capture is damaged; `error` is not empty only then.
 * The event is valid until the next call. */
const struct gpm_event *gpm_history_next(struct gpm_history *history, char *error,
                                         size_t error_size);
void gpm_history_close(struct gpm_history *history);

#endif
