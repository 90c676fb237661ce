/* replay.h - every figure of a capture once more, from its events alone.
 *
 * The runtime never looks at events again: it keeps sums, and folds scopes when they end. Here each
 * event changes everything it belongs to, and the two have to agree.
 */
#ifndef GPM_TOOLS_REPLAY_H
#define GPM_TOOLS_REPLAY_H

#include "events/history.h"
#include "model/profile.h"

struct gpm_life {               /* of an address */
  uint64_t bytes, clock, ticks; /* clock and ticks: of its allocation */
  uint32_t cell;
  uint32_t thread; /* that allocated it */
  uint32_t lives;  /* ADDRESS_N: the N of its latest block */
  bool live;
  bool was_temporary; /* its latest free: what taking that back undoes */
  uint64_t lifetime;  /* in clock ticks, the same */
  uint64_t time;      /* in ticks, the same */
  uint64_t freed;     /* clock of it */
};

struct gpm_replay;
struct gpm_replay *gpm_replay_new(const struct gpm_profile *profile);
/* The block it is about as it was before a free and is after an allocation; null for the other
 * kinds, and for frees of blocks whose allocation is not among the events (a ring). */
const struct gpm_life *gpm_replay_event(struct gpm_replay *replay, const struct gpm_event *event);

/* From here on figures are of what happens now: sums begin at 0, peaks at what is live. `clock`: of
 * the event before. */
void gpm_replay_begin(struct gpm_replay *replay, uint64_t clock);

struct gpm_replay_result {
  uint64_t differences;
  char *first;    /* of them, a sentence; to be freed */
  uint64_t ahead; /* events a killed program had in its figures and not yet in its history: at most
                   * one a thread; what they change is not compared then */
  bool went_on;   /* a copy: threads did more while it was made, and what that changed is not
                   * compared */
  bool scopes;    /* own peaks were compared: not where threads worked for each other's scopes */
};
/* After the last event. */
struct gpm_replay_result gpm_replay_compare(struct gpm_replay *replay);
void gpm_replay_free(struct gpm_replay *replay);

#endif
