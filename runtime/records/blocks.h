/* blocks.h - live blocks by address: see blocks.c.
 */
#ifndef GPM_BLOCKS_H
#define GPM_BLOCKS_H

#include "base/compiler.h"
#include "threads/threads.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gpm_cell;

struct gpm_block {
  _Alignas(16) uint64_t bytes;
  uint64_t clock;                /* of the allocation; in one store with the word above */
  struct gpm_cell *_Atomic cell; /* null: no block here */
  /* Of the allocation; 0: it was not timed (entries.h). The lowest bits are the flags below. */
  uint64_t ticks;
};
/* Not a part of the time: the block holds pieces of custom.c. */
#define GPM_BLOCK_WATCHED ((uint64_t)1)
#define GPM_BLOCK_PADDED ((uint64_t)2)  /* it has bytes that were not requested: padding.c */
#define GPM_BLOCK_GUARDED ((uint64_t)4) /* guards.c follows it */
#define GPM_BLOCK_NAMED ((uint64_t)8)   /* after its allocation: named_blocks.c */
#define GPM_BLOCK_FLAGS ((uint64_t)15)
#define GPM_GRANULE_BITS 9
#define GPM_NEAR_SLOTS 4096u
/* Whether an address (not null) is in the table `near`, and its slot if it is. */
static inline bool gpm_blocks_near(const struct gpm_near *near, uint64_t address,
                                   struct gpm_block **slot) {
  uint64_t distance = address - near->start;
  uint64_t i = distance >> GPM_GRANULE_BITS | distance << (64 - GPM_GRANULE_BITS);
  if (GPM_UNLIKELY(i >= GPM_NEAR_SLOTS)) return false;
  *slot = &near->slots[i];
  return true;
}
bool gpm_blocks_start(void);
/* The slot for an insertion, whose table is `near` from then on; null: no memory. */
struct gpm_block *gpm_blocks_slot(struct gpm_near *near, uint64_t address);
/* The live block that starts there, or null. */
struct gpm_block *gpm_blocks_find(uint64_t address);
/* The live block that contains the address, or null. */
struct gpm_block *gpm_blocks_find_interior(uint64_t address, uint64_t *start);
/* The same for blocks that begin at a multiple of the granule, as device memory does. */
struct gpm_block *gpm_blocks_find_regular(uint64_t address, uint64_t *start);
/* Every such block began in [*lowest, *highest). False: there was none. */
bool gpm_blocks_bounds(uint64_t *lowest, uint64_t *highest);
void gpm_blocks_each(void (*visit)(uint64_t address, struct gpm_block *block, void *data),
                     void *data);

#endif /* GPM_BLOCKS_H */
