/* budgets.c - see budgets.h.
 *
 * The nodes' own peaks and the scopes that were still open show what broke a BUDGET, and the cells
 * below a scope what broke NO_ALLOC; only NO_LEAK needs the records of the runtime. So a program
 * that was killed before a record was made can still be judged. gpumemprof_reset clears peaks and
 * cells; what they had is still in the records.
 */
#include "analysis/budgets.h"

#include "model/wrappers.h"
#include "support/memory.h"

#include <stdlib.h>

enum { KINDS = GPUMEMPROF_BUDGET_NO_LEAK + 1 };

struct judge {
  const struct gpm_profile *profile;
  struct gpm_budgets result;
  uint32_t *number; /* [site * KINDS + kind]: index of a budget, or NONE */
  uint64_t *peak;   /* by node: the highest own peak */
};

/* Returns null if the node is no scope, or has no such budget. */
static struct gpm_budget *budget_of(const struct judge *j, uint32_t node,
                                    enum gpumemprof_budget kind) {
  if (!gpm_profile_is_scope(j->profile, node)) return NULL;
  uint32_t number = j->number[(size_t)j->profile->site[node] * KINDS + kind];
  return number == GPUMEMPROF_NONE ? NULL : &j->result.budget[number];
}

static void add_budget(struct judge *j, uint32_t node, enum gpumemprof_budget kind,
                       uint64_t limit) {
  uint32_t *number = &j->number[(size_t)j->profile->site[node] * KINDS + kind];
  if (*number != GPUMEMPROF_NONE) return;
  *number = j->result.count++;
  j->result.budget[*number] = (struct gpm_budget){.site = j->profile->site[node],
                                                  .kind = kind,
                                                  .node = node,
                                                  .where = GPUMEMPROF_NONE,
                                                  .limit = limit};
}

static void find_budgets(struct judge *j) {
  const struct gpm_profile *p = j->profile;
  size_t sites = (size_t)p->reader->sites.count;
  j->number = gpm_memory_array(sites * KINDS, sizeof *j->number);
  for (size_t i = 0; i < sites * KINDS; i++) j->number[i] = GPUMEMPROF_NONE;
  uint64_t count = 0;
  struct gpm_cursor at = {.records = &p->reader->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));)
    count += (s->flags & GPUMEMPROF_SITE_BUDGETS) != 0;
  j->result.budget = gpm_memory_array(count * (KINDS - 1), sizeof *j->result.budget);
  for (uint32_t n = 0; n < p->node_count; n++) {
    if (!gpm_profile_is_scope(p, n)) continue;
    const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[n]);
    uint16_t flags = s->flags;
    if (flags & GPUMEMPROF_SITE_BUDGET) add_budget(j, n, GPUMEMPROF_BUDGET_BYTES, s->budget);
    if (flags & GPUMEMPROF_SITE_NO_ALLOC) add_budget(j, n, GPUMEMPROF_BUDGET_NO_ALLOC, 0);
    if (flags & GPUMEMPROF_SITE_NO_LEAK) add_budget(j, n, GPUMEMPROF_BUDGET_NO_LEAK, 0);
  }
}

/* Records that the budget was broken on one more path, and keeps the worst path. */
static void broken_on(struct gpm_budget *b, uint32_t node, uint64_t bytes, uint64_t blocks) {
  b->paths++;
  if (b->broken && bytes <= b->bytes) return;
  b->broken = true;
  b->node = node;
  b->bytes = bytes;
  b->blocks = blocks;
}

/* ---- BUDGET ------------------------------------------------------------------------------------
 */

static void judge_peaks(struct judge *j) {
  const struct gpm_profile *p = j->profile;
  j->peak = gpm_memory_array(p->node_count, sizeof *j->peak);
  struct gpm_cursor at = {.records = &p->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    j->peak[at.number] = n->own_peak_max;
  for (size_t i = 0; i < p->ended_count; i++) { /* scopes that were open at the end */
    const struct gpm_ended_scope *e = &p->ended[i];
    if (e->own_peak > j->peak[e->node]) j->peak[e->node] = e->own_peak;
    struct gpm_budget *b = budget_of(j, e->node, GPUMEMPROF_BUDGET_BYTES);
    if (b && e->own_peak > b->limit) b->times++;
  }
  at = (struct gpm_cursor){.records = &p->reader->violations};
  for (const struct gpumemprof_capture_violation *v; (v = gpm_cursor_next(&at));)
    if (v->budget == GPUMEMPROF_BUDGET_BYTES && v->bytes > j->peak[v->node])
      j->peak[v->node] = v->bytes; /* it was broken before a reset */
  for (uint32_t n = 0; n < p->node_count; n++) {
    struct gpm_budget *b = budget_of(j, n, GPUMEMPROF_BUDGET_BYTES);
    if (b && j->peak[n] > b->limit) broken_on(b, n, j->peak[n], 0);
  }
}

/* ---- NO_ALLOC ----------------------------------------------------------------------------------
 */

/* The sum of what was allocated at a node and below it. */
struct sum {
  uint64_t bytes, blocks;
  uint64_t largest; /* bytes of one cell ... */
  uint32_t where;   /* ... and its node */
};

static struct sum *sum_below(const struct gpm_profile *p) {
  struct sum *sums = gpm_memory_array(p->node_count, sizeof *sums);
  struct gpm_cursor cells = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    if (!gpumemprof_kind_has_budget(c->kind)) continue;
    /* A wrapper that must not allocate has allocated, though its caller is charged. */
    uint32_t node = gpm_wrappers_recorded(p->reader, (uint32_t)cells.number, c);
    struct sum *s = &sums[node];
    s->bytes += c->allocated.bytes;
    s->blocks += c->allocated.blocks;
    if (c->allocated.bytes < s->largest) continue;
    s->largest = c->allocated.bytes;
    s->where = node;
  }
  for (uint32_t n = p->node_count; n-- > 1;) { /* parents have smaller numbers */
    struct sum *s = &sums[n], *above = &sums[p->tree.node[n].parent];
    above->bytes += s->bytes;
    above->blocks += s->blocks;
    if (!s->blocks || (above->largest && s->largest < above->largest)) continue;
    above->largest = s->largest;
    above->where = s->where;
  }
  return sums;
}

