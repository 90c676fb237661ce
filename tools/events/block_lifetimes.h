/* block_lifetimes.h - the lifetime of every block, from its allocation to its free, computed from
 * the events.
 *
 * A free may be taken back, so a lifetime is reported only when the address of its block is handed
 * out again, or at the end. Memory is bounded by the number of addresses that a program ever used.
 */
#ifndef GPM_TOOLS_BLOCK_LIFETIMES_H
#define GPM_TOOLS_BLOCK_LIFETIMES_H

#include "events/listeners.h"

struct gpm_lifetime {
  uint32_t cell;
  uint32_t pair; /* NONE: it is live at the end, and seen, temporary, age and age_ns are 0 */
  uint64_t bytes, clock, time_ns; /* of its allocation */
  uint64_t address, padding;      /* as in the history */
  uint32_t generation, thread;    /* the N of ADDRESS_N; the thread that allocated it */
  bool seen;      /* its free was recorded; else its address was handed out again without one */
  bool temporary; /* freed by the next event of the thread that allocated it */
  bool older;     /* it was live when the window (window.h) began */
  uint64_t age, age_ns; /* ticks of the allocation clock, and time, to its free */
  uint64_t before; /* number of allocations on its device up to its free; for a block that is live,
                      all of them */
};

/* True if the capture has all events, and no reset cleared its figures. */
bool gpm_block_lifetimes_are_known(const struct gpm_reader *reader);
/* Returns a listener to all lifetimes. While the program runs, they end before the first missing
 * event. */
struct gpm_listener
gpm_block_lifetimes_listener(const struct gpm_reader *reader,
                             void (*life)(void *self, const struct gpm_lifetime *life), void *self);
/* Reads the events for that listener only. Where cells are split (split.h), `cell` and `pair` are
 * those of the parts; with a window, lifetimes are cut to it (split_lifetimes.c). Returns false if
 * not gpm_block_lifetimes_are_known, or after it reported that the events are damaged. */
bool gpm_block_lifetimes_walk(struct gpm_reader *reader,
                              void (*life)(void *self, const struct gpm_lifetime *life),
                              void *self);

/* split_lifetimes.c: the same where cells are split. */
bool gpm_block_lifetimes_of_parts(struct gpm_reader *reader,
                                  void (*life)(void *self, const struct gpm_lifetime *life),
                                  void *self);

/* ---- for listeners.c ---- */

struct gpm_block_lifetimes;
struct gpm_block_lifetimes *gpm_block_lifetimes_new(const struct gpm_blocks *blocks);
/* Call it after gpm_blocks_step. Returns the lifetime that the step ends for good, valid until the
 * next call; or null. */
const struct gpm_lifetime *gpm_block_lifetimes_step(struct gpm_block_lifetimes *lifetimes,
                                                    const struct gpm_step *step);
/* Reports the lifetimes that were not reported yet, as if no event followed. */
void gpm_block_lifetimes_rest(struct gpm_block_lifetimes *lifetimes,
                              const struct gpm_listener *listener);
void gpm_block_lifetimes_free(struct gpm_block_lifetimes *lifetimes); /* may be null */

#endif
