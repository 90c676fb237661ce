/* rows.c - sums the records of a profile into rows.
 *
 *   cells, pairs --> self figures of the key right there
 *                --> sums of the group --(subtree)--> inclusive figures of each key
 *   scopes       --> own peak, device peak and calls of the function, or of the line that called it
 *
 * What a figure means is in columns.def and docs/ACCOUNTING.md. owners.c tells own frees from
 * others'.
 */
#include "rows.h"

#include <stdlib.h>

/* What happened in the nodes of one group; then, in its whole subtree. */
struct sums {
  uint64_t allocated, requested, freed /* wherever */, at_peak, freed_here;
};

/* Sums for means, which are derived last. */
struct means {
  uint64_t own_peak_sum, own_peak_count, freed_blocks;
  double lifetime_ticks; /* of all freed blocks: each cell's mean stands for those not timed */
};

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

static uint64_t requested(const struct gpumemprof_capture_cell *c) {
  return c->allocated.bytes - c->padding;
}

static void add_cell(struct gpm_row *row, struct means *means,
                     const struct gpumemprof_capture_cell *c, uint64_t at_peak) {
  gpm_row_add(row, GPM_FIGURE_self_alloc, c->allocated.bytes);
  gpm_row_add(row, GPM_FIGURE_self_requested, requested(c));
  gpm_row_add(row, GPM_FIGURE_self_at_peak, at_peak);
  gpm_row_add(row, GPM_FIGURE_blocks, c->allocated.blocks);
  if (c->kind != GPUMEMPROF_KIND_STATIC) { /* variables are there to the end */
    gpm_row_add(row, GPM_FIGURE_leaked, c->allocated.bytes - c->freed.bytes);
    gpm_row_add(row, GPM_FIGURE_leaked_blocks, c->allocated.blocks - c->freed.blocks);
  }
  gpm_row_add(row, GPM_FIGURE_temporary_blocks, c->temporary_blocks);
  if (c->timed_blocks) {
    means->lifetime_ticks +=
        (double)c->lifetime_ticks / (double)c->timed_blocks * (double)c->freed.blocks;
    means->freed_blocks += c->freed.blocks;
  }
  if (!c->allocated.blocks || c->min_size > c->max_size) return; /* none since the reset */
  gpm_row_raise(row, GPM_FIGURE_max_size, c->max_size);
  if (!gpm_row_knows(row, GPM_FIGURE_min_size) ||
      (uint64_t)row->value[GPM_FIGURE_min_size] > c->min_size)
    gpm_row_set(row, GPM_FIGURE_min_size, c->min_size);
}

/* An allocation's own peak is its largest block: for the rows of a place, not of a function. */
static void add_block_peak(struct gpm_row *row, struct means *means,
                           const struct gpumemprof_capture_cell *c) {
  if (!c->allocated.blocks || c->kind == GPUMEMPROF_KIND_STATIC) return; /* in no scope */
  gpm_row_raise(row, GPM_FIGURE_own_peak_max, c->max_size);
  means->own_peak_sum += c->allocated.bytes;
  means->own_peak_count += c->allocated.blocks;
}

static void add_cells(struct gpm_rows *rows, struct sums *sums, struct means *means) {
  const struct gpm_profile *p = rows->profile;
  const struct gpm_grouping *g = &rows->grouping;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number]) continue;
    uint64_t at_peak = gpm_profile_at_peak(p->reader, c);
    uint32_t key = g->direct[c->node];
    add_cell(&rows->row[key], &means[key], c, at_peak);
    gpm_row_add(&rows->row[key], GPM_FIGURE_calls,
                rows->by == GPM_BY_FUNCTION ? 0 : c->allocated.blocks);
    bool in_scopes = p->reader->devices[c->device].ordinal >= 0;
    if (rows->by != GPM_BY_FUNCTION && in_scopes) add_block_peak(&rows->row[key], &means[key], c);
    struct sums *s = &sums[g->group[c->node]];
    s->allocated += c->allocated.bytes;
    s->requested += requested(c);
    s->freed += c->freed.bytes;
    s->at_peak += at_peak;
  }
}

static void add_frees(struct gpm_rows *rows, struct sums *sums) {
  const struct gpm_profile *p = rows->profile;
  const struct gpm_grouping *g = &rows->grouping;
  struct gpm_cursor at = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));) {
    if (!p->cell_shown[pair->cell]) continue;
    struct gpm_row *row = &rows->row[g->direct[pair->free_node]];
    gpm_row_add(row, GPM_FIGURE_self_freed, pair->freed.bytes);
    if (rows->by != GPM_BY_FUNCTION) gpm_row_add(row, GPM_FIGURE_calls, pair->freed.blocks);
    sums[g->group[pair->free_node]].freed_here += pair->freed.bytes;
  }
}

