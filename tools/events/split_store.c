/* split_store.c - stores the parts of split.c as cells and pairs of the reader.
 *
 * For the whole run, a cell is split only if its parts add up to it in each of its sums: otherwise
 * events are missing, and it stays unchanged. For a window, only the parts count; devices, lines
 * and scopes get their figures from the replay, as settle.c computes them for a killed program.
 */
#include "events/split_state.h"

#include "model/wrappers.h"

#include <stdlib.h>
#include <string.h>

/* The cast is safe: the reader owns this memory, and it is writable. */
static struct gpumemprof_capture_cell *cell_of(const struct gpm_reader *r, uint32_t id) {
  return (struct gpumemprof_capture_cell *)(uintptr_t)gpm_reader_record(&r->cells, id);
}
static struct gpumemprof_capture_pair *pair_of(const struct gpm_reader *r, uint32_t id) {
  return (struct gpumemprof_capture_pair *)(uintptr_t)gpm_reader_record(&r->pairs, id);
}

/* ---- which cells are split ---------------------------------------------------------------------
 */

/* The sums of the parts of each cell and pair. */
struct wholes {
  struct gpumemprof_capture_cell *cell;
  struct gpumemprof_capture_amount *pair;
};

static void add(struct gpumemprof_capture_amount *to,
                const struct gpumemprof_capture_amount *more) {
  to->bytes += more->bytes;
  to->blocks += more->blocks;
}

static bool same(const struct gpumemprof_capture_amount *a,
                 const struct gpumemprof_capture_amount *b) {
  return a->bytes == b->bytes && a->blocks == b->blocks;
}

static struct wholes add_parts(const struct gpm_splitting *t) {
  struct wholes w = {gpm_memory_array(t->reader->cells.count, sizeof *w.cell),
                     gpm_memory_array(t->reader->pairs.count, sizeof *w.pair)};
  for (uint32_t i = 0; i < t->part_count; i++) {
    const struct gpumemprof_capture_cell *sums = &t->part[i].sums;
    struct gpumemprof_capture_cell *whole = &w.cell[t->part[i].cell];
    add(&whole->allocated, &sums->allocated);
    add(&whole->freed, &sums->freed);
    add(&whole->at_peak, &sums->at_peak);
    whole->padding += sums->padding;
    whole->temporary_blocks += sums->temporary_blocks;
    whole->lifetime_clock += sums->lifetime_clock;
  }
  for (uint32_t i = 0; i < t->freed_count; i++) add(&w.pair[t->freed[i].pair], &t->freed[i].freed);
  return w;
}

/* By cell: 1 if its parts replace it. */
static uint8_t *find_known(const struct gpm_splitting *t) {
  const struct gpm_reader *r = t->reader;
  uint8_t *known = gpm_memory_array(r->cells.count, 1);
  if (r->cells.count) memset(known, 1, r->cells.count);
  if (t->split->is_part) return known;
  struct wholes w = add_parts(t);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    const struct gpumemprof_capture_cell *sum = &w.cell[cells.number];
    known[cells.number] =
        same(&sum->allocated, &c->allocated) && same(&sum->freed, &c->freed) &&
        sum->padding == c->padding && sum->temporary_blocks == c->temporary_blocks &&
        sum->lifetime_clock == c->lifetime_clock && sum->at_peak.bytes == gpm_profile_at_peak(r, c);
  }
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&pairs));)
    if (!same(&w.pair[pairs.number], &p->freed)) known[p->cell] = 0;
  free(w.cell);
  free(w.pair);
  return known;
}

/* ---- cells and pairs ---------------------------------------------------------------------------
 */

static int in_order(const void *a, const void *b) {
  const struct gpm_part *x = *(struct gpm_part *const *)a, *y = *(struct gpm_part *const *)b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->flags < y->flags ? -1 : x->flags > y->flags;
}

/* Returns the parts that replace their cells, in an order that does not depend on the order of the
 * events. */
static struct gpm_part **sort_parts(struct gpm_splitting *t, const uint8_t *known,
                                    uint32_t *count) {
  struct gpm_part **sorted = gpm_memory_array(t->part_count, sizeof(struct gpm_part *));
  *count = 0;
  for (uint32_t i = 0; i < t->part_count; i++) {
    t->part[i].id = GPUMEMPROF_NONE;
    if (known[t->part[i].cell]) sorted[(*count)++] = &t->part[i];
  }
  if (*count) qsort(sorted, *count, sizeof *sorted, in_order);
  return sorted;
}

/* Clears the figures of a cell whose parts replace it. */
static void empty_cell(const struct gpm_reader *r, struct gpumemprof_capture_cell *c) {
  *c = (struct gpumemprof_capture_cell){.node = c->node,
                                        .device = c->device,
                                        .kind = c->kind,
                                        .label = c->label,
                                        .min_size = UINT64_MAX,
                                        .peak_epoch = r->devices[c->device].peak_epoch};
}

/* Returns the whole of each record; the first `recorded` records are their own. */
static uint32_t *number_wholes(uint32_t recorded, uint64_t count) {
  uint32_t *whole = gpm_memory_array(count, sizeof *whole);
  for (uint32_t i = 0; i < recorded; i++) whole[i] = i;
  return whole;
}

