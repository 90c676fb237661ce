/* padding.c - bytes that blocks have beyond what the program asked for, while they live.
 *
 * Nearly every block has what was asked for; rows of cudaMallocPitch are longer. ledger.c brings
 * such a block when it begins and ends, so that a device's record tells how many of its live bytes
 * nobody requested (snapshot.c). What a block has stays in the map after its end: a free that fails
 * needs it again, and the next block of the address replaces it.
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
