/* replay_compare.c - compares the figures of a capture with those computed from its events. */
#include "events/replay_state.h"

#include <inttypes.h>
#include <stdlib.h>

struct comparison {
  const struct gpm_replay *replay;
  struct gpm_replay_result result;
};

static void compare(struct comparison *c, const char *record, uint64_t id, const char *figure,
                    uint64_t capture, uint64_t events) {
  if (capture == events) return;
  if (!c->result.differences++)
    c->result.first = gpm_memory_format("%s %" PRIu64 ": %s: %" PRIu64 " in the capture, %" PRIu64
                                        " by its events",
                                        record, id, figure, capture, events);
}

static void compare_amount(struct comparison *c, const char *record, uint64_t id, const char *bytes,
                           const char *blocks, const struct gpumemprof_capture_amount *capture,
                           const struct gpumemprof_capture_amount *events) {
  compare(c, record, id, bytes, capture->bytes, events->bytes);
  compare(c, record, id, blocks, capture->blocks, events->blocks);
}

/* Of blocks that got a name elsewhere later, the runtime forgets the sizes when the cell has no
 * other block (named_blocks.c). */
static bool may_have_more_sizes(const struct gpumemprof_capture_cell *capture,
                                const struct gpm_replay_cell *events) {
  return events->left && events->allocated.blocks && capture->min_size <= events->min_size &&
         capture->max_size >= events->max_size;
}

static void compare_cells(struct comparison *c) {
  const struct gpm_reader *r = c->replay->profile->reader;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *cell; (cell = gpm_cursor_next(&at));) {
    const struct gpm_replay_cell *mine = &c->replay->cells[at.number];
    const struct gpm_replay_device *device = &c->replay->devices[mine->device];
    uint64_t id = at.number;
    compare_amount(c, "cell", id, "bytes allocated", "blocks allocated", &cell->allocated,
                   &mine->allocated);
    compare_amount(c, "cell", id, "bytes freed", "blocks freed", &cell->freed, &mine->freed);
    compare(c, "cell", id, "padding", cell->padding, mine->padding);
    if (!may_have_more_sizes(cell, mine)) {
      bool none = !mine->allocated.blocks && cell->min_size == UINT64_MAX;
      compare(c, "cell", id, "smallest block", none ? 0 : cell->min_size, mine->min_size);
      compare(c, "cell", id, "largest block", cell->max_size, mine->max_size);
    }
    compare(c, "cell", id, "lifetimes", cell->lifetime_clock, mine->lifetime_clock);
    compare(c, "cell", id, "temporary blocks", cell->temporary_blocks, mine->temporary_blocks);
    compare(c, "cell", id, "at peak", gpm_profile_at_peak(r, cell),
            mine->seen_peaks == device->peaks ? mine->at_peak : mine->live);
  }
}

static void compare_pairs(struct comparison *c) {
  struct gpm_cursor at = {.records = &c->replay->profile->reader->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&at));)
    compare_amount(c, "pair", at.number, "bytes freed", "blocks freed", &p->freed,
                   &c->replay->pairs[at.number].freed);
}

/* By how much a line's live peak may differ. A thread takes the clock of an event and changes the
 * line's sum under the lock of one device, so on one device the sum follows the clock. On several
 * it need not: each of the other threads may have taken a clock and not have changed the sum yet,
 * with one event each. */
struct line_room {
  uint32_t device;
  bool several;
  uint64_t largest;
};

static struct line_room *rooms_of(const struct gpm_replay *p) {
  const struct gpm_reader *r = p->profile->reader;
  struct line_room *rooms = gpm_memory_array(r->lines.count, sizeof *rooms);
  for (uint64_t i = 0; i < r->lines.count; i++) rooms[i].device = GPUMEMPROF_NONE;
  for (uint64_t i = 0; i < r->cells.count; i++) {
    const struct gpm_replay_cell *c = &p->cells[i];
    if (c->line == GPUMEMPROF_NONE) continue;
    struct line_room *room = &rooms[c->line];
    if (room->device == GPUMEMPROF_NONE) room->device = c->device;
    room->several |= room->device != c->device;
    if (c->max_size > room->largest) room->largest = c->max_size;
  }
  return rooms;
}

static bool within(uint64_t capture, uint64_t events, uint64_t room) {
  return (capture > events ? capture - events : events - capture) <= room;
}

static void compare_lines(struct comparison *c) {
  const struct gpm_reader *r = c->replay->profile->reader;
  uint64_t others = r->header.counters[GPUMEMPROF_COUNTER_threads];
  if (others) others--;
  struct line_room *rooms = rooms_of(c->replay);
  struct gpm_cursor at = {.records = &r->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&at));) {
    const struct gpm_replay_line *mine = &c->replay->lines[at.number];
    const struct line_room *room = &rooms[at.number];
    compare(c, "line", at.number, "live bytes", l->live, mine->live);
    if (!room->several || !within(l->live_peak, mine->live_peak, others * room->largest))
      compare(c, "line", at.number, "live peak", l->live_peak, mine->live_peak);
  }
  free(rooms);
}

static void compare_devices(struct comparison *c) {
  const struct gpm_reader *r = c->replay->profile->reader;
  for (uint32_t i = 0; i < r->device_count; i++) {
    const struct gpm_replay_device *d = &c->replay->devices[i];
    compare(c, "device", i, "total", r->devices[i].total, d->total);
    compare(c, "device", i, "peak", r->devices[i].peak, d->peak);
    compare(c, "device", i, "clock of the peak", r->devices[i].peak_clock, d->peak_clock);
    compare(c, "device", i, "location of the peak", r->devices[i].peak_node, d->peak_node);
  }
}