/* Subtrees from the leaves up; each group's sum goes to its key and to its parent. */
static void add_inclusive(struct gpm_rows *rows, struct sums *sums) {
  const struct gpm_grouping *g = &rows->grouping;
  for (uint32_t i = g->group_count; i-- > 0;) {
    if (g->key[i] != GPUMEMPROF_NONE) {
      struct gpm_row *row = &rows->row[g->key[i]];
      gpm_row_add(row, GPM_FIGURE_incl_alloc, sums[i].allocated);
      gpm_row_add(row, GPM_FIGURE_incl_requested, sums[i].requested);
      gpm_row_add(row, GPM_FIGURE_at_peak, sums[i].at_peak);
      gpm_row_add(row, GPM_FIGURE_incl_freed, sums[i].freed_here);
      gpm_row_add(row, GPM_FIGURE_freed_elsewhere, sums[i].freed); /* less freed_own, later */
      gpm_row_add(row, GPM_FIGURE_escaped, sums[i].allocated - sums[i].freed);
    }
    if (!i) break;
    struct sums *above = &sums[g->tree.node[i].parent];
    above->allocated += sums[i].allocated;
    above->requested += sums[i].requested;
    above->freed += sums[i].freed;
    above->at_peak += sums[i].at_peak;
    above->freed_here += sums[i].freed_here;
  }
}

static void add_activations(struct gpm_row *row, struct means *means, uint64_t calls,
                            uint64_t active, uint64_t peak_max, uint64_t peak_sum,
                            uint64_t device_peak) {
  gpm_row_add(row, GPM_FIGURE_calls, calls);
  gpm_row_raise(row, GPM_FIGURE_own_peak_max, peak_max);
  gpm_row_raise(row, GPM_FIGURE_device_peak, device_peak);
  means->own_peak_sum += peak_sum;
  means->own_peak_count += active;
}

static void add_scopes(struct gpm_rows *rows, struct means *means) {
  const struct gpm_profile *p = rows->profile;
  const uint32_t *entry = rows->grouping.entry;
  struct gpm_cursor at = {.records = &p->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    if (n->failed_calls) {
      struct gpm_row *here = &rows->row[rows->grouping.direct[at.number]];
      gpm_row_add(here, GPM_FIGURE_failed_calls, n->failed_calls);
      gpm_row_add(here, GPM_FIGURE_failed_bytes, n->failed_bytes);
      gpm_row_add(here, GPM_FIGURE_oom_calls, n->oom_calls);
    }
    uint32_t key = entry[at.number];
    if (key == GPUMEMPROF_NONE) continue;
    const struct gpumemprof_capture_site *site = gpm_reader_site(p->reader, n->site);
    bool profiled = site->flags & GPUMEMPROF_SITE_PROFILED;
    add_activations(&rows->row[key], &means[key], profiled ? n->calls : n->active_calls,
                    n->active_calls, n->own_peak_max, n->own_peak_sum, n->device_peak);
    if (profiled)
      gpm_row_add(&rows->row[key], GPM_FIGURE_wall_ns,
                  gpm_reader_duration_ns(p->reader, n->wall_ticks));
  }
  for (size_t i = 0; i < p->ended_count; i++) {
    const struct gpm_ended_scope *e = &p->ended[i];
    uint32_t key = entry[e->node];
    if (key == GPUMEMPROF_NONE) continue;
    const struct gpumemprof_capture_site *site = gpm_reader_site(p->reader, p->site[e->node]);
    bool profiled = site->flags & GPUMEMPROF_SITE_PROFILED;
    add_activations(&rows->row[key], &means[key], profiled ? e->profiled : e->moved, e->moved,
                    e->own_peak, e->own_peak, e->device_peak);
  }
}

/* Lines have their live peak in a record of their own. All unknown places share one, so it is
 * nobody's. */
static void add_live_peaks(struct gpm_rows *rows) {
  struct gpm_keys *keys = &rows->grouping.keys;
  struct gpm_cursor at = {.records = &rows->profile->reader->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));) {
    if (!l->file && !l->line && !l->function) continue;
    uint32_t key = gpm_keys_get(
        keys, (struct gpm_key){.file = l->file, .line = l->line, .function = l->function});
    if (key < rows->count) gpm_row_raise(&rows->row[key], GPM_FIGURE_live_peak, l->live_peak);
  }
}

