/* pools.c - see pools.h. */
#include "analysis/pools.h"

#include "rows/locations.h"

#include <stdlib.h>
#include <string.h>

const struct gpm_pool_column gpm_pools_columns[GPM_POOL_FIGURES] = {
    [GPM_POOL_USED] = {"used", "used", true},
    [GPM_POOL_RESERVED] = {"reserved", "reserved", true},
    [GPM_POOL_SLACK] = {"slack", "slack", true},
    [GPM_POOL_HOLE] = {"largest_hole", "hole", true},
    [GPM_POOL_USED_PEAK] = {"used_peak", "peak used", true},
    [GPM_POOL_RESERVED_PEAK] = {"reserved_peak", "peak reserved", true},
    [GPM_POOL_PEAK_FREE] = {"free_at_reserved_peak", NULL, true},
    [GPM_POOL_PEAK_HOLE] = {"largest_hole_at_reserved_peak", NULL, true},
    [GPM_POOL_PIECES] = {"pieces", "pieces", false},
    [GPM_POOL_ALL_PIECES] = {"pieces_ever", "ever", false},
    [GPM_POOL_SEGMENTS] = {"segments", "segments", false},
    [GPM_POOL_ALL_SEGMENTS] = {"segments_ever", "ever", false},
    [GPM_POOL_OUTSIDE] = {"used_outside_known_memory", NULL, true},
    [GPM_POOL_GROWTHS] = {"growths_with_free_bytes", NULL, false},
    [GPM_POOL_FRAGMENTED] = {"growths_for_holes_too_small", NULL, false},
    [GPM_POOL_PASSED_OVER] = {"growths_passing_over_a_hole", NULL, false},
    [GPM_POOL_GROWTH_NEED] = {"last_growth_bytes_needed", NULL, true},
    [GPM_POOL_GROWTH_FREE] = {"last_growth_free", NULL, true},
    [GPM_POOL_GROWTH_HOLE] = {"last_growth_largest_hole", NULL, true},
};

static void fill_custom(struct gpm_pool *row, const struct gpm_reader *r,
                        const struct gpumemprof_capture_custom_pool *p, uint64_t number) {
  bool known = p->device != GPUMEMPROF_NONE;
  row->name = gpm_locations_text(r, p->name);
  row->device = known ? gpm_locations_device(r, p->device) : gpm_memory_text("not known");
  row->device_number = p->device;
  row->handle = p->handle;
  row->number = number;
  row->several_devices = p->flags & GPUMEMPROF_CUSTOM_POOL_SEVERAL_DEVICES;
  row->source = "custom";
  row->known = ~(uint64_t)0;
  if (p->flags & GPUMEMPROF_CUSTOM_POOL_OTHERS)
    row->known &= ~((uint64_t)1 << GPM_POOL_HOLE | (uint64_t)1 << GPM_POOL_PEAK_FREE |
                    (uint64_t)1 << GPM_POOL_PEAK_HOLE);
  const uint64_t value[GPM_POOL_FIGURES] = {
      [GPM_POOL_USED] = p->used.bytes,
      [GPM_POOL_RESERVED] = p->reserved.bytes,
      [GPM_POOL_SLACK] = p->reserved.bytes - (p->used.bytes - p->outside.bytes),
      [GPM_POOL_HOLE] = p->hole,
      [GPM_POOL_USED_PEAK] = p->used_peak,
      [GPM_POOL_RESERVED_PEAK] = p->reserved_peak,
      [GPM_POOL_PEAK_FREE] = p->peak_free,
      [GPM_POOL_PEAK_HOLE] = p->peak_hole,
      [GPM_POOL_PIECES] = p->used.blocks,
      [GPM_POOL_ALL_PIECES] = p->pieces,
      [GPM_POOL_SEGMENTS] = p->reserved.blocks,
      [GPM_POOL_ALL_SEGMENTS] = p->segments,
      [GPM_POOL_OUTSIDE] = p->outside.bytes,
      [GPM_POOL_GROWTHS] = p->growths,
      [GPM_POOL_FRAGMENTED] = p->fragmented,
      [GPM_POOL_PASSED_OVER] = p->passed_over,
      [GPM_POOL_GROWTH_NEED] = p->growth_need,
      [GPM_POOL_GROWTH_FREE] = p->growth_free,
      [GPM_POOL_GROWTH_HOLE] = p->growth_hole,
  };
  memcpy(row->value, value, sizeof value);
}

static void fill_cuda(struct gpm_pool *row, const struct gpm_reader *r,
                      const struct gpumemprof_capture_pool *p, uint64_t number) {
  row->name = gpm_locations_pool(r, p);
  row->device = gpm_locations_device(r, p->device);
  row->device_number = p->device;
  row->handle = p->handle;
  row->number = number;
  row->source = "cuda";
  const uint64_t value[GPM_POOL_FIGURES] = {[GPM_POOL_USED] = p->used,
                                            [GPM_POOL_RESERVED] = p->reserved,
                                            [GPM_POOL_SLACK] = p->reserved - p->used,
                                            [GPM_POOL_USED_PEAK] = p->used_high,
                                            [GPM_POOL_RESERVED_PEAK] = p->reserved_high};
  for (unsigned f = 0; f < GPM_POOL_FIGURES; f++)
    if (f == GPM_POOL_USED || f == GPM_POOL_RESERVED || f == GPM_POOL_SLACK ||
        f == GPM_POOL_USED_PEAK || f == GPM_POOL_RESERVED_PEAK)
      row->known |= (uint64_t)1 << f;
  memcpy(row->value, value, sizeof value);
}

/* Sorts the largest first; pools of equal size keep their order. */
static int by_size(const void *a, const void *b) {
  const struct gpm_pool *x = a, *y = b;
  for (unsigned i = 0; i < 2; i++) {
    enum gpm_pool_figure f = i ? GPM_POOL_USED_PEAK : GPM_POOL_RESERVED_PEAK;
    if (x->value[f] != y->value[f]) return x->value[f] < y->value[f] ? 1 : -1;
  }
  return x->number < y->number ? -1 : x->number > y->number;
}

void gpm_pools_make(struct gpm_pools *pools, const struct gpm_reader *r,
                    const struct gpm_filter *filter) {
  struct gpm_pool *rows = gpm_memory_array(r->custom_pools.count + r->pools.count, sizeof *rows);
  uint32_t count = 0;
  struct gpm_cursor at = {.records = &r->custom_pools};
  for (const struct gpumemprof_capture_custom_pool *p; (p = gpm_cursor_next(&at));)
    if (filter->device == GPM_ALL_DEVICES || filter->device == p->device)
      fill_custom(&rows[count++], r, p, at.number);
  struct gpm_cursor cuda = {.records = &r->pools};
  for (const struct gpumemprof_capture_pool *p; (p = gpm_cursor_next(&cuda));)
    if (p->reserved_high && (filter->device == GPM_ALL_DEVICES || filter->device == p->device))
      fill_cuda(&rows[count++], r, p, r->custom_pools.count + cuda.number);
  if (count) qsort(rows, count, sizeof *rows, by_size);
  *pools = (struct gpm_pools){.pool = rows, .count = count};
}

void gpm_pools_free(struct gpm_pools *pools) {
  for (uint32_t i = 0; i < pools->count; i++) {
    free(pools->pool[i].name);
    free(pools->pool[i].device);
  }
  free(pools->pool);
}
