/* export_memory_viz.c - writes a snapshot as torch.cuda.memory._snapshot makes it, for memory_viz.
 *
 * The viewer wants each address within a segment, so each block of CUDA is written as a segment
 * with one block. An allocation becomes segment_alloc and alloc; a free becomes free_requested,
 * free_completed and segment_free. The format has one list of events for each device, one
 * after the other, so the history is read once for each GPU: one walk for all of them would have to
 * keep the events of all but the first. The blocks that are live at the end are the segments. The
 * format has no host memory.
 */
#include "events/walk.h"
#include "export/export.h"

#include "export/pickle.h"
#include "rows/locations.h"

#include <stdlib.h>

struct viz {
  const struct gpm_export *x;
  struct gpm_pickle p;
  uint32_t *frames; /* by node: the number of its list in the pickle, plus 1; 0: not written yet */
  uint32_t *frame;  /* the same for each frame */
  uint32_t *what;   /* the same for the text of the allocation, by node; NONE: unknown */
  uint32_t device;  /* the record whose trace is written */
  struct gpm_walk_block *live; /* at the end of the run, of GPUs */
  size_t live_count;
};

static void write_frame(struct viz *v, uint32_t frame) {
  if (v->frame[frame] && !v->p.json) {
    gpm_pickle_repeat(&v->p, v->frame[frame] - 1);
    return;
  }
  char *function = gpm_frames_function(v->x->frames, frame);
  char *file = gpm_frames_file(v->x->frames, frame);
  gpm_pickle_dict(&v->p);
  gpm_pickle_key(&v->p, "name");
  gpm_pickle_text(&v->p, function);
  gpm_pickle_key(&v->p, "filename");
  gpm_pickle_text(&v->p, file);
  gpm_pickle_key(&v->p, "line");
  gpm_pickle_number(&v->p, gpm_frames_line(v->x->frames, frame));
  gpm_pickle_close(&v->p);
  if (!v->p.json) v->frame[frame] = gpm_pickle_keep(&v->p) + 1;
  free(function);
  free(file);
}

static void write_frames(struct viz *v, uint32_t node) {
  gpm_pickle_key(&v->p, "frames");
  if (v->frames[node] && !v->p.json) {
    gpm_pickle_repeat(&v->p, v->frames[node] - 1);
    return;
  }
  gpm_pickle_list(&v->p);
  uint32_t count = gpm_frames_path(v->x->frames, node);
  for (uint32_t i = 0; i < count; i++) write_frame(v, v->x->frames->stack[i]);
  gpm_pickle_close(&v->p);
  if (!v->p.json) v->frames[node] = gpm_pickle_keep(&v->p) + 1;
}

static void write_number(struct viz *v, const char *key, uint64_t number) {
  gpm_pickle_key(&v->p, key);
  gpm_pickle_number(&v->p, number);
}

/* ---- traces -----------------------------------------------------------------------------------
 */

/* Writes "float *grid = n * sizeof(float)" as user_metadata, which the viewer shows with the
 * block. */
static void write_what(struct viz *v, uint32_t node) {
  if (v->what[node] == GPUMEMPROF_NONE) return;
  char *text = NULL;
  if (!v->what[node] || v->p.json) {
    text = gpm_locations_allocation(v->x->reader, v->x->profile->site[node]);
    if (!*text) v->what[node] = GPUMEMPROF_NONE;
  }
  if (v->what[node] != GPUMEMPROF_NONE) {
    gpm_pickle_key(&v->p, "user_metadata");
    if (text) gpm_pickle_text(&v->p, text);
    else gpm_pickle_repeat(&v->p, v->what[node] - 1);
    if (text && !v->p.json) v->what[node] = gpm_pickle_keep(&v->p) + 1;
  }
  free(text);
}

/* In the format 0 is the default stream. Blocks without a stream, and those of streams that were
 * not recorded separately, get it too. */
static uint64_t stream_of(const struct viz *v, uint32_t cell) {
  const struct gpm_reader *r = v->x->reader;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, cell);
  if (!c->stream) return 0;
  const struct gpumemprof_capture_stream *s = gpm_reader_record(&r->streams, c->stream - 1);
  return s->handle == 1 || s->handle == GPUMEMPROF_STREAM_OTHERS ? 0 : s->handle;
}

static void write_entry(struct viz *v, const struct gpm_step *s, const char *action,
                        const char *address_key, uint64_t address, uint64_t size) {
  gpm_pickle_dict(&v->p);
  gpm_pickle_key(&v->p, "action");
  gpm_pickle_word(&v->p, action);
  write_number(v, address_key, address);
  write_number(v, "size", size);
  write_number(v, "stream", s->block ? stream_of(v, s->block->cell) : 0);
  write_number(v, "time_us", (v->x->reader->header.start_realtime_ns + s->time_ns) / 1000);
  write_frames(v, s->node);
  if (s->event.kind == GPM_EVENT_ALLOCATED) write_what(v, s->node);
  gpm_pickle_close(&v->p);
}

static void write_actions(struct viz *v, const struct gpm_step *s, bool ends) {
  static const char *const begun[] = {"segment_alloc", "alloc", NULL};
  static const char *const ended[] = {"free_requested", "free_completed", "segment_free", NULL};
  for (const char *const *action = ends ? ended : begun; *action; action++)
    write_entry(v, s, *action, "addr", s->block->unique_address, s->block->bytes);
}

