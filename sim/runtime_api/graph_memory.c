/* graph_memory.c - memory that graphs allocate and free, and cudaGraphAddNode, which adds any kind
 * of node.
 */
#include "base/object.h"
#include "base/options.h"
#include "runtime_api/cudart.h"

#include <string.h>

static struct gpm_sim_node *node_get(cudaGraphNode_t node) {
  return gpm_sim_object_get(node, GPM_SIM_NODE);
}

static cudaError_t add_alloc(cudaGraphNode_t *result, cudaGraph_t graph,
                             const cudaGraphNode_t *after, size_t count,
                             const struct cudaMemPoolProps *properties, size_t size, void **dptr) {
  GPM_CUDART_BEGIN;
  struct gpm_sim_graph *g = gpm_sim_object_get(graph, GPM_SIM_GRAPH);
  GPM_CUDART_REQUIRE(result && g && (after || !count));
  for (size_t i = 0; i < count; i++) GPM_CUDART_REQUIRE(node_get(after[i]));
  GPM_CUDART_REQUIRE(properties->allocType == cudaMemAllocationTypePinned && size);
  if (properties->location.type != cudaMemLocationTypeDevice)
    return gpm_cudart_end(cudaErrorNotSupported);
  struct gpm_sim_node *node = NULL;
  int error = gpm_sim_heap_allocate(g, properties->location.id, size, &node);
  if (error) return gpm_cudart_end(error);
  node->after = count ? node_get(after[0]) : NULL;
  *dptr = (void *)(uintptr_t)node->box.to;
  *result = (cudaGraphNode_t)node;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams) {
  GPM_CUDART_REQUIRE(nodeParams);
  return add_alloc(pGraphNode, graph, pDependencies, numDependencies, &nodeParams->poolProps,
                   nodeParams->bytesize, &nodeParams->dptr);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params_out) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n && params_out && n->operation == GPM_SIM_OP_ALLOCATE);
  *params_out = (struct cudaMemAllocNodeParams){
      .poolProps = {.allocType = cudaMemAllocationTypePinned,
                    .location = {cudaMemLocationTypeDevice, gpm_sim_heap_device(n->heap)}},
      .bytesize = n->box.width,
      .dptr = (void *)(uintptr_t)n->box.to};
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                    void *dptr) {
  return gpm_cudart_end(gpm_sim_graph_insert_free(graph, (const void *const *)pDependencies,
                                                  numDependencies, (uintptr_t)dptr,
                                                  (struct gpm_sim_node **)pGraphNode));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n && dptr_out && n->operation == GPM_SIM_OP_FREE);
  *(void **)dptr_out = (void *)(uintptr_t)n->box.to;
  return gpm_cudart_end(cudaSuccess);
}

/* The parameters of the newer structures are those of the older ones, which most functions take. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams) {
  (void)dependencyData;
  GPM_CUDART_REQUIRE(nodeParams);
  struct cudaGraphNodeParams *p = nodeParams;
  struct cudaKernelNodeParams kernel;
  struct cudaMemsetParams fill;
  struct cudaHostNodeParams host;
  switch (p->type) {
  case cudaGraphNodeTypeKernel:
    memcpy(&kernel, &p->kernel, sizeof kernel);
    return cudaGraphAddKernelNode(pGraphNode, graph, pDependencies, numDependencies, &kernel);
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphAddMemcpyNode(pGraphNode, graph, pDependencies, numDependencies,
                                  &p->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    memcpy(&fill, &p->memset, sizeof fill);
    return cudaGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies, &fill);
  case cudaGraphNodeTypeHost:
    memcpy(&host, &p->host, sizeof host);
    return cudaGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies, &host);
  case cudaGraphNodeTypeGraph:
    return cudaGraphAddChildGraphNode(pGraphNode, graph, pDependencies, numDependencies,
                                      p->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return cudaGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies);
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphAddEventWaitNode(pGraphNode, graph, pDependencies, numDependencies,
                                     p->eventWait.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphAddEventRecordNode(pGraphNode, graph, pDependencies, numDependencies,
                                       p->eventRecord.event);
  case cudaGraphNodeTypeMemAlloc:
    return add_alloc(pGraphNode, graph, pDependencies, numDependencies, &p->alloc.poolProps,
                     p->alloc.bytesize, &p->alloc.dptr);
  case cudaGraphNodeTypeMemFree:
    return cudaGraphAddMemFreeNode(pGraphNode, graph, pDependencies, numDependencies, p->free.dptr);
  default:
    return gpm_cudart_end(gpm_sim_unsupported("cudaGraphAddNode of this kind"));
  }
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return gpm_cudart_end(gpm_sim_graph_memory_trim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
  return gpm_cudart_end(gpm_sim_graph_memory_get(device, (int)attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
  return gpm_cudart_end(gpm_sim_graph_memory_set(device, (int)attr, value));
}
