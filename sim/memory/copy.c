/* copy.c - copies and fills boxes of bytes in host and simulated device memory. The block of every
 * row is looked up, so that a copy past the end of an allocation is an error.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "memory/memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOWEST_ADDRESS 4096 /* lower addresses are null with an offset */

/* From this size on, a range is zeroed by returning its pages to the host, which then commits
 * none. */
#define ZERO_BY_PAGES (UINT64_C(1) << 20)

void *gpm_sim_bytes(uint64_t address, uint64_t *available) {
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(address);
  if (address < LOWEST_ADDRESS) return NULL;
  if (!block) {
    *available = UINT64_MAX;
    return gpm_sim_address_is_ours(address) ? NULL : (void *)(uintptr_t)address;
  }
  if (block->kind == GPM_SIM_MAPPED_MEMORY && !block->accessible) return NULL;
  if (block->kind == GPM_SIM_REGISTERED_MEMORY)
    *available = UINT64_MAX; /* host memory continues after the registered range */
  else *available = block->range.start + block->requested - address;
  return (void *)(uintptr_t)(address + (uint64_t)block->backing);
}

/* The bytes at the address, of which the caller needs `size`. Only mappings of cuMemMap continue in
 * the next block; there *piece may be less than size. Null: there is no such memory. */
static char *piece_of(uint64_t address, uint64_t size, uint64_t *piece) {
  GPM_SIM_LOCKED;
  uint64_t available = 0;
  char *bytes = gpm_sim_bytes(address, &available);
  if (!bytes || available == 0) return NULL;
  *piece = available < size ? available : size;
  if (available >= size) return bytes;
  struct gpm_sim_block *block = gpm_sim_block_find(address);
  return block && block->kind == GPM_SIM_MAPPED_MEMORY ? bytes : NULL;
}

int gpm_sim_copy_linear(uint64_t to, uint64_t from, uint64_t size) {
  while (size) {
    uint64_t piece = 0, room = 0;
    char *source = piece_of(from, size, &piece);
    char *target = source ? piece_of(to, piece, &room) : NULL;
    if (!target) return GPM_SIM_INVALID_VALUE;
    memmove(target, source, room);
    to += room;
    from += room;
    size -= room;
  }
  return GPM_SIM_OK;
}

int gpm_sim_copy(const struct gpm_sim_box *box) {
  if (!box->width || !box->height || !box->depth) return GPM_SIM_OK;
  bool rows = box->to_pitch == box->width && box->from_pitch == box->width;
  if (rows && box->depth == 1)
    return gpm_sim_copy_linear(box->to, box->from, box->width * box->height);
  for (uint64_t z = 0; z < box->depth; z++)
    for (uint64_t y = 0; y < box->height; y++) {
      uint64_t to = box->to + z * box->to_slice + y * box->to_pitch;
      uint64_t from = box->from + z * box->from_slice + y * box->from_pitch;
      int error = gpm_sim_copy_linear(to, from, box->width);
      if (error) return error;
    }
  return GPM_SIM_OK;
}

static void zero(char *bytes, uint64_t size) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t head = (page - (uintptr_t)bytes % page) % page;
  uint64_t middle = (size - head) / page * page;
  memset(bytes, 0, head);
  if (madvise(bytes + head, middle, MADV_DONTNEED)) memset(bytes + head, 0, middle);
  memset(bytes + head + middle, 0, size - head - middle);
}

static void fill_piece(char *bytes, uint64_t size, uint32_t pattern, unsigned pattern_size) {
  if (pattern_size == 1) {
    memset(bytes, (int)pattern, size);
    return;
  }
  for (uint64_t i = 0; i + pattern_size <= size; i += pattern_size)
    memcpy(bytes + i, &pattern, pattern_size);
}

static int fill_linear(uint64_t to, uint64_t size, uint32_t pattern, unsigned pattern_size) {
  while (size) {
    uint64_t piece = 0;
    char *bytes = piece_of(to, size, &piece);
    if (!bytes) return GPM_SIM_INVALID_VALUE;
    /* Only memory of ours is known to be private and anonymous. */
    if (pattern == 0 && piece >= ZERO_BY_PAGES && gpm_sim_address_is_ours(to)) zero(bytes, piece);
    else fill_piece(bytes, piece, pattern, pattern_size);
    to += piece;
    size -= piece;
  }
  return GPM_SIM_OK;
}

int gpm_sim_fill(const struct gpm_sim_box *box, uint32_t pattern, unsigned pattern_size) {
  if (!box->width || !box->height || !box->depth) return GPM_SIM_OK;
  if (box->to_pitch == box->width && box->depth == 1)
    return fill_linear(box->to, box->width * box->height, pattern, pattern_size);
  for (uint64_t z = 0; z < box->depth; z++)
    for (uint64_t y = 0; y < box->height; y++) {
      int error = fill_linear(box->to + z * box->to_slice + y * box->to_pitch, box->width, pattern,
                              pattern_size);
      if (error) return error;
    }
  return GPM_SIM_OK;
}
