/* call_tree.c - call paths: one node per (parent, site), created when memory first moves there.
 *
 * shadow_stack.c walks it from frame to frame, cells.c hangs cells (what was allocated there, per
 * device and kind) on call nodes. Look-ups take no lock: a small cache in the parent, then a hash
 * table of edges, written under tree_lock; a reader that misses an edge asks again under the lock.
 * New nodes are made there too. The figures are capture records; this file only finds them.
 */
#include "records/call_tree.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "records/assumptions.h"
#include "records/cells.h"
#include "records/made_sites.h"
#include "records/modules.h"
#include "records/pairs.h"
#include "records/sites.h"
#include "records/stale.h"
#include "threads/threads.h"

/* Never freed, and parent and child never change, so that a reader cannot reach freed memory. */
struct edge {
  const void *_Atomic site; /* GPM_GONE while its object is unloaded */
  struct gpm_node *parent;
  struct gpm_node *child;
  struct edge *next; /* the next edge to the same child */
};
struct edge_table {
  uint32_t room; /* power of two */
  struct edge *_Atomic slots[];
};
#define GPM_GONE ((const void *)1)

struct gpm_lock gpm_tree_lock = GPM_LOCK(tree);
static struct gpm_table node_table;
static struct edge_table *_Atomic edges;
static uint32_t edge_count;
static struct gpm_node *tree_root;
/* (parent id, site id) -> node: a site may have several addresses. */
static struct gpm_node **children_by_id;
static uint32_t id_room, id_count;

struct gpm_node *gpm_tree_root(void) {
  return tree_root;
}

static uint32_t edge_hash(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
  return (uint32_t)(h >> 32);
}

static struct edge_table *make_edges(uint32_t room) {
  struct edge_table *t = gpm_memory_map(sizeof *t + room * sizeof t->slots[0]);
  if (t) t->room = room;
  return t;
}

static struct gpm_node *find_edge(struct edge_table *t, struct gpm_node *parent, const void *site) {
  uint32_t at = edge_hash((uintptr_t)parent, (uintptr_t)site) & (t->room - 1);
  for (;; at = (at + 1) & (t->room - 1)) {
    struct edge *e = atomic_load_explicit(&t->slots[at], memory_order_acquire);
    if (!e) return NULL;
    if (e->parent == parent && atomic_load_explicit(&e->site, memory_order_relaxed) == site)
      return e->child;
  }
}

static void put_edge(struct edge_table *t, struct edge *e, const void *site) {
  uint32_t at = edge_hash((uintptr_t)e->parent, (uintptr_t)site) & (t->room - 1);
  while (atomic_load_explicit(&t->slots[at], memory_order_relaxed)) at = (at + 1) & (t->room - 1);
  atomic_store_explicit(&t->slots[at], e, memory_order_release);
}

static bool add_edge(struct gpm_node *parent, const void *site, struct gpm_node *child) {
  struct edge_table *t = atomic_load(&edges);
  if (edge_count * 2 >= t->room) { /* the old table stays mapped: readers may be in it */
    struct edge_table *twice = make_edges(t->room * 2);
    if (!twice) return false;
    for (uint32_t i = 0; i < t->room; i++) {
      struct edge *e = atomic_load(&t->slots[i]);
      const void *s = e ? atomic_load(&e->site) : GPM_GONE;
      if (s != GPM_GONE) put_edge(twice, e, s);
    }
    atomic_store_explicit(&edges, twice, memory_order_release);
    t = twice;
  }
  struct edge *e = child->edges;
  while (e && (e->parent != parent || atomic_load(&e->site) != GPM_GONE)) e = e->next;
  if (e) atomic_store(&e->site, site); /* its object is loaded again, perhaps at another address */
  else {
    if (!(e = gpm_memory_get(sizeof *e))) return false;
    atomic_init(&e->site, site);
    e->parent = parent;
    e->child = child;
    e->next = child->edges;
    child->edges = e;
  }
  GPM_ASSERT(gpm_lock_is_mine(&gpm_tree_lock) && edge_count < t->room);
  put_edge(t, e, site);
  edge_count++;
  return true;
}

/* Slot of (parent, site id) in children_by_id; grows it when needed. */
static struct gpm_node **id_slot(uint32_t parent, uint32_t site) {
  if (id_count * 2 >= id_room) {
    uint32_t grown = id_room ? id_room * 2 : 4096;
    struct gpm_node **table = gpm_memory_map(grown * sizeof(struct gpm_node *));
    if (!table) return NULL;
    for (uint32_t i = 0; i < id_room; i++)
      if (children_by_id[i]) {
        struct gpumemprof_capture_node *r = children_by_id[i]->record;
        uint32_t at = edge_hash(r->parent, r->site) & (grown - 1);
        while (table[at]) at = (at + 1) & (grown - 1);
        table[at] = children_by_id[i];
      }
    gpm_memory_unmap(children_by_id, id_room * sizeof(struct gpm_node *));
    children_by_id = table;
    id_room = grown;
  }
  uint32_t at = edge_hash(parent, site) & (id_room - 1);
  while (children_by_id[at] &&
         (children_by_id[at]->record->parent != parent || children_by_id[at]->record->site != site))
    at = (at + 1) & (id_room - 1);
  return &children_by_id[at];
}

