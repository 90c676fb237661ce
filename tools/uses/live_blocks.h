/* live_blocks.h - the blocks that are live at a moment of the history, in the order of their
 * addresses, so that an address inside a block leads to it. They are in leaves of up to 256 blocks,
 * which are in order themselves: few lines of the cache are read to find one among many thousands.
 */
#ifndef GPM_TOOLS_LIVE_BLOCKS_H
#define GPM_TOOLS_LIVE_BLOCKS_H

#include "capture/reader.h"

enum { GPM_LIVE_LEAF = 256 };

/* A zeroed struct has no blocks. */
struct gpm_live_blocks {
  struct gpm_live_leaf {
    uint64_t first; /* its lowest address */
    struct gpm_live_keys {
      uint64_t address[GPM_LIVE_LEAF];
      uint32_t block[GPM_LIVE_LEAF];
    } *keys;
    uint32_t count; /* at least 1 */
  } *leaf;
  size_t count, room;
};

void gpm_live_blocks_free(struct gpm_live_blocks *live);
/* Adds a block; no other with that address may be in it. */
void gpm_live_blocks_add(struct gpm_live_blocks *live, uint32_t block, uint64_t address);
void gpm_live_blocks_remove(struct gpm_live_blocks *live, uint64_t address);
/* Returns the block with the highest address that is not above this one, or NONE. */
uint32_t gpm_live_blocks_find(const struct gpm_live_blocks *live, uint64_t address);
/* Returns the block with the lowest address above this one, or NONE. */
uint32_t gpm_live_blocks_next(const struct gpm_live_blocks *live, uint64_t address);

#endif
