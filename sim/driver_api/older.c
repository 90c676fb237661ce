/* older.c - see older.h. */
#include "driver_api/cudrv.h"

CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                        size_t numDependencies, CUgraphNodeParams *nodeParams) {
  return cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams);
}

static CUmemLocation location_of(CUdevice device) {
  bool host = device == CU_DEVICE_CPU;
  return (CUmemLocation){host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                         host ? 0 : device};
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(devPtr, count, advice, location_of(device));
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
  return cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}
GPM_CU_ALIAS(cuMemPrefetchAsync, _ptsz);

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   size_t *numDependencies_out) {
  return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                                   NULL, numDependencies_out);
}
GPM_CU_ALIAS(cuStreamGetCaptureInfo_v2, _ptsz);
