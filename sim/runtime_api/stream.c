/* stream.c - streams, events, callbacks and host functions of the runtime API. */
#include "base/lock.h"
#include "base/object.h"
#include "runtime_api/cudart.h"

#include <string.h>

static cudaError_t create(cudaStream_t *result, unsigned flags, int priority) {
  GPM_CUDART_REQUIRE(result && !(flags & ~1u));
  GPM_CUDART_BEGIN;
  struct gpm_sim_stream *stream = gpm_sim_stream_create(flags, priority);
  if (!stream) return gpm_cudart_end(cudaErrorMemoryAllocation);
  *result = (cudaStream_t)stream;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
  return create(pStream, 0, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
  return create(pStream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
  return create(pStream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  struct gpm_sim_stream *s = gpm_sim_object_get(stream, GPM_SIM_STREAM);
  if (!s) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  gpm_sim_object_destroy(s);
  return gpm_cudart_end(cudaSuccess);
}

/* Declares `s`, or returns an error if the handle is invalid. */
#define STREAM(handle)                                                                             \
  struct gpm_sim_stream *s = gpm_sim_stream_get(handle);                                           \
  if (!s) return gpm_cudart_end(cudaErrorInvalidResourceHandle)

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
  GPM_CUDART_REQUIRE(priority);
  STREAM(hStream);
  *priority = s->priority;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamGetPriority, _ptsz);

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
  GPM_CUDART_REQUIRE(flags);
  STREAM(hStream);
  *flags = s->flags;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
  GPM_CUDART_REQUIRE(streamId);
  STREAM(hStream);
  *streamId = s->id;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamGetId, _ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
  GPM_CUDART_REQUIRE(device);
  STREAM(hStream);
  (void)s;
  *device = gpm_sim_stream_device(hStream);
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamGetDevice, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  if (!gpm_sim_stream_get(dst) || !gpm_sim_stream_get(src))
    return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamCopyAttributes, _ptsz);

/* Attributes have no effect, because they only tune work on the device. */
cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out) {
  GPM_CUDART_REQUIRE(value_out);
  STREAM(hStream);
  memset(value_out, 0, sizeof *value_out);
  if (attr == cudaLaunchAttributePriority) value_out->priority = s->priority;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value) {
  GPM_CUDART_REQUIRE(value);
  STREAM(hStream);
  if (attr == cudaLaunchAttributePriority) s->priority = value->priority;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  GPM_CUDART_REQUIRE(!(flags & ~1u));
  return gpm_cudart_end(gpm_sim_event_wait(stream, event));
}
GPM_CUDART_ALIAS(cudaStreamWaitEvent, _ptsz);

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_synchronize(stream));
}
GPM_CUDART_ALIAS(cudaStreamSynchronize, _ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  STREAM(stream);
  return gpm_cudart_end(s->capture ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamQuery, _ptsz);

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                     unsigned int flags) {
  (void)length, (void)flags;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find((uintptr_t)devPtr);
  if (!gpm_sim_stream_get(stream)) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  GPM_CUDART_REQUIRE(block && block->kind == GPM_SIM_MANAGED_MEMORY);
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamAttachMemAsync, _ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags) {
  GPM_CUDART_REQUIRE(callback && flags == 0);
  STREAM(stream);
  if (s->capture) return gpm_cudart_end(cudaErrorStreamCaptureUnsupported);
  callback(stream, cudaSuccess, userData);
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamAddCallback, _ptsz);

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
  GPM_CUDART_REQUIRE(fn);
  GPM_CUDART_BEGIN;
  struct gpm_sim_node call = {.operation = GPM_SIM_OP_HOST, .host = fn, .data = userData};
  return gpm_cudart_end(gpm_sim_submit(stream, &call));
}
GPM_CUDART_ALIAS(cudaLaunchHostFunc, _ptsz);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  GPM_CUDART_REQUIRE(event && !(flags & ~7u));
  GPM_CUDART_BEGIN;
  struct gpm_sim_event *made = gpm_sim_event_create(flags);
  if (!made) return gpm_cudart_end(cudaErrorMemoryAllocation);
  *event = (cudaEvent_t)made;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return gpm_cudart_end(gpm_sim_event_record(event, stream));
}
GPM_CUDART_ALIAS(cudaEventRecord, _ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  GPM_CUDART_REQUIRE(!(flags & ~1u));
  return cudaEventRecord(event, stream);
}
GPM_CUDART_ALIAS(cudaEventRecordWithFlags, _ptsz);

static struct gpm_sim_event *event_get(cudaEvent_t event) {
  return gpm_sim_object_get(event, GPM_SIM_EVENT);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return gpm_cudart_end(event_get(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!event_get(event)) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  gpm_sim_pool_synchronize();
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  struct gpm_sim_event *e = event_get(event);
  if (!e) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  gpm_sim_object_destroy(e);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  GPM_CUDART_REQUIRE(ms);
  return gpm_cudart_end(gpm_sim_event_elapsed(ms, start, end));
}
