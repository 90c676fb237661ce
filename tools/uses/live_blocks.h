/* live_blocks.h - the blocks that are live at a moment of the history, in the order of their
 * addresses, so that an address inside a block leads to it. A treap: inserting, removing and
 * finding take the logarithm of the number of live blocks.
 */
#ifndef GPM_TOOLS_LIVE_BLOCKS_H
#define GPM_TOOLS_LIVE_BLOCKS_H

#include "capture/reader.h"

/* A zeroed struct has no blocks, but for `root`, which gpm_live_blocks_init sets. */
struct gpm_live_blocks {
  struct gpm_live_block {
    uint64_t address;
    uint32_t left, right; /* blocks, or NONE */
  } *node;                /* by block */
  size_t room;
  uint32_t root;
};

void gpm_live_blocks_init(struct gpm_live_blocks *live);
void gpm_live_blocks_free(struct gpm_live_blocks *live);
/* Adds a block; no other with that address may be in it. */
void gpm_live_blocks_add(struct gpm_live_blocks *live, uint32_t block, uint64_t address);
void gpm_live_blocks_remove(struct gpm_live_blocks *live, uint64_t address);
/* Returns the block with the highest address that is not above this one, or NONE. */
uint32_t gpm_live_blocks_find(const struct gpm_live_blocks *live, uint64_t address);

#endif
