/* rows_make.h - what rows.c, rows_tree.c, rows_flat.c and groups.c share while records become rows.
 */
#ifndef GPM_TOOLS_ROWS_MAKE_H
#define GPM_TOOLS_ROWS_MAKE_H

#include "rows.h"

/* Sums for means, which are derived last. */
struct gpm_means {
  uint64_t own_peak_sum, own_peak_count, freed_blocks;
  double lifetime_ticks; /* of all freed blocks: each cell's mean stands for those not timed */
};

static inline uint64_t gpm_rows_requested(const struct gpumemprof_capture_cell *c) {
  return c->allocated.bytes - c->padding;
}

/* rows.c: the self figures of a cell's blocks ... */
void gpm_rows_add_cell(struct gpm_row *row, struct gpm_means *means,
                       const struct gpumemprof_capture_cell *cell, uint64_t at_peak);
/* ... and, after the last cell, what is computed of them. */
void gpm_rows_derive_self(const struct gpm_rows *rows, struct gpm_row *row,
                          const struct gpm_means *means);

/* rows_tree.c: all figures of rows along call paths. */
void gpm_rows_make_tree(struct gpm_rows *rows, struct gpm_means *means);

/* rows_flat.c: how many keys there are; the key of a cell; all figures of a cell's blocks; of all
 * rows. */
bool gpm_rows_are_told(const struct gpm_rows *rows); /* keys are those of profile->told */
uint32_t gpm_rows_count_flat(struct gpm_rows *rows);
uint32_t gpm_rows_flat_key(struct gpm_rows *rows, const struct gpumemprof_capture_cell *cell);
void gpm_rows_add_flat(struct gpm_row *row, struct gpm_means *means,
                       const struct gpumemprof_capture_cell *cell, uint64_t at_peak);
void gpm_rows_make_flat(struct gpm_rows *rows, struct gpm_means *means);

#endif
