/* told.c - see told.h. replay.c follows the blocks; what was live at a device's peak is kept as the
 * runtime keeps it: before a part's live bytes change, if its device had a new peak since. */
#include "told.h"

#include "command.h"
#include "history.h"
#include "memory.h"
#include "replay_state.h"
#include "sizes.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

struct walk {
  const struct gpm_reader *reader;
  struct gpm_told *told;
  struct gpm_replay *replay;
  struct gpm_map parts, freed; /* (cell or pair, key) -> index */
  struct gpm_map threads;      /* number -> index */
  struct gpm_map owners;       /* address -> index of the thread that allocated its block */
};

static struct gpm_told_part *part_of(struct walk *w, uint32_t cell, uint32_t key) {
  struct gpm_told *t = w->told;
  uint64_t i = *gpm_map_at(&w->parts, (uint64_t)cell << 32 | key, t->part_count);
  if (i < t->part_count) return &t->part[i];
  if (t->part_count == t->part_room) {
    t->part_room = t->part_room ? t->part_room * 2 : 256;
    t->part = gpm_memory_resize(t->part, t->part_room, sizeof *t->part);
  }
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&w->reader->cells, cell);
  struct gpm_told_part *part = &t->part[t->part_count++];
  *part = (struct gpm_told_part){.cell = cell, .key = key};
  part->sums = (struct gpumemprof_capture_cell){.node = c->node,
                                                .device = c->device,
                                                .kind = c->kind,
                                                .label = c->label,
                                                .min_size = UINT64_MAX};
  return part;
}

static struct gpm_told_freed *freed_of(struct walk *w, uint32_t pair, uint32_t key) {
  struct gpm_told *t = w->told;
  uint64_t i = *gpm_map_at(&w->freed, (uint64_t)pair << 32 | key, t->freed_count);
  if (i < t->freed_count) return &t->freed[i];
  if (t->freed_count == t->freed_room) {
    t->freed_room = t->freed_room ? t->freed_room * 2 : 256;
    t->freed = gpm_memory_resize(t->freed, t->freed_room, sizeof *t->freed);
  }
  t->freed[t->freed_count] = (struct gpm_told_freed){.pair = pair, .key = key};
  return &t->freed[t->freed_count++];
}

static uint32_t thread_of(struct walk *w, uint32_t number) {
  struct gpm_told *t = w->told;
  uint64_t i = *gpm_map_at(&w->threads, number, t->thread_count);
  if (i == t->thread_count) {
    t->thread = gpm_memory_resize(t->thread, (size_t)i + 1, sizeof *t->thread);
    t->thread[t->thread_count++] = number;
  }
  return (uint32_t)i;
}

static uint32_t key_of(struct walk *w, const struct gpm_event *e, const struct gpm_life *life) {
  if (w->told->by == GPM_BY_SIZE) return gpm_sizes_class(life->bytes);
  uint32_t thread = thread_of(w, e->thread);
  uint64_t *owner = gpm_map_at(&w->owners, e->address, thread);
  if (e->kind == GPM_EVENT_ALLOCATED) *owner = thread;
  return (uint32_t)*owner;
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
  uint32_t key = key_of(w, e, life);
  struct gpm_told_part *part = part_of(w, cell, key);
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
    return;
  }
  uint64_t bytes = freed ? life->bytes : 0 - life->bytes, blocks = freed ? 1 : UINT64_MAX;
  struct gpm_told_freed *of_pair = freed_of(w, e->id, key);
  sums->freed.bytes += bytes;
  sums->freed.blocks += blocks;
  of_pair->freed.bytes += bytes;
  of_pair->freed.blocks += blocks;
}

/* ---- parts -------------------------------------------------------------------------------------
 */

