/* owners.c - how much of the memory that a row frees it had allocated itself, and which rows
 * allocated the rest.
 *
 * A pair (allocated at a, freed at f) is `freed own` of every key that is on both paths:
 *
 *            main                the common part (here main) is summed over the tree like any
 *           /    \               inclusive figure; below it a key can be in both branches only
 *     a: x > make  y > make :f   when it was reached twice (here make): found by marking one branch
 */
#include "rows/rows.h"
#include "support/map.h"

#include <stdlib.h>

struct pair_location {
  uint32_t allocated, freed; /* nodes */
  uint32_t a, f, common;     /* groups */
};

static struct pair_location location_of(const struct gpm_rows *rows,
                                        const struct gpumemprof_capture_pair *pair) {
  const struct gpm_grouping *g = &rows->grouping;
  struct pair_location at = {.allocated = rows->profile->cell_node[pair->cell],
                             .freed = pair->free_node};
  at.a = g->group[at.allocated];
  at.f = g->group[at.freed];
  at.common = gpm_ancestors_common(&g->tree, at.a, at.f);
  return at;
}

/* Marks the keys of the allocating branch below the common group. */
static void mark_branch(const struct gpm_grouping *g, const struct pair_location *at,
                        uint32_t *stamp, uint32_t now) {
  for (uint32_t i = at->a; i != at->common; i = g->tree.node[i].parent)
    if (g->key[i] != GPUMEMPROF_NONE) stamp[g->key[i]] = now;
}

void gpm_owners_add(struct gpm_rows *rows) {
  const struct gpm_grouping *g = &rows->grouping;
  uint64_t *own = gpm_memory_array(g->group_count, sizeof *own);
  uint32_t *stamp = gpm_memory_array(rows->count, sizeof *stamp);
  struct gpm_cursor at = {.records = &rows->profile->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));) {
    if (!rows->profile->cell_shown[pair->cell]) continue;
    struct pair_location location = location_of(rows, pair);
    own[location.common] += pair->freed.bytes;
    if (rows->by == GPM_BY_PATH || location.a == location.common || location.f == location.common)
      continue;
    uint32_t now = (uint32_t)at.number + 1;
    mark_branch(g, &location, stamp, now);
    for (uint32_t i = location.f; i != location.common; i = g->tree.node[i].parent)
      if (g->key[i] != GPUMEMPROF_NONE && stamp[g->key[i]] == now)
        gpm_row_add(&rows->row[g->key[i]], GPM_FIGURE_freed_own, pair->freed.bytes);
  }
  for (uint32_t i = g->group_count; i-- > 0;) {
    if (g->key[i] != GPUMEMPROF_NONE)
      gpm_row_add(&rows->row[g->key[i]], GPM_FIGURE_freed_own, own[i]);
    if (i) own[g->tree.node[i].parent] += own[i];
  }
  free(stamp);
  free(own);
}

/* ---- names -------------------------------------------------------------------------------------
 */

struct names {
  struct gpm_foreign *list;
  uint32_t count, room;
  struct gpm_map by_location; /* (row, allocating location) -> index in list */
};

/* Returns the first call on the allocating path below the part that it shares with the freeing
 * path. */
static uint32_t parting_node(const struct gpm_profile *p, uint32_t allocated, uint32_t freed) {
  uint32_t common = gpm_ancestors_common(&p->tree, allocated, freed);
  for (uint32_t depth = p->tree.node[common].depth + 1; depth <= p->tree.node[allocated].depth;
       depth++) {
    uint32_t n = gpm_ancestors_at_depth(&p->tree, allocated, depth);
    if (!gpm_profile_is_scope(p, n)) return n;
  }
  return allocated;
}

static void add_name(struct names *names, const struct gpm_profile *p, uint32_t row,
                     uint32_t allocated, uint32_t caller, uint64_t bytes) {
  uint64_t location = gpm_map_mix((uint64_t)p->site[allocated] << 32 | p->site[caller]) ^ row;
  uint64_t *index = gpm_map_at(&names->by_location, location, names->count);
  if (*index == names->count) {
    if (names->count == names->room) {
      names->room = names->room ? names->room * 2 : 64;
      names->list = gpm_memory_resize(names->list, names->room, sizeof *names->list);
    }
    names->list[names->count++] = (struct gpm_foreign){row, allocated, caller, 0};
  }
  names->list[*index].bytes += bytes;
}

static int by_row_and_bytes(const void *a, const void *b) {
  const struct gpm_foreign *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->allocated < y->allocated ? -1 : x->allocated > y->allocated;
}

void gpm_owners_name(struct gpm_rows *rows, const uint8_t *wanted) {
  const struct gpm_profile *p = rows->profile;
  const struct gpm_grouping *g = &rows->grouping;
  /* By group: the nearest group at or above it whose row is wanted, so that no others are visited.
   */
  uint32_t *nearest = gpm_memory_array(g->group_count, sizeof *nearest);
  for (uint32_t i = 0; i < g->group_count; i++)
    nearest[i] = g->key[i] != GPUMEMPROF_NONE && wanted[g->key[i]] ? i
                 : i                                               ? nearest[g->tree.node[i].parent]
                                                                   : GPUMEMPROF_NONE;
  uint32_t *stamp = gpm_memory_array(rows->count, sizeof *stamp);
  struct names names = {0};
  struct gpm_cursor at = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));) {
    if (!p->cell_shown[pair->cell] || nearest[g->group[pair->free_node]] == GPUMEMPROF_NONE)
      continue;
    struct pair_location location = location_of(rows, pair);
    uint32_t i = nearest[location.f], now = (uint32_t)at.number + 1, caller = GPUMEMPROF_NONE;
    if (i == GPUMEMPROF_NONE || g->tree.node[i].depth <= g->tree.node[location.common].depth)
      continue;
    if (rows->by != GPM_BY_PATH) mark_branch(g, &location, stamp, now);
    for (; i != GPUMEMPROF_NONE && g->tree.node[i].depth > g->tree.node[location.common].depth;
         i = i ? nearest[g->tree.node[i].parent] : GPUMEMPROF_NONE) {
      uint32_t row = g->key[i];
      if (stamp[row] == now) continue;
      if (caller == GPUMEMPROF_NONE) caller = parting_node(p, location.allocated, location.freed);
      add_name(&names, p, row, location.allocated, caller, pair->freed.bytes);
    }
  }
  if (names.count) qsort(names.list, names.count, sizeof *names.list, by_row_and_bytes);
  for (uint32_t i = 0; i < names.count; i++) {
    struct gpm_row *row = &rows->row[names.list[i].row];
    if (!row->foreign_count++) row->foreign = i;
  }
  free(rows->foreign);
  rows->foreign = names.list;
  gpm_map_free(&names.by_location);
  free(nearest);
  free(stamp);
}

void gpm_owners_name_losers(struct gpm_rows *rows, const uint32_t *row, uint32_t count) {
  if (gpm_by_is_flat(rows->by)) return;
  uint8_t *wanted = gpm_memory_array(rows->count, 1);
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *r = &rows->row[row[i]];
    bool negative = r->value[GPM_FIGURE_self_net] < 0 || r->value[GPM_FIGURE_incl_net] < 0;
    wanted[row[i]] = negative && r->value[GPM_FIGURE_freed_others] > 0;
    any = any || wanted[row[i]];
  }
  if (any) gpm_owners_name(rows, wanted);
  free(wanted);
}
