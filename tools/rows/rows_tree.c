/* rows_tree.c - the figures of rows along call paths: lines, functions, files, paths.
 *
 *   cells, pairs --> self figures of the key right there
 *                --> sums of the group --(subtree)--> inclusive figures of each key
 *   scopes       --> own peak, device peak and calls of the function, or of the line that called it
 *
 * owners.c distinguishes own frees from those of memory that other rows allocated.
 */
#include "model/split_cells.h"
#include "model/wrappers.h"
#include "rows/rows_make.h"

#include <stdlib.h>

/* The sums of the nodes of one group; later, of its whole subtree. */
struct sums {
  uint64_t allocated, requested, freed /* wherever */, left, at_peak, freed_here;
  uint32_t peak_device; /* as a row's */
};

/* The own peak of an allocation is its largest block. Rows by location have it, rows by function do
 * not. */
static void add_block_peak(struct gpm_row *row, struct gpm_means *means,
                           const struct gpm_addend *a) {
  if (!a->allocated.blocks || a->cell->kind == GPUMEMPROF_KIND_STATIC) return; /* in no scope */
  gpm_row_raise(row, GPM_FIGURE_own_peak_max, a->cell->max_size);
  means->own_peak_sum += a->allocated.bytes;
  means->own_peak_count += a->allocated.blocks;
}

/* Calls on one line are one place. */
static void add_responsible(struct gpm_row *row, const struct gpm_profile *p, uint32_t node) {
  uint32_t call = gpm_wrappers_responsible(p->reader, node);
  if (call == node && row->responsible == GPUMEMPROF_NONE) return;
  bool same = row->responsible == GPUMEMPROF_NONE || row->responsible == call ||
              (row->responsible != GPM_SEVERAL_CALLS && p->site[row->responsible] == p->site[call]);
  row->responsible = same && call != node ? call : GPM_SEVERAL_CALLS;
}

static void add_cells(struct gpm_rows *rows, struct sums *sums, struct gpm_means *means) {
  const struct gpm_profile *p = rows->profile;
  const struct gpm_grouping *g = &rows->grouping;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);) {
    uint32_t key = g->direct[a.cell->node];
    gpm_rows_add_cell(&rows->row[key], &means[key], &a);
    add_responsible(&rows->row[key], p, a.cell->node);
    /* The call of a wrapper counts as any call of a function, which has an own peak. */
    bool via = gpm_wrappers_is_via(p->reader, p->site[a.cell->node]);
    gpm_row_add(&rows->row[key], GPM_FIGURE_calls,
                gpm_by_is_scopes(rows->by) || via ? 0 : a.allocated.blocks);
    bool in_scopes =
        p->reader->devices[a.cell->device].ordinal >= 0 && !p->spans[a.cell->node] && !via;
    if (!gpm_by_is_scopes(rows->by) && in_scopes) add_block_peak(&rows->row[key], &means[key], &a);
    struct sums *s = &sums[g->group[a.cell->node]];
    s->allocated += a.allocated.bytes;
    s->requested += a.requested;
    s->freed += a.cell->freed.bytes;
    s->left += a.left.bytes;
    s->at_peak += a.at_peak;
    if (a.at_peak) gpm_rows_join_peak_device(&s->peak_device, a.cell->device + 1u);
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
    if (!gpm_by_is_scopes(rows->by)) gpm_row_add(row, GPM_FIGURE_calls, pair->freed.blocks);
    sums[g->group[pair->free_node]].freed_here += pair->freed.bytes;
  }
}