/* In a recursion, everything belongs to the outermost scope of the site. */
static void allocated_below(struct gpm_budget *b, uint32_t node, const struct sum *s,
                            uint64_t *largest) {
  b->times += s->blocks;
  b->bytes += s->bytes;
  if (b->broken && s->largest <= *largest) return;
  b->broken = true;
  b->node = node;
  b->where = s->where;
  *largest = s->largest;
}

/* Walks over the tree once, depth first, so that the time does not depend on the depth of a
 * recursion. */
static void judge_cells(struct judge *j) {
  const struct gpm_profile *p = j->profile;
  struct sum *sums = sum_below(p);
  uint32_t *first_child = gpm_memory_array(p->node_count, sizeof *first_child),
           *next = gpm_memory_array(p->node_count, sizeof *next),
           *on_path = gpm_memory_array(j->result.count, sizeof *on_path);
  uint64_t *largest = gpm_memory_array(j->result.count, sizeof *largest);
  for (uint32_t n = p->node_count; n-- > 1;) { /* 0, the root, is not a child of any node */
    next[n] = first_child[p->tree.node[n].parent];
    first_child[p->tree.node[n].parent] = n;
  }
  for (uint32_t n = 0; n < p->node_count;) {
    struct gpm_budget *b = budget_of(j, n, GPUMEMPROF_BUDGET_NO_ALLOC);
    size_t number = b ? (size_t)(b - j->result.budget) : 0;
    bool outermost = b && !on_path[number]++;
    if (b && sums[n].blocks) b->paths++;
    if (outermost && sums[n].blocks) allocated_below(b, n, &sums[n], &largest[number]);
    if (first_child[n]) {
      n = first_child[n];
      continue;
    }
    for (;;) { /* leave n, and each parent of which it was the last child */
      b = budget_of(j, n, GPUMEMPROF_BUDGET_NO_ALLOC);
      if (b) on_path[b - j->result.budget]--;
      if (!n || next[n]) break;
      n = p->tree.node[n].parent;
    }
    if (!n) break;
    n = next[n];
  }
  free(largest);
  free(on_path);
  free(next);
  free(first_child);
  free(sums);
}

/* ---- NO_LEAK, and what is only in the records --------------------------------------------------
 */

static void read_records(struct judge *j) {
  struct gpm_cursor at = {.records = &j->profile->reader->violations};
  for (const struct gpumemprof_capture_violation *v; (v = gpm_cursor_next(&at));) {
    struct gpm_budget *b = budget_of(j, v->node, (enum gpumemprof_budget)v->budget);
    if (!b) continue;
    b->times += v->times;
    if (!b->ticks || v->first_ticks < b->ticks) b->ticks = v->first_ticks;
    bool forgotten = b->kind == GPUMEMPROF_BUDGET_NO_ALLOC && !b->broken; /* by a reset */
    if (b->kind != GPUMEMPROF_BUDGET_NO_LEAK && !forgotten) continue;
    broken_on(b, v->node, v->bytes, v->blocks);
    if (b->node == v->node) b->where = v->where;
  }
}

static void find_undecided(struct judge *j) {
  const struct gpm_profile *p = j->profile;
  for (size_t i = 0; i < p->ended_count; i++) {
    uint32_t node = p->ended[i].node;
    struct gpm_budget *b = budget_of(j, node, GPUMEMPROF_BUDGET_NO_LEAK);
    if (b && !b->broken) b->undecided = true;
  }
}

static int by_location(const void *a, const void *b) {
  const struct gpm_budget *x = a, *y = b;
  if (x->broken != y->broken) return x->broken ? -1 : 1;
  if (x->site != y->site) return x->site < y->site ? -1 : 1;
  return (int)x->kind - (int)y->kind;
}

struct gpm_budgets gpm_budgets_judge(const struct gpm_profile *profile) {
  struct judge j = {.profile = profile};
  find_budgets(&j);
  judge_peaks(&j);
  judge_cells(&j);
  read_records(&j);
  find_undecided(&j);
  struct gpm_budgets *r = &j.result;
  for (uint32_t i = 0; i < r->count; i++) {
    struct gpm_budget *b = &r->budget[i];
    /* The program was killed before its record was complete. */
    if (b->broken && !b->times) b->times = b->paths;
    r->broken += b->broken;
    r->undecided += b->undecided;
    r->kept += !b->broken && !b->undecided;
  }
  if (r->count) qsort(r->budget, r->count, sizeof *r->budget, by_location);
  free(j.number);
  free(j.peak);
  return *r;
}

void gpm_budgets_free(struct gpm_budgets *budgets) {
  free(budgets->budget);
}

const char *gpm_budgets_kind(enum gpumemprof_budget kind) {
  switch (kind) {
  case GPUMEMPROF_BUDGET_BYTES:
    return "budget";
  case GPUMEMPROF_BUDGET_NO_ALLOC:
    return "no_alloc";
  default:
    return "no_leak";
  }
}
