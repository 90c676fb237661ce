/* graph_memory.c - memory that graphs allocate and free, through the driver API. */
#include "base/object.h"
#include "driver_api/cudrv.h"

static struct gpm_sim_node *node_get(CUgraphNode node) {
  return gpm_sim_object_get(node, GPM_SIM_NODE);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams) {
  GPM_CU_CONTEXT;
  struct gpm_sim_graph *graph = gpm_sim_object_get(hGraph, GPM_SIM_GRAPH);
  GPM_CU_REQUIRE(phGraphNode && graph && nodeParams && (dependencies || !numDependencies));
  for (size_t i = 0; i < numDependencies; i++) GPM_CU_REQUIRE(node_get(dependencies[i]));
  const CUmemPoolProps *properties = &nodeParams->poolProps;
  GPM_CU_REQUIRE(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED && nodeParams->bytesize);
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  struct gpm_sim_node *node = NULL;
  int error = gpm_sim_heap_allocate(graph, properties->location.id, nodeParams->bytesize, &node);
  if (error) return (CUresult)error;
  node->after = numDependencies ? node_get(dependencies[0]) : NULL;
  nodeParams->dptr = node->box.to;
  *phGraphNode = (CUgraphNode)node;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out) {
  GPM_CU_BEGIN;
  struct gpm_sim_node *node = node_get(hNode);
  GPM_CU_REQUIRE(node && params_out && node->operation == GPM_SIM_OP_ALLOCATE);
  *params_out = (CUDA_MEM_ALLOC_NODE_PARAMS){
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, gpm_sim_heap_device(node->heap)}},
      .bytesize = node->box.width,
      .dptr = node->box.to};
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                               const CUgraphNode *dependencies, size_t numDependencies,
                               CUdeviceptr dptr) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_graph_insert_free(hGraph, (const void *const *)dependencies,
                                             numDependencies, dptr,
                                             (struct gpm_sim_node **)phGraphNode);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out) {
  GPM_CU_BEGIN;
  struct gpm_sim_node *node = node_get(hNode);
  GPM_CU_REQUIRE(node && dptr_out && node->operation == GPM_SIM_OP_FREE);
  *dptr_out = node->box.to;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_graph_memory_trim(device);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_graph_memory_get(device, (int)attr, value);
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_graph_memory_set(device, (int)attr, value);
}
