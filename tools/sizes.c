/* sizes.c - see sizes.h. replay.c follows the blocks; what was live at a device's peak is kept as
 * the runtime keeps it: before a part's live bytes change, if its device had a new peak since. */
#include "sizes.h"

#include "command.h"
#include "history.h"
#include "memory.h"
#include "replay_state.h"

#include <stdlib.h>
#include <string.h>

static uint32_t class_of(uint64_t bytes) {
  return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

uint32_t gpm_sizes_class_of_cell(const struct gpm_reader *reader,
                                 const struct gpumemprof_capture_cell *c) {
  if (c->allocated.blocks == 1) return class_of(c->allocated.bytes);
  /* After a reset, smallest and largest are of what came later, the blocks are not. */
  if (!c->allocated.blocks || reader->header.resets) return GPM_SIZES_SEVERAL;
  uint32_t least = class_of(c->min_size), most = class_of(c->max_size);
  return least == most ? least : GPM_SIZES_SEVERAL;
}

static char *bound(uint32_t power) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return gpm_memory_format("%u %s", 1u << power % 10, units[power / 10]);
}

char *gpm_sizes_text(uint32_t class) {
  if (class >= GPM_SIZES_SEVERAL) return gpm_memory_text("(several sizes)");
  if (!class) return gpm_memory_text("0 B");
  char *from = bound(class - 1), *below = bound(class);
  char *text =
      class == 1 ? gpm_memory_text("1 B") : gpm_memory_format("%s to below %s", from, below);
  free(from);
  free(below);
  return text;
}

/* ---- from events -------------------------------------------------------------------------------
 */

struct walk {
  const struct gpm_reader *reader;
  struct gpm_sizes *sizes;
  struct gpm_replay *replay;
  struct gpm_map by_cell_and_class;
};

static struct gpm_size *part_of(struct walk *w, uint32_t cell, uint64_t bytes) {
  struct gpm_sizes *s = w->sizes;
  uint32_t class = class_of(bytes);
  uint64_t i = *gpm_map_at(&w->by_cell_and_class, (uint64_t)cell << 32 | class, s->count);
  if (i < s->count) return &s->part[i];
  if (s->count == s->room) {
    s->room = s->room ? s->room * 2 : 256;
    s->part = gpm_memory_resize(s->part, s->room, sizeof *s->part);
  }
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&w->reader->cells, cell);
  struct gpm_size *part = &s->part[s->count++];
  *part = (struct gpm_size){.cell = cell, .class = class};
  part->sums = (struct gpumemprof_capture_cell){.node = c->node,
                                                .device = c->device,
                                                .kind = c->kind,
                                                .label = c->label,
                                                .min_size = UINT64_MAX};
  return part;
}

static void add_event(struct walk *w, const struct gpm_event *e) {
  bool allocated = e->kind == GPM_EVENT_ALLOCATED, freed = e->kind == GPM_EVENT_FREED;
  if (!allocated && !freed && e->kind != GPM_EVENT_TAKEN_BACK) {
    gpm_replay_event(w->replay, e);
    return;
  }
  uint32_t cell = allocated ? e->id : w->replay->pairs[e->id].cell;
  const struct gpm_replay_cell *whole = &w->replay->cells[cell];
  uint64_t peaks = w->replay->devices[whole->device].peaks, temporary = whole->temporary_blocks;
  const struct gpm_life *life = gpm_replay_event(w->replay, e);
  if (!life) return;
  struct gpm_size *part = part_of(w, cell, life->bytes);
  struct gpumemprof_capture_cell *sums = &part->sums;
  if (part->seen_peaks != peaks) {
    part->at_peak = part->live;
    part->seen_peaks = peaks;
  }
  part->live += freed ? 0 - life->bytes : life->bytes;
  sums->temporary_blocks += whole->temporary_blocks - temporary;
  if (allocated) {
    sums->allocated.bytes += e->bytes;
    sums->allocated.blocks++;
    sums->padding += e->padding;
    if (e->bytes < sums->min_size) sums->min_size = e->bytes;
    if (e->bytes > sums->max_size) sums->max_size = e->bytes;
  } else {
    sums->freed.bytes += freed ? life->bytes : 0 - life->bytes;
    sums->freed.blocks += freed ? 1 : UINT64_MAX;
  }
}