static struct gpm_node *make_node(struct gpm_node *parent, uint32_t site_id, const void *site) {
  GPM_ASSERT(!parent || (gpm_lock_is_mine(&gpm_tree_lock) && parent->id < node_table.count));
  struct gpumemprof_capture_node *record = gpm_table_next(&node_table);
  struct gpm_node *node = record ? gpm_memory_get(sizeof *node) : NULL;
  if (!node) return NULL;
  record->parent = parent ? parent->id : GPUMEMPROF_NONE;
  record->site = site_id;
  node->parent = parent;
  atomic_init(&node->site, site);
  node->record = record;
  node->id = node_table.count;
  const struct gpumemprof_capture_site *s =
      site_id == GPUMEMPROF_NONE ? NULL : gpm_sites_record(site_id);
  if (s) {
    node->line = gpm_sites_line(site_id);
    node->is_step = gpm_schedule_marks(s);
    node->spans = s->kind == GPUMEMPROF_SITE_CALL && s->flags & GPUMEMPROF_SITE_SPANS;
  }
  gpm_budgets_node(node, s);
  if (GPM_UNLIKELY(gpm_nvtx_emits(GPM_NVTX_SCOPES)))
    node->opens_with |= GPUMEMPROF_ACTIVATION_EMITTED;
  node->begins_more = node->is_step || node->opens_with || (parent && parent->spans);
  gpm_table_publish(&node_table);
  return node;
}

uint32_t gpm_tree_count(void) {
  return __atomic_load_n(&node_table.count, __ATOMIC_RELAXED);
}

void gpm_tree_each(void (*visit)(struct gpm_node *node, void *data), void *data) {
  visit(tree_root, data);
  for (uint32_t i = 0; i < id_room; i++)
    if (children_by_id[i]) visit(children_by_id[i], data);
}

bool gpm_tree_start(void) {
  atomic_store(&gpm_tree_lock.held, 0);
  node_table = (struct gpm_table){GPUMEMPROF_CHUNK_NODES, sizeof(struct gpumemprof_capture_node), 0,
                                  0, NULL};
  gpm_cells_start();
  edge_count = id_room = id_count = 0;
  children_by_id = NULL;
  gpm_sites_reset();
  atomic_store(&edges, make_edges(4096));
  tree_root = atomic_load(&edges) ? make_node(NULL, GPUMEMPROF_NONE, NULL) : NULL;
  return tree_root != NULL;
}

/* Under the tree lock. */
static void set_site(struct gpm_node *node, const void *site) {
  atomic_store(&node->site, site);
  for (struct gpm_cell *c = atomic_load(&node->cells); c; c = c->next) gpm_cells_set_site(c, site);
  for (struct gpm_pair *p = atomic_load(&node->pairs); p; p = p->next) atomic_store(&p->call, site);
}

/* A call with operands leads to the node from now on. Under the tree lock. */
static void take_operands(struct gpm_node *node) {
  atomic_store_explicit(&node->has_operands, true, memory_order_relaxed);
  for (struct gpm_cell *c = atomic_load(&node->cells); c; c = c->next)
    atomic_store_explicit(&c->has_operands, true, memory_order_relaxed);
}

/* Whether it is the call of the innermost function that was not rebuilt, in which a block is. */
static bool is_native_call(const void *site) {
  const struct gpm_thread *t = gpm_thread_current;
  return t && t->native_count && t->native_frames[t->native_count - 1].call == site;
}

/* The calls of a scope lie in its function. But a signal handler can interrupt a function between
 * the stores of its entry or before its first call, and fibers may share a frame. Then scope and
 * call belong to different activations, and the call, which is stored as a distance from another
 * one, may be no site at all. Such a pair is never in the tree, so the check costs nothing
 * elsewhere. Under the tree lock. */
static const void *checked_call(const struct gpm_node *parent, const void *site) {
  uint32_t above = parent->record->site;
  if (above == GPUMEMPROF_NONE || site == &gpm_sites_unknown) return site;
  const struct gpumemprof_capture_site *scope = gpm_sites_record(above), *call;
  if (scope->flags & GPUMEMPROF_SITE_MADE) return site; /* the runtime stored both */
  bool block = scope->kind == GPUMEMPROF_SITE_BLOCK;    /* may name its function differently */
  if (scope->kind != GPUMEMPROF_SITE_FUNCTION && !block) return site;
  const void *reached_by = atomic_load(&parent->site);
  if (block && reached_by && site == gpm_sites_block_line(reached_by)) return site;
  if (block && is_native_call(site)) return site;
  if (gpm_modules_have_site(site)) {
    uint32_t id = gpm_sites_intern(site);
    if (id == GPUMEMPROF_NONE) return site;
    call = gpm_sites_record(id);
    if (call->kind == GPUMEMPROF_SITE_CALL && (block || call->function == scope->function))
      return site;
  }
  gpm_capture_count(GPUMEMPROF_COUNTER_interrupted_calls);
  return &gpm_sites_unknown;
}

