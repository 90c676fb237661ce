/* ancestors.h - a tree of numbered nodes that answers "common ancestor" in logarithmic time.
 *
 * In addition to its parent, each node keeps one jump to an ancestor further up (skew-binary: the
 * lengths of the jumps double on the way to the root), so that recursion a million deep costs
 * twenty steps.
 */
#ifndef GPM_TOOLS_ANCESTORS_H
#define GPM_TOOLS_ANCESTORS_H

#include "support/memory.h"

#include <stdint.h>

struct gpm_ancestors {
  struct gpm_ancestor {
    uint32_t parent; /* smaller than the node; of node 0, the root: 0 */
    uint32_t depth;
    uint32_t jump;
  } *node;
};

void gpm_ancestors_make(struct gpm_ancestors *tree, size_t room);
void gpm_ancestors_free(struct gpm_ancestors *tree);
/* Adds a node below a parent that was added before. */
void gpm_ancestors_add(struct gpm_ancestors *tree, uint32_t node, uint32_t parent);
/* The lowest node above (or equal to) both. */
uint32_t gpm_ancestors_common(const struct gpm_ancestors *tree, uint32_t a, uint32_t b);
/* The ancestor of a node at a depth not below its own. */
uint32_t gpm_ancestors_at_depth(const struct gpm_ancestors *tree, uint32_t node, uint32_t depth);

#endif
