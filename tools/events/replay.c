/* replay.c - see replay.h. replay_compare.c compares the result with the capture. */
#include "events/replay_state.h"

#include <stdlib.h>
#include <string.h>

struct gpm_replay *gpm_replay_new(const struct gpm_profile *profile) {
  const struct gpm_reader *r = profile->reader;
  struct gpm_replay *p = gpm_memory_array(1, sizeof *p);
  p->profile = profile;
  p->cells = gpm_memory_array(r->cells.count, sizeof *p->cells);
  p->pairs = gpm_memory_array(r->pairs.count, sizeof *p->pairs);
  p->lines = gpm_memory_array(r->lines.count, sizeof *p->lines);
  p->nodes = gpm_memory_array(r->nodes.count, sizeof *p->nodes);
  p->devices = gpm_memory_array(r->device_count, sizeof *p->devices);
  for (uint32_t i = 0; i < r->device_count; i++) p->devices[i].peak_node = GPUMEMPROF_NONE;
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    struct gpm_replay_cell *cell = &p->cells[cells.number];
    *cell = (struct gpm_replay_cell){.node = c->node, .device = c->device, .line = GPUMEMPROF_NONE};
    const struct gpumemprof_capture_node *node = gpm_reader_record(&r->nodes, c->node);
    if (node->site != GPUMEMPROF_NONE && c->kind != GPUMEMPROF_KIND_CUSTOM)
      cell->line = gpm_reader_site(r, node->site)->line_id;
  }
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));) {
    p->pairs[pairs.number].cell = q->cell;
    p->pairs[pairs.number].node = q->free_node;
  }
  return p;
}

void gpm_replay_free(struct gpm_replay *p) {
  for (size_t i = 0; i < p->thread_count; i++) free(p->threads[i].open);
  free(p->threads);
  gpm_map_free(&p->thread_of);
  gpm_map_free(&p->life_of);
  free(p->addresses);
  free(p->then);
  free(p->cells);
  free(p->pairs);
  free(p->lines);
  free(p->nodes);
  free(p->devices);
  free(p);
}

struct gpm_replay_thread *gpm_replay_thread(struct gpm_replay *p, uint32_t number) {
  uint64_t i = *gpm_map_at(&p->thread_of, number, p->thread_count);
  if (i == p->thread_count) {
    p->threads = gpm_memory_resize(p->threads, p->thread_count + 1, sizeof *p->threads);
    p->threads[p->thread_count++] = (struct gpm_replay_thread){.latest_node = GPUMEMPROF_NONE};
  }
  return &p->threads[i];
}

/* ---- a moment ---------------------------------------------------------------------------------
 */

void gpm_replay_mark(struct gpm_replay *p) {
  if (p->then_room < p->life_room) {
    p->then = gpm_memory_resize(p->then, p->life_room, sizeof *p->then);
    memset(p->then + p->then_room, 0, (p->life_room - p->then_room) * sizeof *p->then);
    p->then_room = p->life_room;
  }
  p->then_count = p->life_count;
  p->moment++;
}

static struct gpm_replay_then now(const struct gpm_replay *p, size_t i) {
  const struct gpm_life *l = &p->addresses[i];
  return (struct gpm_replay_then){p->moment, l->bytes, l->clock, l->cell, l->thread, l->live};
}

/* Copies a block that is about to change, if a moment was marked (gpm_replay_mark). */
static void keep(struct gpm_replay *p, size_t i) {
  if (i < p->then_count && p->then[i].moment != p->moment) p->then[i] = now(p, i);
}

