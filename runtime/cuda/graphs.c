/* graphs.c - memory that nodes of CUDA graphs allocate and free.
 *
 * A node has an address from the moment it is added, but memory only while a launch of its graph
 * has allocated it and nothing has freed it. So a node is remembered with the line that added it,
 * an executable graph takes the nodes of its graph along, and each launch makes the events, in the
 * order the nodes were added: path = the launching line > `graph` > the line that added the node.
 * What was allocated in a graph may be freed by any free; what CUDA keeps for graphs between
 * launches is a pool of its own (stream_pools.c).
 */
#include "base/lock.h"
#include "base/memory.h"
#include "base/taps.h"
#include "core/ledger.h"
#include "core/shadow_stack.h"
#include "cuda/cuda_query.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "records/blocks.h"
#include "records/made_sites.h"
#include "tables/map.h"
#include "threads/threads.h"

struct node {
  uint64_t address;
  uint64_t bytes;                     /* 0: a node that frees */
  const struct gpumemprof_site *line; /* the line that added it */
  int ordinal;
  struct node *next;
};
struct graph { /* a graph or an executable graph */
  struct node *first, *last;
  bool auto_free;
  struct graph *next_free;
};

/* Protects what follows; taken while no other lock is held. */
static struct gpm_lock graphs_lock = GPM_LOCK(graphs);
static struct gpm_map graphs;
static struct node *free_nodes;
static struct graph *free_graphs;

static struct graph *graph_of(uint64_t handle) {
  struct graph *g = gpm_map_get(&graphs, handle);
  if (g) return g;
  if ((g = free_graphs)) free_graphs = g->next_free;
  else if (!(g = gpm_memory_get(sizeof *g))) return NULL;
  *g = (struct graph){0};
  return gpm_map_put(&graphs, handle, g) ? g : NULL;
}

static void append_node(struct graph *g, const struct node *like) {
  struct node *n = free_nodes;
  if (n) free_nodes = n->next;
  else if (!(n = gpm_memory_get(sizeof *n))) return;
  *n = *like;
  n->next = NULL;
  if (g->last) g->last->next = n;
  else g->first = n;
  g->last = n;
}

static void append_all(struct graph *g, const struct graph *from) {
  for (const struct node *n = from->first; n; n = n->next) append_node(g, n);
}

static void add_node(uint64_t graph, uint64_t address, uint64_t bytes, int ordinal) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  const struct gpumemprof_site *line = gpm_event_line(thread);
  gpm_lock_take(&graphs_lock);
  struct graph *g = graph_of(graph);
  struct node n = {.address = address, .bytes = bytes, .line = line, .ordinal = ordinal};
  if (g) append_node(g, &n);
  gpm_lock_release(&graphs_lock);
  gpm_event_leave(thread);
}

void gpm_graphs_allocates(gpm_graph graph, uint64_t address, uint64_t bytes,
                          const struct gpm_location *location) {
  add_node((uintptr_t)graph, address, bytes, gpm_ordinal_of(location));
}

void gpm_graphs_frees(gpm_graph graph, uint64_t address) {
  add_node((uintptr_t)graph, address, 0, 0);
}

void gpm_graphs_child(gpm_graph graph, gpm_graph child) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&graphs_lock);
  struct graph *from = gpm_map_get(&graphs, (uintptr_t)child);
  struct graph *g = from ? graph_of((uintptr_t)graph) : NULL;
  if (g) append_all(g, from);
  gpm_lock_release(&graphs_lock);
  gpm_event_leave(thread);
}

void gpm_graphs_node(gpm_graph graph, const struct gpm_graph_node *node) {
  switch (node->type) {
  case GPM_GRAPH_NODE_ALLOC:
    gpm_graphs_allocates(graph, node->alloc.address, node->alloc.bytes, &node->alloc.pool.location);
    break;
  case GPM_GRAPH_NODE_FREE:
    gpm_graphs_frees(graph, node->free);
    break;
  case GPM_GRAPH_NODE_GRAPH:
    gpm_graphs_child(graph, node->child);
    break;
  default:
    gpm_uses_node_added();
  }
}

/* ---- captures of streams ------------------------------------------------------------------------
 */

void gpm_graphs_capture_begins(void) {
  atomic_fetch_add(&gpm_pool_calls_differ, 1);
  gpm_uses_capture_begins();
}

bool gpm_graphs_is_captured(gpm_stream stream) {
  const struct gpm_driver *driver = gpm_driver();
  int status = 0; /* CU_STREAM_CAPTURE_STATUS_NONE */
  if (!stream || !driver->cuStreamIsCapturing)
    return false; /* the legacy stream is never captured */
  return !driver->cuStreamIsCapturing(stream, &status) && status;
}

/* Runs before the call, because a call that fails ends the capture as well, if there is one. */
void gpm_graphs_capture_ends(gpm_stream stream) {
  if (gpm_driver()->cuStreamIsCapturing && !gpm_graphs_is_captured(stream)) return;
  gpm_uses_capture_ends();
  unsigned before = atomic_load(&gpm_pool_calls_differ);
  while (before & ~GPM_HOST_POOLS &&
         !atomic_compare_exchange_weak(&gpm_pool_calls_differ, &before, before - 1))
    continue;
}

