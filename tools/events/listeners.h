/* listeners.h - one walk over the events of a capture for any number of listeners.
 *
 *   history --> event --+--> blocks of a profile --> step --> listeners with that profile
 *    (once)             +--> blocks of another   --> step --> ...      |
 *                       +--> listeners of bare events                  +--> lives of blocks
 *
 * Chunks are read and decoded once, whoever listens. Who needs a figure that only the end of the
 * run tells keeps what it takes to settle that then; nobody reads the events a second time for it.
 * Listeners are told in the order of their list, so that one may use what an earlier one found.
 */
#ifndef GPM_TOOLS_LISTENERS_H
#define GPM_TOOLS_LISTENERS_H

#include "events/step.h"

struct gpm_life_told; /* lives.h */

struct gpm_listener {
  void *self;
  const struct gpm_profile *profile; /* what its options leave out is not told; null: all is */
  /* It is told no more from the first tick of the clock whose event is missing: of a program that
   * runs, or was killed, one thread's events may be there further than another's, and totals would
   * be wrong. For a whole history (gpm_walk_is_whole). */
  bool stops;
  /* What it is told; null: not of interest. False: it wants no more of them. */
  bool (*event)(void *self, const struct gpm_event *event); /* whatever the profile leaves out */
  bool (*step)(void *self, const struct gpm_step *step);
  void (*life)(void *self, const struct gpm_life_told *life);
  /* After the last, in any case; `clock`: the tick of the latest event, left out or not. */
  void (*end)(void *self, uint64_t clock);
};

/* False: there are no events, or they are damaged; `error` says which. */
bool gpm_listeners_tell(struct gpm_reader *reader, const struct gpm_listener *listener,
                        size_t count, char *error, size_t error_size);

#endif