/* The site that stands for a row: what allocates most there, else the first one seen. */
static void choose_sites(struct gpm_rows *rows) {
  const struct gpm_profile *p = rows->profile;
  const struct gpm_grouping *g = &rows->grouping;
  uint64_t *bytes = gpm_memory_array(p->reader->sites.count, sizeof *bytes);
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (p->site[c->node] != GPUMEMPROF_NONE) bytes[p->site[c->node]] += c->allocated.bytes;
  uint8_t *seen = gpm_memory_array(p->reader->sites.count, 1);
  for (uint32_t n = 0; n < p->node_count; n++) {
    uint32_t site = p->site[n], key = g->by == GPM_BY_FUNCTION ? g->entry[n] : g->direct[n];
    if (site == GPUMEMPROF_NONE || key == GPUMEMPROF_NONE) continue;
    if (g->by != GPM_BY_PATH && seen[site]) continue;
    bool again = seen[site];
    seen[site] = 1;
    struct gpm_row *row = &rows->row[key];
    if (row->site == GPUMEMPROF_NONE) row->site = site;
    else if (!again && g->by == GPM_BY_LINE) {
      if (bytes[site] && bytes[row->site]) row->more_sites++;
      if (bytes[site] > bytes[row->site]) row->site = site;
    }
  }
  free(seen);
  free(bytes);
}

/* Differences of unsigned sums: a damaged capture may hold any number, and must not overflow. */
static void subtract(struct gpm_row *row, enum gpm_figure to, enum gpm_figure from,
                     enum gpm_figure less) {
  row->value[to] = (int64_t)((uint64_t)row->value[from] - (uint64_t)row->value[less]);
}

static int64_t hundredths(uint64_t part, uint64_t whole) {
  double share = (double)part * 10000 / (double)whole + 0.5;
  return share < 0x1p62 ? (int64_t)share : INT64_MAX;
}

/* As a whole number; a broken capture may ask for more than there are. */
static uint64_t whole(double value) {
  return value < 0x1p63 ? (uint64_t)value : (uint64_t)1 << 63;
}

static void derive_means(struct gpm_row *row, const struct means *m,
                         const struct gpm_reader *reader) {
  const int64_t *v = row->value;
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

static void derive(struct gpm_rows *rows, const struct means *means) {
  for (uint32_t i = 0; i < rows->count; i++) {
    struct gpm_row *row = &rows->row[i];
    for (size_t k = 0; k < sizeof always_known / sizeof always_known[0]; k++)
      row->known |= (uint64_t)1 << always_known[k];
    subtract(row, GPM_FIGURE_freed_others, GPM_FIGURE_incl_freed, GPM_FIGURE_freed_own);
    subtract(row, GPM_FIGURE_freed_elsewhere, GPM_FIGURE_freed_elsewhere, GPM_FIGURE_freed_own);
    subtract(row, GPM_FIGURE_self_net, GPM_FIGURE_self_alloc, GPM_FIGURE_self_freed);
    subtract(row, GPM_FIGURE_incl_net, GPM_FIGURE_incl_alloc, GPM_FIGURE_incl_freed);
    if (rows->peaks)
      row->value[GPM_FIGURE_at_peak_percent] =
          hundredths((uint64_t)row->value[GPM_FIGURE_at_peak], rows->peaks);
    derive_means(row, &means[i], rows->profile->reader);
    /* Recorded over all devices and kinds at once: they say nothing about a part. */
    if (!rows->profile->all_cells_shown)
      row->known &=
          ~((uint64_t)1 << GPM_FIGURE_live_peak | (uint64_t)1 << GPM_FIGURE_own_peak_max |
            (uint64_t)1 << GPM_FIGURE_own_peak_mean | (uint64_t)1 << GPM_FIGURE_device_peak);
  }
}

/* ---- rows that need no tree --------------------------------------------------------------------
 */

static uint32_t flat_key(struct gpm_rows *rows, const struct gpumemprof_capture_cell *c) {
  if (rows->by == GPM_BY_LABEL)
    return gpm_keys_get(&rows->grouping.keys, (struct gpm_key){.name = c->label});
  return rows->by == GPM_BY_KIND ? c->kind : c->device;
}

static uint32_t count_flat(struct gpm_rows *rows, enum gpm_by by) {
  const struct gpm_reader *reader = rows->profile->reader;
  if (by == GPM_BY_KIND) return GPUMEMPROF_KINDS;
  if (by == GPM_BY_DEVICE) return reader->device_count;
  rows->grouping.keys.reader = reader;
  struct gpm_cursor at = {.records = &reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) flat_key(rows, c);
  return rows->grouping.keys.count;
}

static void make_flat(struct gpm_rows *rows, struct means *means) {
  const struct gpm_profile *p = rows->profile;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number]) continue;
    uint32_t key = flat_key(rows, c);
    struct gpm_row *row = &rows->row[key];
    uint64_t at_peak = gpm_profile_at_peak(p->reader, c);
    add_cell(row, &means[key], c, at_peak);
    gpm_row_add(row, GPM_FIGURE_at_peak, at_peak);
    gpm_row_add(row, GPM_FIGURE_incl_alloc, c->allocated.bytes);
    gpm_row_add(row, GPM_FIGURE_incl_requested, requested(c));
    gpm_row_add(row, GPM_FIGURE_escaped, c->allocated.bytes - c->freed.bytes);
    gpm_row_add(row, GPM_FIGURE_calls, c->allocated.blocks + c->freed.blocks);
    const enum gpm_figure freed[] = {GPM_FIGURE_self_freed, GPM_FIGURE_incl_freed,
                                     GPM_FIGURE_freed_own, GPM_FIGURE_freed_elsewhere};
    for (size_t i = 0; i < sizeof freed / sizeof freed[0]; i++)
      gpm_row_add(row, freed[i], c->freed.bytes);
  }
  if (rows->by == GPM_BY_DEVICE && p->all_cells_shown)
    for (uint32_t i = 0; i < rows->count; i++)
      gpm_row_set(&rows->row[i], GPM_FIGURE_live_peak, p->reader->devices[i].peak);
}

