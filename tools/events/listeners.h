/* listeners.h - reads the events of a capture once, for any number of listeners.
 *
 *   history --> event --+--> blocks of a profile --> step --> listeners with that profile
 *    (once)             +--> blocks of another   --> step --> ...      |
 *                       +--> listeners of bare events                  +--> lifetimes of blocks
 *
 * Chunks are read and decoded once, however many listeners there are. A listener that needs a
 * figure known only at the end of the run keeps what it takes to compute it then, so that the
 * events need not be read a second time. Listeners are called in the order of their list, so that
 * one may use the results of an earlier one.
 *
 * This is the only way to the events (`ctest -R lint.walks`). With a single listener to bare
 * events, a walk costs one indirect call per event more than a loop over them would.
 */
#ifndef GPM_TOOLS_LISTENERS_H
#define GPM_TOOLS_LISTENERS_H

#include "events/blocks.h"

struct gpm_lifetime; /* block_lifetimes.h */

struct gpm_listener {
  void *self;
  const struct gpm_profile *profile; /* what it leaves out is not delivered; null: all is */
  /* The listener is called no more from the first tick of the clock whose event is missing. While a
   * program runs, or after it was killed, the events of one thread may reach further than those of
   * another, and totals would be wrong. For a whole history (gpm_walk_is_whole). */
  bool stops;
  /* Callbacks; each may be null. After one of them returned false, the listener gets no more
   * events. `begin` is called before the first event, once it is certain that there are events. */
  void (*begin)(void *self);
  bool (*event)(void *self, const struct gpm_event *event); /* whatever the profile leaves out */
  bool (*used)(void *self, const struct gpm_event *event);  /* USED, which no other callback gets */
  bool (*step)(void *self, const struct gpm_step *step);
  void (*life)(void *self, const struct gpm_lifetime *life);
  /* Called after the last event, before `end`: the blocks of the profile, live or not. */
  void (*blocks)(void *self, const struct gpm_blocks *blocks);
  /* Called after the last event in any case; `clock`: the tick of the latest event, even if that
   * was left out. */
  void (*end)(void *self, uint64_t clock);
};

/* Returns false if there are no events or they are damaged; `error` says which. */
bool gpm_listeners_read(struct gpm_reader *reader, const struct gpm_listener *listener,
                        size_t count, char *error, size_t error_size);

/* The same event by event, for a caller who has to stop between two of them and go on later: the
 * reader library, whose users take one event after the other. The listeners have to outlive the
 * walk. */
struct gpm_delivery;
/* Returns null if there are no events or they cannot be read; `error` says which. */
struct gpm_delivery *gpm_listeners_begin(struct gpm_reader *reader,
                                         const struct gpm_listener *listener, size_t count,
                                         char *error, size_t error_size);
/* Delivers the next event. Returns false when none is left, no listener wants more, or the events
 * are damaged; `error` is not empty only then. */
bool gpm_listeners_next(struct gpm_delivery *delivery, char *error, size_t error_size);
/* Calls `end` of the listeners that still listen, and frees `delivery`. */
void gpm_listeners_end(struct gpm_delivery *delivery);

#endif
