/* split.c - see split.h. replay.c follows the blocks. Whatever an event changes in a cell is
 * changed in the part that its block belongs to as well. split_store.c makes cells from the parts.
 */
#include "events/split_state.h"
#include "support/progress.h"

#include "events/listeners.h"
#include "model/sizes.h"
#include "support/text.h"

#include <stdlib.h>

/* ---- parts -------------------------------------------------------------------------------------
 */

static struct gpm_part *part_of(struct gpm_splitting *t, uint32_t cell, uint32_t key,
                                unsigned flags) {
  uint64_t code = (uint64_t)cell << 32 | key << 3 | flags;
  uint64_t i = *gpm_map_at(&t->by_code, code, t->part_count);
  if (i < t->part_count) return &t->part[i];
  if (t->part_count == t->part_room) {
    t->part_room = t->part_room ? t->part_room * 2 : 256;
    t->part = gpm_memory_resize(t->part, t->part_room, sizeof *t->part);
  }
  struct gpm_part *part = &t->part[t->part_count++];
  *part = (struct gpm_part){.cell = cell, .key = key, .flags = flags};
  part->sums.min_size = UINT64_MAX;
  return part;
}

static struct gpm_part_freed *freed_of(struct gpm_splitting *t, uint32_t pair, uint32_t part) {
  uint64_t i = *gpm_map_at(&t->by_pair, (uint64_t)pair << 32 | part, t->freed_count);
  if (i < t->freed_count) return &t->freed[i];
  if (t->freed_count == t->freed_room) {
    t->freed_room = t->freed_room ? t->freed_room * 2 : 256;
    t->freed = gpm_memory_resize(t->freed, t->freed_room, sizeof *t->freed);
  }
  t->freed[t->freed_count] = (struct gpm_part_freed){.pair = pair, .part = part};
  return &t->freed[t->freed_count++];
}

static uint32_t thread_of(struct gpm_splitting *t, uint32_t number) {
  struct gpm_split *a = t->split;
  uint64_t i = *gpm_map_at(&t->threads, number, a->thread_count);
  if (i == a->thread_count) {
    a->thread = gpm_memory_resize(a->thread, (size_t)i + 1, sizeof *a->thread);
    a->thread[a->thread_count++] = number;
  }
  return (uint32_t)i;
}

