/* export_dhat.c - writes version 2 of DHAT's JSON, for valgrind's dh_view.html.
 *
 * Time is the allocation clock: an allocation or a free is one unit. Without the events, only the
 * lifetimes of freed blocks are known. The capture does not record how much of a call path was ever
 * live at once, so `mb` is the largest known value: at the device's peak, at the end, or of one
 * block.
 */
#include "export/clean_text.h"
#include "export/export.h"
#include "export/path_sums.h"
#include "model/split_cells.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct point {   /* of a stack */
  uint32_t node; /* the first call path with this stack */
  uint64_t bytes, blocks, lifetimes, peak_bytes, peak_blocks, end_bytes, end_blocks, largest;
};

struct points {
  const struct gpm_export *x;
  struct point *point;
  uint64_t count, room;
  struct gpm_map by_hash; /* finds the point of a stack by its hash */
  uint32_t *stack;        /* the stack that is searched for */
};

/* Several call paths may have the same frames, and dh_view refuses a stack that occurs twice. */
static uint64_t point_of(struct points *p, uint32_t node) {
  struct gpm_frames *frames = p->x->frames;
  uint32_t count = gpm_frames_path(frames, node);
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++) {
    p->stack[i] = frames->stack[i];
    hash = gpm_map_mix(hash ^ frames->stack[i]);
  }
  for (;; hash++) {
    uint64_t at = *gpm_map_at(&p->by_hash, hash, p->count);
    if (at == p->count) break;
    if (gpm_frames_path(frames, p->point[at].node) == count &&
        !memcmp(frames->stack, p->stack, count * sizeof *p->stack))
      return at;
  }
  if (p->count == p->room) {
    p->room = p->room ? p->room * 2 : 256;
    p->point = gpm_memory_resize(p->point, p->room, sizeof *p->point);
  }
  p->point[p->count] = (struct point){.node = node};
  return p->count++;
}

static void sum_points(struct points *points) {
  const struct gpm_export *x = points->x;
  uint64_t *of_node = gpm_memory_array(x->profile->node_count, sizeof *of_node); /* and 1 */
  struct gpm_cursor cells = {.records = &x->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    if (!x->profile->cell_shown[cells.number]) continue;
    if (!of_node[c->node]) of_node[c->node] = point_of(points, c->node) + 1;
    struct point *p = &points->point[of_node[c->node] - 1];
    if (!gpm_split_is_older(x->reader, cells.number)) {
      p->bytes += c->allocated.bytes;
      p->blocks += c->allocated.blocks;
    }
    p->lifetimes += c->lifetime_clock;
    p->peak_bytes += gpm_profile_at_peak(x->reader, c);
    p->peak_blocks += gpm_export_blocks_at_peak(x, c);
    p->end_bytes += c->allocated.bytes - c->freed.bytes;
    p->end_blocks += c->allocated.blocks - c->freed.blocks;
    if (c->min_size <= c->max_size && c->max_size > p->largest) p->largest = c->max_size;
  }
  free(of_node);
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void write_point(const struct gpm_export *x, const struct point *p, bool first) {
  uint64_t most = larger(larger(p->peak_bytes, p->end_bytes), p->largest);
  uint64_t most_blocks = larger(larger(p->peak_blocks, p->end_blocks), 1);
  fprintf(x->file,
          "%s\n{\"tb\":%" PRIu64 ",\"tbk\":%" PRIu64 ",\"tl\":%" PRIu64 ",\"mb\":%" PRIu64
          ",\"mbk\":%" PRIu64 ",\"gb\":%" PRIu64 ",\"gbk\":%" PRIu64 ",\"eb\":%" PRIu64
          ",\"ebk\":%" PRIu64 ",\"fs\":[",
          first ? "" : ",", p->bytes, p->blocks, p->lifetimes, most, most_blocks, p->peak_bytes,
          p->peak_blocks, p->end_bytes, p->end_blocks);
  uint32_t count = gpm_frames_path(x->frames, p->node);
  for (uint32_t i = 0; i < count; i++)
    fprintf(x->file, "%s%" PRIu32, i ? "," : "", x->frames->stack[i] + 1);
  fputs("]}", x->file);
}

/* Writes the clock at the end of the run and at the peak of the GPU with the highest peak. */
static void write_times(const struct gpm_export *x, const struct points *points) {
  uint64_t end = 0, peak = 0, at = 0;
  for (uint64_t i = 0; i < points->count; i++)
    end += 2 * points->point[i].blocks - points->point[i].end_blocks;
  for (uint32_t i = 0; i < x->reader->device_count; i++) {
    const struct gpumemprof_capture_device *d = &x->reader->devices[i];
    end = larger(end, d->peak_clock);
    if (d->ordinal < 0 || d->peak <= peak) continue;
    peak = d->peak;
    at = d->peak_clock;
  }
  fprintf(x->file, ",\"te\":%" PRIu64 ",\"tg\":%" PRIu64, end, at);
}

bool gpm_export_dhat(const struct gpm_export *x) {
  struct points points = {.x = x};
  points.stack = gpm_memory_array(GPM_FRAMES_MOST, sizeof *points.stack);
  sum_points(&points);
  char *command = gpm_export_command(x);
  fputs("{\"dhatFileVersion\":2,\"mode\":\"gpumemprof\",\"verb\":\"Allocated\",\"bklt\":true,"
        "\"bkacc\":false,\"bu\":\"byte\",\"bsu\":\"bytes\",\"bksu\":\"blocks\",\"tu\":\"events\","
        "\"Mtu\":\"Mevents\",\"tuth\":2,\n\"cmd\":",
        x->file);
  gpm_export_quote(x->file, command);
  fprintf(x->file, ",\"pid\":%" PRIu64, x->reader->header.pid);
  write_times(x, &points);
  fputs(",\n\"pps\":[", x->file);
  for (uint64_t i = 0; i < points.count; i++) write_point(x, &points.point[i], !i);
  fputs("],\n\"ftbl\":[\"[root]\"", x->file);
  for (uint32_t i = 0; i < x->frames->keys.count; i++) {
    char *text = gpm_frames_text(x->frames, i);
    fputs(",\n", x->file);
    gpm_export_quote(x->file, text);
    free(text);
  }
  fputs("]}\n", x->file);
  free(command);
  free(points.point);
  free(points.stack);
  gpm_map_free(&points.by_hash);
  return true;
}
