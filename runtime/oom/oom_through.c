/* oom_through.c - finds the call through which most of a line's live bytes were requested. One line
 * may allocate for the whole program, and then only its callers distinguish one use from another.
 *
 * oom.c calls it for each line that it lists, under the tree lock, with the call paths that it
 * found to the line. Next to the line, all paths may lead through the same calls (wrappers of
 * wrappers), which distinguish nothing. So it goes up to the first call in which the paths differ,
 * and takes the one with the most bytes. tools/analysis/through.c does the same with all call
 * paths.
 */
#include "oom/oom.h"
#include "records/call_tree.h"

enum { HIGHEST = 1024 }; /* calls above the line; a deeper recursion is not followed */

static const struct gpm_node *caller_of(const struct gpm_node *node) {
  do node = node->parent;
  while (node && !node->line);
  return node;
}

static const struct gpumemprof_capture_line *line_above(const struct gpm_node *node) {
  return node ? node->line : NULL;
}

static bool are_one(const struct gpm_oom_way *way, uint32_t count) {
  for (uint32_t i = 1; i < count; i++)
    if (line_above(way[i].node) != line_above(way[0].node)) return false;
  return true;
}

/* Returns the caller with the most bytes, or null if another could have more when all unknown bytes
 * are its own. */
static struct gpm_oom_way largest(const struct gpm_oom_way *way, uint32_t count, uint64_t rest) {
  struct gpm_oom_way most = {NULL, 0};
  uint64_t second = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t sum = 0;
    bool earlier = false;
    for (uint32_t k = 0; k < count; k++) {
      if (line_above(way[k].node) != line_above(way[i].node)) continue;
      earlier |= k < i;
      sum += way[k].bytes;
    }
    if (earlier) continue;
    if (sum > most.bytes) {
      second = most.bytes;
      most = (struct gpm_oom_way){way[i].node, sum};
    } else if (sum > second) second = sum;
  }
  return most.bytes >= second + rest ? most : (struct gpm_oom_way){NULL, 0};
}

struct gpm_oom_way gpm_oom_through(struct gpm_oom_way *way, uint32_t count, uint64_t rest) {
  struct gpm_oom_way none = {NULL, 0}, nearest = none;
  for (unsigned height = 0; count && height < HIGHEST; height++) {
    for (uint32_t i = 0; i < count; i++)
      if (way[i].node) way[i].node = caller_of(way[i].node);
    if (!are_one(way, count)) return largest(way, count, rest);
    if (!height) nearest = largest(way, count, rest);
    if (!way[0].node) break;
  }
  return nearest;
}
