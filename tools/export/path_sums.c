/* path_sums.c - see path_sums.h. */
#include "export/path_sums.h"

#include "model/split_cells.h"
#include "support/memory.h"

uint64_t gpm_export_blocks_at_peak(const struct gpm_export *x,
                                   const struct gpumemprof_capture_cell *c) {
  if (c->peak_epoch == x->reader->devices[c->device].peak_epoch) return c->at_peak.blocks;
  return c->allocated.blocks - c->freed.blocks;
}

static uint64_t of_cell(const struct gpm_export *x, enum gpm_export_value value,
                        const struct gpumemprof_capture_cell *c) {
  bool stays = c->kind == GPUMEMPROF_KIND_STATIC; /* variables are never freed */
  switch (value) {
  case GPM_EXPORT_VALUE_at_peak:
    return gpm_profile_at_peak(x->reader, c);
  case GPM_EXPORT_VALUE_self_alloc:
    return c->allocated.bytes;
  case GPM_EXPORT_VALUE_self_requested:
    return c->allocated.bytes - c->padding;
  case GPM_EXPORT_VALUE_leaked:
    return stays ? 0 : c->allocated.bytes - c->freed.bytes;
  case GPM_EXPORT_VALUE_blocks:
    return c->allocated.blocks;
  case GPM_EXPORT_VALUE_leaked_blocks:
    return stays ? 0 : c->allocated.blocks - c->freed.blocks;
  case GPM_EXPORT_VALUE_temporary_blocks:
    return c->temporary_blocks;
  case GPM_EXPORT_VALUE_self_freed:
    return 0; /* counted at the path that frees, which this is not */
  }
  return 0;
}

/* A block that was live before the window was not allocated in it. */
static bool is_older(const struct gpm_export *x, uint64_t cell) {
  return gpm_split_is_older(x->reader, cell);
}

uint64_t *gpm_export_sums(const struct gpm_export *x, enum gpm_export_value value) {
  bool at_peak = value == GPM_EXPORT_VALUE_at_peak;
  uint64_t *sum = gpm_memory_array(x->profile->node_count, sizeof *sum);
  struct gpm_cursor cells = {.records = &x->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
    if (x->profile->cell_shown[cells.number] && (at_peak || !is_older(x, cells.number)))
      sum[c->node] += of_cell(x, value, c);
  if (value != GPM_EXPORT_VALUE_self_freed) return sum;
  struct gpm_cursor pairs = {.records = &x->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    if (x->profile->cell_shown[q->cell]) sum[q->free_node] += q->freed.bytes;
  return sum;
}
