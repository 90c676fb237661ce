/* block_lifetimes.h - the lifetime of every block, from its allocation to its free, computed from
 * the events.
 *
 * A free may be taken back, so a lifetime is reported only when the address of its block is handed
 * out again, or at the end. Memory is bounded by the number of addresses that a program ever used.
 */
#ifndef GPM_TOOLS_LIVES_H
#define GPM_TOOLS_LIVES_H

#include "events/listeners.h"

struct gpm_life_told {
  uint32_t cell;
  uint32_t pair; /* NONE: it is live at the end, and seen, temporary, age and age_ns are 0 */
  uint64_t bytes, clock, time_ns; /* of its allocation */
  uint64_t address, padding;      /* as in the history */
  uint32_t lives, thread;         /* the N of ADDRESS_N; the thread that allocated it */
  bool seen;      /* its free was recorded; else its address was handed out again without one */
  bool temporary; /* freed by the next event of the thread that allocated it */
  bool older;     /* it was live when the window (window.h) began */
  uint64_t age, age_ns; /* ticks of the allocation clock, and time, to its free */
  uint64_t before; /* number of allocations on its device up to its free; for a block that is live,
                      all of them */
};

/* True if the capture has all events, and no reset cleared its figures. */
bool gpm_lives_are_told(const struct gpm_reader *reader);
/* Returns a listener to all lifetimes. While the program runs, they end before the first missing
 * event. */
struct gpm_listener gpm_lives_listener(const struct gpm_reader *reader,
                                       void (*life)(void *self, const struct gpm_life_told *life),
                                       void *self);
/* Reads the events for that listener only. Where cells are split (split.h), `cell` and `pair` are
 * those of the parts; with a window, lifetimes are cut to it (split_lifetimes.c). Returns false if
 * not gpm_lives_are_told, or after it reported that the events are damaged. */
bool gpm_lives_tell(struct gpm_reader *reader,
                    void (*life)(void *self, const struct gpm_life_told *life), void *self);

/* split_lifetimes.c: the same where cells are split. */
bool gpm_lives_of_parts(struct gpm_reader *reader,
                        void (*life)(void *self, const struct gpm_life_told *life), void *self);

/* ---- for listeners.c ---- */

struct gpm_lives;
struct gpm_lives *gpm_lives_new(const struct gpm_blocks *blocks);
/* Call it after gpm_blocks_step. Returns the lifetime that the step ends for good, valid until the
 * next call; or null. */
const struct gpm_life_told *gpm_lives_step(struct gpm_lives *lives, const struct gpm_step *step);
/* Reports the lifetimes that were not reported yet, as if no event followed. */
void gpm_lives_rest(struct gpm_lives *lives, const struct gpm_listener *listener);
void gpm_lives_free(struct gpm_lives *lives); /* may be null */

#endif
