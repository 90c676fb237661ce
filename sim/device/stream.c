/* stream.c - streams and events, and whether a capture is under way. Work runs when it is
 * submitted, so every stream is always idle and every recorded event has passed. A stream has an
 * identity and may capture a graph; an event has a time.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/object.h"
#include "device/device.h"

#include <time.h>

#define CAPTURE_UNSUPPORTED 900
#define CAPTURED_EVENT 907
#define MODE_RELAXED 2 /* cudaStreamCaptureModeRelaxed */

/* The handles 0, 1 (legacy) and 2 (per thread) are streams that no call creates. */
static struct gpm_sim_stream legacy = {.id = 1}, per_thread = {.id = 2};

struct gpm_sim_stream *gpm_sim_stream_get(const void *handle) {
  if ((uintptr_t)handle <= 1) return &legacy;
  if ((uintptr_t)handle == 2) return &per_thread;
  return gpm_sim_object_get(handle, GPM_SIM_STREAM);
}

struct gpm_sim_stream *gpm_sim_stream_create(unsigned flags, int priority) {
  static uint64_t ids = 2;
  struct gpm_sim_stream *stream =
      gpm_sim_object_create(GPM_SIM_STREAM, sizeof *stream, gpm_sim_context_current());
  if (!stream) return NULL;
  GPM_SIM_LOCKED;
  stream->flags = flags;
  stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  stream->id = ++ids;
  return stream;
}

int gpm_sim_stream_device(const void *handle) {
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *stream = gpm_sim_stream_get(handle);
  return stream && stream->object.context ? stream->object.context->device
                                          : gpm_sim_current_device();
}

struct gpm_sim_event *gpm_sim_event_create(unsigned flags) {
  struct gpm_sim_event *event =
      gpm_sim_object_create(GPM_SIM_EVENT, sizeof *event, gpm_sim_context_current());
  if (event) event->flags = flags;
  return event;
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int gpm_sim_event_record(void *event_handle, void *stream_handle) {
  GPM_SIM_LOCKED;
  struct gpm_sim_event *event = gpm_sim_object_get(event_handle, GPM_SIM_EVENT);
  struct gpm_sim_stream *stream = gpm_sim_stream_get(stream_handle);
  if (!event || !stream) return GPM_SIM_INVALID_HANDLE;
  event->capture = stream->capture;
  if (!stream->capture) {
    event->recorded = true;
    event->time_ns = now_ns();
  }
  return GPM_SIM_OK;
}

/* A stream that waits for an event of a capturing stream joins the capture. */
int gpm_sim_event_wait(void *stream_handle, void *event_handle) {
  GPM_SIM_LOCKED;
  struct gpm_sim_event *event = gpm_sim_object_get(event_handle, GPM_SIM_EVENT);
  struct gpm_sim_stream *stream = gpm_sim_stream_get(stream_handle);
  if (!event || !stream) return GPM_SIM_INVALID_HANDLE;
  if (event->capture && gpm_sim_object_get(event->capture, GPM_SIM_GRAPH) && !stream->capture)
    stream->capture = event->capture;
  return GPM_SIM_OK;
}

int gpm_sim_event_elapsed(float *milliseconds, const void *start_handle, const void *end_handle) {
  GPM_SIM_LOCKED;
  struct gpm_sim_event *start = gpm_sim_object_get(start_handle, GPM_SIM_EVENT);
  struct gpm_sim_event *end = gpm_sim_object_get(end_handle, GPM_SIM_EVENT);
  if (!start || !end || !start->recorded || !end->recorded) return GPM_SIM_INVALID_HANDLE;
  if ((start->flags | end->flags) & 2) return GPM_SIM_INVALID_HANDLE; /* an event without timing */
  if (start->capture || end->capture) return CAPTURED_EVENT;
  *milliseconds = (float)((double)(int64_t)(end->time_ns - start->time_ns) / 1e6);
  return GPM_SIM_OK;
}

static uint64_t captures; /* under way */

int gpm_sim_capture_check(void) {
  GPM_SIM_LOCKED;
  if (!captures || gpm_sim_thread()->capture_mode == MODE_RELAXED) return GPM_SIM_OK;
  int error = GPM_SIM_OK;
  struct gpm_sim_stream *s = &per_thread;
  for (uint64_t at = 0; s; s = gpm_sim_object_next(at, GPM_SIM_STREAM)) {
    if (s != &per_thread) at = s->object.range.start + 1;
    if (!s->capture || s->capture_mode == MODE_RELAXED) continue;
    s->capture->spoiled = true;
    error = CAPTURE_UNSUPPORTED;
  }
  return error;
}

void gpm_sim_capture_set(struct gpm_sim_stream *stream, struct gpm_sim_graph *graph, int mode) {
  static uint64_t ids;
  GPM_SIM_LOCKED;
  struct gpm_sim_graph *before = stream->capture;
  stream->capture = graph;
  if (graph) {
    stream->capture_id = ++ids;
    stream->capture_mode = mode;
    captures++;
    return;
  }
  stream->capture_id = 0;
  struct gpm_sim_stream *other;
  for (uint64_t at = 0; (other = gpm_sim_object_next(at, GPM_SIM_STREAM));
       at = other->object.range.start + 1)
    if (other->capture == before) other->capture = NULL;
  captures--;
}

bool gpm_sim_stream_is_legacy(const struct gpm_sim_stream *stream) {
  return stream == &legacy;
}
