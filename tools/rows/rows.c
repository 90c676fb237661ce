/* rows.c - sums the records of a profile into rows.
 *
 *   cells, pairs, scopes --> rows_tree.c: line, function, file, path
 *   cells                --> rows_flat.c: kind, device, label, variable, type, size
 *
 * This file has what both share: the self figures of a cell, and the figures computed from sums.
 * The figures are defined in columns.def and docs/ACCOUNTING.md.
 */
#include "rows/rows_make.h"

#include "model/split_cells.h"

#include <stdlib.h>

static const enum gpm_figure always_known[] = {
    GPM_FIGURE_at_peak,      GPM_FIGURE_at_peak_percent,  GPM_FIGURE_self_alloc,
    GPM_FIGURE_incl_alloc,   GPM_FIGURE_self_net,         GPM_FIGURE_incl_net,
    GPM_FIGURE_calls,        GPM_FIGURE_leaked,           GPM_FIGURE_leaked_blocks,
    GPM_FIGURE_self_at_peak, GPM_FIGURE_self_freed,       GPM_FIGURE_incl_freed,
    GPM_FIGURE_freed_own,    GPM_FIGURE_freed_others,     GPM_FIGURE_freed_elsewhere,
    GPM_FIGURE_escaped,      GPM_FIGURE_self_requested,   GPM_FIGURE_incl_requested,
    GPM_FIGURE_blocks,       GPM_FIGURE_temporary_blocks, GPM_FIGURE_failed_calls,
    GPM_FIGURE_failed_bytes, GPM_FIGURE_oom_calls,
};

bool gpm_rows_next_cell(const struct gpm_profile *p, struct gpm_cursor *at, struct gpm_addend *a) {
  const struct gpumemprof_capture_cell *c = gpm_cursor_next(at);
  while (c && !p->cell_shown[at->number]) c = gpm_cursor_next(at);
  if (!c) return false;
  *a = (struct gpm_addend){
      .id = (uint32_t)at->number, .cell = c, .at_peak = gpm_profile_at_peak(p->reader, c)};
  if (gpm_split_is_older(p->reader, at->number)) return true;
  a->allocated = c->allocated;
  a->left.bytes = c->allocated.bytes - c->freed.bytes;
  a->left.blocks = c->allocated.blocks - c->freed.blocks;
  a->requested = c->allocated.bytes - c->padding;
  return true;
}

bool gpm_rows_peaks_are_several(const struct gpm_profile *p) {
  uint32_t device = 0;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);)
    if (a.at_peak) gpm_rows_join_peak_device(&device, a.cell->device + 1u);
  return device == GPM_SEVERAL_DEVICES;
}

void gpm_rows_add_cell(struct gpm_row *row, struct gpm_means *means, const struct gpm_addend *a) {
  const struct gpumemprof_capture_cell *c = a->cell;
  gpm_row_add(row, GPM_FIGURE_self_alloc, a->allocated.bytes);
  gpm_row_add(row, GPM_FIGURE_self_requested, a->requested);
  gpm_row_add(row, GPM_FIGURE_self_at_peak, a->at_peak);
  if (a->at_peak) gpm_rows_join_peak_device(&row->peak_device, c->device + 1u);
  gpm_row_add(row, GPM_FIGURE_blocks, a->allocated.blocks);
  if (c->kind != GPUMEMPROF_KIND_STATIC) { /* variables exist until the end */
    gpm_row_add(row, GPM_FIGURE_leaked, a->left.bytes);
    gpm_row_add(row, GPM_FIGURE_leaked_blocks, a->left.blocks);
  }
  gpm_row_add(row, GPM_FIGURE_temporary_blocks, c->temporary_blocks);
  if (c->timed_blocks) {
    means->lifetime_ticks +=
        (double)c->lifetime_ticks / (double)c->timed_blocks * (double)c->freed.blocks;
    means->freed_blocks += c->freed.blocks;
  }
  if (!a->allocated.blocks || c->min_size > c->max_size)
    return; /* nothing was allocated since the reset */
  gpm_row_raise(row, GPM_FIGURE_max_size, c->max_size);
  if (!gpm_row_knows(row, GPM_FIGURE_min_size) ||
      (uint64_t)row->value[GPM_FIGURE_min_size] > c->min_size)
    gpm_row_set(row, GPM_FIGURE_min_size, c->min_size);
}

/* Subtracts as unsigned numbers, since a damaged capture may have any value, and signed overflow is
 * undefined. */