/* Adds the sums of each group to its key and to its parent, from the leaves up. */
static void add_inclusive(struct gpm_rows *rows, struct sums *sums) {
  const struct gpm_grouping *g = &rows->grouping;
  for (uint32_t i = g->group_count; i-- > 0;) {
    if (g->key[i] != GPUMEMPROF_NONE) {
      struct gpm_row *row = &rows->row[g->key[i]];
      gpm_row_add(row, GPM_FIGURE_incl_alloc, sums[i].allocated);
      gpm_row_add(row, GPM_FIGURE_incl_requested, sums[i].requested);
      gpm_row_add(row, GPM_FIGURE_at_peak, sums[i].at_peak);
      gpm_rows_join_peak_device(&row->peak_device, sums[i].peak_device);
      gpm_row_add(row, GPM_FIGURE_incl_freed, sums[i].freed_here);
      gpm_row_add(row, GPM_FIGURE_freed_elsewhere, sums[i].freed); /* less freed_own, later */
      gpm_row_add(row, GPM_FIGURE_escaped, sums[i].left);
    }
    if (!i) break;
    struct sums *above = &sums[g->tree.node[i].parent];
    above->allocated += sums[i].allocated;
    above->requested += sums[i].requested;
    above->freed += sums[i].freed;
    above->left += sums[i].left;
    above->at_peak += sums[i].at_peak;
    gpm_rows_join_peak_device(&above->peak_device, sums[i].peak_device);
    above->freed_here += sums[i].freed_here;
  }
}

/* A call whose line has activations is one call no matter how many scopes it enters, and its own
 * peak comes only from these activations. */
static void add_activations(struct gpm_rows *rows, struct gpm_means *means,
                            const struct gpm_activations *a) {
  const struct gpm_profile *p = rows->profile;
  uint32_t key = rows->grouping.entry[a->node];
  if (key == GPUMEMPROF_NONE) return;
  struct gpm_row *row = &rows->row[key];
  bool of_line = p->spans[a->node];
  bool in_line = !gpm_by_is_scopes(rows->by) && p->spans[p->tree.node[a->node].parent];
  if (!of_line) gpm_row_add(row, GPM_FIGURE_calls, a->calls);
  gpm_row_raise(row, GPM_FIGURE_device_peak, a->device_peak);
  if (a->timed && rows->by != GPM_BY_FILE) /* functions of one file call each other */
    gpm_row_add(row, GPM_FIGURE_wall_ns, gpm_reader_duration_ns(p->reader, a->wall_ticks));
  if (in_line) return;
  gpm_row_raise(row, GPM_FIGURE_own_peak_max, a->peak_max);
  means[key].own_peak_sum += a->peak_sum;
  means[key].own_peak_count += a->active;
}

static bool is_profiled(const struct gpm_profile *p, uint32_t node) {
  return p->site[node] != GPUMEMPROF_NONE &&
         gpm_reader_site(p->reader, p->site[node])->flags & GPUMEMPROF_SITE_PROFILED;
}

bool gpm_rows_next_activations(const struct gpm_profile *p, struct gpm_activations_at *at,
                               struct gpm_activations *a) {
  const struct gpumemprof_capture_node *n = gpm_cursor_next(&at->nodes);
  while (n && gpm_reader_is_inlined(p->reader, (uint32_t)at->nodes.number))
    n = gpm_cursor_next(&at->nodes);
  if (n) {
    uint32_t node = (uint32_t)at->nodes.number;
    bool timed = is_profiled(p, node) && !gpm_split_is_part(p->reader);
    *a = (struct gpm_activations){.node = node,
                                  .calls = timed ? n->calls : n->active_calls,
                                  .active = n->active_calls,
                                  .peak_max = n->own_peak_max,
                                  .peak_sum = n->own_peak_sum,
                                  .device_peak = n->device_peak,
                                  .timed = timed,
                                  .wall_ticks = n->wall_ticks};
    return true;
  }
  if (at->ended == p->ended_count) return false;
  const struct gpm_ended_scope *e = &p->ended[at->ended++];
  *a = (struct gpm_activations){.node = e->node,
                                .calls = is_profiled(p, e->node) ? e->profiled : e->moved,
                                .active = e->moved,
                                .peak_max = e->own_peak,
                                .peak_sum = e->own_peak,
                                .device_peak = e->device_peak};
  return true;
}

static void add_scopes(struct gpm_rows *rows, struct gpm_means *means) {
  const struct gpm_profile *p = rows->profile;
  struct gpm_activations_at at = {.nodes.records = &p->reader->nodes};
  for (struct gpm_activations a; gpm_rows_next_activations(p, &at, &a);)
    add_activations(rows, means, &a);
}

