/* exec.c - graphs are made executable, uploaded and launched. The rules for memory nodes are here:
 * a graph that has some has one executable graph at a time, cannot be copied, and cannot be
 * launched while an allocation of its last launch is live.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"
#include "work/work.h"

#define AUTO_FREE 1u /* cudaGraphInstantiateFlagAutoFreeOnLaunch */
#define UPLOAD 2u
#define ALL_FLAGS 15u
#define CAPTURE_UNSUPPORTED 900

bool gpm_sim_graph_has_memory(const struct gpm_sim_graph *graph) {
  GPM_SIM_LOCKED;
  for (struct gpm_sim_node *n = graph->first; n; n = n->next)
    if (n->operation == GPM_SIM_OP_ALLOCATE || n->operation == GPM_SIM_OP_FREE) return true;
  return false;
}

int gpm_sim_graph_copy(const struct gpm_sim_graph *graph, struct gpm_sim_graph **copy) {
  GPM_SIM_LOCKED;
  if (gpm_sim_graph_has_memory(graph)) return GPM_SIM_NOT_SUPPORTED;
  struct gpm_sim_graph *made = gpm_sim_graph_clone(graph, GPM_SIM_GRAPH);
  if (!made) return GPM_SIM_OUT_OF_MEMORY;
  *copy = made;
  return GPM_SIM_OK;
}

static int map(const struct gpm_sim_graph *exec) {
  for (struct gpm_sim_node *n = exec->first; n; n = n->next) {
    int error = n->heap ? gpm_sim_heap_map(n->heap) : GPM_SIM_OK;
    if (error) return error;
  }
  return GPM_SIM_OK;
}

int gpm_sim_graph_instantiate(const struct gpm_sim_graph *graph, uint64_t flags,
                              struct gpm_sim_graph **exec) {
  GPM_SIM_LOCKED;
  if (flags & ~(uint64_t)ALL_FLAGS) return GPM_SIM_INVALID_VALUE;
  for (struct gpm_sim_node *n = graph->first; n; n = n->next)
    if (n->heap && gpm_sim_heap_has_exec(n->heap)) return GPM_SIM_NOT_SUPPORTED;
  struct gpm_sim_graph *made = gpm_sim_graph_clone(graph, GPM_SIM_EXEC);
  if (!made) return GPM_SIM_OUT_OF_MEMORY;
  made->flags = flags;
  int error = flags & UPLOAD ? map(made) : GPM_SIM_OK;
  if (error) gpm_sim_object_destroy(made);
  else *exec = made;
  return error;
}

int gpm_sim_graph_upload(const struct gpm_sim_graph *exec, const void *stream) {
  GPM_SIM_LOCKED;
  if (!gpm_sim_stream_get(stream)) return GPM_SIM_INVALID_HANDLE;
  return map(exec);
}

/* The executable graph itself allocates the address before the node. */
static bool allocated_before(const struct gpm_sim_graph *exec, const struct gpm_sim_node *node) {
  for (struct gpm_sim_node *n = exec->first; n != node; n = n->next)
    if (n->operation == GPM_SIM_OP_ALLOCATE && n->box.to == node->box.to) return true;
  return false;
}

/* The launch fails if an address that it allocates is live, or one that it frees is not. */
static int ready(const struct gpm_sim_graph *exec) {
  for (struct gpm_sim_node *n = exec->first; n; n = n->next) {
    struct gpm_sim_block *block = gpm_sim_block_find(n->box.to);
    if (n->operation == GPM_SIM_OP_FREE && !block && !allocated_before(exec, n))
      return GPM_SIM_INVALID_VALUE;
    if (n->operation != GPM_SIM_OP_ALLOCATE || !block) continue;
    if (!(exec->flags & AUTO_FREE)) return GPM_SIM_INVALID_VALUE;
    gpm_sim_block_release(block);
  }
  return map(exec);
}

int gpm_sim_graph_launch(struct gpm_sim_graph *exec, void *handle) {
  {
    GPM_SIM_LOCKED;
    struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
    if (!stream) return GPM_SIM_INVALID_HANDLE;
    if (stream->capture && gpm_sim_graph_has_memory(exec)) {
      stream->capture->spoiled = true;
      return CAPTURE_UNSUPPORTED;
    }
    int error = stream->capture ? GPM_SIM_OK : ready(exec);
    if (error) return error;
  }
  struct gpm_sim_node run = {.operation = GPM_SIM_OP_GRAPH, .child = exec};
  return gpm_sim_submit(handle, &run);
}

/* The new graph replaces the old one where both have the same kinds of nodes in the same order, and
 * brings its own addresses for allocations of the same size. *status: enum
 * cudaGraphExecUpdateResult. */
int gpm_sim_graph_update(struct gpm_sim_graph *exec, const struct gpm_sim_graph *graph, int *status,
                         struct gpm_sim_node **wrong) {
  enum { TOPOLOGY_CHANGED = 2, TYPE_CHANGED = 3, PARAMETERS_CHANGED = 5, UPDATE_FAILURE = 910 };
  GPM_SIM_LOCKED;
  *status = 0;
  *wrong = NULL;
  struct gpm_sim_node *a = exec->first, *b = graph->first;
  for (; a && b && a->operation == b->operation; a = a->next, b = b->next)
    if (a->heap && a->box.width != b->box.width) break;
  if (a || b) {
    *status = !a || !b                       ? TOPOLOGY_CHANGED
              : a->operation != b->operation ? TYPE_CHANGED
                                             : PARAMETERS_CHANGED;
    *wrong = b;
    return UPDATE_FAILURE;
  }
  struct gpm_sim_graph *copy = gpm_sim_graph_clone(graph, GPM_SIM_EXEC);
  if (!copy) return GPM_SIM_OUT_OF_MEMORY;
  while (exec->first) gpm_sim_graph_remove(exec->first);
  exec->first = copy->first;
  exec->last = copy->last;
  copy->first = copy->last = NULL;
  for (struct gpm_sim_node *n = exec->first; n; n = n->next) n->graph = exec;
  gpm_sim_object_destroy(copy);
  return GPM_SIM_OK;
}
