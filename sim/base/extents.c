/* extents.c - free space: ranges that never touch each other, because neighbours are joined when a
 * range is given back. Callers hold the lock.
 */
#include "base/extents.h"
#include "base/tree.h"

#include <stdlib.h>

static struct gpm_sim_range *add(struct gpm_sim_tree *tree, uint64_t start, uint64_t size) {
  struct gpm_sim_range *r = calloc(1, sizeof *r);
  if (!r) abort(); /* the host lacks a few bytes: the program cannot go on */
  r->start = start;
  r->size = size;
  gpm_sim_tree_insert(tree, r);
  return r;
}

static void drop(struct gpm_sim_tree *tree, struct gpm_sim_range *r) {
  gpm_sim_tree_remove(tree, r);
  free(r);
}

uint64_t gpm_sim_extents_take(struct gpm_sim_tree *free_space, uint64_t size) {
  struct gpm_sim_range *r = gpm_sim_tree_fit(free_space, size);
  if (!r) return 0;
  uint64_t start = r->start;
  gpm_sim_extents_carve(free_space, start, size);
  return start;
}

bool gpm_sim_extents_carve(struct gpm_sim_tree *free_space, uint64_t start, uint64_t size) {
  struct gpm_sim_range *r = gpm_sim_tree_find(free_space, start);
  if (!r || r->start + r->size - start < size) return false;
  uint64_t before = start - r->start;
  uint64_t after = r->start + r->size - (start + size);
  drop(free_space, r);
  if (before) add(free_space, start - before, before);
  if (after) add(free_space, start + size, after);
  return true;
}

struct gpm_sim_range *gpm_sim_extents_give_in(struct gpm_sim_tree *free_space, uint64_t start,
                                              uint64_t size, uint64_t unit) {
  struct gpm_sim_range *before = NULL, *after = NULL;
  if (start % unit) before = gpm_sim_tree_find(free_space, start - 1);
  if ((start + size) % unit) after = gpm_sim_tree_find(free_space, start + size);
  if (before) {
    start = before->start;
    size += before->size;
    drop(free_space, before);
  }
  if (after) {
    size += after->size;
    drop(free_space, after);
  }
  return add(free_space, start, size);
}

struct gpm_sim_range *gpm_sim_extents_give(struct gpm_sim_tree *free_space, uint64_t start,
                                           uint64_t size) {
  return gpm_sim_extents_give_in(free_space, start, size, UINT64_MAX);
}
