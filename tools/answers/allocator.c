/* allocator.c - see allocator.h. */
#include "answers/allocator.h"

#include "analysis/holding.h"
#include "model/split_cells.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>

/* Replaces each node by that of the call which led there. Returns false if one has no caller. */
static bool climb(const struct gpm_profile *p, struct gpm_through_paths *paths) {
  for (uint32_t i = 0; i < paths->count; i++) {
    uint32_t caller = gpm_locations_caller(p, paths->path[i].node);
    if (!caller || p->site[caller] == GPUMEMPROF_NONE) return false;
    paths->path[i].node = caller;
  }
  return paths->count != 0;
}

static bool are_one_line(const struct gpm_profile *p, const struct gpm_through_paths *paths) {
  for (uint32_t i = 1; i < paths->count; i++)
    if (!gpm_holding_is_of(p, paths->path[0].node, paths->path[i].node)) return false;
  return true;
}

static void drop_empty(struct gpm_through_paths *paths) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < paths->count; i++)
    if (paths->path[i].bytes) paths->path[kept++] = paths->path[i];
  paths->count = kept;
}

/* Returns a node of a call in the function whose callers differ; 0: there is none. */
static uint32_t function_of(const struct gpm_profile *p, struct gpm_through_paths *paths) {
  drop_empty(paths);
  while (paths->count > 1) {
    uint32_t node = paths->path[0].node;
    if (!climb(p, paths)) return 0;
    if (!are_one_line(p, paths)) return node;
  }
  return 0;
}

/* A wrapper that is marked was shown on request. */
static bool is_marked(const struct gpm_profile *p, uint32_t node) {
  uint32_t site = p->site[node];
  return site == GPUMEMPROF_NONE ||
         gpm_reader_site(p->reader, site)->flags & GPUMEMPROF_SITE_FOR_CALLER;
}

static bool find_on(const struct gpm_profile *p, uint32_t device, struct gpm_allocator *found) {
  struct gpm_holding holding;
  struct gpm_through_paths paths = {.count = 0};
  gpm_holding_at_peak(&holding, p, device);
  uint32_t node = 0, line = holding.count ? holding.line[0].node : 0;
  if (holding.count && !is_marked(p, line) &&
      holding.all.bytes - holding.line[0].bytes < holding.all.bytes / 10) {
    gpm_holding_paths(&holding, 0, device, &paths);
    node = function_of(p, &paths);
  }
  const char *function =
      node ? gpm_reader_string(p->reader, gpm_reader_site(p->reader, p->site[node])->function) : "";
  bool named = *function && !gpm_text_is_address(function);
  if (named) {
    found->line = gpm_locations_node_short(p, line, false);
    found->function =
        gpm_locations_text(p->reader, gpm_reader_site(p->reader, p->site[node])->function);
  }
  gpm_through_paths_free(&paths);
  gpm_holding_free(&holding);
  return named;
}

bool gpm_allocator_find(const struct gpm_profile *p, struct gpm_allocator *found) {
  const struct gpm_reader *r = p->reader;
  if (gpm_split_is_part(r)) return false;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    bool gpu = r->devices[device].ordinal >= 0 && r->devices[device].peak;
    if (gpu && find_on(p, device, found)) return true;
  }
  return false;
}
