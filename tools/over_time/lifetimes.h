/* lifetimes.h - how long the blocks of a row lived, and when: the figures that follow from the sums
 * of a capture, and those that only its events have.
 *
 * Accesses are not recorded, so nothing here says when a block was used for the last time. What is
 * known exactly is whether freeing it made room for anything (kept_blocks).
 */
#ifndef GPM_TOOLS_LIFETIMES_H
#define GPM_TOOLS_LIFETIMES_H

#include "events/block_lifetimes.h"
#include "rows/order.h"

/* A block is short-lived if it was freed within this many ticks of the allocation clock. */
#define GPM_LIFETIMES_SHORT 10

enum gpm_lifetimes_source {
  GPM_LIFETIMES_BY_SUMS, /* there are no events, or not all: figures that need them are not known
                            for any row */
  GPM_LIFETIMES_BY_PART, /* the events do not add up to the sums of some row */
  GPM_LIFETIMES_BY_ALL_EVENTS
};

/* Fills the columns of lifetimes (columns.def) of rows along call paths, for the blocks that their
 * profile shows. Reads the events if none is missing; reports it if they are damaged. Memory is
 * bounded by the number of addresses that a program ever used. */
enum gpm_lifetimes_source gpm_lifetimes_add(struct gpm_rows *rows, struct gpm_reader *reader);

/* The same in two steps, for a caller whose walk has other listeners too. */
struct gpm_lifetimes;
/* *listener has to get all lifetimes before any rows are filled, if gpm_block_lifetimes_are_known.
 */
struct gpm_lifetimes *gpm_lifetimes_listen(const struct gpm_reader *reader,
                                           struct gpm_listener *listener);
/* received: the listener got all lifetimes. */
enum gpm_lifetimes_source gpm_lifetimes_fill(struct gpm_rows *rows,
                                             const struct gpm_lifetimes *lifetimes, bool received);
void gpm_lifetimes_free(struct gpm_lifetimes *lifetimes);

/* Returns the columns of the command: for a table those that are known, otherwise all. */
struct gpm_choice gpm_lifetimes_choice(bool table, enum gpm_lifetimes_source source);
/* Returns the rows of the command: those with blocks. */
void gpm_lifetimes_order(struct gpm_order *order, const struct gpm_rows *rows, unsigned column);

#endif