/* The graph a stream is being captured into, or null. */
static gpm_graph captured_graph(gpm_stream stream) {
  const struct gpm_driver *driver = gpm_driver();
  int status = 0;
  uint64_t id;
  gpm_graph graph = NULL;
  int failed = 1;
  if (driver->cuStreamGetCaptureInfo_v3)
    failed = driver->cuStreamGetCaptureInfo_v3(stream, &status, &id, &graph, NULL, NULL, NULL);
  else if (driver->cuStreamGetCaptureInfo_v2)
    failed = driver->cuStreamGetCaptureInfo_v2(stream, &status, &id, &graph, NULL, NULL);
  return !failed && status == 1 ? graph : NULL; /* CU_STREAM_CAPTURE_STATUS_ACTIVE */
}

bool gpm_graphs_captured_alloc(gpm_stream stream, uint64_t address, uint64_t bytes) {
  gpm_graph graph = captured_graph(stream);
  if (graph) add_node((uintptr_t)graph, address, bytes, gpm_cuda_current_device());
  return graph != NULL;
}

/* Handles a failed free that was just recorded. */
bool gpm_graphs_captured_free_failed(gpm_stream stream, uint64_t address) {
  gpm_graph graph = captured_graph(stream);
  if (!graph) return false;
  gpm_lock_take(&graphs_lock);
  struct graph *g = gpm_map_get(&graphs, (uintptr_t)graph);
  struct node *n = g ? g->first : NULL, *before = NULL;
  for (; n && n != g->last; n = n->next) before = n;
  if (n && n->address == address && !n->bytes) {
    g->last = before;
    if (before) before->next = NULL;
    else g->first = NULL;
  }
  gpm_lock_release(&graphs_lock);
  return true;
}

bool gpm_graphs_captured_free(gpm_stream stream, uint64_t address) {
  gpm_graph graph = captured_graph(stream);
  if (graph) add_node((uintptr_t)graph, address, 0, 0);
  return graph != NULL;
}

/* ---- executable graphs --------------------------------------------------------------------------
 */

void gpm_graphs_instantiated(gpm_exec exec, gpm_graph graph, uint64_t flags) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&graphs_lock);
  struct graph *from = gpm_map_get(&graphs, (uintptr_t)graph);
  struct graph *g = from ? graph_of((uintptr_t)exec) : NULL;
  if (g) {
    append_all(g, from);
    g->auto_free = flags & GPM_GRAPH_AUTO_FREE;
  }
  gpm_lock_release(&graphs_lock);
  gpm_event_leave(thread);
}

static bool is_block_live(uint64_t address) {
  struct gpm_block *block = gpm_blocks_find(address);
  return block && atomic_load(&block->cell);
}

/* Records the event of a node: it is charged to the line that added the node, in the launch's
 * frame. */
static void run_node(struct gpumemprof_frame *frame, const struct node *n, bool auto_free) {
  frame->call = n->line;
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  if (!n->bytes || (auto_free && is_block_live(n->address))) gpm_ledger_free(thread, n->address);
  if (n->bytes)
    gpm_event_allocated(thread, GPUMEMPROF_KIND_GRAPH, n->ordinal, n->address, n->bytes);
  gpm_event_leave(thread);
  __gpumemprof_call_ended(frame);
}

/* Runs without the lock, because each event may open scopes; a correct program does not destroy a
 * graph while it launches it. All nodes share one scope, so that its own peak is the most that they
 * have live together. */
void gpm_graphs_launched(gpm_exec exec) {
  static const struct gpm_source_location site = {.kind = GPUMEMPROF_SITE_FUNCTION,
                                                  .function = "(graph)"};
  gpm_lock_take(&graphs_lock);
  struct graph *g = gpm_map_get(&graphs, (uintptr_t)exec);
  gpm_lock_release(&graphs_lock);
  if (!g) return;
  if (g->first) {
    struct gpumemprof_frame *frame = gpm_thread_push(gpm_sites_make(&site), g->first->line);
    for (const struct node *n = g->first; n; n = n->next) run_node(frame, n, g->auto_free);
    __gpumemprof_block_exit(frame);
  }
  gpm_graphs_changed();
}

void gpm_graphs_destroy(uint64_t handle) {
  struct gpm_thread *thread = gpm_event_enter();
  if (!thread) return;
  gpm_lock_take(&graphs_lock);
  struct graph *g = gpm_map_take(&graphs, handle);
  if (g) {
    if (g->last) {
      g->last->next = free_nodes;
      free_nodes = g->first;
    }
    g->next_free = free_graphs;
    free_graphs = g;
  }
  gpm_lock_release(&graphs_lock);
  gpm_event_leave(thread);
}

void gpm_graphs_forked(void) {
  atomic_store(&graphs_lock.held, 0);
  graphs = (struct gpm_map){0};
}
