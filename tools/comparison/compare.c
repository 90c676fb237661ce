/* compare.c - see compare.h. */
#include "comparison/compare.h"

#include "model/patterns.h"
#include "model/split_cells.h"
#include "rows/columns.h"

#include <string.h>

const char *const gpm_status_names[] = {"new", "gone", "grown", "shrunk", "changed", "same"};

const enum gpm_figure gpm_total_figures[GPM_TOTALS] = {GPM_FIGURE_self_at_peak,
                                                       GPM_FIGURE_self_alloc, GPM_FIGURE_leaked,
                                                       GPM_FIGURE_blocks, GPM_FIGURE_leaked_blocks};

void gpm_side_make(struct gpm_side *side, struct gpm_reader *reader, struct gpm_filter filter,
                   enum gpm_by by) {
  side->reader = reader;
  side->filter = filter;
  side->profile = gpm_profile_new(reader, &filter);
  gpm_rows_make(&side->rows, side->profile, by);
}

void gpm_side_free(struct gpm_side *side) {
  gpm_rows_free(&side->rows);
  gpm_profile_free(side->profile);
  gpm_reader_close(side->reader);
}

void gpm_compare_make(struct gpm_comparison *c, struct gpm_side *before, struct gpm_side *after) {
  *c = (struct gpm_comparison){.side = {before, after}};
  gpm_match_make(&c->match, &before->rows, &after->rows);
}

void gpm_compare_free(struct gpm_comparison *c) {
  gpm_match_free(&c->match);
}

/* ---- pairs -------------------------------------------------------------------------------------
 */

const struct gpm_row *gpm_compare_row(const struct gpm_comparison *c,
                                      const struct gpm_matched *pair, unsigned side) {
  uint32_t row = pair->row[side];
  return row == GPUMEMPROF_NONE ? NULL : &c->side[side]->rows.row[row];
}

int64_t gpm_compare_value(const struct gpm_comparison *c, const struct gpm_matched *pair,
                          unsigned side, enum gpm_figure figure) {
  const struct gpm_row *row = gpm_compare_row(c, pair, side);
  return row && gpm_row_knows(row, figure) ? row->value[figure] : 0;
}

/* Subtracts as unsigned numbers, since a damaged capture may have any value, and signed overflow is
 * undefined. */
int64_t gpm_compare_difference(const struct gpm_comparison *c, const struct gpm_matched *pair,
                               enum gpm_figure figure) {
  return (int64_t)((uint64_t)gpm_compare_value(c, pair, 1, figure) -
                   (uint64_t)gpm_compare_value(c, pair, 0, figure));
}

static bool is_memory(enum gpm_figure figure) {
  enum gpm_unit unit = gpm_columns[figure].unit;
  return unit == GPM_UNIT_BYTES || unit == GPM_UNIT_SIGNED;
}

enum gpm_status gpm_compare_status(const struct gpm_comparison *c, const struct gpm_matched *pair,
                                   const enum gpm_figure *figures, unsigned count) {
  if (pair->row[0] == GPUMEMPROF_NONE) return GPM_STATUS_NEW;
  if (pair->row[1] == GPUMEMPROF_NONE) return GPM_STATUS_GONE;
  enum gpm_status status = GPM_STATUS_SAME;
  for (unsigned i = 0; i < count; i++) {
    int64_t difference = gpm_compare_difference(c, pair, figures[i]);
    if (difference && is_memory(figures[i]))
      return difference > 0 ? GPM_STATUS_GROWN : GPM_STATUS_SHRUNK;
    if (difference) status = GPM_STATUS_CHANGED;
  }
  return status;
}

/* ---- totals ------------------------------------------------------------------------------------
 */

/* Chooses devices and kinds as the profile does. */
static bool is_shown(const struct gpm_filter *filter, uint32_t device, uint32_t kind) {
  bool any_device = filter->device == GPM_ALL_DEVICES, any_kind = filter->kind == GPM_ALL_KINDS;
  if (any_device && any_kind) return kind != GPUMEMPROF_KIND_CUSTOM;
  return (any_device || filter->device == device) && (any_kind || filter->kind == kind);
}

