/* error_paths.c - memory that is not freed where a later call failed (costs.h): the rule
 * `error-path-leak`.
 *
 *   load() { a = malloc; b = malloc; if (!b) return; ...; free(b); free(a); }
 *            ^ this a is never freed, if this b fails; all others are, before load() ends
 *
 * What frees the blocks of a line is a frame: all of them that were freed were freed before the
 * same caller's activation ended in which they were allocated. A block of the line is lost on the
 * path of an error if an allocation failed in that activation after it, the activation ended, and
 * the block lives at the end of the program. If one is lost without a failure, the line leaks
 * anyway, and the rule says nothing. Only failed allocations are recorded, so what a failed copy or
 * launch leaves behind is not found.
 */
#include "costs/costs.h"

#include <stdlib.h>

enum { NONE_YET = 0, SEVERAL = 1, FIRST_SCOPE = 2 }; /* of a line: the scope that frees + 2 */

struct path_block {
  uint32_t next;      /* of those in the same activation */
  uint32_t listed;    /* the scope in whose activation it is */
  uint32_t failed;    /* node of the call that failed after it; NONE: none */
  uint32_t failed_in; /* `listed` at that time */
  uint32_t ended;     /* the uppermost scope that ended while it lived; NONE: none */
  bool live;
};

struct paths {
  const struct gpm_uses *uses;
  struct path_block *block; /* as in `uses` */
  uint32_t count;
  struct gpm_map activation; /* thread and scope -> its first block, the latest first */
  struct gpm_map by_name;    /* kind and address -> the latest block */
  uint32_t *frees;           /* by node that allocates */
};

static uint32_t depth_of(const struct paths *p, uint32_t node) {
  return p->uses->profile->tree.node[node].depth;
}

static uint32_t parent_of(const struct paths *p, uint32_t scope) {
  uint32_t parent = p->uses->profile->tree.node[scope].parent;
  return parent == scope ? GPUMEMPROF_NONE : p->uses->profile->scope[parent];
}

static uint64_t *first_of(struct paths *p, uint32_t thread, uint32_t scope) {
  return gpm_map_at(&p->activation, (uint64_t)thread << 32 | scope, GPUMEMPROF_NONE);
}

static uint64_t *name_of(struct paths *p, uint32_t cell, uint64_t address) {
  const struct gpumemprof_capture_cell *c =
      gpm_reader_record(&p->uses->profile->reader->cells, cell);
  return gpm_map_at(&p->by_name, gpm_map_mix(address) + c->kind, GPUMEMPROF_NONE);
}

/* ---- events ------------------------------------------------------------------------------------
 */

static bool allocated(struct paths *p, const struct gpm_event *e) {
  if (p->count == p->uses->count) return false;
  uint32_t number = p->count++, scope = p->uses->profile->scope[p->uses->block[number].node];
  struct path_block *b = &p->block[number];
  *b = (struct path_block){.next = GPUMEMPROF_NONE,
                           .listed = scope,
                           .failed = GPUMEMPROF_NONE,
                           .ended = GPUMEMPROF_NONE,
                           .live = true};
  *name_of(p, e->id, e->address) = number;
  if (scope == GPUMEMPROF_NONE) return true;
  uint64_t *first = first_of(p, e->thread, scope);
  b->next = (uint32_t)*first;
  *first = number;
  return true;
}

static void freed(struct paths *p, const struct gpm_event *e) {
  const struct gpumemprof_capture_pair *pair =
      gpm_reader_record(&p->uses->profile->reader->pairs, e->id);
  uint64_t number = *name_of(p, pair->cell, e->address);
  if (number == GPUMEMPROF_NONE) return;
  struct path_block *b = &p->block[number];
  b->live = e->kind == GPM_EVENT_TAKEN_BACK;
  uint32_t *frees = &p->frees[p->uses->block[number].node];
  uint32_t scope = b->listed == GPUMEMPROF_NONE ? SEVERAL : b->listed + FIRST_SCOPE;
  if (!b->live) *frees = *frees == NONE_YET || *frees == scope ? scope : SEVERAL;
}

/* A call failed at a node: the blocks in the activations around it were allocated before. Those
 * behind one that knows of a failure know of one, too. */
static void failed(struct paths *p, uint32_t thread, uint32_t node) {
  uint32_t scope = p->uses->profile->scope[node];
  for (; scope != GPUMEMPROF_NONE; scope = parent_of(p, scope))
    for (uint64_t i = *first_of(p, thread, scope); i != GPUMEMPROF_NONE; i = p->block[i].next) {
      struct path_block *b = &p->block[i];
      if (b->failed != GPUMEMPROF_NONE) break;
      b->failed = node;
      b->failed_in = scope;
    }
}

