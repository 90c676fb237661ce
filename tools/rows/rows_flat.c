/* rows_flat.c - rows that need no call tree: each cell's blocks belong to one of them.
 *
 *   kind, device, stream           numbers of the capture
 *   label, variable, type          texts, of the block's label or of the site that allocated it
 *   size, thread                   what only events have (split.h)
 *
 * A free counts in the row in which its block was allocated.
 */
#include "model/sizes.h"
#include "model/split_cells.h"
#include "rows/rows_make.h"

static struct gpm_key text_of(const struct gpm_rows *rows,
                              const struct gpumemprof_capture_cell *c) {
  const struct gpm_profile *p = rows->profile;
  if (rows->by == GPM_BY_LABEL) return (struct gpm_key){.name = c->label};
  uint32_t site = p->site[c->node];
  if (site == GPUMEMPROF_NONE) return (struct gpm_key){0};
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, site);
  return (struct gpm_key){.name = rows->by == GPM_BY_TYPE ? s->type : s->variable};
}

uint32_t gpm_rows_flat_key(struct gpm_rows *rows, uint32_t cell,
                           const struct gpumemprof_capture_cell *c) {
  const struct gpm_split *split = rows->profile->reader->split;
  bool known = split && split->by == rows->by && split->flags[cell] & GPM_SPLIT_KNOWN;
  switch (rows->by) {
  case GPM_BY_KIND:
    return c->kind;
  case GPM_BY_DEVICE:
    return c->device;
  case GPM_BY_STREAM: /* after the last: no stream */
    return c->stream ? c->stream - 1 : (uint32_t)rows->profile->reader->streams.count;
  case GPM_BY_SIZE:
    return known ? split->key[cell] : gpm_sizes_class_of_cell(rows->profile->reader, c);
  case GPM_BY_THREAD: /* after the last: not known */
    return known ? split->key[cell] : split ? split->thread_count : 0;
  default:
    return gpm_keys_get(&rows->grouping.keys, text_of(rows, c));
  }
}

uint32_t gpm_rows_count_flat(struct gpm_rows *rows) {
  const struct gpm_reader *reader = rows->profile->reader;
  if (rows->by == GPM_BY_KIND) return GPUMEMPROF_KINDS;
  if (rows->by == GPM_BY_DEVICE) return reader->device_count;
  if (rows->by == GPM_BY_STREAM) return (uint32_t)reader->streams.count + 1;
  if (rows->by == GPM_BY_SIZE) return GPM_SIZES_CLASSES;
  if (rows->by == GPM_BY_THREAD) return reader->split ? reader->split->thread_count + 1 : 1;
  rows->grouping.keys.reader = reader;
  struct gpm_cursor at = {.records = &reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    gpm_rows_flat_key(rows, (uint32_t)at.number, c);
  return rows->grouping.keys.count;
}

void gpm_rows_add_flat(struct gpm_row *row, struct gpm_means *means, const struct gpm_addend *a) {
  const struct gpumemprof_capture_cell *c = a->cell;
  gpm_rows_add_cell(row, means, a);
  gpm_row_add(row, GPM_FIGURE_at_peak, a->at_peak);
  gpm_row_add(row, GPM_FIGURE_incl_alloc, a->allocated.bytes);
  gpm_row_add(row, GPM_FIGURE_incl_requested, a->requested);
  gpm_row_add(row, GPM_FIGURE_escaped, a->left.bytes);
  gpm_row_add(row, GPM_FIGURE_calls, a->allocated.blocks + c->freed.blocks);
  const enum gpm_figure freed[] = {GPM_FIGURE_self_freed, GPM_FIGURE_incl_freed,
                                   GPM_FIGURE_freed_own, GPM_FIGURE_freed_elsewhere};
  for (size_t i = 0; i < sizeof freed / sizeof freed[0]; i++)
    gpm_row_add(row, freed[i], c->freed.bytes);
}

void gpm_rows_make_flat(struct gpm_rows *rows, struct gpm_means *means) {
  const struct gpm_profile *p = rows->profile;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);) {
    uint32_t key = gpm_rows_flat_key(rows, a.id, a.cell);
    gpm_rows_add_flat(&rows->row[key], &means[key], &a);
  }
  if (rows->by == GPM_BY_DEVICE && p->all_cells_shown)
    for (uint32_t i = 0; i < rows->count; i++)
      gpm_row_set(&rows->row[i], GPM_FIGURE_live_peak, p->reader->devices[i].peak);
}
