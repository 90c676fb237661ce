/* rows_flat.c - rows that need no call tree: each cell's blocks belong to one of them.
 *
 *   kind, device                   numbers of the capture
 *   label, variable, type          texts, of the block's label or of the site that allocated it
 *   size, thread                   what events tell: a cell may have several (told.h)
 *
 * What is freed stands where it was allocated.
 */
#include "rows_make.h"
#include "sizes.h"
#include "told.h"

static struct gpm_key text_of(const struct gpm_rows *rows,
                              const struct gpumemprof_capture_cell *c) {
  const struct gpm_profile *p = rows->profile;
  if (rows->by == GPM_BY_LABEL) return (struct gpm_key){.name = c->label};
  uint32_t site = p->site[c->node];
  if (site == GPUMEMPROF_NONE) return (struct gpm_key){0};
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, site);
  return (struct gpm_key){.name = rows->by == GPM_BY_TYPE ? s->type : s->variable};
}

bool gpm_rows_are_told(const struct gpm_rows *rows) {
  return rows->profile->told && rows->profile->told->by == rows->by;
}

uint32_t gpm_rows_flat_key(struct gpm_rows *rows, const struct gpumemprof_capture_cell *c) {
  switch (rows->by) {
  case GPM_BY_KIND:
    return c->kind;
  case GPM_BY_DEVICE:
    return c->device;
  case GPM_BY_SIZE:
    return gpm_sizes_class_of_cell(rows->profile->reader, c);
  case GPM_BY_THREAD: /* behind the last: not told */
    return gpm_rows_are_told(rows) ? rows->profile->told->thread_count : 0;
  default:
    return gpm_keys_get(&rows->grouping.keys, text_of(rows, c));
  }
}

uint32_t gpm_rows_count_flat(struct gpm_rows *rows) {
  const struct gpm_reader *reader = rows->profile->reader;
  if (rows->by == GPM_BY_KIND) return GPUMEMPROF_KINDS;
  if (rows->by == GPM_BY_DEVICE) return reader->device_count;
  if (rows->by == GPM_BY_SIZE) return GPM_SIZES_CLASSES;
  if (rows->by == GPM_BY_THREAD)
    return gpm_rows_are_told(rows) ? rows->profile->told->thread_count + 1 : 1;
  rows->grouping.keys.reader = reader;
  struct gpm_cursor at = {.records = &reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    gpm_rows_flat_key(rows, c);
  return rows->grouping.keys.count;
}

void gpm_rows_add_flat(struct gpm_row *row, struct gpm_means *means,
                       const struct gpumemprof_capture_cell *c, uint64_t at_peak) {
  gpm_rows_add_cell(row, means, c, at_peak);
  gpm_row_add(row, GPM_FIGURE_at_peak, at_peak);
  gpm_row_add(row, GPM_FIGURE_incl_alloc, c->allocated.bytes);
  gpm_row_add(row, GPM_FIGURE_incl_requested, gpm_rows_requested(c));
  gpm_row_add(row, GPM_FIGURE_escaped, c->allocated.bytes - c->freed.bytes);
  gpm_row_add(row, GPM_FIGURE_calls, c->allocated.blocks + c->freed.blocks);
  const enum gpm_figure freed[] = {GPM_FIGURE_self_freed, GPM_FIGURE_incl_freed,
                                   GPM_FIGURE_freed_own, GPM_FIGURE_freed_elsewhere};
  for (size_t i = 0; i < sizeof freed / sizeof freed[0]; i++)
    gpm_row_add(row, freed[i], c->freed.bytes);
}

/* The blocks of a cell one part after the other, where events tell them apart. */
static bool add_told(struct gpm_rows *rows, struct gpm_means *means, uint32_t cell) {
  uint32_t count = 0;
  if (!gpm_rows_are_told(rows)) return false;
  const struct gpm_told_part *part = gpm_told_of_cell(rows->profile->told, cell, &count);
  for (uint32_t i = 0; i < count; i++)
    gpm_rows_add_flat(&rows->row[part[i].key], &means[part[i].key], &part[i].sums, part[i].at_peak);
  return count != 0;
}

void gpm_rows_make_flat(struct gpm_rows *rows, struct gpm_means *means) {
  const struct gpm_profile *p = rows->profile;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number] || add_told(rows, means, (uint32_t)at.number)) continue;
    uint32_t key = gpm_rows_flat_key(rows, c);
    gpm_rows_add_flat(&rows->row[key], &means[key], c, gpm_profile_at_peak(p->reader, c));
  }
  if (rows->by == GPM_BY_DEVICE && p->all_cells_shown)
    for (uint32_t i = 0; i < rows->count; i++)
      gpm_row_set(&rows->row[i], GPM_FIGURE_live_peak, p->reader->devices[i].peak);
}
