/* live_blocks.c - see live_blocks.h. Priorities are hashes of the blocks' numbers, so the shape of
 * the tree does not depend on the order in which a program allocates. */
#include "uses/live_blocks.h"

#include "support/map.h"
#include "support/memory.h"

void gpm_live_blocks_init(struct gpm_live_blocks *l) {
  *l = (struct gpm_live_blocks){.root = GPUMEMPROF_NONE};
}

void gpm_live_blocks_free(struct gpm_live_blocks *l) {
  free(l->node);
}

/* Divides a tree into the blocks below an address and the others. */
static void split(struct gpm_live_blocks *l, uint32_t tree, uint64_t address, uint32_t *below,
                  uint32_t *others) {
  while (tree != GPUMEMPROF_NONE) {
    struct gpm_live_block *n = &l->node[tree];
    if (n->address < address) {
      *below = tree;
      below = &n->right;
      tree = n->right;
    } else {
      *others = tree;
      others = &n->left;
      tree = n->left;
    }
  }
  *below = *others = GPUMEMPROF_NONE;
}

/* All blocks of `below` have lower addresses than those of `others`. */
static void merge(struct gpm_live_blocks *l, uint32_t *to, uint32_t below, uint32_t others) {
  while (below != GPUMEMPROF_NONE && others != GPUMEMPROF_NONE) {
    if (gpm_map_mix(below) > gpm_map_mix(others)) {
      *to = below;
      to = &l->node[below].right;
      below = *to;
    } else {
      *to = others;
      to = &l->node[others].left;
      others = *to;
    }
  }
  *to = below == GPUMEMPROF_NONE ? others : below;
}

void gpm_live_blocks_add(struct gpm_live_blocks *l, uint32_t block, uint64_t address) {
  if (block >= l->room) {
    l->room = block * 2 + (size_t)64;
    l->node = gpm_memory_resize(l->node, l->room, sizeof *l->node);
  }
  uint32_t *at = &l->root;
  uint64_t priority = gpm_map_mix(block);
  while (*at != GPUMEMPROF_NONE && gpm_map_mix(*at) > priority)
    at = address < l->node[*at].address ? &l->node[*at].left : &l->node[*at].right;
  struct gpm_live_block *n = &l->node[block];
  n->address = address;
  split(l, *at, address, &n->left, &n->right);
  *at = block;
}

void gpm_live_blocks_remove(struct gpm_live_blocks *l, uint64_t address) {
  uint32_t *at = &l->root;
  while (*at != GPUMEMPROF_NONE && l->node[*at].address != address)
    at = address < l->node[*at].address ? &l->node[*at].left : &l->node[*at].right;
  if (*at == GPUMEMPROF_NONE) return;
  const struct gpm_live_block n = l->node[*at];
  merge(l, at, n.left, n.right);
}

uint32_t gpm_live_blocks_find(const struct gpm_live_blocks *l, uint64_t address) {
  uint32_t found = GPUMEMPROF_NONE;
  for (uint32_t at = l->root; at != GPUMEMPROF_NONE;) {
    const struct gpm_live_block *n = &l->node[at];
    if (n->address > address) at = n->left;
    else {
      found = at;
      at = n->right;
    }
  }
  return found;
}
