/* rows.h - the figures of a report: one row per line, function, call path, kind, and so on.
 *
 * Every figure is a column of columns.def, defined there; a row holds its value or that it does not
 * apply.
 */
#ifndef GPM_TOOLS_ROWS_H
#define GPM_TOOLS_ROWS_H

#include "model/grouping.h"

enum gpm_figure {
#define GPM_FIGURE(key, title, unit, shown, merge, definition) GPM_FIGURE_##key,
#include "rows/columns.def"
  GPM_FIGURE_COUNT
};
_Static_assert(GPM_FIGURE_COUNT <= 64, "a row's `known` has one bit for each figure");

/* Memory that a row frees and another row allocated. */
struct gpm_foreign {
  uint32_t row;
  uint32_t allocated; /* node that allocated it */
  uint32_t caller; /* first call on its path below the part shared with the path of the free; may be
                      `allocated` */
  uint64_t bytes;
};

struct gpm_row {
  uint32_t key;         /* of the grouping; or the kind, class of size, or number in the capture */
  uint32_t site;        /* the site that represents the row, or NONE */
  uint32_t responsible; /* the call that would be charged with its memory (model/wrappers.h);
                           NONE: it is in no wrapper; GPM_SEVERAL_CALLS */
  uint32_t foreign;     /* index of its first in rows->foreign, and then their count */
  uint32_t foreign_count;
  uint32_t peak_device; /* the device whose peak at_peak belongs to: its record + 1; 0: nothing was
                           live at a peak */
  uint8_t machine;      /* GPM_ROW_AT_LEAST, GPM_ROW_INLINED */
  uint64_t known;       /* bit per figure: 0 where it does not apply */
  int64_t value[GPM_FIGURE_COUNT]; /* unsigned figures are stored as they are */
};

/* gpm_row.machine: calls of functions that were not rebuilt are among its own, of which only those
 * are known during which memory moved ... */
#define GPM_ROW_AT_LEAST 1u
#define GPM_ROW_INLINED 2u /* ... and of functions that were inlined, of which none is known */

#define GPM_SEVERAL_CALLS (UINT32_MAX - 1) /* gpm_row.responsible */
#define GPM_SEVERAL_DEVICES UINT32_MAX     /* gpm_row.peak_device: at_peak is the sum of several */

struct gpm_rows {
  const struct gpm_profile *profile;
  enum gpm_by by;
  struct gpm_grouping grouping; /* for flat rows only its keys are used, if they are texts */
  struct gpm_row *row;          /* by key */
  uint32_t count;
  uint64_t allocated; /* by all rows; self_percent and incl_percent refer to it */
  struct gpm_foreign *foreign;
};

void gpm_rows_make(struct gpm_rows *rows, const struct gpm_profile *profile, enum gpm_by by);
/* Makes rows by path for the given nodes only, in that order. One more row follows for all other
 * nodes together: its self figures are right, and it is not shown. */
void gpm_rows_make_paths(struct gpm_rows *rows, const struct gpm_profile *profile,
                         const uint32_t *node, uint32_t count);
void gpm_rows_free(struct gpm_rows *rows);

/* Returns whether several devices had live blocks at their peaks. A sum of at_peak over all shown
 * cells is then the peak of none of them. */
bool gpm_rows_peaks_are_several(const struct gpm_profile *profile);

/* Returns "line", "function" and so on. */
const char *gpm_rows_by(enum gpm_by by);

/* Returns whether a row is shown. Rows by path include scopes and the root, which only a tree
 * shows. */
bool gpm_rows_is_shown(const struct gpm_rows *rows, uint32_t row);
/* Returns the same for a row by that key. It needs only the profile and no struct gpm_rows. */
bool gpm_rows_shows(const struct gpm_profile *profile, enum gpm_by by, const struct gpm_row *row);

/* owners.c: computes freed_own of every row (before freed_others and freed_elsewhere are derived
 * from it).
 */
void gpm_owners_add(struct gpm_rows *rows);
/* owners.c: finds whose memory the rows marked in `wanted` (by row) free. Fills rows->foreign. */
void gpm_owners_name(struct gpm_rows *rows, const uint8_t *wanted);
/* owners.c: does the same for those of the given rows, by number, whose net is negative. */
void gpm_owners_name_losers(struct gpm_rows *rows, const uint32_t *row, uint32_t count);

/* Whether at_peak is the sum of several devices, each at its own peak. */
static inline bool gpm_row_is_sum(const struct gpm_row *row) {
  return row->peak_device == GPM_SEVERAL_DEVICES;
}
static inline bool gpm_row_knows(const struct gpm_row *row, enum gpm_figure figure) {
  return row->known >> figure & 1;
}
static inline void gpm_row_set(struct gpm_row *row, enum gpm_figure figure, uint64_t value) {
  row->value[figure] = (int64_t)value;
  row->known |= (uint64_t)1 << figure;
}
static inline void gpm_row_add(struct gpm_row *row, enum gpm_figure figure, uint64_t value) {
  gpm_row_set(row, figure, (uint64_t)row->value[figure] + value);
}
static inline void gpm_row_raise(struct gpm_row *row, enum gpm_figure figure, uint64_t value) {
  if (!gpm_row_knows(row, figure) || (uint64_t)row->value[figure] < value)
    gpm_row_set(row, figure, value);
}

/* Returns `part` as a share of `whole` in hundredths of a percent, rounded; 0 if `whole` is 0. A
 * damaged capture may give any two numbers, so a share that does not fit is INT64_MAX. */
uint64_t gpm_row_hundredths(uint64_t part, uint64_t whole);

#endif
