/* graph.c - graphs of the driver API: they are made, copied, made executable and launched. */
#include "base/lock.h"
#include "base/object.h"
#include "driver_api/cudrv.h"

static struct gpm_sim_graph *graph_get(CUgraph graph) {
  return gpm_sim_object_get(graph, GPM_SIM_GRAPH);
}

static struct gpm_sim_graph *exec_get(CUgraphExec exec) {
  return gpm_sim_object_get(exec, GPM_SIM_EXEC);
}

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(phGraph && flags == 0);
  *phGraph = (CUgraph)gpm_sim_graph_create(GPM_SIM_GRAPH);
  return *phGraph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphDestroy(CUgraph hGraph) {
  GPM_CU_BEGIN;
  struct gpm_sim_graph *graph = graph_get(hGraph);
  GPM_CU_REQUIRE(graph);
  gpm_sim_object_destroy(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
  GPM_CU_BEGIN;
  struct gpm_sim_graph *graph = graph_get(hGraph);
  GPM_CU_REQUIRE(graph && numNodes);
  GPM_SIM_LOCKED;
  size_t found = 0;
  for (struct gpm_sim_node *n = graph->first; n; n = n->next, found++)
    if (nodes && found < *numNodes) nodes[found] = (CUgraphNode)n;
  if (!nodes || found < *numNodes) *numNodes = found;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                     unsigned long long flags) {
  GPM_CU_CONTEXT;
  struct gpm_sim_graph *graph = graph_get(hGraph);
  GPM_CU_REQUIRE(phGraphExec && graph);
  return (CUresult)gpm_sim_graph_instantiate(graph, flags, (struct gpm_sim_graph **)phGraphExec);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
  GPM_CU_REQUIRE(instantiateParams);
  CUresult error = cuGraphInstantiateWithFlags(phGraphExec, hGraph, instantiateParams->flags);
  instantiateParams->hErrNode_out = NULL;
  instantiateParams->result_out =
      error ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return error;
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
  struct gpm_sim_graph *exec = exec_get(hGraphExec);
  GPM_CU_REQUIRE(exec && flags);
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
  GPM_CU_BEGIN;
  struct gpm_sim_graph *graph = graph_get(originalGraph);
  GPM_CU_REQUIRE(phGraphClone && graph);
  return (CUresult)gpm_sim_graph_copy(graph, (struct gpm_sim_graph **)phGraphClone);
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                              CUgraphExecUpdateResultInfo *resultInfo) {
  GPM_CU_CONTEXT;
  struct gpm_sim_graph *exec = exec_get(hGraphExec), *graph = graph_get(hGraph);
  GPM_CU_REQUIRE(exec && graph && resultInfo);
  struct gpm_sim_node *wrong = NULL;
  int status = 0, error = gpm_sim_graph_update(exec, graph, &status, &wrong);
  *resultInfo =
      (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)status, (CUgraphNode)wrong, NULL};
  return (CUresult)error;
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  GPM_CU_CONTEXT;
  struct gpm_sim_graph *exec = exec_get(hGraphExec);
  GPM_CU_REQUIRE(exec);
  return (CUresult)gpm_sim_graph_upload(exec, hStream);
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  GPM_CU_CONTEXT;
  struct gpm_sim_graph *exec = exec_get(hGraphExec);
  GPM_CU_REQUIRE(exec);
  return (CUresult)gpm_sim_graph_launch(exec, hStream);
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  GPM_CU_BEGIN;
  struct gpm_sim_graph *exec = exec_get(hGraphExec);
  GPM_CU_REQUIRE(exec);
  gpm_sim_object_destroy(exec);
  return CUDA_SUCCESS;
}
