/* oom_leaks.c - see oom_leaks.h. */
#include "analysis/oom_leaks.h"

#include "analysis/holding.h"
#include "model/split_cells.h"

#define FEWEST_CALLS 4u /* fewer are no habit */

/* One call path of the record at the end of the run. */
struct left {
  const struct gpumemprof_capture_cell *cell;
  uint64_t bytes, blocks; /* live at the failure and never freed: at most so many */
};

static uint64_t less_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static struct left left_of(const struct gpm_reader *r,
                           const struct gpumemprof_capture_oom_path *path) {
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, path->cell);
  struct left left = {.cell = c};
  if (GPUMEMPROF_OOM_STAYS >> c->kind & 1) return left;
  left.bytes = less_of(path->live.bytes, c->allocated.bytes - c->freed.bytes);
  left.blocks = less_of(path->live.blocks, c->allocated.blocks - c->freed.blocks);
  return left;
}

/* Whether the program freed something later that was live at the failure. */
static bool gave_back(const struct gpm_reader *r, const struct gpumemprof_capture_oom *o) {
  for (uint32_t i = 0; i < o->paths; i++) {
    if (gpumemprof_oom_gave_back(&o->path[i], gpm_reader_record(&r->cells, o->path[i].cell)))
      return true;
  }
  return false;
}

/* The calls of the function that allocates on a path, if each left a block and none was freed; else
 * 0. */
static uint64_t accumulating_calls(const struct gpm_profile *p, const struct left *left) {
  uint32_t scope = p->scope[left->cell->node];
  if (scope == GPUMEMPROF_NONE || left->cell->freed.blocks) return 0;
  const struct gpumemprof_capture_node *n = gpm_reader_record(&p->reader->nodes, scope);
  bool each = n->active_calls >= FEWEST_CALLS && left->blocks >= n->active_calls;
  return each ? n->active_calls : 0;
}

/* What a line held and the program never freed, over its call paths. */
static struct gpm_oom_leak sum_line(const struct gpm_profile *p,
                                    const struct gpumemprof_capture_oom *o, uint32_t node) {
  struct gpm_oom_leak sum = {.kind = GPM_OOM_LEAK, .node = node};
  for (uint32_t i = 0; i < o->paths; i++) {
    struct left left = left_of(p->reader, &o->path[i]);
    if (!gpm_holding_is_of(p, left.cell->node, node)) continue;
    sum.bytes += left.bytes;
    sum.blocks += left.blocks;
  }
  return sum;
}

/* Whether the function that allocates on a path left a block in each of its calls, also in some
 * after the failure, and none was freed. */
static bool goes_on(const struct gpm_profile *p, const struct gpumemprof_capture_oom_path *path) {
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, path->cell);
  uint32_t scope = p->scope[c->node];
  if (scope == GPUMEMPROF_NONE || c->freed.blocks || GPUMEMPROF_OOM_STAYS >> c->kind & 1)
    return false;
  const struct gpumemprof_capture_node *n = gpm_reader_record(&p->reader->nodes, scope);
  return n->active_calls >= FEWEST_CALLS && c->allocated.blocks >= n->active_calls &&
         c->allocated.blocks > path->live.blocks;
}

static struct gpm_oom_leak find_leak(const struct gpm_profile *p,
                                     const struct gpumemprof_capture_oom *o) {
  struct gpm_oom_leak most = {.kind = GPM_OOM_NO_LEAK};
  for (uint32_t i = 0; i < o->paths; i++) {
    if (!goes_on(p, &o->path[i])) continue;
    struct gpm_oom_leak one = sum_line(p, o, left_of(p->reader, &o->path[i]).cell->node);
    if (one.bytes > most.bytes) most = one;
  }
  return most;
}

/* Whether an earlier path of the record is in the same activations, as with another kind of memory.
 */
static bool scope_was_counted(const struct gpm_profile *p, const struct gpumemprof_capture_oom *o,
                              uint32_t path, uint32_t line) {
  uint32_t scope = p->scope[left_of(p->reader, &o->path[path]).cell->node];
  for (uint32_t i = 0; i < path; i++) {
    struct left left = left_of(p->reader, &o->path[i]);
    if (p->scope[left.cell->node] == scope && gpm_holding_is_of(p, left.cell->node, line) &&
        accumulating_calls(p, &left))
      return true;
  }
  return false;
}

/* Of a line, the call paths on which memory accumulates. The first of them has the most. */
static struct gpm_oom_leak sum_accumulating(const struct gpm_profile *p,
                                            const struct gpumemprof_capture_oom *o, uint32_t node) {
  struct gpm_oom_leak sum = {.kind = GPM_OOM_ACCUMULATES, .node = node};
  for (uint32_t i = 0; i < o->paths; i++) {
    struct left left = left_of(p->reader, &o->path[i]);
    uint64_t calls = accumulating_calls(p, &left);
    if (!calls || !gpm_holding_is_of(p, left.cell->node, node)) continue;
    sum.bytes += left.bytes;
    sum.blocks += left.blocks;
    if (scope_was_counted(p, o, i, node)) continue;
    sum.calls += calls;
    sum.paths++;
  }
  return sum;
}

static struct gpm_oom_leak find_accumulating(const struct gpm_profile *p,
                                             const struct gpumemprof_capture_oom *o) {
  struct gpm_oom_leak most = {.kind = GPM_OOM_NO_LEAK};
  for (uint32_t i = 0; i < o->paths; i++) {
    struct left left = left_of(p->reader, &o->path[i]);
    if (!accumulating_calls(p, &left)) continue;
    struct gpm_oom_leak one = sum_accumulating(p, o, left.cell->node);
    if (one.bytes > most.bytes) most = one;
  }
  return most;
}

struct gpm_oom_leak gpm_oom_leaks_find(const struct gpm_profile *p,
                                       const struct gpumemprof_capture_oom *o) {
  const struct gpm_reader *r = p->reader;
  const struct gpm_oom_leak none = {.kind = GPM_OOM_NO_LEAK};
  if (gpm_reader_is_midway(r) || gpm_split_is_part(r)) return none;
  bool gave = gave_back(r, o);
  if (gave && gpm_reader_state(r) != GPM_STATE_COMPLETE) return none;
  struct gpm_oom_leak most = gave ? find_leak(p, o) : find_accumulating(p, o);
  if (most.kind == GPM_OOM_NO_LEAK && gave) most = find_accumulating(p, o);
  uint64_t lacking = gpumemprof_oom_lacking(o);
  bool counts = (lacking && most.bytes >= lacking) || most.bytes >= o->total / 10;
  return counts ? most : none;
}

bool gpm_oom_leaks_ended(const struct gpm_reader *r) {
  const struct gpumemprof_capture_oom *last = NULL;
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));)
    if (!last || o->ticks >= last->ticks) last = o;
  return last && last->paths && gpm_reader_state(r) == GPM_STATE_COMPLETE &&
         !gpm_split_is_part(r) && !gave_back(r, last);
}