/* The activations that ended, together with those that the reader has ended. */
static struct gpm_replay_node *nodes_of(const struct gpm_profile *p) {
  struct gpm_replay_node *nodes = gpm_memory_array(p->node_count, sizeof *nodes);
  struct gpm_cursor at = {.records = &p->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    nodes[at.number] = (struct gpm_replay_node){n->active_calls, n->own_peak_sum, n->own_peak_max,
                                                n->failed_calls, n->failed_bytes, n->oom_calls};
  for (size_t i = 0; i < p->ended_count; i++) {
    const struct gpm_ended_scope *e = &p->ended[i];
    if (!e->moved) continue;
    struct gpm_replay_node *n = &nodes[e->node];
    n->active_calls++;
    n->own_peak_sum += e->own_peak;
    if (e->own_peak > n->own_peak_max) n->own_peak_max = e->own_peak;
  }
  return nodes;
}

static void compare_nodes(struct comparison *c, bool scopes) {
  struct gpm_replay_node *nodes = nodes_of(c->replay->profile);
  for (uint32_t i = 0; i < c->replay->profile->node_count; i++) {
    const struct gpm_replay_node *mine = &c->replay->nodes[i];
    compare(c, "call path", i, "failed calls", nodes[i].failed_calls, mine->failed_calls);
    compare(c, "call path", i, "failed bytes", nodes[i].failed_bytes, mine->failed_bytes);
    compare(c, "call path", i, "out of memory", nodes[i].oom_calls, mine->oom_calls);
    if (!scopes) continue;
    compare(c, "call path", i, "active calls", nodes[i].active_calls, mine->active_calls);
    compare(c, "call path", i, "sum of own peaks", nodes[i].own_peak_sum, mine->own_peak_sum);
    compare(c, "call path", i, "own peak", nodes[i].own_peak_max, mine->own_peak_max);
  }
  free(nodes);
}

/* For a figure that only grows: by how much the capture is ahead of the events; UINT64_MAX if it is
 * behind. */
static uint64_t further(uint64_t capture, uint64_t events) {
  return capture < events ? UINT64_MAX : capture - events;
}

/* Adds such differences; a sum that is UINT64_MAX stays so. */
static void add_further(uint64_t *sum, uint64_t more) {
  *sum = *sum == UINT64_MAX || more == UINT64_MAX ? UINT64_MAX : *sum + more;
}

/* An allocation updates the smallest and the largest size before it counts itself. */
static bool size_is_further(const struct gpumemprof_capture_cell *capture,
                            const struct gpm_replay_cell *events) {
  if (may_have_more_sizes(capture, events)) return false;
  return capture->max_size > events->max_size || capture->min_size < events->min_size ||
         (capture->min_size && !events->allocated.blocks);
}

/* Returns how many allocations, frees and failures are in the figures and not in the history;
 * UINT64_MAX if the history has some that the figures lack. Each is counted in the figure that the
 * ledger writes first. A free that is taken back lowers the figure of its pair, so a pair may
 * differ in both directions. */
static uint64_t calls_ahead(const struct gpm_replay *p) {
  const struct gpm_reader *r = p->profile->reader;
  uint64_t ahead = 0;
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    const struct gpm_replay_cell *mine = &p->cells[cells.number];
    uint64_t blocks = further(c->allocated.blocks, mine->allocated.blocks);
    add_further(&ahead, blocks ? blocks : size_is_further(c, mine));
  }
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));) {
    uint64_t mine = p->pairs[pairs.number].freed.blocks;
    add_further(&ahead, q->freed.blocks > mine ? q->freed.blocks - mine : mine - q->freed.blocks);
  }
  struct gpm_cursor nodes = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&nodes));)
    add_further(&ahead, further(n->failed_calls, p->nodes[nodes.number].failed_calls));
  return ahead;
}

/* The number of events that are in the figures and not in the history; UINT64_MAX if this does not
 * explain the differences. The scopes that such an event opened come with it; without any, the
 * differences are scopes that were about to end. */
static uint64_t events_ahead(const struct gpm_replay *p) {
  uint64_t calls = calls_ahead(p), scopes = 0;
  if (calls) return calls;
  struct gpm_replay_node *nodes = nodes_of(p->profile);
  for (uint32_t i = 0; i < p->profile->node_count; i++)
    scopes += nodes[i].active_calls > p->nodes[i].active_calls;
  free(nodes);
  return scopes;
}

struct gpm_replay_result gpm_replay_compare(struct gpm_replay *p) {
  const struct gpumemprof_capture_header *h = &p->profile->reader->header;
  if (!p->delegated) gpm_replay_end_scopes(p);
  struct comparison c = {.replay = p};
  compare_cells(&c);
  compare_pairs(&c);
  compare_lines(&c);
  compare_devices(&c);
  compare_nodes(&c, !p->delegated);
  c.result.scopes = !p->delegated;
  bool ended = h->flags & GPUMEMPROF_CAPTURE_COMPLETE && !gpm_reader_went_on(p->profile->reader);
  if (!c.result.differences || ended) return c.result;
  uint64_t ahead = events_ahead(p);
  bool copy = h->flags & GPUMEMPROF_CAPTURE_DUMP; /* figures changed while the dump was written */
  if (copy ? ahead == UINT64_MAX : !ahead || ahead > h->counters[GPUMEMPROF_COUNTER_threads])
    return c.result;
  free(c.result.first);
  if (copy) return (struct gpm_replay_result){.went_on = true, .scopes = c.result.scopes};
  return (struct gpm_replay_result){.ahead = ahead, .scopes = c.result.scopes};
}
