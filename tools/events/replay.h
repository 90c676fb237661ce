/* replay.h - computes every figure of a capture a second time, from its events only.
 *
 * The runtime never reads events: it keeps sums, and folds scopes when they end. Here each event
 * changes every figure that it belongs to, and the two results have to agree.
 */
#ifndef GPM_TOOLS_REPLAY_H
#define GPM_TOOLS_REPLAY_H

#include "events/history.h"
#include "model/profile.h"

struct gpm_life {               /* the latest block of an address */
  uint64_t bytes, clock, ticks; /* clock and ticks: at its allocation */
  uint32_t cell;
  uint32_t thread;     /* that allocated its latest block */
  uint32_t generation; /* ADDRESS_N: the N of its latest block */
  bool live;
  bool was_temporary; /* of its latest free, to undo it if it is taken back */
  uint64_t lifetime;  /* likewise, in ticks of the allocation clock */
  uint64_t time;      /* likewise, in ticks of time */
  uint64_t freed;     /* clock of its latest free */
};

struct gpm_replay;
struct gpm_replay *gpm_replay_new(const struct gpm_profile *profile);
/* Replays one event. Returns the block of the event, as it was before a free and as it is after an
 * allocation. Null for the other kinds, and for frees of blocks whose allocation is not among the
 * events (a ring). */
const struct gpm_life *gpm_replay_event(struct gpm_replay *replay, const struct gpm_event *event);

/* Resets the figures: sums become 0, peaks what is live. clock, ticks: of the event
 * before. */
void gpm_replay_begin(struct gpm_replay *replay, uint64_t clock, uint64_t ticks);

struct gpm_replay_result {
  uint64_t differences;
  char *first;    /* a sentence about the first difference; the caller frees it */
  uint64_t ahead; /* events that a killed program had in its figures and not yet in its history, at
                     most one per thread; the figures that they change are not compared */
  bool went_on;   /* the capture is a dump, and threads went on while it was made; the figures that
                     they changed are not compared */
  bool scopes; /* own peaks were compared; they are not if threads worked for each other's scopes */
};
/* Call it after the last event. */
struct gpm_replay_result gpm_replay_compare(struct gpm_replay *replay);
void gpm_replay_free(struct gpm_replay *replay);

#endif