/* Under the tree lock. *suspect: set to a function that was wrongly assumed to be harmless, if one
 * is found here. */
static struct gpm_node *make_child_of(struct gpm_node *parent, const void *site,
                                      enum gpm_below below, const struct gpm_suspect **suspect) {
  struct gpm_node *child = NULL, *under = parent;
  if (below == GPM_BELOW_CALL) site = checked_call(parent, site);
  if (below == GPM_BELOW_SCOPE && parent->parent && gpm_stale_below(parent, site))
    under = make_child_of(parent->parent, &gpm_sites_unknown, GPM_BELOW_CALL, suspect);
  uint32_t id = gpm_sites_intern(site);
  struct gpm_node **slot = id == GPUMEMPROF_NONE || !under ? NULL : id_slot(under->id, id);
  if (slot) {
    child = *slot;
    if (!child && (child = make_node(under, id, site))) {
      *slot = child;
      id_count++;
      if (below != GPM_BELOW_CALL && gpm_assumptions_any())
        *suspect = gpm_assumptions_moved(parent, id, site);
      const char *stack = below == GPM_BELOW_CALL && under->parent && site != &gpm_sites_unknown
                              ? gpm_native_machine_stack()
                              : NULL;
      if (stack) child->record->machine_stack = gpm_strings_intern(stack);
    }
    if (child && below == GPM_BELOW_CALL && !gpm_has_operands(child) && gpm_operands_at(site))
      take_operands(child); /* before the edge leads other threads there */
    if (child && find_edge(atomic_load(&edges), parent, site) != child &&
        !add_edge(parent, site, child))
      child = NULL;
    if (child && !atomic_load(&child->site)) set_site(child, site); /* its object is loaded again */
  }
  return child;
}

static GPM_COLD struct gpm_node *make_child(struct gpm_node *parent, const void *site,
                                            enum gpm_below below) {
  const struct gpm_suspect *suspect = NULL;
  gpm_lock_take(&gpm_tree_lock);
  struct gpm_node *child = make_child_of(parent, site, below, &suspect);
  gpm_lock_release(&gpm_tree_lock);
  if (GPM_UNLIKELY(suspect != NULL)) gpm_assumptions_say(suspect);
  return child;
}

struct gpm_node *gpm_tree_child_slow(struct gpm_node *parent, const void *site,
                                     enum gpm_below below) {
  struct gpm_node *child =
      find_edge(atomic_load_explicit(&edges, memory_order_acquire), parent, site);
  if (GPM_UNLIKELY(!child)) child = make_child(parent, site, below);
  GPM_ASSERT(!child || below != GPM_BELOW_CALL || child->parent == parent);
  if (child)
    atomic_store_explicit(&parent->recent[gpm_tree_recent(site)], child, memory_order_release);
  return child;
}

/* Removes the edges of unloaded sites. Readers may miss other edges meanwhile, and then wait for
 * the lock. */
static void sweep_edges(struct edge_table *t) {
  size_t bytes = edge_count * sizeof(struct edge *);
  struct edge **kept = gpm_memory_map(bytes);
  if (!kept) return;
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->room; i++) {
    struct edge *e = atomic_load(&t->slots[i]);
    if (e && atomic_load(&e->site) != GPM_GONE) kept[count++] = e;
    atomic_store_explicit(&t->slots[i], NULL, memory_order_relaxed);
  }
  for (uint32_t i = 0; i < count; i++) put_edge(t, kept[i], atomic_load(&kept[i]->site));
  edge_count = count;
  gpm_memory_unmap(kept, bytes);
}

void gpm_tree_forget(const void *begin, const void *end) {
  gpm_lock_take(&gpm_tree_lock);
  gpm_sites_forget(begin, end);
  struct edge_table *t = atomic_load(&edges);
  bool gone = false;
  for (uint32_t i = 0; i < t->room; i++) {
    struct edge *e = atomic_load(&t->slots[i]);
    const void *site = e ? atomic_load(&e->site) : NULL;
    if (site < begin || site >= end) continue;
    gone = true;
    atomic_store(&e->site, GPM_GONE);
    if (atomic_load(&e->child->site) == site) set_site(e->child, NULL);
  }
  if (gone) sweep_edges(t);
  gpm_lock_release(&gpm_tree_lock);
}

const void *gpm_tree_stand_in(struct gpm_node *parent, const void *site) {
  struct gpm_node *child = gpm_tree_child(parent, site);
  if (!child) return &gpm_sites_unknown;
  gpm_lock_take(&gpm_tree_lock);
  bool known = find_edge(atomic_load(&edges), parent, child) || add_edge(parent, child, child);
  gpm_lock_release(&gpm_tree_lock);
  return known ? (const void *)child : &gpm_sites_unknown;
}
