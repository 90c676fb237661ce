/* cuda12.h - the runtime API of CUDA 12 beside that of 13. libcudart.so.12 is made of the same
 * files as libcudart.so.13, compiled with this header before them, which says what has another name
 * there, and of cuda12.c. What differs:
 *
 * A function that 13 gave parameters: the new form has a name with _v2 or _v3 in 12; cuda12.c has
 * the form without them.
 *
 * One whose structure 13 made larger: cuda12.c takes the structure of 12 and calls that of 13,
 * which has a name of our own here.
 *
 * One that 13 dropped is in cuda12.c; one that 13 added is not exported (cudart12.map).
 *
 * The driver keeps older forms beside newer ones, so one libcuda.so.1 serves both. What is
 * simulated of CUPTI is the same in both, but for the calls that only 13 has.
 */
#ifndef GPUMEMPROF_SIM_CUDA12_H
#define GPUMEMPROF_SIM_CUDA12_H

#define GPM_CUDART_VERSION 12080
#define GPM_CUPTI_VERSION 26
#define GPM_CUPTI_CALLS 754 /* in CUDA 12.4 */

/* More parameters in 13 */
#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaMemPrefetchAsync_ptsz cudaMemPrefetchAsync_v2_ptsz
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamGetCaptureInfo_ptsz cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#define cudaStreamUpdateCaptureDependencies_ptsz cudaStreamUpdateCaptureDependencies_v2_ptsz

/* Another structure in 12, under the name without a suffix */
#define cudaSignalExternalSemaphoresAsync cudaSignalExternalSemaphoresAsync_v2
#define cudaSignalExternalSemaphoresAsync_ptsz cudaSignalExternalSemaphoresAsync_v2_ptsz
#define cudaWaitExternalSemaphoresAsync cudaWaitExternalSemaphoresAsync_v2
#define cudaWaitExternalSemaphoresAsync_ptsz cudaWaitExternalSemaphoresAsync_v2_ptsz

/* Larger structures in 13 */
#define cudaGetDeviceProperties gpm_cudart13_GetDeviceProperties
#define cudaPointerGetAttributes gpm_cudart13_PointerGetAttributes
#define cudaCreateTextureObject gpm_cudart13_CreateTextureObject
#define cudaCreateSurfaceObject gpm_cudart13_CreateSurfaceObject
#define cudaGetTextureObjectResourceDesc gpm_cudart13_GetTextureObjectResourceDesc
#define cudaGetTextureObjectResourceViewDesc gpm_cudart13_GetTextureObjectResourceViewDesc
#define cudaGetSurfaceObjectResourceDesc gpm_cudart13_GetSurfaceObjectResourceDesc

#endif /* GPUMEMPROF_SIM_CUDA12_H */
