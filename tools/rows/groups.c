/* groups.c - see groups.h. Allocations count under both keys of their cell. If A is a key of call
 * paths, frees count under the keys of the freeing call, and keys that a call path does not have
 * (kind, label) are those of the block. */
#include "rows/groups.h"

#include "rows/order.h"
#include "rows/rows_make.h"
#include "support/map.h"

#include <stdlib.h>

static const enum gpm_figure known_parts[] = {
    GPM_FIGURE_self_alloc, GPM_FIGURE_self_requested, GPM_FIGURE_self_at_peak,
    GPM_FIGURE_self_freed, GPM_FIGURE_self_net,       GPM_FIGURE_blocks,
    GPM_FIGURE_leaked,     GPM_FIGURE_leaked_blocks,  GPM_FIGURE_temporary_blocks,
};

struct making {
  struct gpm_rows *first, *second;
  struct gpm_map by_keys; /* (row of A, key of B) -> part */
  struct gpm_row *part;
  struct gpm_means *means;
  uint32_t *owner; /* by part: the row of A */
  uint32_t count, room;
};

static uint32_t part_of(struct making *m, uint32_t a, uint32_t b) {
  uint64_t i = *gpm_map_at(&m->by_keys, (uint64_t)a << 32 | b, m->count);
  if (i < m->count) return (uint32_t)i;
  if (m->count == m->room) {
    m->room = m->room ? m->room * 2 : 256;
    m->part = gpm_memory_resize(m->part, m->room, sizeof *m->part);
    m->means = gpm_memory_resize(m->means, m->room, sizeof *m->means);
    m->owner = gpm_memory_resize(m->owner, m->room, sizeof *m->owner);
  }
  const struct gpm_row *named = &m->second->row[b];
  m->part[m->count] =
      (struct gpm_row){.key = b, .site = named->site, .responsible = GPUMEMPROF_NONE};
  if (gpm_row_knows(named, GPM_FIGURE_others))
    gpm_row_set(&m->part[m->count], GPM_FIGURE_others, (uint64_t)named->value[GPM_FIGURE_others]);
  m->means[m->count] = (struct gpm_means){0};
  m->owner[m->count] = a;
  return m->count++;
}

static uint32_t key_of(struct gpm_rows *rows, uint32_t cell,
                       const struct gpumemprof_capture_cell *c, uint32_t node) {
  if (!gpm_by_is_flat(rows->by)) return rows->grouping.direct[node];
  return gpm_rows_flat_key(rows, cell, c);
}

static uint32_t part_at(struct making *m, uint32_t cell, const struct gpumemprof_capture_cell *c,
                        uint32_t node) {
  return part_of(m, key_of(m->first, cell, c, node), key_of(m->second, cell, c, node));
}

static bool is_nothing(const struct gpumemprof_capture_cell *c) {
  return !c->allocated.blocks && !c->freed.blocks;
}

static void add_cells(struct making *m) {
  const struct gpm_profile *p = m->first->profile;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);) {
    if (is_nothing(a.cell)) continue; /* it was split into other cells (events/split.h) */
    uint32_t i = part_at(m, a.id, a.cell, a.cell->node);
    if (gpm_by_is_flat(m->first->by)) gpm_rows_add_flat(&m->part[i], &m->means[i], &a);
    else gpm_rows_add_cell(&m->part[i], &m->means[i], &a);
  }
}

static void add_frees(struct making *m) {
  const struct gpm_profile *p = m->first->profile;
  struct gpm_cursor at = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));) {
    if (!p->cell_shown[pair->cell]) continue;
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, pair->cell);
    if (is_nothing(c)) continue;
    uint32_t i = part_at(m, pair->cell, c, pair->free_node);
    gpm_row_add(&m->part[i], GPM_FIGURE_self_freed, pair->freed.bytes);
  }
}

static void derive(struct making *m) {
  bool flat = gpm_by_is_flat(m->first->by);
  for (uint32_t i = 0; i < m->count; i++) {
    struct gpm_row *part = &m->part[i];
    for (size_t k = 0; k < sizeof known_parts / sizeof known_parts[0]; k++)
      part->known |= (uint64_t)1 << known_parts[k];
    gpm_rows_derive_self(m->first, part, &m->means[i]);
    if (flat) gpm_row_set(part, GPM_FIGURE_incl_net, (uint64_t)part->value[GPM_FIGURE_self_net]);
  }
}

/* Returns the figure that parts are sorted by, as they have no inclusive one. */
static unsigned sort_of_parts(const struct gpm_rows *first, unsigned sort) {
  if (gpm_by_is_flat(first->by)) return sort;
  switch (sort) {
  case GPM_FIGURE_at_peak:
  case GPM_FIGURE_at_peak_percent:
    return GPM_FIGURE_self_at_peak;
  case GPM_FIGURE_incl_net:
    return GPM_FIGURE_self_net;
  case GPM_FIGURE_incl_freed:
    return GPM_FIGURE_self_freed;
  default:
    return sort;
  }
}

/* Puts the parts of each row together, in their order. */
static void sort_parts(struct gpm_groups *g, const struct making *m, unsigned sort) {
  uint32_t rows = m->first->count;
  g->part = gpm_memory_array(m->count, sizeof *g->part);
  g->first = gpm_memory_array((size_t)rows + 2, sizeof *g->first);
  for (uint32_t i = 0; i < m->count; i++) g->first[m->owner[i] + 2]++;
  for (uint32_t i = 0; i < rows; i++) g->first[i + 2] += g->first[i + 1];
  for (uint32_t i = 0; i < m->count; i++) g->part[g->first[m->owner[i] + 1]++] = i;
  for (uint32_t i = 0; i < rows; i++)
    gpm_order_sort(g->part + g->first[i], g->first[i + 1] - g->first[i], &g->rows,
                   sort_of_parts(m->first, sort));
}

void gpm_groups_make(struct gpm_groups *g, struct gpm_rows *rows, enum gpm_by second,
                     unsigned sort) {
  gpm_rows_make(&g->rows, rows->profile, second);
  struct making m = {.first = rows, .second = &g->rows};
  add_cells(&m);
  if (!gpm_by_is_flat(rows->by)) add_frees(&m);
  derive(&m);
  free(g->rows.row);
  g->rows.row = m.part;
  g->rows.count = m.count;
  sort_parts(g, &m, sort);
  gpm_map_free(&m.by_keys);
  free(m.means);
  free(m.owner);
}

void gpm_groups_free(struct gpm_groups *g) {
  gpm_rows_free(&g->rows);
  free(g->part);
  free(g->first);
}