/* What lives on is in the activation of the caller from now on, before what is there already. */
static void scope_ended(struct paths *p, uint32_t thread, uint32_t scope) {
  uint64_t *first = first_of(p, thread, scope), i = *first;
  uint32_t parent = parent_of(p, scope), head = GPUMEMPROF_NONE, last = GPUMEMPROF_NONE;
  *first = GPUMEMPROF_NONE;
  for (; i != GPUMEMPROF_NONE; i = p->block[i].next) {
    struct path_block *b = &p->block[i];
    if (!b->live) continue;
    b->ended = scope;
    b->listed = parent;
    if (last == GPUMEMPROF_NONE) head = (uint32_t)i;
    else p->block[last].next = (uint32_t)i;
    last = (uint32_t)i;
  }
  if (last == GPUMEMPROF_NONE) return;
  p->block[last].next = GPUMEMPROF_NONE;
  if (parent == GPUMEMPROF_NONE) return;
  first = first_of(p, thread, parent);
  p->block[last].next = (uint32_t)*first;
  *first = head;
}

static bool on_event(void *self, const struct gpm_event *e) {
  struct paths *p = self;
  if (e->kind == GPM_EVENT_ALLOCATED) return allocated(p, e);
  if (e->kind == GPM_EVENT_FAILED) failed(p, e->thread, e->id);
  else if (e->kind == GPM_EVENT_SCOPE_ENDED) scope_ended(p, e->thread, e->id);
  else freed(p, e);
  return true;
}

/* ---- blocks that are lost ----------------------------------------------------------------------
 */

static bool is_freed_by_calls(const struct gpm_use_block *b) {
  return b->kind == GPUMEMPROF_KIND_DEVICE || b->kind == GPUMEMPROF_KIND_POOL ||
         b->kind == GPUMEMPROF_KIND_MANAGED || b->kind == GPUMEMPROF_KIND_PINNED ||
         b->kind == GPUMEMPROF_KIND_ARRAY;
}

/* Whether the block lives at the end, and the activation in which the line frees its blocks does
 * not. That of an outermost function ends with the program, or with its thread. */
static bool is_lost(const struct paths *p, uint32_t number) {
  const struct gpm_use_block *own = &p->uses->block[number];
  const struct path_block *b = &p->block[number];
  uint32_t frees = p->frees[own->node];
  return b->live && !own->replaced && is_freed_by_calls(own) && frees >= FIRST_SCOPE &&
         parent_of(p, frees - FIRST_SCOPE) != GPUMEMPROF_NONE && b->ended != GPUMEMPROF_NONE &&
         depth_of(p, b->ended) <= depth_of(p, frees - FIRST_SCOPE);
}

static bool is_by_failure(const struct paths *p, uint32_t number) {
  const struct path_block *b = &p->block[number];
  uint32_t frees = p->frees[p->uses->block[number].node] - FIRST_SCOPE;
  return b->failed != GPUMEMPROF_NONE && depth_of(p, b->failed_in) >= depth_of(p, frees);
}

static void add_lost(struct gpm_costs *c, struct gpm_map *numbers, const struct paths *p,
                     uint32_t number) {
  const struct gpm_use_block *b = &p->uses->block[number];
  const uint32_t *site = p->uses->profile->site, from = site[b->node],
                 to = site[p->block[number].failed];
  uint64_t key = gpm_map_mix(gpm_map_mix((uint64_t)b->node << 32 | to) + b->device);
  uint64_t at = *gpm_map_at(numbers, key, c->count);
  if (at == c->count)
    gpm_costs_add(
        c, (struct gpm_cost){
               .rule = GPM_COST_ERROR_PATH_LEAK, .device = b->device, .from = from, .to = to});
  c->cost[at].calls++;
  c->cost[at].bytes += b->bytes;
}

static void find_lost(struct gpm_costs *c, const struct paths *p) {
  const struct gpm_profile *profile = p->uses->profile;
  struct gpm_map numbers = {0};
  for (uint32_t i = 0; i < p->count; i++)
    if (is_lost(p, i) && !is_by_failure(p, i)) p->frees[p->uses->block[i].node] = SEVERAL;
  for (uint32_t i = 0; i < p->count; i++)
    if (is_lost(p, i) &&
        gpm_line_changes_site_is_known(profile->reader, profile->site[p->uses->block[i].node]) &&
        gpm_line_changes_site_is_known(profile->reader, profile->site[p->block[i].failed]))
      add_lost(c, &numbers, p, i);
  gpm_map_free(&numbers);
}

void gpm_costs_find_error_paths(struct gpm_costs *c, const struct gpm_uses *u,
                                struct gpm_reader *r) {
  if (!u->ended) return; /* what lives then may be freed later */
  struct paths p = {.uses = u,
                    .block = gpm_memory_array(u->count, sizeof *p.block),
                    .frees = gpm_memory_array(u->profile->node_count, sizeof *p.frees)};
  struct gpm_listener listener = {.self = &p, .stops = true, .event = on_event};
  if (gpm_walk_read(r, &listener, 1)) find_lost(c, &p);
  gpm_map_free(&p.activation);
  gpm_map_free(&p.by_name);
  free(p.block);
  free(p.frees);
}
