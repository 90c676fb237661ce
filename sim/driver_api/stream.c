/* stream.c - streams, events and graphs of the driver API. */
#include "base/lock.h"
#include "base/object.h"
#include "driver_api/cudrv.h"

#include <string.h>

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(phStream && !(flags & ~1u));
  *phStream = (CUstream)gpm_sim_stream_create(flags, priority);
  return *phStream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) {
  return cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
  GPM_CU_BEGIN;
  struct gpm_sim_stream *s = gpm_sim_object_get(hStream, GPM_SIM_STREAM);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_object_destroy(s);
  return CUDA_SUCCESS;
}

/* Declares `s`, or returns an error if the handle is invalid. */
#define STREAM(handle)                                                                             \
  GPM_CU_CONTEXT;                                                                                  \
  struct gpm_sim_stream *s = gpm_sim_stream_get(handle);                                           \
  if (!s) return CUDA_ERROR_INVALID_HANDLE

CUresult cuStreamGetPriority(CUstream hStream, int *priority) {
  STREAM(hStream);
  GPM_CU_REQUIRE(priority);
  *priority = s->priority;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamGetPriority, _ptsz);

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
  STREAM(hStream);
  GPM_CU_REQUIRE(flags);
  *flags = s->flags;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamGetFlags, _ptsz);

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
  STREAM(hStream);
  GPM_CU_REQUIRE(streamId);
  *streamId = s->id;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamGetId, _ptsz);

static struct gpm_sim_context *context_of(const struct gpm_sim_stream *s) {
  return s->object.context ? s->object.context : gpm_sim_context_current();
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
  STREAM(hStream);
  GPM_CU_REQUIRE(pctx);
  *pctx = (CUcontext)context_of(s);
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamGetCtx, _ptsz);

CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device) {
  STREAM(hStream);
  GPM_CU_REQUIRE(device);
  *device = context_of(s)->device;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamGetDevice, _ptsz);

CUresult cuStreamSynchronize(CUstream hStream) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_synchronize(hStream);
}
GPM_CU_ALIAS(cuStreamSynchronize, _ptsz);

CUresult cuStreamQuery(CUstream hStream) {
  STREAM(hStream);
  return s->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamQuery, _ptsz);

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(!(Flags & ~1u));
  return (CUresult)gpm_sim_event_wait(hStream, hEvent);
}
GPM_CU_ALIAS(cuStreamWaitEvent, _ptsz);

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                             unsigned int flags) {
  STREAM(hStream);
  GPM_CU_REQUIRE(callback && flags == 0);
  if (s->capture) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  callback(hStream, CUDA_SUCCESS, userData);
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamAddCallback, _ptsz);

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
  (void)length, (void)flags;
  STREAM(hStream);
  (void)s;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(dptr);
  GPM_CU_REQUIRE(block && block->kind == GPM_SIM_MANAGED_MEMORY);
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamAttachMemAsync, _ptsz);

static CUresult write_value(CUstream stream, CUdeviceptr addr, uint64_t value, size_t size) {
  STREAM(stream);
  (void)s;
  uint64_t available = 0;
  void *bytes = gpm_sim_bytes(addr, &available);
  GPM_CU_REQUIRE(bytes && available >= size && addr % size == 0);
  memcpy(bytes, &value, size); /* little-endian */
  return CUDA_SUCCESS;
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  (void)flags;
  return write_value(stream, addr, value, 4);
}
GPM_CU_ALIAS(cuStreamWriteValue32_v2, _ptsz);

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  (void)flags;
  return write_value(stream, addr, value, 8);
}
GPM_CU_ALIAS(cuStreamWriteValue64_v2, _ptsz);

/* A wait for a value that was not written would never end, so the value counts as written. */
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  (void)value, (void)flags;
  STREAM(stream);
  (void)s;
  uint64_t available = 0;
  GPM_CU_REQUIRE(gpm_sim_bytes(addr, &available) && available >= 4);
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamWaitValue32_v2, _ptsz);

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return cuStreamWaitValue32_v2(stream, addr, (cuuint32_t)value, flags);
}
GPM_CU_ALIAS(cuStreamWaitValue64_v2, _ptsz);

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(phEvent && !(Flags & ~7u));
  *phEvent = (CUevent)gpm_sim_event_create(Flags);
  return *phEvent ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_event_record(hEvent, hStream);
}
GPM_CU_ALIAS(cuEventRecord, _ptsz);

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  GPM_CU_REQUIRE(!(flags & ~1u));
  return cuEventRecord(hEvent, hStream);
}
GPM_CU_ALIAS(cuEventRecordWithFlags, _ptsz);

static struct gpm_sim_event *event_get(CUevent event) {
  return gpm_sim_object_get(event, GPM_SIM_EVENT);
}

CUresult cuEventQuery(CUevent hEvent) {
  GPM_CU_BEGIN;
  return event_get(hEvent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventSynchronize(CUevent hEvent) {
  GPM_CU_BEGIN;
  if (!event_get(hEvent)) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_pool_synchronize();
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  GPM_CU_BEGIN;
  struct gpm_sim_event *event = event_get(hEvent);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_object_destroy(event);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pMilliseconds);
  return (CUresult)gpm_sim_event_elapsed(pMilliseconds, hStart, hEnd);
}
#undef cuEventElapsedTime /* the older name is exported, too */
extern __typeof__(cuEventElapsedTime_v2) cuEventElapsedTime
    __attribute__((alias("cuEventElapsedTime_v2")));

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  return (CUresult)gpm_sim_capture_begin(hStream, (int)mode);
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(phGraph);
  return (CUresult)gpm_sim_capture_end(hStream, (struct gpm_sim_graph **)phGraph);
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  STREAM(hStream);
  GPM_CU_REQUIRE(captureStatus);
  *captureStatus = s->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamIsCapturing, _ptsz);

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out,
                                   const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out) {
  CUresult error = cuStreamIsCapturing(hStream, captureStatus_out);
  if (error) return error;
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *s = gpm_sim_stream_get(hStream);
  if (edgeData_out) *edgeData_out = NULL;
  if (!s->capture) return CUDA_SUCCESS;
  if (id_out) *id_out = s->capture_id;
  if (graph_out) *graph_out = (CUgraph)s->capture;
  if (dependencies_out) *dependencies_out = (const CUgraphNode *)(void *)&s->capture->last;
  if (numDependencies_out) *numDependencies_out = s->capture->last != NULL;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuStreamGetCaptureInfo_v3, _ptsz);

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  GPM_CU_REQUIRE(mode && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  struct gpm_sim_thread *thread = gpm_sim_thread();
  int before = thread->capture_mode;
  thread->capture_mode = (int)*mode;
  *mode = (CUstreamCaptureMode)before;
  return CUDA_SUCCESS;
}
