/* match.h - which rows of two captures are of one place, though its source was edited between them.
 *
 * Lines move, so a line number says nothing. A place is found by what its sites say of themselves:
 * function, callee, variable, type, size as written, and where several say the same, their order.
 * What is left over is the same place with another variable or size where no other can be meant.
 */
#ifndef GPM_TOOLS_MATCH_H
#define GPM_TOOLS_MATCH_H

#include "rows/rows.h"

/* Rows of the first capture, rows of the second: gone and new ones have only one of them. */
struct gpm_matched {
  uint32_t row[2]; /* or NONE */
  bool renamed;    /* the variable or the size is written otherwise now */
};
struct gpm_match {
  struct gpm_matched *pair; /* of all shown rows: those of the first, then the new ones */
  uint32_t count;
};

/* Both by LINE or both by FUNCTION. */
void gpm_match_make(struct gpm_match *match, const struct gpm_rows *first,
                    const struct gpm_rows *second);
void gpm_match_free(struct gpm_match *match);

#endif