static void store_cells(struct gpm_splitting *t, const uint8_t *known) {
  struct gpm_reader *r = t->reader;
  uint32_t recorded = (uint32_t)r->cells.count, count;
  struct gpm_part **sorted = sort_parts(t, known, &count);
  for (uint32_t i = 0; i < recorded; i++)
    if (known[i]) empty_cell(r, cell_of(r, i));
  struct gpumemprof_capture_cell *made = gpm_reader_append(&r->cells, count);
  t->split->key = gpm_memory_array(r->cells.count, sizeof *t->split->key);
  t->split->flags = gpm_memory_array(r->cells.count, 1);
  t->split->whole_cell = number_wholes(recorded, r->cells.count);
  for (uint32_t i = 0; i < count; i++) {
    struct gpm_part *part = sorted[i];
    part->id = recorded + i;
    made[i] = *cell_of(r, part->cell);
    struct gpumemprof_capture_cell sums = part->sums;
    sums.node = made[i].node;
    sums.device = made[i].device;
    sums.kind = made[i].kind;
    sums.label = made[i].label;
    sums.peak_epoch = made[i].peak_epoch;
    made[i] = sums;
    t->split->key[part->id] = part->key;
    t->split->flags[part->id] = (uint8_t)part->flags;
    t->split->whole_cell[part->id] = part->cell;
  }
  free(sorted);
}

static int by_pair(const void *a, const void *b) {
  const struct gpm_part_freed *x = a, *y = b;
  if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
  return x->part < y->part ? -1 : x->part > y->part;
}

static void store_pairs(struct gpm_splitting *t, const uint8_t *known) {
  struct gpm_reader *r = t->reader;
  uint32_t recorded = (uint32_t)r->pairs.count, count = 0;
  for (uint32_t i = 0; i < t->freed_count; i++) {
    struct gpm_part_freed *f = &t->freed[i];
    f->part = t->part[f->part].id;
    if (f->part != GPUMEMPROF_NONE) t->freed[count++] = *f;
  }
  if (count) qsort(t->freed, count, sizeof *t->freed, by_pair);
  struct gpumemprof_capture_pair *made = gpm_reader_append(&r->pairs, count);
  t->split->whole_pair = number_wholes(recorded, r->pairs.count);
  for (uint32_t i = 0; i < count; i++) {
    made[i] = (struct gpumemprof_capture_pair){.cell = t->freed[i].part,
                                               .free_node = pair_of(r, t->freed[i].pair)->free_node,
                                               .freed = t->freed[i].freed};
    t->split->whole_pair[recorded + i] = t->freed[i].pair;
  }
  for (uint32_t i = 0; i < recorded; i++)
    if (known[pair_of(r, i)->cell]) pair_of(r, i)->freed = (struct gpumemprof_capture_amount){0};
}

/* ---- figures of a window -----------------------------------------------------------------------
 */

static void store_devices(const struct gpm_splitting *t) {
  struct gpm_reader *r = t->reader;
  for (uint32_t i = 0; i < r->device_count; i++) {
    struct gpumemprof_capture_device *d = &r->devices[i];
    const struct gpm_replay_device *mine = &t->replay->devices[i];
    d->total = mine->total;
    d->peak = mine->peak;
    d->peak_clock = mine->peak_clock;
    d->peak_ticks = mine->peak_ticks;
    d->peak_node = mine->peak_node;
    d->padding = 0; /* not known */
    memset(d->live, 0, sizeof d->live);
  }
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    struct gpumemprof_capture_amount *live = &r->devices[c->device].live[c->kind];
    live->bytes += c->allocated.bytes - c->freed.bytes;
    live->blocks += c->allocated.blocks - c->freed.blocks;
  }
}

static void store_nodes(const struct gpm_splitting *t) {
  struct gpm_cursor nodes = {.records = &t->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&nodes));) {
    const struct gpm_replay_node *mine = &t->replay->nodes[nodes.number];
    *(struct gpumemprof_capture_node *)(uintptr_t)n =
        (struct gpumemprof_capture_node){.parent = n->parent,
                                         .site = n->site,
                                         .active_calls = mine->active_calls,
                                         .own_peak_max = mine->own_peak_max,
                                         .own_peak_sum = mine->own_peak_sum,
                                         .failed_calls = mine->failed_calls,
                                         .failed_bytes = mine->failed_bytes,
                                         .oom_calls = mine->oom_calls};
  }
}

static void store_lines(const struct gpm_splitting *t) {
  struct gpm_cursor lines = {.records = &t->reader->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&lines));) {
    struct gpumemprof_capture_line *line = (struct gpumemprof_capture_line *)(uintptr_t)l;
    line->live = t->replay->lines[lines.number].live;
    line->live_peak = t->replay->lines[lines.number].live_peak;
  }
}

void gpm_split_store(struct gpm_splitting *t) {
  struct gpm_reader *r = t->reader;
  for (uint32_t i = 0; i < t->part_count; i++) {
    struct gpm_part *part = &t->part[i];
    const struct gpm_replay_device *d = &t->replay->devices[t->replay->cells[part->cell].device];
    if (part->seen_peaks != d->peaks) part->sums.at_peak = part->live;
  }
  uint8_t *known = find_known(t);
  store_cells(t, known);
  store_pairs(t, known);
  free(known);
  if (!t->split->is_part) return;
  t->split->scopes = !t->replay->delegated;
  if (t->split->scopes) gpm_replay_end_scopes(t->replay);
  store_devices(t);
  store_nodes(t);
  gpm_wrappers_move_failures(r);
  store_lines(t);
  r->thread_count = 0; /* the replay has ended the open scopes */
  r->ends_early = t->ended_early;
}