static int by_cell(const void *a, const void *b) {
  const struct gpm_told_part *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

static int by_pair(const void *a, const void *b) {
  const struct gpm_told_freed *x = a, *y = b;
  if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

static bool adds_up(const struct gpm_reader *r, const struct gpumemprof_capture_cell *c,
                    const struct gpm_told_part *part, uint32_t count) {
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
static void settle_cells(struct gpm_told *t, const struct gpm_reader *r) {
  if (t->part_count) qsort(t->part, t->part_count, sizeof *t->part, by_cell);
  uint32_t from = 0, to = 0;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    uint32_t end = from;
    while (end < t->part_count && t->part[end].cell == at.number) end++;
    t->first_part[at.number] = to;
    if (adds_up(r, c, t->part + from, end - from))
      for (uint32_t i = from; i < end; i++) t->part[to++] = t->part[i];
    from = end;
  }
  t->first_part[r->cells.count] = t->part_count = to;
}

static void settle_pairs(struct gpm_told *t, const struct gpm_reader *r) {
  if (t->freed_count) qsort(t->freed, t->freed_count, sizeof *t->freed, by_pair);
  uint32_t from = 0, to = 0;
  struct gpm_cursor at = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_amount sum = {0};
    uint32_t end = from;
    for (; end < t->freed_count && t->freed[end].pair == at.number; end++) {
      sum.bytes += t->freed[end].freed.bytes;
      sum.blocks += t->freed[end].freed.blocks;
    }
    t->first_freed[at.number] = to;
    if (!memcmp(&sum, &p->freed, sizeof sum))
      for (uint32_t i = from; i < end; i++) t->freed[to++] = t->freed[i];
    from = end;
  }
  t->first_freed[r->pairs.count] = t->freed_count = to;
}

static void say(const char *error) {
  char *clean = gpm_text_clean(error);
  gpm_say("%s", clean);
  free(clean);
}

struct gpm_told *gpm_told_new(struct gpm_reader *reader, const struct gpm_profile *profile,
                              enum gpm_by by) {
  char error[8192];
  if (!reader->event_chunks || reader->header.resets) return NULL;
  struct gpm_history *history = gpm_history_open(reader, error, sizeof error);
  if (!history) {
    say(error);
    return NULL;
  }
  struct gpm_told *t = gpm_memory_array(1, sizeof *t);
  t->by = by;
  t->first_part = gpm_memory_array(reader->cells.count + 1, sizeof *t->first_part);
  t->first_freed = gpm_memory_array(reader->pairs.count + 1, sizeof *t->first_freed);
  struct walk w = {.reader = reader, .told = t, .replay = gpm_replay_new(profile)};
  gpm_progress("reading the events");
  struct gpm_event e;
  while (gpm_history_next(history, &e, error, sizeof error)) add_event(&w, &e);
  if (error[0]) say(error); /* what came before is told */
  for (uint32_t i = 0; i < t->part_count; i++) {
    struct gpm_told_part *part = &t->part[i];
    if (part->seen_peaks != w.replay->devices[part->sums.device].peaks) part->at_peak = part->live;
  }
  settle_cells(t, reader);
  settle_pairs(t, reader);
  gpm_history_close(history);
  gpm_replay_free(w.replay);
  struct gpm_map *maps[] = {&w.parts, &w.freed, &w.threads, &w.owners};
  for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) gpm_map_free(maps[i]);
  return t;
}

void gpm_told_free(struct gpm_told *t) {
  if (!t) return;
  free(t->thread);
  free(t->part);
  free(t->freed);
  free(t->first_part);
  free(t->first_freed);
  free(t);
}

const struct gpm_told_part *gpm_told_of_cell(const struct gpm_told *t, uint32_t cell,
                                             uint32_t *count) {
  *count = t->first_part[cell + 1] - t->first_part[cell];
  return t->part + t->first_part[cell];
}

const struct gpm_told_freed *gpm_told_of_pair(const struct gpm_told *t, uint32_t pair,
                                              uint32_t *count) {
  *count = t->first_freed[pair + 1] - t->first_freed[pair];
  return t->freed + t->first_freed[pair];
}