/* The event of a failed allocation does not say which device it was for, so the device is taken
 * from the record of the failure. */
static void write_failure(struct viz *v, const struct gpm_step *s) {
  struct gpm_cursor at = {.records = &v->x->reader->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));)
    if (o->node == s->node && o->clock == s->event.clock && o->thread == s->event.thread &&
        o->device == v->device) {
      write_entry(v, s, "oom", "device_free", o->memory_free, s->event.bytes);
      return;
    }
}

static bool write_step(void *self, const struct gpm_step *s) {
  struct viz *v = self;
  if (s->event.kind == GPM_EVENT_FAILED) write_failure(v, s);
  else if (s->block && s->block->device == v->device)
    write_actions(v, s, s->event.kind == GPM_EVENT_FREED);
  return true;
}

/* ---- segments ---------------------------------------------------------------------------------
 */

static void write_segment(struct viz *v, const struct gpm_walk_block *b) {
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&v->x->reader->cells, b->cell);
  uint64_t requested = b->bytes - b->padding;
  gpm_pickle_dict(&v->p);
  write_number(v, "device", (uint64_t)v->x->reader->devices[b->device].ordinal);
  write_number(v, "address", b->unique_address);
  write_number(v, "total_size", b->bytes);
  write_number(v, "stream", stream_of(v, b->cell));
  gpm_pickle_key(&v->p, "segment_type");
  gpm_pickle_word(&v->p, "large");
  gpm_pickle_key(&v->p, "is_expandable");
  gpm_pickle_false(&v->p);
  write_number(v, "allocated_size", b->bytes);
  write_number(v, "active_size", b->bytes);
  write_number(v, "requested_size", requested);
  write_frames(v, c->node);
  gpm_pickle_key(&v->p, "blocks");
  gpm_pickle_list(&v->p);
  gpm_pickle_dict(&v->p);
  write_number(v, "address", b->unique_address);
  write_number(v, "size", b->bytes);
  write_number(v, "requested_size", requested);
  gpm_pickle_key(&v->p, "state");
  gpm_pickle_word(&v->p, "active_allocated");
  write_frames(v, c->node);
  gpm_pickle_close(&v->p);
  gpm_pickle_close(&v->p);
  gpm_pickle_close(&v->p);
}

/* Keeps the blocks that are live at the end of the walk, which are written as segments behind the
 * traces. */
static void keep_live(void *self, const struct gpm_blocks *blocks) {
  struct viz *v = self;
  free(v->live);
  v->live = gpm_memory_array(blocks->count, sizeof *v->live);
  v->live_count = 0;
  for (size_t i = 0; i < blocks->count; i++) {
    const struct gpm_walk_block *b = &blocks->block[i];
    if (b->live && v->x->reader->devices[b->device].ordinal >= 0) v->live[v->live_count++] = *b;
  }
}

static void write_segments(struct viz *v) {
  gpm_pickle_key(&v->p, "segments");
  gpm_pickle_list(&v->p);
  for (size_t i = 0; i < v->live_count; i++) write_segment(v, &v->live[i]);
  gpm_pickle_close(&v->p);
}

/* Returns the record of a GPU, or NONE. */
static uint32_t record_of(const struct gpm_reader *r, int ordinal) {
  for (uint32_t i = 0; i < r->device_count; i++)
    if (r->devices[i].ordinal == ordinal) return i;
  return GPUMEMPROF_NONE;
}

static bool export(const struct gpm_export *x, bool json) {
  enum { MOST_GPUS = 4096 }; /* a damaged capture may claim any number */
  struct viz v = {.x = x};
  struct gpm_listener listener = {
      .self = &v, .profile = x->profile, .step = write_step, .blocks = keep_live};
  int last = -1;
  bool ok = true;
  for (uint32_t i = 0; i < x->reader->device_count; i++)
    if (x->reader->devices[i].ordinal > last && x->reader->devices[i].ordinal < MOST_GPUS)
      last = x->reader->devices[i].ordinal;
  v.frames = gpm_memory_array(x->profile->node_count, sizeof *v.frames);
  v.frame = gpm_memory_array(x->frames->keys.count, sizeof *v.frame);
  v.what = gpm_memory_array(x->profile->node_count, sizeof *v.what);
  gpm_pickle_begin(&v.p, x->file, json);
  gpm_pickle_dict(&v.p);
  gpm_pickle_key(&v.p, "device_traces");
  gpm_pickle_list(&v.p);
  for (int ordinal = 0; ok && ordinal <= last; ordinal++) {
    v.device = record_of(x->reader, ordinal);
    gpm_pickle_list(&v.p);
    if (v.device != GPUMEMPROF_NONE) ok = gpm_walk_read(x->reader, &listener, 1);
    gpm_pickle_close(&v.p);
  }
  gpm_pickle_close(&v.p);
  write_segments(&v);
  gpm_pickle_close(&v.p);
  gpm_pickle_finish(&v.p);
  free(v.frames);
  free(v.frame);
  free(v.what);
  free(v.live);
  return ok;
}

bool gpm_export_memory_viz(const struct gpm_export *x) {
  return export(x, false);
}

bool gpm_export_memory_viz_json(const struct gpm_export *x) {
  return export(x, true);
}
