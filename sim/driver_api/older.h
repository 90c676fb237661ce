/* older.h - forms of the driver's functions that CUDA 13 replaced and CUDA 12 programs call. */
#ifndef GPUMEMPROF_SIM_OLDER_H
#define GPUMEMPROF_SIM_OLDER_H

#include "cuda.h"

#undef cuGraphAddNode
#undef cuMemAdvise
#undef cuMemPrefetchAsync
CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                        size_t numDependencies, CUgraphNodeParams *nodeParams);
CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   size_t *numDependencies_out);

#endif /* GPUMEMPROF_SIM_OLDER_H */
