/* through.c - see through.h.
 *
 * All paths may lead through the same calls at first (wrappers of wrappers). Those distinguish
 * nothing, so the first call is taken in which the paths differ, and of these the one with the most
 * bytes. If the paths never differ, it is the nearest call. runtime/oom/oom_through.c does the same
 * with the paths that it has.
 */
#include "analysis/through.h"

#include "analysis/holding.h"
#include "rows/locations.h"
#include "support/memory.h"

#include <stdlib.h>

enum { HIGHEST = 1024 }; /* calls above the line; a deeper recursion is not followed */

void gpm_through_paths_add(struct gpm_through_paths *w, uint32_t node, uint64_t bytes) {
  if (!bytes) return;
  if (w->count == w->room) {
    w->room = w->room ? w->room * 2 : 16;
    w->path = gpm_memory_resize(w->path, w->room, sizeof *w->path);
  }
  w->path[w->count++] = (struct gpm_through_path){node, bytes};
}

void gpm_through_paths_free(struct gpm_through_paths *w) {
  free(w->path);
}

/* By location: the bytes requested through it, with one of its nodes. */
struct callers {
  struct gpm_keys keys;
  struct gpm_through_path *sum;
  uint32_t count;
};

static void add_callers(struct callers *c, const struct gpm_profile *p,
                        const struct gpm_through_paths *w) {
  for (uint32_t i = 0; i < w->count; i++) {
    /* Having no caller is a key of its own, different from that of a caller that is not known. */
    struct gpm_key location = {.name = 0, .line = UINT32_MAX};
    if (w->path[i].node) location = gpm_holding_location(p, w->path[i].node);
    uint32_t key = gpm_keys_get(&c->keys, location);
    if (key == c->count) {
      c->sum = gpm_memory_resize(c->sum, (size_t)key + 1, sizeof *c->sum);
      c->sum[c->count++] = (struct gpm_through_path){w->path[i].node, 0};
    }
    c->sum[key].bytes += w->path[i].bytes;
  }
}

/* Returns the caller with the most bytes, if no other has more even when all bytes of unknown
 * callers are one caller's. */
static struct gpm_through_path largest(const struct callers *c, uint64_t rest) {
  struct gpm_through_path most = {0, 0};
  uint64_t second = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    if (c->sum[i].bytes > most.bytes) {
      second = most.bytes;
      most = c->sum[i];
    } else if (c->sum[i].bytes > second) second = c->sum[i].bytes;
  }
  return most.bytes >= second + rest ? most : (struct gpm_through_path){0, 0};
}

struct gpm_through gpm_through_find(const struct gpm_profile *p, struct gpm_through_paths *w,
                                    uint64_t rest) {
  struct gpm_through_path found = {0, 0};
  bool differ = false;
  for (unsigned height = 0; w->count && height < HIGHEST && !differ; height++) {
    struct callers callers = {.keys.reader = p->reader};
    for (uint32_t i = 0; i < w->count; i++)
      w->path[i].node = gpm_locations_caller(p, w->path[i].node);
    add_callers(&callers, p, w);
    differ = callers.count > 1;
    if (differ || !height) found = largest(&callers, rest);
    gpm_keys_free(&callers.keys);
    free(callers.sum);
    if (!w->path[0].node) break;
  }
  return (struct gpm_through){found.node ? gpm_locations_node(p, found.node) : gpm_memory_text(""),
                              found.node ? found.bytes : 0};
}
