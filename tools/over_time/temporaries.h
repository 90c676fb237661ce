/* temporaries.h - blocks that the next event of their thread frees, by the line that allocates
 * them: how many, how large, and which lines free them.
 *
 * Every capture has the number of them per line. Their bytes, and which of several lines freed
 * them, follow from the sums if these leave no choice, otherwise from the events.
 */
#ifndef GPM_TOOLS_TEMPORARIES_H
#define GPM_TOOLS_TEMPORARIES_H

#include "events/block_lifetimes.h"
#include "rows/rows.h"

struct gpm_temporary_free {
  uint32_t line;   /* the row that allocates */
  uint32_t row;    /* the row that frees */
  uint32_t node;   /* one of its call paths */
  uint64_t blocks; /* temporaries of `line` that it frees; if unsure, those that are known */
  bool unsure; /* for some of the blocks that it frees, it is not known whether they are temporaries
                */
};

struct gpm_temporary {
  uint32_t node;    /* the call path of the row with the most temporaries ... */
  uint64_t most;    /* ... and their number */
  uint64_t bytes;   /* of all temporaries, if known */
  uint64_t largest; /* no temporary is larger; if unsure, no block is */
  bool bytes_unsure;
  uint32_t kinds;        /* bit k: some are memory of kind k */
  uint32_t first, count; /* a range of `frees`, the largest first */
};

struct gpm_temporaries {
  struct gpm_temporary *line; /* by row */
  struct gpm_temporary_free *frees;
  uint32_t free_count;
};

/* rows: by line. Memory is bounded by the cells and pairs, and if events are read, by the number of
 * addresses that a program ever used. Returns false after it reported that the events are
 * damaged: what only they know is then unsure. */
bool gpm_temporaries_make(struct gpm_temporaries *temporaries, const struct gpm_rows *rows,
                          struct gpm_reader *reader);

/* The same in two steps, for a caller whose walk has other listeners too. */
struct gpm_temporaries_of_events;
/* *listener has to get all lifetimes, if gpm_block_lifetimes_are_known. */
struct gpm_temporaries_of_events *gpm_temporaries_listen(const struct gpm_reader *reader,
                                                         struct gpm_listener *listener);
/* of_events: the result of the listener; null: there is none. */
void gpm_temporaries_find(struct gpm_temporaries *temporaries, const struct gpm_rows *rows,
                          const struct gpm_temporaries_of_events *of_events);
void gpm_temporaries_of_events_free(struct gpm_temporaries_of_events *of_events); /* may be null */
/* Returns "main.c:12 step allocates up to 4.00 MiB and frees it right after at main.c:14 step, 9
 * times: keep one buffer ..."; null if it happened only once, or to less than a tenth of the line's
 * blocks. The caller frees the text. */
char *gpm_temporaries_advice(const struct gpm_temporaries *temporaries, const struct gpm_rows *rows,
                             uint32_t row, unsigned style);
/* Returns "keep one buffer of that size from call to call", or what else helps with that memory. */
const char *gpm_temporaries_remedy(const struct gpm_temporary *line);
void gpm_temporaries_free(struct gpm_temporaries *temporaries);

#endif
