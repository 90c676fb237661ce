/* capture.c - the calls that begin and end a stream's capture, and those that wait for a stream,
 * which a capture forbids.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"
#include "work/work.h"

#define ILLEGAL_STATE 401
#define CAPTURE_UNSUPPORTED 900
#define CAPTURE_INVALIDATED 901
#define CAPTURE_UNMATCHED 903

int gpm_sim_capture_begin(void *handle, int mode) {
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
  if (!stream) return GPM_SIM_INVALID_HANDLE;
  if (gpm_sim_stream_is_legacy(stream)) return CAPTURE_UNSUPPORTED;
  if (stream->capture) return ILLEGAL_STATE;
  struct gpm_sim_graph *graph = gpm_sim_graph_create(GPM_SIM_GRAPH);
  if (!graph) return GPM_SIM_OUT_OF_MEMORY;
  gpm_sim_capture_set(stream, graph, mode);
  return GPM_SIM_OK;
}

int gpm_sim_capture_end(void *handle, struct gpm_sim_graph **graph) {
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
  if (!stream) return GPM_SIM_INVALID_HANDLE;
  if (!stream->capture) return ILLEGAL_STATE;
  if (!stream->capture_id) return CAPTURE_UNMATCHED; /* it only joined */
  *graph = stream->capture;
  gpm_sim_capture_set(stream, NULL, 0);
  if (!(*graph)->spoiled) return GPM_SIM_OK;
  gpm_sim_object_destroy(*graph);
  *graph = NULL;
  return CAPTURE_INVALIDATED;
}

int gpm_sim_synchronize(void *handle) {
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
  if (!stream) return GPM_SIM_INVALID_HANDLE;
  if (stream->capture) return CAPTURE_UNSUPPORTED;
  gpm_sim_pool_synchronize();
  return GPM_SIM_OK;
}