static void subtract(struct gpm_row *row, enum gpm_figure to, enum gpm_figure from,
                     enum gpm_figure less) {
  row->value[to] = (int64_t)((uint64_t)row->value[from] - (uint64_t)row->value[less]);
}

uint64_t gpm_row_hundredths(uint64_t part, uint64_t whole) {
  if (!whole) return 0;
  double share = (double)part * 10000 / (double)whole + 0.5;
  return share < 0x1p62 ? (uint64_t)share : INT64_MAX;
}

/* Converts to a whole number; a damaged capture may give a value outside the range. */
static uint64_t whole(double value) {
  return value < 0x1p63 ? (uint64_t)value : (uint64_t)1 << 63;
}

static void set_share(struct gpm_row *row, enum gpm_figure share, enum gpm_figure of,
                      uint64_t all) {
  if (all && gpm_row_knows(row, of))
    gpm_row_set(row, share, gpm_row_hundredths((uint64_t)row->value[of], all));
}

/* The figure belongs to the peak of one device: several devices peak at different times, so the sum
 * of their peaks is the peak of none. */
static void set_share_of_peak(const struct gpm_reader *reader, struct gpm_row *row) {
  if (gpm_row_is_sum(row)) row->known &= ~((uint64_t)1 << GPM_FIGURE_at_peak_percent);
  else if (row->peak_device)
    set_share(row, GPM_FIGURE_at_peak_percent, GPM_FIGURE_at_peak,
              reader->devices[row->peak_device - 1].peak);
}

void gpm_rows_derive_self(const struct gpm_rows *rows, struct gpm_row *row,
                          const struct gpm_means *m) {
  const struct gpm_reader *reader = rows->profile->reader;
  const int64_t *v = row->value;
  subtract(row, GPM_FIGURE_self_net, GPM_FIGURE_self_alloc, GPM_FIGURE_self_freed);
  set_share_of_peak(reader, row);
  set_share(row, GPM_FIGURE_self_percent, GPM_FIGURE_self_alloc, rows->allocated);
  set_share(row, GPM_FIGURE_incl_percent, GPM_FIGURE_incl_alloc, rows->allocated);
  if (gpm_row_knows(row, GPM_FIGURE_calls) && v[GPM_FIGURE_calls])
    gpm_row_set(row, GPM_FIGURE_alloc_per_call,
                (uint64_t)v[GPM_FIGURE_incl_alloc] / (uint64_t)v[GPM_FIGURE_calls]);
  if (v[GPM_FIGURE_blocks])
    gpm_row_set(row, GPM_FIGURE_mean_size,
                (uint64_t)v[GPM_FIGURE_self_alloc] / (uint64_t)v[GPM_FIGURE_blocks]);
  if (gpm_row_knows(row, GPM_FIGURE_own_peak_max))
    gpm_row_set(row, GPM_FIGURE_own_peak_mean,
                m->own_peak_count ? m->own_peak_sum / m->own_peak_count : 0);
  if (m->freed_blocks)
    gpm_row_set(row, GPM_FIGURE_lifetime_ns,
                gpm_reader_duration_ns(reader, whole(m->lifetime_ticks / (double)m->freed_blocks)));
}

static void derive(struct gpm_rows *rows, const struct gpm_means *means) {
  for (uint32_t i = 0; i < rows->count; i++) {
    struct gpm_row *row = &rows->row[i];
    for (size_t k = 0; k < sizeof always_known / sizeof always_known[0]; k++)
      row->known |= (uint64_t)1 << always_known[k];
    if (row->machine & GPM_ROW_INLINED && !row->value[GPM_FIGURE_calls])
      row->known &= ~((uint64_t)1 << GPM_FIGURE_calls);
    subtract(row, GPM_FIGURE_freed_others, GPM_FIGURE_incl_freed, GPM_FIGURE_freed_own);
    subtract(row, GPM_FIGURE_freed_elsewhere, GPM_FIGURE_freed_elsewhere, GPM_FIGURE_freed_own);
    subtract(row, GPM_FIGURE_incl_net, GPM_FIGURE_incl_alloc, GPM_FIGURE_incl_freed);
    gpm_rows_derive_self(rows, row, &means[i]);
    /* These figures were recorded over all devices and kinds together, so they say nothing about
     * some of them. */
    if (!rows->profile->all_cells_shown)
      row->known &=
          ~((uint64_t)1 << GPM_FIGURE_live_peak | (uint64_t)1 << GPM_FIGURE_own_peak_max |
            (uint64_t)1 << GPM_FIGURE_own_peak_mean | (uint64_t)1 << GPM_FIGURE_device_peak);
    if (!gpm_split_is_part(rows->profile->reader)) continue;
    row->known &= ~((uint64_t)1 << GPM_FIGURE_device_peak | (uint64_t)1 << GPM_FIGURE_wall_ns);
    if (!rows->profile->reader->split->scopes)
      row->known &=
          ~((uint64_t)1 << GPM_FIGURE_own_peak_max | (uint64_t)1 << GPM_FIGURE_own_peak_mean |
            (gpm_by_is_flat(rows->by) ? 0 : (uint64_t)1 << GPM_FIGURE_calls));
  }
}

