/* conserve.c - see conserve.h. */
#include "analysis/conserve.h"

#include "model/split_cells.h"
#include "rows/locations.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* The sums of one kind of memory on one device. */
struct account {
  struct gpumemprof_capture_amount allocated, freed; /* by the cells, `older` included */
  struct gpumemprof_capture_amount older;            /* allocated before the window */
  struct gpumemprof_capture_amount paired;           /* freed, by the pairs */
};

static void add(struct gpumemprof_capture_amount *to, struct gpumemprof_capture_amount more) {
  to->bytes += more.bytes;
  to->blocks += more.blocks;
}

static char *fault_of(const struct gpm_reader *r, uint32_t device, uint32_t kind,
                      const struct account *a) {
  const struct gpumemprof_capture_device *d = &r->devices[device];
  if (a->allocated.bytes - a->freed.bytes == d->live[kind].bytes &&
      a->allocated.blocks - a->freed.blocks == d->live[kind].blocks &&
      a->freed.bytes == a->paired.bytes && a->freed.blocks == a->paired.blocks)
    return NULL;
  char *name = gpm_locations_device(r, device);
  char *text = gpm_memory_format(
      "%s, %s: %" PRIu64 " bytes in %" PRIu64 " blocks allocated, %" PRIu64 " in %" PRIu64
      " freed (%" PRIu64 " in %" PRIu64 " by the frees' locations), %" PRIu64 " in %" PRIu64
      " live by the device's ledger",
      name, gpm_locations_kind(kind), a->allocated.bytes, a->allocated.blocks, a->freed.bytes,
      a->freed.blocks, a->paired.bytes, a->paired.blocks, d->live[kind].bytes,
      d->live[kind].blocks);
  free(name);
  return text;
}

/* Checks that the pools of the program's own allocators hold what their ledger holds. A killed
 * program may have updated only one of the two. */
static char *fault_of_pools(const struct gpm_reader *r) {
  if (!(r->header.flags & GPUMEMPROF_CAPTURE_COMPLETE) || !r->custom_pools.count ||
      gpm_split_is_part(r))
    return NULL;
  struct gpumemprof_capture_amount held = {0}, live = {0};
  struct gpm_cursor pools = {.records = &r->custom_pools};
  for (const struct gpumemprof_capture_custom_pool *p; (p = gpm_cursor_next(&pools));)
    add(&held, p->used);
  for (uint32_t d = 0; d < r->device_count; d++)
    add(&live, r->devices[d].live[GPUMEMPROF_KIND_CUSTOM]);
  if (held.bytes == live.bytes && held.blocks == live.blocks) return NULL;
  return gpm_memory_format("pools: they hold %" PRIu64 " bytes in %" PRIu64
                           " pieces, their ledger says %" PRIu64 " in %" PRIu64,
                           held.bytes, held.blocks, live.bytes, live.blocks);
}

struct gpm_conservation gpm_conserve(const struct gpm_reader *r) {
  struct account *accounts =
      gpm_memory_array((size_t)r->device_count * GPUMEMPROF_KINDS, sizeof *accounts);
  uint32_t *of_cell = gpm_memory_array(r->cells.count, sizeof *of_cell);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    struct account *a =
        &accounts[of_cell[cells.number] = (uint32_t)c->device * GPUMEMPROF_KINDS + c->kind];
    add(&a->allocated, c->allocated);
    if (gpm_split_is_older(r, cells.number)) add(&a->older, c->allocated);
    add(&a->freed, c->freed);
  }
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&pairs));)
    add(&accounts[of_cell[p->cell]].paired, p->freed);
  struct gpm_conservation sum = {.ok = true};
  for (uint32_t d = 0; d < r->device_count; d++) {
    uint64_t total = 0;
    for (uint32_t k = 0; k < GPUMEMPROF_KINDS; k++) {
      const struct account *a = &accounts[d * GPUMEMPROF_KINDS + k];
      total += r->devices[d].live[k].bytes;
      if (!sum.fault) sum.fault = fault_of(r, d, k, a);
      if (k == GPUMEMPROF_KIND_CUSTOM) continue; /* the segment of a piece is counted already */
      sum.allocated += a->allocated.bytes - a->older.bytes;
      sum.allocated_blocks += a->allocated.blocks - a->older.blocks;
      sum.older += a->older.bytes;
      sum.older_blocks += a->older.blocks;
      sum.freed += a->paired.bytes;
      sum.freed_blocks += a->paired.blocks;
      sum.live += r->devices[d].live[k].bytes;
      sum.live_blocks += r->devices[d].live[k].blocks;
    }
    if (total != r->devices[d].total && !sum.fault) {
      char *name = gpm_locations_device(r, d);
      sum.fault = gpm_memory_format("%s: its kinds hold %" PRIu64 " bytes, its total says %" PRIu64,
                                    name, total, r->devices[d].total);
      free(name);
    }
  }
  if (!sum.fault) sum.fault = fault_of_pools(r);
  sum.ok = !sum.fault;
  free(accounts);
  free(of_cell);
  return sum;
}
