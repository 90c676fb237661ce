/* settle.c - completes the events that were in progress when a program was killed, or when its
 * capture was read while it runs.
 *
 * An event changes several sums, one after the other; a kill in between leaves some of them one
 * event ahead. Two are primary, each changed by one store: what a cell allocated, and what a pair
 * freed. The others are made again from those: freed bytes of cells, live bytes of lines and
 * devices, totals, and the peak if the total has just passed it.
 *
 * reader.c calls it for captures whose program did not end by itself. At most one event per thread
 * can be under way in one that ended: where more is wrong, nothing is touched and conserve.c says
 * so.
 */
#include "capture/reader.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* The cast is safe: the reader owns this memory. */
static struct gpumemprof_capture_cell *cell_at(const struct gpumemprof_capture_cell *cell) {
  return (struct gpumemprof_capture_cell *)(uintptr_t)cell;
}

static struct gpumemprof_capture_amount *freed_by_cell(const struct gpm_reader *r) {
  struct gpumemprof_capture_amount *freed = gpm_memory_array(r->cells.count, sizeof *freed);
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&pairs));) {
    freed[p->cell].bytes += p->freed.bytes;
    freed[p->cell].blocks += p->freed.blocks;
  }
  return freed;
}

static bool same(const struct gpumemprof_capture_amount *a,
                 const struct gpumemprof_capture_amount *b) {
  return a->bytes == b->bytes && a->blocks == b->blocks;
}

/* The figures of a device, computed from its cells. */
struct sums {
  struct gpumemprof_capture_amount live[GPUMEMPROF_KINDS];
  uint64_t total, at_peak;
};

static struct sums *sum_devices(const struct gpm_reader *r,
                                const struct gpumemprof_capture_amount *freed) {
  struct sums *sums = gpm_memory_array(r->device_count, sizeof *sums);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    struct sums *s = &sums[c->device];
    const struct gpumemprof_capture_amount *gone = &freed[cells.number];
    uint64_t live = c->allocated.bytes - gone->bytes;
    s->live[c->kind].bytes += live;
    s->live[c->kind].blocks += c->allocated.blocks - gone->blocks;
    s->total += live;
    bool kept = c->peak_epoch == r->devices[c->device].peak_epoch;
    s->at_peak += kept ? c->at_peak.bytes : live;
  }
  return sums;
}

static uint64_t highest(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The number of events in progress that would explain the sums of the capture that differ from
 * their sources. */
static uint64_t count_differences(const struct gpm_reader *r,
                                  const struct gpumemprof_capture_amount *freed,
                                  const struct sums *sums) {
  uint64_t by_cell = 0, by_kind = 0, by_total = 0;
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
    by_cell += !same(&c->freed, &freed[cells.number]);
  for (uint32_t d = 0; d < r->device_count; d++) {
    by_total += r->devices[d].total != sums[d].total;
    for (uint32_t k = 0; k < GPUMEMPROF_KINDS; k++)
      by_kind += !same(&r->devices[d].live[k], &sums[d].live[k]);
  }
  return highest(by_cell, highest(by_kind, by_total));
}

static void settle_devices(struct gpm_reader *r, const struct sums *sums) {
  for (uint32_t d = 0; d < r->device_count; d++) {
    struct gpumemprof_capture_device *device = &r->devices[d];
    memcpy(device->live, sums[d].live, sizeof device->live);
    device->total = sums[d].total;
    bool passed = device->total > device->peak;
    /* The peak was stored, but not yet its epoch: all cells have the same live bytes as at the
     * peak. */
    bool reached = device->total == device->peak && sums[d].at_peak != device->peak;
    if (!passed && !reached) continue;
    device->peak = device->total;
    device->peak_epoch++;
  }
}

static void settle_lines(const struct gpm_reader *r) {
  uint64_t *live = gpm_memory_array(r->lines.count, sizeof *live);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    const struct gpumemprof_capture_node *node = gpm_reader_record(&r->nodes, c->node);
    if (node->site == GPUMEMPROF_NONE || c->kind == GPUMEMPROF_KIND_CUSTOM) continue;
    uint32_t line = gpm_reader_site(r, node->site)->line_id;
    if (line != GPUMEMPROF_NONE) live[line] += c->allocated.bytes - c->freed.bytes;
  }
  struct gpm_cursor lines = {.records = &r->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&lines));) {
    struct gpumemprof_capture_line *line = (struct gpumemprof_capture_line *)(uintptr_t)l;
    line->live = live[lines.number];
    if (line->live > line->live_peak) line->live_peak = line->live;
  }
  free(live);
}

static uint64_t live_at_reset(const struct gpumemprof_capture_cell *c) {
  return c->peak_epoch == UINT64_MAX ? c->at_peak.bytes : c->allocated.bytes - c->freed.bytes;
}

/* Completes a reset that was interrupted: cells get the figures that the reset would have given
 * them. Lines and the totals of devices are settled after this. */
static void finish_reset(struct gpm_reader *r) {
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    struct gpumemprof_capture_cell *cell = cell_at(c);
    bool half = c->peak_epoch == UINT64_MAX;
    struct gpumemprof_capture_amount live = {
        live_at_reset(c), half ? c->at_peak.blocks : c->allocated.blocks - c->freed.blocks};
    cell->allocated = live;
    cell->freed = (struct gpumemprof_capture_amount){0, 0};
    cell->padding = cell->lifetime_clock = cell->temporary_blocks = cell->peak_epoch = 0;
    cell->lifetime_ticks = cell->timed_blocks = cell->max_size = 0;
    cell->min_size = UINT64_MAX;
  }
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&pairs));)
    ((struct gpumemprof_capture_pair *)(uintptr_t)p)->freed =
        (struct gpumemprof_capture_amount){0, 0};
  struct gpm_cursor nodes = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&nodes));)
    *(struct gpumemprof_capture_node *)(uintptr_t)n =
        (struct gpumemprof_capture_node){.parent = n->parent, .site = n->site};
  struct gpm_cursor lines = {.records = &r->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&lines));)
    ((struct gpumemprof_capture_line *)(uintptr_t)l)->live_peak = 0;
  for (uint32_t d = 0; d < r->device_count; d++) {
    r->devices[d].peak = 0;
    r->devices[d].peak_node = GPUMEMPROF_NONE;
    r->devices[d].peak_epoch++;
  }
  r->header.resets++;
  r->header.reset_ticks = r->header.last_ticks;
}

void gpm_reader_settle(struct gpm_reader *r, bool running) {
  if (r->header.flags & GPUMEMPROF_CAPTURE_RESETTING) finish_reset(r);
  struct gpumemprof_capture_amount *freed = freed_by_cell(r);
  struct sums *sums = sum_devices(r, freed);
  uint64_t differences = count_differences(r, freed, sums);
  if (running || differences <= r->header.counters[GPUMEMPROF_COUNTER_threads]) {
    r->under_way = differences;
    struct gpm_cursor cells = {.records = &r->cells};
    for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
      cell_at(c)->freed = freed[cells.number];
    settle_devices(r, sums);
    settle_lines(r);
  }
  free(sums);
  free(freed);
}
