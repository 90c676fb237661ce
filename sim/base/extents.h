/* extents.h - free space as a tree of coalesced ranges. */
#ifndef GPUMEMPROF_SIM_EXTENTS_H
#define GPUMEMPROF_SIM_EXTENTS_H

#include "base/tree.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns 0 if there is no room. */
uint64_t gpm_sim_extents_take(struct gpm_sim_tree *free_space, uint64_t size);
bool gpm_sim_extents_carve(struct gpm_sim_tree *free_space, uint64_t start, uint64_t size);
/* Returns the coalesced free range that now holds the given one. */
struct gpm_sim_range *gpm_sim_extents_give(struct gpm_sim_tree *free_space, uint64_t start,
                                           uint64_t size);
/* The same, but ranges are not joined across multiples of `unit`. */
struct gpm_sim_range *gpm_sim_extents_give_in(struct gpm_sim_tree *free_space, uint64_t start,
                                              uint64_t size, uint64_t unit);

#endif /* GPUMEMPROF_SIM_EXTENTS_H */