static void add_whole(struct gpm_rows *rows) {
  struct gpm_cursor at = {.records = &rows->profile->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(rows->profile, &at, &a);)
    rows->allocated += a.allocated.bytes;
}

/* Allocates one row for each key. The keys have been counted. */
static void make_rows(struct gpm_rows *rows) {
  bool flat = gpm_by_is_flat(rows->by);
  rows->row = gpm_memory_array(rows->count, sizeof *rows->row);
  for (uint32_t i = 0; i < rows->count; i++) {
    rows->row[i].key = i;
    rows->row[i].site = rows->row[i].responsible = GPUMEMPROF_NONE;
  }
  struct gpm_means *means = gpm_memory_array(rows->count, sizeof *means);
  if (flat) gpm_rows_make_flat(rows, means);
  else gpm_rows_make_tree(rows, means);
  derive(rows, means);
  free(means);
}

void gpm_rows_make(struct gpm_rows *rows, const struct gpm_profile *profile, enum gpm_by by) {
  *rows = (struct gpm_rows){.profile = profile, .by = by};
  add_whole(rows);
  bool flat = gpm_by_is_flat(by);
  if (!flat) gpm_grouping_make(&rows->grouping, profile, by);
  rows->count = flat ? gpm_rows_count_flat(rows) : rows->grouping.key_count;
  make_rows(rows);
}

void gpm_rows_make_paths(struct gpm_rows *rows, const struct gpm_profile *profile,
                         const uint32_t *node, uint32_t count) {
  *rows = (struct gpm_rows){.profile = profile, .by = GPM_BY_PATH, .count = count + 1};
  add_whole(rows);
  gpm_grouping_make(&rows->grouping, profile, GPM_BY_PATH);
  gpm_grouping_narrow(&rows->grouping, profile, node, count);
  make_rows(rows);
  for (uint32_t i = 0; i < count; i++) rows->row[i].key = node[i];
  rows->row[count].key = 0;
}

void gpm_rows_free(struct gpm_rows *rows) {
  gpm_grouping_free(&rows->grouping);
  free(rows->row);
  free(rows->foreign);
}

const char *gpm_rows_by(enum gpm_by by) {
  static const char *const names[] = {
#define GPM_BY(NAME, name, text) name,
#include "model/by.def"
  };
  return names[by];
}

bool gpm_rows_is_shown(const struct gpm_rows *rows, uint32_t row) {
  return gpm_rows_shows(rows->profile, rows->by, &rows->row[row]);
}

bool gpm_rows_shows(const struct gpm_profile *p, enum gpm_by by, const struct gpm_row *row) {
  uint32_t i = row->key;
  bool all = p->all_cells_shown, held = row->value[GPM_FIGURE_at_peak] != 0,
       allocates = row->value[GPM_FIGURE_blocks] || row->value[GPM_FIGURE_self_freed] || held;
  if (by == GPM_BY_DEVICE) return allocates || (all && p->reader->devices[i].ordinal >= 0);
  if (gpm_by_is_flat(by)) return allocates;
  if (by == GPM_BY_PATH && (gpm_profile_is_scope(p, i) || (!i && !p->events[0]))) return false;
  bool moved = row->value[GPM_FIGURE_incl_alloc] || row->value[GPM_FIGURE_incl_freed] || held;
  if (p->reader->via && !moved) return row->value[GPM_FIGURE_failed_calls]; /* of a wrapper */
  if (p->reader->header.resets ||
      gpm_split_is_part(p->reader)) /* memory allocated before the part makes no row */
    return moved || row->value[GPM_FIGURE_calls] || (all && row->value[GPM_FIGURE_failed_calls]);
  return moved || (all && (!p->pieces_left_out || row->value[GPM_FIGURE_failed_calls]));
}
