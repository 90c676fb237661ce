/* pointed.c - the blocks in which an address may be meant to lie (use_walk.h).
 *
 * Most pointers lead into their block. That of a reverse iterator is one behind the last element,
 * and that of an array that counts from 1 is one before the first: it may lie in another block.
 */
#include "uses/use_walk.h"

#include "gpumemprof/capture_uses.h"

enum { BETWEEN = 16 }; /* as GPUMEMPROF_USE_NEAR where two blocks have such a distance */

uint32_t gpm_uses_block_at(struct gpm_uses_walk *w, uint64_t address) {
  struct gpm_cached_block *cached = &w->cached[gpm_map_mix(address) & (GPM_USES_CACHED - 1)];
  uint32_t number = cached->block;
  if (cached->address != address || number >= w->uses->count || !w->uses->block[number].live)
    number = gpm_live_blocks_find(&w->live, address);
  if (number == GPUMEMPROF_NONE) return number;
  const struct gpm_use_block *b = &w->uses->block[number];
  if (address - b->address >= b->bytes) return GPUMEMPROF_NONE;
  *cached = (struct gpm_cached_block){address, number};
  return number;
}

/* Returns the live block that ends at an address, or NONE: what is one behind the last element
 * leads into it, as a reverse iterator does. Memory that was added to the request is behind the
 * end. */
static uint32_t block_ending_at(const struct gpm_uses_walk *w, uint64_t address) {
  uint32_t number = address ? gpm_live_blocks_find(&w->live, address - 1) : GPUMEMPROF_NONE;
  if (number == GPUMEMPROF_NONE) return number;
  const struct gpm_use_block *b = &w->uses->block[number];
  bool ends = address - b->address == b->bytes || address - b->address == b->requested;
  return ends ? number : GPUMEMPROF_NONE;
}

/* What is given the address of an array that counts from 1, or whose first row is not row 0, is
 * given one before its block: less before than the block is large. NONE: there is no such block. */
static uint32_t block_behind(const struct gpm_uses_walk *w, uint64_t address) {
  uint32_t number = address ? gpm_live_blocks_next(&w->live, address) : GPUMEMPROF_NONE;
  if (number == GPUMEMPROF_NONE) return number;
  const struct gpm_use_block *b = &w->uses->block[number];
  return b->address - address <= b->bytes ? number : GPUMEMPROF_NONE;
}

/* Whether a pointer into one block, or to its end, may be one before the next block. */
static bool may_be_before(const struct gpm_use_block *b, const struct gpm_use_block *next,
                          uint64_t address) {
  uint64_t offset = address - b->address;
  if (offset >= b->bytes) return next->address - address <= BETWEEN;
  return offset && offset != b->requested && next->address - b->address == b->bytes;
}

void gpm_uses_pointed(struct gpm_uses_walk *w, uint64_t address, struct gpm_pointed *pointed) {
  const struct gpm_use_block *blocks = w->uses->block;
  if (pointed->block == GPUMEMPROF_NONE) pointed->block = block_ending_at(w, address);
  if (pointed->block == GPUMEMPROF_NONE) {
    pointed->behind = block_behind(w, address);
    return;
  }
  const struct gpm_use_block *b = &blocks[pointed->block];
  if (b->address + b->bytes > address + GPUMEMPROF_USE_NEAR) return;
  uint32_t next = block_behind(w, address);
  if (next != GPUMEMPROF_NONE && may_be_before(b, &blocks[next], address)) pointed->behind = next;
}
