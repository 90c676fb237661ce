/* match.h - finds the rows of two captures that belong to the same line or function, although its
 * source was edited in between.
 *
 * Lines move, so line numbers cannot be compared. Sites are compared by what they record: function,
 * callee, variable, type, size as written, and if several are equal in these, their order. Rows
 * that are left over are matched in spite of another variable or size if no other row can be meant.
 */
#ifndef GPM_TOOLS_MATCH_H
#define GPM_TOOLS_MATCH_H

#include "rows/rows.h"

/* A row of the first capture and its row in the second. Rows that are gone or new have only one of
 * them. */
struct gpm_matched {
  uint32_t row[2]; /* or NONE */
  bool renamed;    /* the variable or the size was edited */
};
struct gpm_match {
  struct gpm_matched *pair; /* all shown rows: those of the first capture, then the new ones */
  uint32_t count;
};

/* Both are by LINE, or both by FUNCTION. */
void gpm_match_make(struct gpm_match *match, const struct gpm_rows *first,
                    const struct gpm_rows *second);
void gpm_match_free(struct gpm_match *match);

#endif
