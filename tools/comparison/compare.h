/* compare.h - compares two captures: pairs of rows (match.h), their differences, and whether these
 * add up to the differences of the ledgers. For `diff`, and for `check --against`. */
#ifndef GPM_TOOLS_COMPARE_H
#define GPM_TOOLS_COMPARE_H

#include "comparison/match.h"

/* One capture and its rows. */
struct gpm_side {
  struct gpm_reader *reader;
  struct gpm_filter filter;
  struct gpm_profile *profile;
  struct gpm_rows rows;
};
void gpm_side_make(struct gpm_side *side, struct gpm_reader *reader, struct gpm_filter filter,
                   enum gpm_by by);
void gpm_side_free(struct gpm_side *side); /* closes the reader */

enum gpm_status {
  GPM_STATUS_NEW,
  GPM_STATUS_GONE,
  GPM_STATUS_GROWN,
  GPM_STATUS_SHRUNK,
  GPM_STATUS_CHANGED, /* its memory is unchanged, the number of calls or blocks is not */
  GPM_STATUS_SAME
};
extern const char *const gpm_status_names[];

struct gpm_comparison {
  struct gpm_side *side[2]; /* before, after */
  struct gpm_match match;
};
void gpm_compare_make(struct gpm_comparison *comparison, struct gpm_side *before,
                      struct gpm_side *after);
void gpm_compare_free(struct gpm_comparison *comparison);

/* Returns the row of a pair in the capture before (0) or after (1), or null. */
const struct gpm_row *gpm_compare_row(const struct gpm_comparison *comparison,
                                      const struct gpm_matched *pair, unsigned side);
/* Returns the figure, 0 if there is no such row or the figure does not apply to it. */
int64_t gpm_compare_value(const struct gpm_comparison *comparison, const struct gpm_matched *pair,
                          unsigned side, enum gpm_figure figure);
int64_t gpm_compare_difference(const struct gpm_comparison *comparison,
                               const struct gpm_matched *pair, enum gpm_figure figure);
/* The first memory figure that differs decides; CHANGED if only other figures differ. */
enum gpm_status gpm_compare_status(const struct gpm_comparison *comparison,
                                   const struct gpm_matched *pair, const enum gpm_figure *figures,
                                   unsigned count);

/* The figures whose rows add up, to be compared with the ledgers of devices and kinds. */
enum {
  GPM_TOTAL_AT_PEAK,
  GPM_TOTAL_ALLOCATED,
  GPM_TOTAL_LEAKED,
  GPM_TOTAL_BLOCKS,
  GPM_TOTAL_LEAKED_BLOCKS,
  GPM_TOTALS
};
extern const enum gpm_figure gpm_total_figures[GPM_TOTALS];
struct gpm_totals {
  uint64_t value[GPM_TOTALS];
};
struct gpm_totals gpm_compare_totals(const struct gpm_side *side);
/* Returns the sums of the differences of all rows; `ok`: each equals the difference of the totals.
 */
struct gpm_totals gpm_compare_sums(const struct gpm_comparison *comparison,
                                   const struct gpm_totals totals[2], bool *ok);

/* The program or library whose lines cannot be compared, because its file is there of one of the
 * two runs only, so that those of the other have addresses in place of names. Null: none. *side:
 * the capture that lacks the names. */
const char *gpm_compare_nameless(const struct gpm_reader *before, const struct gpm_reader *after,
                                 unsigned *side);

/* Returns the record of the device with that ordinal, or NONE. */
uint32_t gpm_compare_device(const struct gpm_reader *reader, int ordinal);

#endif
