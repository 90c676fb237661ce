/* graph_nodes.c - the nodes of a graph, added one by one through the driver API. */
#include "base/object.h"
#include "base/options.h"
#include "driver_api/cudrv.h"

/* Adds a node and gives it to the caller to fill in. */
static CUresult add(CUgraphNode *result, CUgraph graph, const CUgraphNode *after, size_t count,
                    enum gpm_sim_operation operation, struct gpm_sim_node **node) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(result);
  int error = gpm_sim_graph_insert(graph, (const void *const *)after, count, operation, node);
  if (!error) *result = (CUgraphNode)*node;
  return (CUresult)error;
}

static struct gpm_sim_node *node_get(CUgraphNode node) {
  return gpm_sim_object_get(node, GPM_SIM_NODE);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                             const CUgraphNode *dependencies, size_t numDependencies) {
  struct gpm_sim_node *node;
  return add(phGraphNode, hGraph, dependencies, numDependencies, GPM_SIM_OP_EMPTY, &node);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies,
                                  CUgraph childGraph) {
  GPM_CU_BEGIN;
  struct gpm_sim_graph *child = gpm_sim_object_get(childGraph, GPM_SIM_GRAPH), *copy = NULL;
  GPM_CU_REQUIRE(child);
  int error = gpm_sim_graph_copy(child, &copy);
  if (error) return (CUresult)error;
  struct gpm_sim_node *node;
  error = (int)add(phGraphNode, hGraph, dependencies, numDependencies, GPM_SIM_OP_GRAPH, &node);
  if (error) gpm_sim_object_destroy(copy);
  else node->child = copy;
  return (CUresult)error;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  GPM_CU_REQUIRE(nodeParams);
  void *function = nodeParams->func ? (void *)nodeParams->func : (void *)nodeParams->kern;
  if (!gpm_sim_object_get(function, GPM_SIM_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
  struct gpm_sim_node *node;
  CUresult error =
      add(phGraphNode, hGraph, dependencies, numDependencies, GPM_SIM_OP_KERNEL, &node);
  if (error) return error;
  const unsigned launch[7] = {nodeParams->gridDimX,      nodeParams->gridDimY,
                              nodeParams->gridDimZ,      nodeParams->blockDimX,
                              nodeParams->blockDimY,     nodeParams->blockDimZ,
                              nodeParams->sharedMemBytes};
  for (int i = 0; i < 7; i++) node->launch[i] = launch[i];
  node->data = function;
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
  (void)ctx;
  struct gpm_sim_box box;
  GPM_CU_REQUIRE(copyParams && gpm_cudrv_box(copyParams, &box));
  struct gpm_sim_node *node;
  CUresult error = add(phGraphNode, hGraph, dependencies, numDependencies, GPM_SIM_OP_COPY, &node);
  if (!error) node->box = box;
  return error;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                              const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
  (void)ctx;
  const CUDA_MEMSET_NODE_PARAMS *p = memsetParams;
  GPM_CU_REQUIRE(p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4));
  struct gpm_sim_node *node;
  CUresult error = add(phGraphNode, hGraph, dependencies, numDependencies, GPM_SIM_OP_FILL, &node);
  if (error) return error;
  node->box = (struct gpm_sim_box){.to = p->dst,
                                   .to_pitch = p->pitch,
                                   .width = p->width * p->elementSize,
                                   .height = p->height,
                                   .depth = 1};
  node->pattern = p->value;
  node->pattern_size = p->elementSize;
  return CUDA_SUCCESS;
}

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                            const CUgraphNode *dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS *nodeParams) {
  GPM_CU_REQUIRE(nodeParams && nodeParams->fn);
  struct gpm_sim_node *node;
  CUresult error = add(phGraphNode, hGraph, dependencies, numDependencies, GPM_SIM_OP_HOST, &node);
  if (error) return error;
  node->host = nodeParams->fn;
  node->data = nodeParams->userData;
  return CUDA_SUCCESS;
}

static CUresult add_event(CUgraphNode *result, CUgraph graph, const CUgraphNode *after,
                          size_t count, CUevent event, enum gpm_sim_operation operation) {
  if (!gpm_sim_object_get(event, GPM_SIM_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  struct gpm_sim_node *node;
  CUresult error = add(result, graph, after, count, operation, &node);
  if (!error) node->data = event;
  return error;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   CUevent event) {
  return add_event(phGraphNode, hGraph, dependencies, numDependencies, event, GPM_SIM_OP_RECORD);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 CUevent event) {
  return add_event(phGraphNode, hGraph, dependencies, numDependencies, event, GPM_SIM_OP_WAIT);
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
  GPM_CU_BEGIN;
  struct gpm_sim_node *node = node_get(hNode);
  GPM_CU_REQUIRE(node && type);
  *type = (CUgraphNodeType)node->operation;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  GPM_CU_BEGIN;
  struct gpm_sim_node *node = node_get(hNode);
  GPM_CU_REQUIRE(node);
  if (gpm_sim_graph_has_memory(node->graph)) return CUDA_ERROR_NOT_SUPPORTED;
  gpm_sim_graph_remove(node);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                           const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
                           size_t numDependencies, CUgraphNodeParams *nodeParams) {
  (void)dependencyData;
  GPM_CU_REQUIRE(nodeParams);
  const CUgraphNode *after = dependencies;
  CUgraphNodeParams *p = nodeParams;
  size_t n = numDependencies;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return cuGraphAddKernelNode_v2(phGraphNode, hGraph, after, n,
                                   (const CUDA_KERNEL_NODE_PARAMS *)(void *)&p->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphAddMemcpyNode(phGraphNode, hGraph, after, n, &p->memcpy.copyParams, NULL);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return cuGraphAddMemsetNode(phGraphNode, hGraph, after, n,
                                (const CUDA_MEMSET_NODE_PARAMS *)(void *)&p->memset, NULL);
  case CU_GRAPH_NODE_TYPE_HOST:
    return cuGraphAddHostNode(phGraphNode, hGraph, after, n,
                              (const CUDA_HOST_NODE_PARAMS *)(void *)&p->host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cuGraphAddChildGraphNode(phGraphNode, hGraph, after, n, p->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cuGraphAddEmptyNode(phGraphNode, hGraph, after, n);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphAddEventWaitNode(phGraphNode, hGraph, after, n, p->eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphAddEventRecordNode(phGraphNode, hGraph, after, n, p->eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return cuGraphAddMemAllocNode(phGraphNode, hGraph, after, n,
                                  (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)&p->alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cuGraphAddMemFreeNode(phGraphNode, hGraph, after, n, p->free.dptr);
  default:
    return (CUresult)gpm_sim_unsupported("cuGraphAddNode of this kind");
  }
}
