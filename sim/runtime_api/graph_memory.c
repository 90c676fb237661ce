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

_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) &&
                   sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams) &&
                   offsetof(struct cudaGraphNodeParams, alloc) ==
                       offsetof(CUgraphNodeParams, alloc),
               "same");

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuGraphAddMemAllocNode(
      (CUgraphNode *)pGraphNode, (CUgraph)graph, (const CUgraphNode *)pDependencies,
      numDependencies, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)nodeParams));
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
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuGraphAddMemFreeNode(
      (CUgraphNode *)pGraphNode, (CUgraph)graph, (const CUgraphNode *)pDependencies,
      numDependencies, (uintptr_t)dptr));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n && dptr_out && n->operation == GPM_SIM_OP_FREE);
  *(void **)dptr_out = (void *)(uintptr_t)n->box.to;
  return gpm_cudart_end(cudaSuccess);
}

/* The parameters of the newer structures are those of the older ones, which most functions take.
 * Operations whose parameters are the driver's, too, are left to it. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams) {
  GPM_CUDART_BEGIN;
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
  default:
    return gpm_cudart_end((int)gpm_sim_cuGraphAddNode_v2(
        (CUgraphNode *)pGraphNode, (CUgraph)graph, (const CUgraphNode *)pDependencies,
        (const CUgraphEdgeData *)(const void *)dependencyData, numDependencies,
        (CUgraphNodeParams *)(void *)p));
  }
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuDeviceGraphMemTrim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
  return gpm_cudart_end(gpm_sim_graph_memory_get(device, (int)attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                           void *value) {
  return gpm_cudart_end(gpm_sim_graph_memory_set(device, (int)attr, value));
}