/* Ledgers have no figures for a window or a pattern, so these totals are sums of the cells that are
 * shown. */
static struct gpm_totals totals_of_cells(const struct gpm_side *side) {
  const struct gpm_reader *r = side->reader;
  struct gpm_totals t = {0};
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!side->profile->cell_shown[at.number]) continue;
    t.value[GPM_TOTAL_AT_PEAK] += gpm_profile_at_peak(r, c);
    if (gpm_split_is_older(r, at.number)) continue;
    t.value[GPM_TOTAL_ALLOCATED] += c->allocated.bytes;
    t.value[GPM_TOTAL_BLOCKS] += c->allocated.blocks;
    if (c->kind == GPUMEMPROF_KIND_STATIC) continue;
    t.value[GPM_TOTAL_LEAKED] += c->allocated.bytes - c->freed.bytes;
    t.value[GPM_TOTAL_LEAKED_BLOCKS] += c->allocated.blocks - c->freed.blocks;
  }
  return t;
}

/* Live figures are those of the ledgers, allocated ones those of the cells. Rows are not used. */
struct gpm_totals gpm_compare_totals(const struct gpm_side *side) {
  const struct gpm_reader *r = side->reader;
  const struct gpm_filter *filter = &side->filter;
  if (gpm_split_is_part(r) || (filter->patterns && filter->patterns->count))
    return totals_of_cells(side);
  struct gpm_totals t = {0};
  bool all_kinds = filter->kind == GPM_ALL_KINDS;
  for (uint32_t d = 0; d < r->device_count; d++) {
    bool shown = filter->device == d ||
                 (filter->device == GPM_ALL_DEVICES && r->devices[d].ordinal != GPUMEMPROF_CUSTOM);
    if (all_kinds && shown) t.value[GPM_TOTAL_AT_PEAK] += r->devices[d].peak;
    for (uint32_t k = 0; k < GPUMEMPROF_KINDS; k++) {
      if (k == GPUMEMPROF_KIND_STATIC || !is_shown(filter, d, k)) continue;
      t.value[GPM_TOTAL_LEAKED] += r->devices[d].live[k].bytes;
      t.value[GPM_TOTAL_LEAKED_BLOCKS] += r->devices[d].live[k].blocks;
    }
  }
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!is_shown(filter, c->device, c->kind)) continue;
    t.value[GPM_TOTAL_ALLOCATED] += c->allocated.bytes;
    t.value[GPM_TOTAL_BLOCKS] += c->allocated.blocks;
    if (!all_kinds) t.value[GPM_TOTAL_AT_PEAK] += gpm_profile_at_peak(r, c);
  }
  return t;
}

struct gpm_totals gpm_compare_sums(const struct gpm_comparison *c,
                                   const struct gpm_totals totals[2], bool *ok) {
  struct gpm_totals sums = {0};
  for (uint32_t i = 0; i < c->match.count; i++)
    for (unsigned f = 0; f < GPM_TOTALS; f++)
      sums.value[f] += (uint64_t)gpm_compare_difference(c, &c->match.pair[i], gpm_total_figures[f]);
  *ok = true;
  for (unsigned f = 0; f < GPM_TOTALS; f++)
    if (sums.value[f] != totals[1].value[f] - totals[0].value[f]) *ok = false;
  return sums;
}

uint32_t gpm_compare_device(const struct gpm_reader *r, int ordinal) {
  for (uint32_t d = 0; d < r->device_count; d++)
    if (r->devices[d].ordinal == ordinal) return d;
  return GPUMEMPROF_NONE;
}

const char *gpm_compare_nameless(const struct gpm_reader *before, const struct gpm_reader *after,
                                 unsigned *side) {
  *side = !before->nameless;
  const char *name = before->nameless ? before->nameless : after->nameless;
  bool same = before->nameless && after->nameless && *before->nameless_build &&
              !strcmp(before->nameless_build, after->nameless_build); /* by the same addresses */
  return same ? NULL : name;
}
