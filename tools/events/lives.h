/* lives.h - each block that ever was, once: from its allocation to its free, from the events.
 *
 * A free may be taken back, so a block's life is told when its address is handed out again, or at
 * the end. Memory is bounded by the addresses a program ever used.
 */
#ifndef GPM_TOOLS_LIVES_H
#define GPM_TOOLS_LIVES_H

#include "capture/reader.h"

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

/* Calls `tell` for each; while the program runs, as far as no event is missing. False: there are no
 * events, or not all of them, or they are damaged, which is said. Nor for figures that began with a
 * reset. Where cells are taken apart (apart.h), cells and pairs are those of the parts; of a
 * window, blocks live in it alone (lives_parts.c). */
bool gpm_lives_tell(struct gpm_reader *reader,
                    void (*tell)(void *data, const struct gpm_life_told *life), void *data);

/* lives_parts.c: the same where cells are taken apart. */
bool gpm_lives_of_parts(struct gpm_reader *reader,
                        void (*tell)(void *data, const struct gpm_life_told *life), void *data);

/* The same, whatever figures are of; for events that are all there (gpm_walk_is_whole). stops: at
 * the first tick whose event is missing. */
bool gpm_lives_each(struct gpm_reader *reader, bool stops,
                    void (*tell)(void *data, const struct gpm_life_told *life), void *data);

#endif
