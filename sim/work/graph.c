/* graph.c - graphs: operations run in the order in which they were added. A node is added after
 * those that it depends on, so this order is correct; only dependencies that are added later are
 * ignored. An executable graph is a copy whose nodes know the nodes that they were copied from.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"
#include "base/options.h"
#include "work/work.h"

static void release(void *object) {
  struct gpm_sim_graph *graph = object;
  while (graph->first) gpm_sim_graph_remove(graph->first);
}

struct gpm_sim_graph *gpm_sim_graph_create(enum gpm_sim_type type) {
  struct gpm_sim_graph *graph = gpm_sim_object_create(type, sizeof *graph, NULL);
  if (graph) graph->object.release = release;
  return graph;
}

struct gpm_sim_node *gpm_sim_graph_add(struct gpm_sim_graph *graph, enum gpm_sim_operation op) {
  GPM_SIM_LOCKED;
  struct gpm_sim_node *node = gpm_sim_object_create(GPM_SIM_NODE, sizeof *node, NULL);
  if (!node) return NULL;
  node->operation = op;
  node->graph = graph;
  if (graph->last) graph->last->next = node;
  else graph->first = node;
  graph->last = node;
  return node;
}

int gpm_sim_graph_insert(void *handle, const void *const *after, uint64_t count,
                         enum gpm_sim_operation op, struct gpm_sim_node **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_graph *graph = gpm_sim_object_get(handle, GPM_SIM_GRAPH);
  if (!result || !graph || (count && !after)) return GPM_SIM_INVALID_VALUE;
  for (uint64_t i = 0; i < count; i++)
    if (!gpm_sim_object_get(after[i], GPM_SIM_NODE)) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_node *node = gpm_sim_graph_add(graph, op);
  if (!node) return GPM_SIM_OUT_OF_MEMORY;
  node->after = count ? gpm_sim_object_get(after[0], GPM_SIM_NODE) : NULL;
  *result = node;
  return GPM_SIM_OK;
}

int gpm_sim_graph_insert_free(void *handle, const void *const *after, uint64_t count,
                              uint64_t address, struct gpm_sim_node **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_graph *graph = gpm_sim_object_get(handle, GPM_SIM_GRAPH);
  int error =
      graph && address ? gpm_sim_heap_free_node(graph, address, count != 0) : GPM_SIM_INVALID_VALUE;
  if (!error) error = gpm_sim_graph_insert(handle, after, count, GPM_SIM_OP_FREE, result);
  if (!error) (*result)->box.to = address;
  return error;
}

void gpm_sim_graph_remove(struct gpm_sim_node *node) {
  GPM_SIM_LOCKED;
  struct gpm_sim_graph *graph = node->graph;
  struct gpm_sim_node *before = NULL;
  for (struct gpm_sim_node *n = graph->first; n != node; n = n->next) before = n;
  if (before) before->next = node->next;
  else graph->first = node->next;
  if (graph->last == node) graph->last = before;
  for (struct gpm_sim_node *n = graph->first; n; n = n->next)
    if (n->after == node) n->after = node->after;
  if (node->child) gpm_sim_object_destroy(node->child);
  if (node->heap) gpm_sim_heap_leave(node->heap, graph->object.type == GPM_SIM_EXEC);
  gpm_sim_object_destroy(node);
}

/* Copies an operation but not its place in a graph. */
static bool assign(struct gpm_sim_node *to, const struct gpm_sim_node *from) {
  to->box = from->box;
  to->pattern = from->pattern;
  to->pattern_size = from->pattern_size;
  to->host = from->host;
  to->data = from->data;
  to->heap = from->heap;
  if (to->heap) gpm_sim_heap_join(to->heap, to->graph->object.type == GPM_SIM_EXEC);
  for (int i = 0; i < 8; i++) to->launch[i] = from->launch[i];
  if (from->child) to->child = gpm_sim_graph_clone(from->child, GPM_SIM_GRAPH);
  return !from->child || to->child;
}

