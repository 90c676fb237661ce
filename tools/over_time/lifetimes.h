/* lifetimes.h - how long the blocks of a row lived, and when: what the sums of a capture tell of
 * it, and what its events alone do.
 *
 * Accesses are not recorded. So nothing here says when a block was used for the last time; what can
 * be told exactly is whether freeing it made room for anything (kept_blocks).
 */
#ifndef GPM_TOOLS_LIFETIMES_H
#define GPM_TOOLS_LIFETIMES_H

#include "events/lives.h"
#include "rows/order.h"

/* A block is short-lived if it was freed within so many ticks of the allocation clock. */
#define GPM_LIFETIMES_SHORT 10

enum gpm_lifetimes_told {
  GPM_LIFETIMES_BY_SUMS, /* there are no events, or not all: what they tell is known of no row */
  GPM_LIFETIMES_BY_PART, /* events that do not make the sums of some row */
  GPM_LIFETIMES_BY_ALL_EVENTS
};

/* Fills the columns of lifetimes (columns.def) of rows along call paths, of the blocks that their
 * profile shows. Reads the events if there are all of them; says it if they are damaged. Memory is
 * bounded by the addresses a program ever used. */
enum gpm_lifetimes_told gpm_lifetimes_add(struct gpm_rows *rows, struct gpm_reader *reader);

/* The same in two steps, for who walks over the events for others, too. */
struct gpm_lifetimes;
/* *listener: has to be told all lives, where gpm_lives_are_told, before any rows are filled. */
struct gpm_lifetimes *gpm_lifetimes_listen(const struct gpm_reader *reader,
                                           struct gpm_listener *listener);
/* heard: it was told them. */
enum gpm_lifetimes_told gpm_lifetimes_fill(struct gpm_rows *rows,
                                           const struct gpm_lifetimes *lifetimes, bool heard);
void gpm_lifetimes_free(struct gpm_lifetimes *lifetimes);

/* The columns of the command: of a table what is known, else all. */
struct gpm_choice gpm_lifetimes_choice(bool table, enum gpm_lifetimes_told told);
/* Its rows: those with blocks. */
void gpm_lifetimes_order(struct gpm_order *order, const struct gpm_rows *rows, unsigned column);

#endif