/* Notes which rows have calls of functions that were not rebuilt. */
static void mark_machine_scopes(struct gpm_rows *rows) {
  const struct gpm_profile *p = rows->profile;
  if (!p->reader->has_machine_scopes) return;
  for (uint32_t n = 0; n < p->node_count; n++) {
    uint32_t key = rows->grouping.entry[n];
    if (key == GPUMEMPROF_NONE || !gpm_profile_is_machine_scope(p, n)) continue;
    rows->row[key].machine |= GPM_ROW_AT_LEAST;
    if (gpm_reader_is_inlined(p->reader, n)) rows->row[key].machine |= GPM_ROW_INLINED;
  }
}

static void add_failures(struct gpm_rows *rows) {
  struct gpm_cursor at = {.records = &rows->profile->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    if (!n->failed_calls) continue;
    struct gpm_row *here = &rows->row[rows->grouping.direct[at.number]];
    gpm_row_add(here, GPM_FIGURE_failed_calls, n->failed_calls);
    gpm_row_add(here, GPM_FIGURE_failed_bytes, n->failed_bytes);
    gpm_row_add(here, GPM_FIGURE_oom_calls, n->oom_calls);
  }
}

/* The live peak of a line is in a separate record. All unknown locations share one such record, so
 * no row gets it; nor does a line that has memory of wrappers, which is in the records of their
 * lines. */
static void add_live_peaks(struct gpm_rows *rows) {
  struct gpm_keys *keys = &rows->grouping.keys;
  struct gpm_cursor at = {.records = &rows->profile->reader->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));) {
    if (!l->file && !l->line && !l->function) continue;
    uint32_t key = gpm_keys_get(
        keys, (struct gpm_key){.file = l->file, .line = l->line, .function = l->function});
    if (key < rows->count) gpm_row_raise(&rows->row[key], GPM_FIGURE_live_peak, l->live_peak);
  }
  const struct gpm_profile *p = rows->profile;
  for (uint32_t n = 0; p->reader->via && n < p->node_count; n++)
    if (gpm_wrappers_is_via(p->reader, p->site[n]))
      rows->row[rows->grouping.direct[n]].known &= ~((uint64_t)1 << GPM_FIGURE_live_peak);
}

/* The calls through which memory of wrappers went to their callers. */
static uint8_t *calls_passed(const struct gpm_reader *r) {
  uint8_t *passed = gpm_memory_array(r->nodes.count, 1);
  for (uint64_t i = 0; i < r->charged_count; i++) {
    const struct gpm_charged *moved = &r->charged[i];
    for (uint32_t n = moved->recorded; moved->caller && n != moved->caller;) {
      passed[n] = 1;
      n = ((const struct gpumemprof_capture_node *)gpm_reader_record(&r->nodes, n))->parent;
    }
  }
  return passed;
}

/* The peaks of a line in a wrapper are of memory that its callers have. */
static void forget_peaks_of_wrappers(struct gpm_rows *rows) {
  const struct gpm_reader *r = rows->profile->reader;
  if (!r->charged) return;
  const uint64_t peaks =
      (uint64_t)1 << GPM_FIGURE_live_peak | (uint64_t)1 << GPM_FIGURE_own_peak_max |
      (uint64_t)1 << GPM_FIGURE_own_peak_mean | (uint64_t)1 << GPM_FIGURE_device_peak;
  uint8_t *passed = calls_passed(r);
  for (uint32_t n = 0; n < rows->profile->node_count; n++) {
    uint32_t row = rows->grouping.direct[n];
    if (passed[n] && row < rows->count) rows->row[row].known &= ~peaks;
  }
  free(passed);
}

void gpm_rows_make_tree(struct gpm_rows *rows, struct gpm_means *means) {
  struct sums *sums = gpm_memory_array(rows->grouping.group_count, sizeof *sums);
  add_cells(rows, sums, means);
  add_frees(rows, sums);
  add_inclusive(rows, sums);
  free(sums);
  add_failures(rows);
  add_scopes(rows, means);
  mark_machine_scopes(rows);
  gpm_owners_add(rows);
  if (rows->by == GPM_BY_LINE) {
    add_live_peaks(rows);
    forget_peaks_of_wrappers(rows);
  }
  if (rows->by != GPM_BY_FILE) gpm_rows_choose_sites(rows);
}