struct gpm_sim_graph *gpm_sim_graph_clone(const struct gpm_sim_graph *graph,
                                          enum gpm_sim_type type) {
  GPM_SIM_LOCKED;
  struct gpm_sim_graph *copy = gpm_sim_graph_create(type);
  if (!copy) return NULL;
  for (struct gpm_sim_node *n = graph->first; n; n = n->next) {
    struct gpm_sim_node *node = gpm_sim_graph_add(copy, n->operation);
    if (!node || !assign(node, n)) {
      gpm_sim_object_destroy(copy);
      return NULL;
    }
    node->origin = n;
    node->after = n->after;
  }
  for (struct gpm_sim_node *n = copy->first; n; n = n->next)
    for (struct gpm_sim_node *m = copy->first; n->after && m; m = m->next)
      if (m->origin == n->after) {
        n->after = m;
        break;
      }
  return copy;
}

static int run(const struct gpm_sim_node *node) {
  switch (node->operation) {
  case GPM_SIM_OP_KERNEL:
    if (!gpm_sim_host_kernel_run(((struct gpm_sim_function *)node->data)->name, node->arguments,
                                 node->launch, node->launch + 3))
      gpm_sim_note_launch();
    return GPM_SIM_OK;
  case GPM_SIM_OP_COPY:
    return gpm_sim_copy(&node->box);
  case GPM_SIM_OP_FILL:
    return gpm_sim_fill(&node->box, node->pattern, node->pattern_size);
  case GPM_SIM_OP_HOST:
    node->host(node->data);
    return GPM_SIM_OK;
  case GPM_SIM_OP_GRAPH:
    return gpm_sim_graph_run(node->child);
  case GPM_SIM_OP_RECORD:
    return gpm_sim_event_record(node->data, NULL);
  case GPM_SIM_OP_ALLOCATE:
    return gpm_sim_heap_start(node);
  case GPM_SIM_OP_FREE:
    return gpm_sim_block_free(node->box.to, GPM_SIM_FREEABLE);
  default:
    return GPM_SIM_OK;
  }
}

/* Runs without the lock, because host functions may call the API. */
int gpm_sim_graph_run(struct gpm_sim_graph *graph) {
  for (struct gpm_sim_node *n = graph->first; n; n = n->next) {
    int error = run(n);
    if (error) return error;
  }
  return GPM_SIM_OK;
}

int gpm_sim_submit(void *handle, const struct gpm_sim_node *operation) {
  {
    GPM_SIM_LOCKED;
    struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
    if (!stream) return GPM_SIM_INVALID_HANDLE;
    if (stream->capture) {
      struct gpm_sim_node *last = stream->capture->last;
      struct gpm_sim_node *node = gpm_sim_graph_add(stream->capture, operation->operation);
      if (!node || !assign(node, operation)) return GPM_SIM_OUT_OF_MEMORY;
      node->after = last;
      return GPM_SIM_OK;
    }
  }
  return run(operation);
}

int gpm_sim_submit_box(void *stream, const struct gpm_sim_box *box) {
  struct gpm_sim_node copy = {.operation = GPM_SIM_OP_COPY, .box = *box};
  return gpm_sim_submit(stream, &copy);
}

int gpm_sim_submit_allocate(void *handle, struct gpm_sim_pool *pool, uint64_t size,
                            uint64_t *address) {
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
  if (!stream) return GPM_SIM_INVALID_HANDLE;
  if (!stream->capture) return gpm_sim_pool_allocate(pool, size, address);
  struct gpm_sim_node *last = stream->capture->last, *node = NULL;
  int error = gpm_sim_heap_allocate(stream->capture, pool->device, size, &node);
  if (error) return error;
  node->after = last;
  *address = node->box.to;
  return GPM_SIM_OK;
}

int gpm_sim_submit_free(void *handle, uint64_t address) {
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
  if (!stream) return GPM_SIM_INVALID_HANDLE;
  if (!address) return GPM_SIM_OK;
  if (!stream->capture) return gpm_sim_block_free(address, GPM_SIM_FREEABLE);
  int error = gpm_sim_heap_free_node(stream->capture, address, true);
  if (error) return error;
  struct gpm_sim_node free_it = {.operation = GPM_SIM_OP_FREE, .box = {.to = address}};
  return gpm_sim_submit(handle, &free_it);
}