static uint64_t sum_peaks(const struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  uint8_t *shown = gpm_memory_array(r->device_count, 1);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    if (p->cell_shown[at.number]) shown[c->device] = 1;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < r->device_count; i++)
    if (shown[i]) sum += r->devices[i].peak;
  free(shown);
  return sum;
}

void gpm_rows_make(struct gpm_rows *rows, const struct gpm_profile *profile, enum gpm_by by) {
  *rows = (struct gpm_rows){.profile = profile, .by = by, .peaks = sum_peaks(profile)};
  bool flat = gpm_by_is_flat(by);
  if (!flat) gpm_grouping_make(&rows->grouping, profile, by);
  rows->count = flat ? count_flat(rows, by) : rows->grouping.key_count;
  rows->row = gpm_memory_array(rows->count, sizeof *rows->row);
  for (uint32_t i = 0; i < rows->count; i++) {
    rows->row[i].key = i;
    rows->row[i].site = GPUMEMPROF_NONE;
  }
  struct means *means = gpm_memory_array(rows->count, sizeof *means);
  if (flat) make_flat(rows, means);
  else {
    struct sums *sums = gpm_memory_array(rows->grouping.group_count, sizeof *sums);
    add_cells(rows, sums, means);
    add_frees(rows, sums);
    add_inclusive(rows, sums);
    free(sums);
    add_scopes(rows, means);
    gpm_owners_add(rows);
    if (by == GPM_BY_LINE) add_live_peaks(rows);
    choose_sites(rows);
  }
  derive(rows, means);
  free(means);
}

void gpm_rows_free(struct gpm_rows *rows) {
  gpm_grouping_free(&rows->grouping);
  free(rows->row);
  free(rows->foreign);
}

bool gpm_rows_is_shown(const struct gpm_rows *rows, uint32_t i) {
  const struct gpm_row *row = &rows->row[i];
  const struct gpm_profile *p = rows->profile;
  bool all = p->all_cells_shown, allocates = row->value[GPM_FIGURE_blocks] != 0;
  if (rows->by == GPM_BY_KIND || rows->by == GPM_BY_LABEL) return allocates;
  if (rows->by == GPM_BY_DEVICE) return allocates || (all && p->reader->devices[i].ordinal >= 0);
  if (rows->by == GPM_BY_PATH && (gpm_profile_is_scope(p, i) || (!i && !p->events[0])))
    return false;
  bool moved = row->value[GPM_FIGURE_incl_alloc] || row->value[GPM_FIGURE_incl_freed];
  if (p->reader->header.resets) /* what was there before it is no row */
    return moved || row->value[GPM_FIGURE_calls] || (all && row->value[GPM_FIGURE_failed_calls]);
  return moved || (all && (!p->pieces_left_out || row->value[GPM_FIGURE_failed_calls]));
}
