/* padding.c - the padding of live blocks: bytes beyond those that the program requested.
 *
 * Nearly every block has exactly the requested bytes, but rows of cudaMallocPitch are longer.
 * ledger.c calls this when such a block begins and ends, so that a device's record has the padding
 * of its live blocks (snapshot.c). A block's padding stays in the map after its end, because a free
 * that fails needs it; the next block at the address replaces it.
 */
#include "records/padding.h"
#include "records/blocks.h"
#include "records/devices.h"
#include "tables/map.h"

uint64_t gpm_padding_of(const struct gpm_device *device, const struct gpm_block *block) {
  return (uintptr_t)gpm_map_get(&device->paddings, (uintptr_t)block);
}

void gpm_padding_begins(struct gpm_device *device, struct gpm_block *block, uint64_t bytes) {
  if (!gpm_map_put(&device->paddings, (uintptr_t)block, (void *)(uintptr_t)bytes)) return;
  block->ticks |= GPM_BLOCK_PADDED;
  device->record->padding += bytes;
}

void gpm_padding_ends(struct gpm_device *device, const struct gpm_block *block) {
  device->record->padding -= gpm_padding_of(device, block);
}

void gpm_padding_resumes(struct gpm_device *device, const struct gpm_block *block) {
  device->record->padding += gpm_padding_of(device, block);
}
