/* history.h - the events of a capture one by one, those of all threads in the order of the
 * allocation clock.
 *
 * Only captures recorded with GPUMEMPROF_OPTIONS=history=ring or =all have any. They are read chunk
 * by chunk, so that memory does not grow with their number.
 */
#ifndef GPM_TOOLS_HISTORY_H
#define GPM_TOOLS_HISTORY_H

#include "capture/reader.h"

enum gpm_event_kind {
  GPM_EVENT_ALLOCATED,
  GPM_EVENT_FREED,
  GPM_EVENT_TAKEN_BACK,  /* the latest free of that block failed */
  GPM_EVENT_SCOPE_ENDED, /* the innermost activation of `id` in that thread */
  GPM_EVENT_FAILED
};

struct gpm_event {
  enum gpm_event_kind kind;
  uint32_t thread;
  uint64_t clock;   /* of the event; SCOPE_ENDED, FAILED: of the one before it */
  uint64_t ticks;   /* time stamp, to 64 ticks; SCOPE_ENDED, FAILED: of the thread's latest event */
  uint32_t id;      /* record of CELLS, PAIRS (frees) or NODES; in range */
  uint64_t address; /* of the block; 0 for the last two */
  uint64_t bytes;   /* allocated; FAILED: asked for; else 0 */
  uint64_t padding;
  bool out_of_memory;
  uint32_t operands;                     /* ALLOCATED, FAILED: record of OPERANDS, or NONE */
  uint64_t operand[GPUMEMPROF_OPERANDS]; /* then: the values that its size was computed from */
};

/* The call path an event belongs to: where it was made, not whose block it is. */
uint32_t gpm_event_node(const struct gpm_reader *reader, const struct gpm_event *event);
/* As the program has it: a piece's is told from that of the memory it lies in. */
uint64_t gpm_event_address(const struct gpm_event *event);

struct gpm_history;
/* Null: the capture has no events, or cannot be read; `error` says which. */
struct gpm_history *gpm_history_open(struct gpm_reader *reader, char *error, size_t error_size);
/* False after the last one, or when the capture is damaged: then `error` is not empty. */
bool gpm_history_next(struct gpm_history *history, struct gpm_event *event, char *error,
                      size_t error_size);
void gpm_history_close(struct gpm_history *history);

#endif