/* ---- parts -------------------------------------------------------------------------------------
 */

static int by_cell(const void *a, const void *b) {
  const struct gpm_size *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return x->class < y->class ? -1 : x->class > y->class;
}

static bool adds_up(const struct gpm_reader *r, const struct gpumemprof_capture_cell *c,
                    const struct gpm_size *part, uint32_t count) {
  struct gpumemprof_capture_cell sums = {0};
  uint64_t at_peak = 0;
  for (uint32_t i = 0; i < count; i++) {
    sums.allocated.bytes += part[i].sums.allocated.bytes;
    sums.allocated.blocks += part[i].sums.allocated.blocks;
    sums.freed.bytes += part[i].sums.freed.bytes;
    sums.freed.blocks += part[i].sums.freed.blocks;
    sums.padding += part[i].sums.padding;
    sums.temporary_blocks += part[i].sums.temporary_blocks;
    at_peak += part[i].at_peak;
  }
  return !memcmp(&sums.allocated, &c->allocated, sizeof sums.allocated) &&
         !memcmp(&sums.freed, &c->freed, sizeof sums.freed) && sums.padding == c->padding &&
         sums.temporary_blocks == c->temporary_blocks && at_peak == gpm_profile_at_peak(r, c);
}

/* Sorts the parts and leaves out those of cells that they do not add up to. */
static void settle(struct gpm_sizes *s, const struct gpm_reader *r) {
  if (s->count) qsort(s->part, s->count, sizeof *s->part, by_cell);
  uint32_t from = 0, to = 0;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    uint32_t end = from;
    while (end < s->count && s->part[end].cell == at.number) end++;
    s->first[at.number] = to;
    if (adds_up(r, c, s->part + from, end - from))
      for (uint32_t i = from; i < end; i++) s->part[to++] = s->part[i];
    from = end;
  }
  s->first[r->cells.count] = s->count = to;
}

struct gpm_sizes *gpm_sizes_new(struct gpm_reader *reader, const struct gpm_profile *profile) {
  char error[8192];
  if (!reader->event_chunks || reader->header.resets) return NULL;
  struct gpm_history *history = gpm_history_open(reader, error, sizeof error);
  if (!history) {
    gpm_say("%s; sizes are those of the figures", error);
    return NULL;
  }
  struct walk w = {.reader = reader,
                   .sizes = gpm_memory_array(1, sizeof *w.sizes),
                   .replay = gpm_replay_new(profile)};
  w.sizes->first = gpm_memory_array(reader->cells.count + 1, sizeof *w.sizes->first);
  gpm_progress("reading the events");
  struct gpm_event e;
  while (gpm_history_next(history, &e, error, sizeof error)) add_event(&w, &e);
  if (error[0]) gpm_say("%s; sizes of what it does not tell are those of the figures", error);
  for (uint32_t i = 0; i < w.sizes->count; i++) {
    struct gpm_size *part = &w.sizes->part[i];
    if (part->seen_peaks != w.replay->devices[part->sums.device].peaks) part->at_peak = part->live;
  }
  settle(w.sizes, reader);
  gpm_history_close(history);
  gpm_replay_free(w.replay);
  gpm_map_free(&w.by_cell_and_class);
  return w.sizes;
}

void gpm_sizes_free(struct gpm_sizes *s) {
  if (!s) return;
  free(s->part);
  free(s->first);
  free(s);
}

const struct gpm_size *gpm_sizes_of_cell(const struct gpm_sizes *s, uint32_t cell,
                                         uint32_t *count) {
  *count = s->first[cell + 1] - s->first[cell];
  return s->part + s->first[cell];
}
