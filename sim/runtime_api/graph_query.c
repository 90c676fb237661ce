/* graph_query.c - queries about a graph: its nodes, their kinds and dependencies. */
#include "base/lock.h"
#include "base/object.h"
#include "runtime_api/cudart.h"

#include <string.h>

static struct gpm_sim_node *node_get(cudaGraphNode_t node) {
  return gpm_sim_object_get(node, GPM_SIM_NODE);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n && pType);
  *pType = (enum cudaGraphNodeType)n->operation;
  return gpm_cudart_end(cudaSuccess);
}

/* Stores up to *count handles, or only counts them. */
static cudaError_t list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots) {
  struct gpm_sim_graph *g = gpm_sim_object_get(graph, GPM_SIM_GRAPH);
  GPM_CUDART_REQUIRE(g && count);
  GPM_SIM_LOCKED;
  size_t found = 0;
  for (struct gpm_sim_node *n = g->first; n; n = n->next) {
    if (roots && n->after) continue;
    if (nodes && found < *count) nodes[found] = (cudaGraphNode_t)n;
    found++;
  }
  if (!nodes || found < *count) *count = found;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
  return list(graph, nodes, numNodes, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                  size_t *pNumRootNodes) {
  return list(graph, pRootNodes, pNumRootNodes, true);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData, size_t *pNumDependencies) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n && pNumDependencies);
  if (edgeData && *pNumDependencies) memset(edgeData, 0, sizeof *edgeData);
  if (pDependencies && *pNumDependencies && n->after) *pDependencies = (cudaGraphNode_t)n->after;
  *pNumDependencies = n->after != NULL;
  return gpm_cudart_end(cudaSuccess);
}

/* Nodes run in the order in which they were added; only the first dependency is kept. */
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                     size_t numDependencies) {
  (void)edgeData;
  GPM_CUDART_REQUIRE(gpm_sim_object_get(graph, GPM_SIM_GRAPH) &&
                     (!numDependencies || (from && to)));
  for (size_t i = 0; i < numDependencies; i++) {
    struct gpm_sim_node *a = node_get(from[i]), *b = node_get(to[i]);
    GPM_CUDART_REQUIRE(a && b && a != b);
    if (!b->after) b->after = a;
  }
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n);
  if (gpm_sim_graph_has_memory(n->graph)) return gpm_cudart_end(cudaErrorNotSupported);
  gpm_sim_graph_remove(n);
  return gpm_cudart_end(cudaSuccess);
}
