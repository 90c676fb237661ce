/* top_paths.c - the call paths of a line: top_refresh.h. While the user has them on the screen, it
 * is called at each refresh, and makes one pass over the cells of the capture. */
#include "support/map.h"
#include "support/memory.h"
#include "top/top_refresh.h"

#include <stdlib.h>

static int by_live(const void *a, const void *b) {
  const struct gpm_top_path *x = a, *y = b;
  if (x->live != y->live) return x->live < y->live ? 1 : -1;
  if (x->allocated != y->allocated) return x->allocated < y->allocated ? 1 : -1;
  return x->node < y->node ? -1 : x->node > y->node;
}

struct gpm_top_path *gpm_top_paths(const struct gpm_top *t, uint32_t line, uint32_t *count) {
  struct gpm_map by_node = {0};
  struct gpm_top_path *paths = NULL;
  uint32_t room = 0;
  *count = 0;
  struct gpm_cursor at = {.records = &t->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!t->profile->cell_shown[at.number] || !c->allocated.blocks ||
        t->rows.grouping.direct[c->node] != t->row[line])
      continue;
    uint64_t i = *gpm_map_at(&by_node, c->node, *count);
    if (i == *count) {
      if (i == room) paths = gpm_memory_resize(paths, room = room ? room * 2 : 16, sizeof *paths);
      paths[(*count)++] = (struct gpm_top_path){.node = c->node};
    }
    struct gpm_top_path *path = &paths[i];
    path->live += c->allocated.bytes - c->freed.bytes;
    path->blocks += c->allocated.blocks - c->freed.blocks;
    path->at_peak += gpm_profile_at_peak(t->reader, c);
    path->allocated += c->allocated.bytes;
    path->allocated_blocks += c->allocated.blocks;
  }
  gpm_map_free(&by_node);
  if (*count) qsort(paths, *count, sizeof *paths, by_live);
  return paths;
}