struct gpm_replay_then gpm_replay_then(const struct gpm_replay *p, size_t i) {
  return p->then[i].moment == p->moment ? p->then[i] : now(p, i);
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static struct gpm_life *life_of(struct gpm_replay *p, uint64_t address) {
  uint64_t i = *gpm_map_at(&p->life_of, address, p->life_count);
  if (i == p->life_count) {
    if (p->life_count == p->life_room) {
      p->life_room = p->life_room ? p->life_room * 2 : 1024;
      p->addresses = gpm_memory_resize(p->addresses, p->life_room, sizeof *p->addresses);
    }
    p->addresses[p->life_count++] = (struct gpm_life){0};
  }
  keep(p, i);
  return &p->addresses[i];
}

/* ---- scopes -----------------------------------------------------------------------------------
 */

/* Opens the scopes on the path of a call that are not yet open in the thread. */
static void open_scopes(struct gpm_replay *p, struct gpm_replay_thread *t, uint32_t node,
                        uint64_t clock) {
  if (t->latest_node == node) return;
  t->latest_node = node;
  size_t depth = 0, known = t->depth;
  for (uint32_t n = node; n; n = p->profile->tree.node[n].parent)
    depth += gpm_profile_has_activations(p->profile, n);
  if (depth < known) { /* scopes of another thread, which handed its work over */
    p->delegated = true;
    return;
  }
  if (depth > t->room) {
    t->room = depth * 2;
    t->open = gpm_memory_resize(t->open, t->room, sizeof *t->open);
  }
  size_t i = depth;
  for (uint32_t n = node; n; n = p->profile->tree.node[n].parent) {
    if (!gpm_profile_has_activations(p->profile, n)) continue;
    if (--i >= known) t->open[i] = (struct gpm_replay_scope){.node = n, .since = clock};
    else if (t->open[i].node != n) p->delegated = true;
  }
  t->depth = depth;
}

/* True for events outside of every scope: of variables, and while recording was paused. */
static bool has_no_scope(const struct gpm_replay *p, uint32_t node) {
  while (node && !gpm_profile_is_scope(p->profile, node)) node = p->profile->tree.node[node].parent;
  return !node;
}

static void charge_scopes(struct gpm_replay *p, struct gpm_replay_thread *t, uint32_t node,
                          uint32_t device, uint64_t bytes, uint64_t clock) {
  if (p->delegated || has_no_scope(p, node)) return;
  open_scopes(p, t, node, clock);
  bool split = p->profile->reader->devices[device].ordinal < 0;
  for (size_t i = 0; i < t->depth && !p->delegated; i++) {
    struct gpm_replay_scope *s = &t->open[i];
    s->moved = true;
    if (split) continue;
    s->net += (int64_t)bytes;
    if (s->net > s->peak) s->peak = s->net;
  }
}

static void end_scope(struct gpm_replay *p, struct gpm_replay_thread *t) {
  const struct gpm_replay_scope *s = &t->open[--t->depth];
  struct gpm_replay_node *n = &p->nodes[s->node];
  t->latest_node = GPUMEMPROF_NONE;
  if (!s->moved) return;
  n->active_calls++;
  n->own_peak_sum += (uint64_t)s->peak;
  if ((uint64_t)s->peak > n->own_peak_max) n->own_peak_max = (uint64_t)s->peak;
}

static void scope_ended(struct gpm_replay *p, struct gpm_replay_thread *t, uint32_t node) {
  if (p->delegated) return;
  if (t->depth && t->open[t->depth - 1].node == node) end_scope(p, t);
  else p->delegated = true;
}

void gpm_replay_end_scopes_of(struct gpm_replay *p, struct gpm_replay_thread *t, size_t left) {
  while (t->depth > left) end_scope(p, t);
}

void gpm_replay_end_scopes(struct gpm_replay *p) {
  for (size_t i = 0; i < p->thread_count; i++) gpm_replay_end_scopes_of(p, &p->threads[i], 0);
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

/* Adds one block, or -1, to what the cell holds, after it has kept what that was at the peak. */
static void move(struct gpm_replay *p, struct gpm_replay_cell *c, uint64_t bytes, int blocks) {
  struct gpm_replay_device *d = &p->devices[c->device];
  if (c->seen_peaks != d->peaks) {
    c->at_peak = c->live;
    c->blocks_at_peak = c->live_blocks;
    c->seen_peaks = d->peaks;
  }
  c->live += bytes;
  c->live_blocks += (uint64_t)(int64_t)blocks;
  d->total += bytes;
  if (c->line != GPUMEMPROF_NONE) {
    struct gpm_replay_line *l = &p->lines[c->line];
    l->live += bytes;
    if (l->live > l->live_peak) l->live_peak = l->live;
  }
}

static void notice_peak(struct gpm_replay_device *d, const struct gpm_event *e, uint32_t node) {
  if (d->total <= d->peak) return;
  d->peak = d->total;
  d->peak_clock = e->clock;
  d->peak_ticks = e->ticks;
  d->peak_node = node;
  d->peaks++;
}

static const struct gpm_life *allocated(struct gpm_replay *p, struct gpm_replay_thread *t,
                                        const struct gpm_event *e) {
  struct gpm_replay_cell *c = &p->cells[e->id];
  struct gpm_life *life = life_of(p, e->address);
  *life = (struct gpm_life){.bytes = e->bytes,
                            .clock = e->clock,
                            .ticks = e->ticks,
                            .cell = e->id,
                            .thread = e->thread,
                            .generation = life->generation + 1,
                            .live = true};
  p->cells[e->first].left |= e->first != e->id;
  if (!c->allocated.blocks || e->bytes < c->min_size) c->min_size = e->bytes;
  if (e->bytes > c->max_size) c->max_size = e->bytes;
  c->allocated.bytes += e->bytes;
  c->allocated.blocks++;
  c->padding += e->padding;
  move(p, c, e->bytes, 1);
  notice_peak(&p->devices[c->device], e, c->node);
  charge_scopes(p, t, c->node, c->device, e->bytes, e->clock);
  t->temporary = e->address;
  return life;
}

static const struct gpm_life *freed(struct gpm_replay *p, struct gpm_replay_thread *t,
                                    const struct gpm_event *e) {
  struct gpm_replay_pair *pair = &p->pairs[e->id];
  struct gpm_life *life = life_of(p, e->address);
  bool temporary = t->temporary == e->address;
  t->temporary = 0;
  if (!life->live || life->cell != pair->cell) {
    p->incomplete = true;
    return NULL;
  }
  struct gpm_replay_cell *c = &p->cells[life->cell];
  life->live = false;
  life->freed = e->clock;
  pair->freed.bytes += life->bytes;
  pair->freed.blocks++;
  c->freed.bytes += life->bytes;
  c->freed.blocks++;
  move(p, c, 0 - life->bytes, -1);
  if (!pair->node) return life; /* its free was not recorded: no freeing line, no lifetime */
  life->was_temporary = temporary;
  life->lifetime = e->clock - life->clock;
  life->time = e->ticks - life->ticks;
  c->temporary_blocks += temporary;
  c->lifetime_clock += life->lifetime;
  c->lifetime_ticks += life->time;
  c->timed_blocks++;
  charge_scopes(p, t, pair->node, c->device, 0 - life->bytes, e->clock);
  return life;
}

static const struct gpm_life *taken_back(struct gpm_replay *p, struct gpm_replay_thread *t,
                                         const struct gpm_event *e) {
  struct gpm_replay_pair *pair = &p->pairs[e->id];
  struct gpm_life *life = life_of(p, e->address);
  if (life->live || !life->generation) {
    p->incomplete = true;
    return NULL;
  }
  struct gpm_replay_cell *c = &p->cells[life->cell];
  life->live = true;
  if (life->freed > p->since) {
    pair->freed.bytes -= life->bytes;
    pair->freed.blocks--;
    c->freed.bytes -= life->bytes;
    c->freed.blocks--;
    c->temporary_blocks -= life->was_temporary;
    c->lifetime_clock -= life->lifetime;
    c->lifetime_ticks -= life->time;
    c->timed_blocks -= pair->node != 0;
  }
  move(p, c, life->bytes, 1);
  notice_peak(&p->devices[c->device], e, c->node);
  charge_scopes(p, t, pair->node, c->device, life->bytes, e->clock);
  return life;
}

void gpm_replay_begin(struct gpm_replay *p, uint64_t clock, uint64_t ticks) {
  const struct gpm_reader *r = p->profile->reader;
  p->since = clock;
  for (uint64_t i = 0; i < r->cells.count; i++) {
    struct gpm_replay_cell *c = &p->cells[i];
    *c = (struct gpm_replay_cell){.node = c->node,
                                  .device = c->device,
                                  .line = c->line,
                                  .live = c->live,
                                  .live_blocks = c->live_blocks,
                                  .at_peak = c->live,
                                  .blocks_at_peak = c->live_blocks,
                                  .seen_peaks = p->devices[c->device].peaks};
  }
  for (uint64_t i = 0; i < r->pairs.count; i++)
    p->pairs[i].freed = (struct gpumemprof_capture_amount){0};
  for (uint64_t i = 0; i < r->lines.count; i++) p->lines[i].live_peak = p->lines[i].live;
  for (uint64_t i = 0; i < r->nodes.count; i++) p->nodes[i] = (struct gpm_replay_node){0};
  for (uint32_t i = 0; i < r->device_count; i++) {
    struct gpm_replay_device *d = &p->devices[i];
    *d = (struct gpm_replay_device){.total = d->total,
                                    .peak = d->total,
                                    .peak_clock = clock,
                                    .peak_ticks = ticks,
                                    .peaks = d->peaks,
                                    .peak_node = GPUMEMPROF_NONE};
  }
  for (size_t i = 0; i < p->thread_count; i++) {
    struct gpm_replay_thread *t = &p->threads[i];
    t->temporary = 0;
    for (size_t k = 0; k < t->depth; k++) {
      t->open[k].net = t->open[k].peak = 0;
      t->open[k].moved = false;
    }
  }
}

const struct gpm_life *gpm_replay_event(struct gpm_replay *p, const struct gpm_event *e) {
  struct gpm_replay_thread *t = gpm_replay_thread(p, e->thread);
  switch (e->kind) {
  case GPM_EVENT_ALLOCATED:
    return allocated(p, t, e);
  case GPM_EVENT_FREED:
    return freed(p, t, e);
  case GPM_EVENT_TAKEN_BACK:
    return taken_back(p, t, e);
  case GPM_EVENT_SCOPE_ENDED:
    scope_ended(p, t, e->id);
    return NULL;
  case GPM_EVENT_USED:
    return NULL;
  case GPM_EVENT_FAILED:
    p->nodes[e->id].failed_calls++;
    p->nodes[e->id].failed_bytes += e->bytes;
    p->nodes[e->id].oom_calls += e->out_of_memory;
    return NULL;
  }
  return NULL;
}
