/* lives.h - each block that ever was, once: from its allocation to its free, from the events.
 *
 * A free may be taken back, so a block's life is told when its address is handed out again, or at
 * the end. Memory is bounded by the addresses a program ever used.
 */
#ifndef GPM_TOOLS_LIVES_H
#define GPM_TOOLS_LIVES_H

#include "events/listeners.h"

struct gpm_life_told {
  uint32_t cell;
  uint32_t pair; /* NONE: it is live at the end, and what follows below is nothing */
  uint64_t bytes, clock, time_ns; /* of its allocation */
  uint64_t address, padding;      /* as in the history */
  uint32_t lives, thread;         /* the N of ADDRESS_N, and who allocated it */
  bool seen;                      /* its free; else another block was handed out over it */
  bool temporary;                 /* freed by the next event of the thread that allocated it */
  bool older;                     /* a window (window.h) found it there */
  uint64_t age, age_ns;           /* ticks of the allocation clock, and time, to its free */
  uint64_t before; /* allocations that its device had seen when it was freed; of one that is live,
                    * all of them */
};

/* The events are all there, and figures did not begin with a reset. */
bool gpm_lives_are_told(const struct gpm_reader *reader);
/* A listener to all of them: while the program runs, as far as no event is missing. */
struct gpm_listener gpm_lives_listener(const struct gpm_reader *reader,
                                       void (*life)(void *self, const struct gpm_life_told *life),
                                       void *self);
/* That listener alone. Where cells are taken apart (apart.h), cells and pairs are those of the
 * parts; of a window, blocks live in it alone (lives_parts.c). False: not gpm_lives_are_told, or
 * the events are damaged, which is said. */
bool gpm_lives_tell(struct gpm_reader *reader,
                    void (*life)(void *self, const struct gpm_life_told *life), void *self);

/* lives_parts.c: the same where cells are taken apart. */
bool gpm_lives_of_parts(struct gpm_reader *reader,
                        void (*life)(void *self, const struct gpm_life_told *life), void *self);

/* ---- for listeners.c ---- */

struct gpm_lives;
struct gpm_lives *gpm_lives_new(const struct gpm_blocks *blocks);
/* After gpm_blocks_step: the life that is over for good by it, until the next call; or null. */
const struct gpm_life_told *gpm_lives_step(struct gpm_lives *lives, const struct gpm_step *step);
/* Those that are not told yet, as if no event followed. */
void gpm_lives_rest(struct gpm_lives *lives, const struct gpm_listener *listener);
void gpm_lives_free(struct gpm_lives *lives); /* may be null */

#endif
