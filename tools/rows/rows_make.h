/* rows_make.h - what rows.c, rows_tree.c, rows_flat.c and groups.c share while records become rows.
 */
#ifndef GPM_TOOLS_ROWS_MAKE_H
#define GPM_TOOLS_ROWS_MAKE_H

#include "rows/rows.h"

/* Sums for means, which are derived last. */
struct gpm_means {
  uint64_t own_peak_sum, own_peak_count, freed_blocks;
  double lifetime_ticks; /* of all freed blocks; a block that was not timed counts with the mean of
                            its cell */
};

/* What a cell adds to a row. */
struct gpm_addend {
  uint32_t id;
  const struct gpumemprof_capture_cell *cell;
  /* The figures of `cell`, but 0 for blocks that were allocated before the window: they are not
   * allocations within it. */
  struct gpumemprof_capture_amount allocated, left; /* left: those not freed by the end */
  uint64_t requested, at_peak;
};

/* rows.c: gets the next cell that the profile shows from a cursor of cells; returns false after the
 * last. */
bool gpm_rows_next_cell(const struct gpm_profile *profile, struct gpm_cursor *at,
                        struct gpm_addend *addend);
/* Merges a device on which memory was live at a peak into gpm_row.peak_device. */
static inline void gpm_rows_join_peak_device(uint32_t *to, uint32_t more) {
  if (more) *to = !*to || *to == more ? more : GPM_SEVERAL_DEVICES;
}

/* rows.c: adds the self figures of a cell's blocks ... */
void gpm_rows_add_cell(struct gpm_row *row, struct gpm_means *means, const struct gpm_addend *a);
/* ... and, after the last cell, computes the figures that are derived from them. */
void gpm_rows_derive_self(const struct gpm_rows *rows, struct gpm_row *row,
                          const struct gpm_means *means);

/* Activations of a node: all that ended, from the sums of the capture, or one that was open when
 * the program ended. */
struct gpm_activations {
  uint32_t node;
  uint64_t calls; /* as reports count them */
  uint64_t active, peak_max, peak_sum, device_peak;
  bool timed; /* wall_ticks is known */
  uint64_t wall_ticks;
};
struct gpm_activations_at {
  struct gpm_cursor nodes; /* of the reader's nodes */
  size_t ended;
};
/* rows_tree.c: gets the next of them, for each node its sums first; returns false after the last.
 */
bool gpm_rows_next_activations(const struct gpm_profile *profile, struct gpm_activations_at *at,
                               struct gpm_activations *activations);

/* rows_tree.c: fills all figures of rows along call paths. */
void gpm_rows_make_tree(struct gpm_rows *rows, struct gpm_means *means);

/* rows_sites.c: chooses the site that represents each row. */
void gpm_rows_choose_sites(struct gpm_rows *rows);

/* rows_flat.c: these return how many keys there are, and the key of a cell; add all figures of a
 * cell's blocks to a row; and fill all rows. */
uint32_t gpm_rows_count_flat(struct gpm_rows *rows);
uint32_t gpm_rows_flat_key(struct gpm_rows *rows, uint32_t cell,
                           const struct gpumemprof_capture_cell *record);
void gpm_rows_add_flat(struct gpm_row *row, struct gpm_means *means, const struct gpm_addend *a);
void gpm_rows_make_flat(struct gpm_rows *rows, struct gpm_means *means);

#endif
