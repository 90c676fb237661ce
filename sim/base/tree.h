/* tree.h - ranges [start, start + size) that do not overlap, ordered by start. */
#ifndef GPUMEMPROF_SIM_TREE_H
#define GPUMEMPROF_SIM_TREE_H

#include <stddef.h>
#include <stdint.h>

struct gpm_sim_range {
  struct gpm_sim_range *left, *right;
  uint64_t start;
  uint64_t size;
  uint64_t largest; /* largest size in this subtree */
  uint32_t priority;
};
struct gpm_sim_tree {
  struct gpm_sim_range *root;
};
void gpm_sim_tree_insert(struct gpm_sim_tree *tree, struct gpm_sim_range *range);
void gpm_sim_tree_remove(struct gpm_sim_tree *tree, struct gpm_sim_range *range);
/* The range that holds the address; the first one that starts at it or later; the first one of at
 * least that size. Null where there is none. */
struct gpm_sim_range *gpm_sim_tree_find(const struct gpm_sim_tree *tree, uint64_t address);
struct gpm_sim_range *gpm_sim_tree_next(const struct gpm_sim_tree *tree, uint64_t address);
struct gpm_sim_range *gpm_sim_tree_fit(const struct gpm_sim_tree *tree, uint64_t size);

#endif /* GPUMEMPROF_SIM_TREE_H */