static struct gpm_part *part_of_block(struct gpm_splitting *t, const struct gpm_life *life) {
  uint32_t key = t->split->by == GPM_BY_SIZE     ? gpm_sizes_class(life->bytes)
                 : t->split->by == GPM_BY_THREAD ? thread_of(t, life->thread)
                                                 : 0;
  unsigned flags = GPM_SPLIT_KNOWN;
  if (t->begun && life->clock <= t->replay->since) flags |= GPM_SPLIT_OLDER;
  if (t->patterns && !gpm_patterns_take(t->patterns, life->bytes)) flags |= GPM_SPLIT_OUTSIDE;
  return part_of(t, life->cell, key, flags);
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void add_amount(struct gpumemprof_capture_amount *to,
                       const struct gpumemprof_capture_amount *before,
                       const struct gpumemprof_capture_amount *now) {
  to->bytes += now->bytes - before->bytes;
  to->blocks += now->blocks - before->blocks;
}

/* Adds what the event changed in the cell. */
static void add_change(struct gpumemprof_capture_cell *sums, const struct gpm_replay_cell *before,
                       const struct gpm_replay_cell *now) {
  add_amount(&sums->allocated, &before->allocated, &now->allocated);
  add_amount(&sums->freed, &before->freed, &now->freed);
  sums->padding += now->padding - before->padding;
  sums->temporary_blocks += now->temporary_blocks - before->temporary_blocks;
  sums->lifetime_clock += now->lifetime_clock - before->lifetime_clock;
  sums->lifetime_ticks += now->lifetime_ticks - before->lifetime_ticks;
  sums->timed_blocks += now->timed_blocks - before->timed_blocks;
}

/* Changes the live blocks of a part, after it has kept what the part held at the device's peak. */
static void move(struct gpm_part *part, uint64_t peaks, const struct gpm_event *e,
                 const struct gpm_life *life) {
  if (part->seen_peaks != peaks) {
    part->sums.at_peak = part->live;
    part->seen_peaks = peaks;
  }
  bool freed = e->kind == GPM_EVENT_FREED;
  part->live.bytes += freed ? 0 - life->bytes : life->bytes;
  part->live.blocks += freed ? UINT64_MAX : 1;
  if (e->kind != GPM_EVENT_ALLOCATED) return;
  if (e->bytes < part->sums.min_size) part->sums.min_size = e->bytes;
  if (e->bytes > part->sums.max_size) part->sums.max_size = e->bytes;
}

static void count_allocation(struct gpm_splitting *t, uint32_t device) {
  t->split->allocations[0][device] += t->waiting;
  t->split->allocations[1][device]++;
}

static void add_event(struct gpm_splitting *t, const struct gpm_event *e) {
  bool allocated = e->kind == GPM_EVENT_ALLOCATED;
  if (allocated) count_allocation(t, t->replay->cells[e->id].device);
  if (!allocated && e->kind != GPM_EVENT_FREED && e->kind != GPM_EVENT_TAKEN_BACK) {
    gpm_replay_event(t->replay, e);
    return;
  }
  const struct gpm_replay_cell *cell =
      &t->replay->cells[allocated ? e->id : t->replay->pairs[e->id].cell];
  struct gpm_replay_cell before = *cell;
  struct gpumemprof_capture_amount freed = {0};
  if (!allocated) freed = t->replay->pairs[e->id].freed;
  uint64_t peaks = t->replay->devices[before.device].peaks;
  const struct gpm_life *life = gpm_replay_event(t->replay, e);
  if (!life) return;
  struct gpm_part *part = part_of_block(t, life);
  move(part, peaks, e, life);
  add_change(&part->sums, &before, cell);
  if (allocated) return;
  /* It was freed before the window, and that free failed: the block was live when the window began.
   */
  if (e->kind == GPM_EVENT_TAKEN_BACK && life->freed <= t->replay->since) {
    part->sums.allocated.bytes += life->bytes;
    part->sums.allocated.blocks++;
    return;
  }
  struct gpm_part_freed *f = freed_of(t, e->id, (uint32_t)(part - t->part));
  add_amount(&f->freed, &freed, &t->replay->pairs[e->id].freed);
}

/* Begins the window: the blocks that are live now are older than the window. */
static void begin(struct gpm_splitting *t) {
  gpm_replay_begin(t->replay, t->latest, t->latest_ticks);
  t->waiting = false;
  t->begun = true;
  t->part_count = t->freed_count = 0;
  gpm_map_free(&t->by_code);
  gpm_map_free(&t->by_pair);
  for (size_t i = 0; i < t->replay->life_count; i++) {
    const struct gpm_life *life = &t->replay->addresses[i];
    if (!life->live) continue;
    struct gpm_part *part = part_of_block(t, life);
    struct gpumemprof_capture_amount *sums[] = {&part->sums.allocated, &part->live,
                                                &part->sums.at_peak};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
      sums[k]->bytes += life->bytes;
      sums[k]->blocks++;
    }
    part->seen_peaks = t->replay->devices[t->replay->cells[life->cell].device].peaks;
  }
}

static void open_events(void *self) {
  ((struct gpm_splitting *)self)->opened = true;
}

static bool on_event(void *self, const struct gpm_event *e) {
  struct gpm_splitting *t = self;
  const struct gpm_window *w = &t->split->window;
  uint64_t time = gpm_reader_time_ns(t->reader, e->ticks);
  if (gpm_window_is_behind(w, e->clock, time)) {
    t->ended_early = true;
    return false;
  }
  if (t->waiting && !gpm_window_is_before(w, e->clock, time)) begin(t);
  t->latest = e->clock;
  t->latest_ticks = e->ticks;
  add_event(t, e);
  return true;
}

static bool read_events(struct gpm_splitting *t, char *error, size_t error_size) {
  struct gpm_listener listener = {.self = t, .begin = open_events, .event = on_event};
  t->waiting = t->split->window.from.given != NULL;
  gpm_host_doing(t->reader->host, "reading the events");
  bool read = gpm_listeners_read(t->reader, &listener, 1, error, error_size);
  if (!t->opened) return false;
  if (t->waiting) begin(t);
  t->split->first_clock = t->replay->since + 1;
  t->split->last_clock = t->latest;
  return read;
}

/* ---- what is possible --------------------------------------------------------------------------
 */

