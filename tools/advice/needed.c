/* needed.c - see needed.h. */
#include "advice/needed.h"

#include <stdlib.h>

/* Whether all that is certain of a block is that it is written. */
static bool is_only_written(const struct gpm_uses *u, const struct gpm_use_block *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use *use = &u->use[b->first + i];
    if (use->flags & GPM_USE_MAYBE || use->access != GPM_ACCESS_WRITE) return false;
  }
  return true;
}

/* What is only written may not be needed. */
static int64_t most_at_once(const struct gpm_uses *u, uint32_t device) {
  int64_t *used = gpm_memory_array(u->device[device].positions, sizeof *used), most = 0;
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->device != device || is_only_written(u, b)) continue;
    for (uint32_t k = 0; k < b->count; k++) {
      uint32_t at = u->use[b->first + k].at;
      used[at] += (int64_t)b->bytes;
      if (used[at] > most) most = used[at];
    }
  }
  free(used);
  return most;
}

void gpm_needed_find(struct gpm_needed *n, const struct gpm_uses *u, uint32_t device) {
  size_t positions = u->device[device].positions;
  n->at_once = most_at_once(u, device);
  n->unneeded = gpm_memory_array(positions + 1, sizeof *n->unneeded);
}

int64_t gpm_needed_end(struct gpm_needed *n, const int64_t *run, uint32_t positions) {
  int64_t unneeded = 0, peak = 0;
  for (uint32_t i = 0; i < positions; i++) {
    unneeded += n->unneeded[i];
    if (run[i] - unneeded > peak) peak = run[i] - unneeded;
  }
  free(n->unneeded);
  return peak;
}
