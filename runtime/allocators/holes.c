/* holes.c - what is free in the segments of one of the program's own allocators: how much, and the
 * largest hole, by which fragmentation is measured.
 *
 *   segment  |  piece  |   hole   | piece |hole|
 *          start                              end
 *
 * When a piece ends, its range is given to the holes: those around it and the range become one.
 * When a piece begins, its range is taken from a hole, which shrinks, goes, or becomes two.
 *
 * custom_pools.c calls it for each piece. Holes of two segments never merge, although they may be
 * adjacent, because an allocator cannot hand out memory across them.
 */
#include "allocators/holes.h"
#include "base/memory.h"
#include "tables/ranges.h"

#include <string.h>

static struct spare {
  struct spare *next;
} *spares;

void *gpm_holes_spare(void) {
  struct spare *s = spares;
  if (!s) return gpm_memory_get(GPM_SPARE_BYTES);
  spares = s->next;
  return memset((void *)s, 0, GPM_SPARE_BYTES);
}

void gpm_holes_spared(void *spare) {
  struct spare *s = spare;
  s->next = spares;
  spares = s;
}

void gpm_holes_forked(void) {
  spares = NULL; /* another thread of the parent may have been changing the list */
}

static bool add(struct gpm_holes *holes, uint64_t start, uint64_t bytes) {
  struct gpm_range *hole = gpm_holes_spare();
  if (!hole) return false;
  hole->start = start;
  hole->bytes = bytes;
  gpm_ranges_insert(&holes->tree, hole);
  return true;
}

static void discard(struct gpm_holes *holes, struct gpm_range *hole) {
  gpm_ranges_remove(&holes->tree, hole);
  gpm_holes_spared(hole);
}

bool gpm_holes_give(struct gpm_holes *holes, uint64_t start, uint64_t bytes, uint64_t segment_start,
                    uint64_t segment_end) {
  struct gpm_range *before = gpm_ranges_floor(holes->tree, start);
  uint64_t end = start + bytes;
  struct gpm_range *after = before ? gpm_ranges_next(before) : gpm_ranges_floor(holes->tree, end);
  if (after && (end == segment_end || after->start != end)) after = NULL;
  if (before && (before->start < segment_start || before->start + before->bytes != start))
    before = NULL;
  holes->bytes += bytes;
  if (before) {
    uint64_t joined = before->bytes + bytes + (after ? after->bytes : 0);
    if (after) discard(holes, after);
    gpm_ranges_resize(before, before->start, joined);
    return true;
  }
  if (after) {
    gpm_ranges_resize(after, start, after->bytes + bytes);
    return true;
  }
  if (add(holes, start, bytes)) return true;
  holes->bytes -= bytes;
  return false;
}

bool gpm_holes_take(struct gpm_holes *holes, uint64_t start, uint64_t bytes) {
  struct gpm_range *hole = gpm_ranges_holding(holes->tree, start);
  if (!hole || hole->bytes - (start - hole->start) < bytes) return false;
  uint64_t before = start - hole->start, after = hole->bytes - before - bytes;
  if (before && after && !add(holes, start + bytes, after)) return false;
  if (before) gpm_ranges_resize(hole, hole->start, before);
  else if (after) gpm_ranges_resize(hole, start + bytes, after);
  else discard(holes, hole);
  holes->bytes -= bytes;
  return true;
}

void gpm_holes_drop(struct gpm_holes *holes, uint64_t start, uint64_t bytes) {
  for (;;) {
    struct gpm_range *hole = gpm_ranges_floor(holes->tree, start + bytes - 1);
    if (!hole || hole->start < start) return;
    holes->bytes -= hole->bytes;
    discard(holes, hole);
  }
}