/* Returns why not all events are there, as the end of a sentence; or null. */
static const char *why_not_all(const struct gpm_reader *r) {
  const uint64_t *counters = r->header.counters;
  if (!r->event_chunks) return "has no events; record it with GPUMEMPROF_OPTIONS=history=all";
  if (r->header.resets)
    return "reset its figures (gpumemprof_reset), and what was live then is in no event; "
           "record it without resets";
  if (counters[GPUMEMPROF_COUNTER_events_overwritten])
    return "holds the latest events only (history=ring); record it with history=all";
  if (gpm_reader_has_part_of_history(r))
    return "holds the events of a part of the run (the program switched them with "
           "gpumemprof_history); record it with history=all from its start";
  return NULL;
}

/* Returns false after it reported what is missing. *useful: there are events to read. */
static bool can_be(const struct gpm_reader *r, const struct gpm_split_request *request,
                   bool *useful) {
  bool window = gpm_window_is_given(&request->window), thread = request->by == GPM_BY_THREAD;
  const char *why = why_not_all(r);
  *useful = r->event_chunks && !r->header.resets;
  if (!why || (!window && (*useful || !thread))) return true;
  char *path = gpm_text_clean(r->path);
  gpm_host_say(r->host, "%s%s %s", path,
               window ? ": a part of its run is not known: it" : " does not record threads: it",
               why);
  free(path);
  return false;
}

/* True if the report is not possible without split cells. Sizes do not need them, as cells know
 * them in part. */
static bool is_needed(const struct gpm_split_request *request) {
  return request->by == GPM_BY_THREAD || gpm_window_is_given(&request->window);
}

static bool is_asked(const struct gpm_split_request *request) {
  return gpm_by_needs_events(request->by) || gpm_window_is_given(&request->window) ||
         (request->patterns && gpm_patterns_have_sizes(request->patterns));
}

static void drop(struct gpm_splitting *t) {
  struct gpm_map *maps[] = {&t->by_code, &t->by_pair, &t->threads};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) gpm_map_free(maps[i]);
  free(t->part);
  free(t->freed);
  gpm_replay_free(t->replay);
}

static void free_split(struct gpm_split *a) {
  if (!a) return;
  free(a->key);
  free(a->flags);
  free(a->whole_cell);
  free(a->whole_pair);
  for (unsigned i = 0; i < 2; i++) free(a->allocations[i]);
  free(a->thread);
  free(a);
}

bool gpm_split_make(struct gpm_reader *reader, const struct gpm_split_request *request) {
  bool useful;
  if (!is_asked(request)) return true;
  if (!can_be(reader, request, &useful)) return false;
  if (!useful) return gpm_patterns_decide(request->patterns, reader);
  struct gpm_window window = request->window;
  if (!gpm_window_find(&window, reader)) return false;
  struct gpm_split *a = gpm_memory_array(1, sizeof *a);
  *a = (struct gpm_split){.by = gpm_by_needs_events(request->by) ? request->by : GPM_BY_COUNT,
                          .is_part = gpm_window_is_given(&window),
                          .window = window};
  for (unsigned i = 0; i < 2; i++)
    a->allocations[i] = gpm_memory_array(reader->device_count, sizeof *a->allocations[i]);
  struct gpm_filter all = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  struct gpm_profile *profile = gpm_profile_new(reader, &all);
  struct gpm_splitting t = {.reader = reader,
                            .split = a,
                            .patterns =
                                request->patterns && gpm_patterns_have_sizes(request->patterns)
                                    ? request->patterns
                                    : NULL,
                            .replay = gpm_replay_new(profile)};
  a->patterns = t.patterns;
  char error[8192] = "";
  bool read = read_events(&t, error, sizeof error);
  if (!read) { /* the events before the damage serve for the whole run, but not for a window */
    char *clean = gpm_text_clean(error);
    gpm_host_say(reader->host, "%s", clean);
    free(clean);
    reader->events_failed = true;
  }
  bool stored = t.opened && (read || !a->is_part);
  if (stored) gpm_split_store(&t);
  reader->free_split = free_split;
  if (stored) reader->split = a;
  else free_split(a);
  drop(&t);
  gpm_profile_free(profile);
  return (stored || !is_needed(request)) && gpm_patterns_decide(request->patterns, reader);
}
