/* graph.c - graphs that are built node by node. */
#include "base/object.h"
#include "base/options.h"
#include "runtime_api/cudart.h"

#include <string.h>

static struct gpm_sim_graph *graph_get(cudaGraph_t graph) {
  return gpm_sim_object_get(graph, GPM_SIM_GRAPH);
}

static struct gpm_sim_node *node_get(cudaGraphNode_t node) {
  return gpm_sim_object_get(node, GPM_SIM_NODE);
}

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
  GPM_CUDART_REQUIRE(pGraph && flags == 0);
  *pGraph = (cudaGraph_t)gpm_sim_graph_create(GPM_SIM_GRAPH);
  return gpm_cudart_end(*pGraph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuGraphDestroy((CUgraph)graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
  struct gpm_sim_graph *g = graph_get(originalGraph);
  GPM_CUDART_REQUIRE(pGraphClone && g);
  return gpm_cudart_end(gpm_sim_graph_copy(g, (struct gpm_sim_graph **)pGraphClone));
}

/* Adds a node after the given ones. Null, with the error kept for cudaGetLastError, if the
 * arguments are wrong. */
static struct gpm_sim_node *add(cudaGraphNode_t *result, cudaGraph_t graph,
                                const cudaGraphNode_t *after, size_t count,
                                enum gpm_sim_operation operation) {
  struct gpm_sim_node *node = NULL;
  if (gpm_cudart_end(gpm_sim_graph_insert(graph, (const void *const *)after, count, operation,
                                          result ? &node : NULL)))
    return NULL;
  *result = (cudaGraphNode_t)node;
  return node;
}

static cudaError_t set_kernel(struct gpm_sim_node *node, const struct cudaKernelNodeParams *p) {
  GPM_CUDART_REQUIRE(node && p && node->operation == GPM_SIM_OP_KERNEL);
  node->data = p->func;
  const unsigned launch[8] = {p->gridDim.x,  p->gridDim.y,  p->gridDim.z,     p->blockDim.x,
                              p->blockDim.y, p->blockDim.z, p->sharedMemBytes};
  memcpy(node->launch, launch, sizeof launch);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaKernelNodeParams *pNodeParams) {
  GPM_CUDART_REQUIRE(pNodeParams);
  if (!gpm_cudart_function(pNodeParams->func))
    return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  struct gpm_sim_node *node =
      add(pGraphNode, graph, pDependencies, numDependencies, GPM_SIM_OP_KERNEL);
  return node ? set_kernel(node, pNodeParams) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *pNodeParams) {
  struct gpm_sim_node *n = node_get(node);
  GPM_CUDART_REQUIRE(n && pNodeParams && n->operation == GPM_SIM_OP_KERNEL);
  const unsigned *l = n->launch;
  *pNodeParams = (struct cudaKernelNodeParams){.func = n->data,
                                               .gridDim = {l[0], l[1], l[2]},
                                               .blockDim = {l[3], l[4], l[5]},
                                               .sharedMemBytes = l[6]};
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *pNodeParams) {
  return set_kernel(node_get(node), pNodeParams);
}

static cudaError_t set_line(struct gpm_sim_node *node, void *dst, const void *src, size_t count) {
  GPM_CUDART_REQUIRE(node && node->operation == GPM_SIM_OP_COPY);
  node->box = (struct gpm_sim_box){.to = (uintptr_t)dst,
                                   .from = (uintptr_t)src,
                                   .to_pitch = count,
                                   .from_pitch = count,
                                   .width = count,
                                   .height = 1,
                                   .depth = 1};
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind) {
  (void)kind;
  struct gpm_sim_node *node =
      add(pGraphNode, graph, pDependencies, numDependencies, GPM_SIM_OP_COPY);
  return node ? set_line(node, dst, src, count) : cudaErrorInvalidValue;
}

/* Only pitched memory is supported; arrays cannot be copied in graphs. */
static cudaError_t set_box(struct gpm_sim_node *node, const struct cudaMemcpy3DParms *p) {
  GPM_CUDART_REQUIRE(node && p && node->operation == GPM_SIM_OP_COPY);
  if (p->srcArray || p->dstArray)
    return gpm_cudart_end(gpm_sim_unsupported("a graph node that copies an array"));
  struct gpm_sim_box b = {.to_pitch = p->dstPtr.pitch,
                          .to_slice = p->dstPtr.pitch * p->dstPtr.ysize,
                          .from_pitch = p->srcPtr.pitch,
                          .from_slice = p->srcPtr.pitch * p->srcPtr.ysize,
                          .width = p->extent.width,
                          .height = p->extent.height,
                          .depth = p->extent.depth};
  b.to =
      (uintptr_t)p->dstPtr.ptr + p->dstPos.z * b.to_slice + p->dstPos.y * b.to_pitch + p->dstPos.x;
  b.from = (uintptr_t)p->srcPtr.ptr + p->srcPos.z * b.from_slice + p->srcPos.y * b.from_pitch +
           p->srcPos.x;
  node->box = b;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemcpy3DParms *pCopyParams) {
  struct gpm_sim_node *node =
      add(pGraphNode, graph, pDependencies, numDependencies, GPM_SIM_OP_COPY);
  if (!node) return cudaErrorInvalidValue;
  cudaError_t error = set_box(node, pCopyParams);
  if (error) gpm_sim_graph_remove(node);
  return error;
}

static cudaError_t set_fill(struct gpm_sim_node *node, const struct cudaMemsetParams *p) {
  GPM_CUDART_REQUIRE(node && p && node->operation == GPM_SIM_OP_FILL);
  GPM_CUDART_REQUIRE(p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
  node->box = (struct gpm_sim_box){.to = (uintptr_t)p->dst,
                                   .to_pitch = p->pitch,
                                   .width = p->width * p->elementSize,
                                   .height = p->height,
                                   .depth = 1};
  node->pattern = p->value;
  node->pattern_size = p->elementSize;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                   const struct cudaMemsetParams *pMemsetParams) {
  struct gpm_sim_node *node =
      add(pGraphNode, graph, pDependencies, numDependencies, GPM_SIM_OP_FILL);
  if (!node) return cudaErrorInvalidValue;
  cudaError_t error = set_fill(node, pMemsetParams);
  if (error) gpm_sim_graph_remove(node);
  return error;
}

static cudaError_t set_host(struct gpm_sim_node *node, const struct cudaHostNodeParams *p) {
  GPM_CUDART_REQUIRE(node && p && p->fn && node->operation == GPM_SIM_OP_HOST);
  node->host = p->fn;
  node->data = p->userData;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                 const struct cudaHostNodeParams *pNodeParams) {
  GPM_CUDART_REQUIRE(pNodeParams && pNodeParams->fn);
  struct gpm_sim_node *node =
      add(pGraphNode, graph, pDependencies, numDependencies, GPM_SIM_OP_HOST);
  return node ? set_host(node, pNodeParams) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuGraphAddChildGraphNode(
      (CUgraphNode *)pGraphNode, (CUgraph)graph, (const CUgraphNode *)pDependencies,
      numDependencies, (CUgraph)childGraph));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t *pDependencies, size_t numDependencies) {
  return add(pGraphNode, graph, pDependencies, numDependencies, GPM_SIM_OP_EMPTY)
             ? gpm_cudart_end(cudaSuccess)
             : cudaErrorInvalidValue;
}

static cudaError_t add_event(cudaGraphNode_t *result, cudaGraph_t graph,
                             const cudaGraphNode_t *after, size_t count, cudaEvent_t event,
                             enum gpm_sim_operation operation) {
  if (!gpm_sim_object_get(event, GPM_SIM_EVENT))
    return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  struct gpm_sim_node *node = add(result, graph, after, count, operation);
  if (!node) return cudaErrorInvalidValue;
  node->data = event;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies, cudaEvent_t event) {
  return add_event(pGraphNode, graph, pDependencies, numDependencies, event, GPM_SIM_OP_RECORD);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
  return add_event(pGraphNode, graph, pDependencies, numDependencies, event, GPM_SIM_OP_WAIT);
}

/* The copy of a graph's node in an executable graph; null: none. */
static struct gpm_sim_node *in_exec(cudaGraphExec_t exec, cudaGraphNode_t node) {
  struct gpm_sim_graph *e = gpm_sim_object_get(exec, GPM_SIM_EXEC);
  struct gpm_sim_node *n = node_get(node);
  for (struct gpm_sim_node *m = e && n ? e->first : NULL; m; m = m->next)
    if (m->origin == n) return m;
  return NULL;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams) {
  return set_kernel(in_exec(hGraphExec, node), pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams) {
  return set_box(in_exec(hGraphExec, node), pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind) {
  (void)kind;
  return set_line(in_exec(hGraphExec, node), dst, src, count);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams) {
  return set_fill(in_exec(hGraphExec, node), pNodeParams);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *pNodeParams) {
  return set_host(in_exec(hGraphExec, node), pNodeParams);
}
