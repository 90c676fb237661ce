/* uploads.c - searches what is copied from the host for addresses of blocks.
 *
 * A kernel can follow an address only if somebody stored it where the kernel reads. The host stores
 * most of them with copies, so a copy is read before it is made: each eight bytes that are aligned
 * to four where they will be. Nearly all differ from every address in their upper half, which is
 * all that is compared then. The bytes come through a system call, because the program may have
 * passed an address that is not mapped, and CUDA is the one to say so.
 */
#include "uses/uploads.h"
#include "base/lock.h"
#include "base/system_calls.h"
#include "records/blocks.h"
#include "uses/kernels.h"

#include <string.h>
#include <sys/uio.h>

#define SEARCHED_PIECE 8192u               /* bytes that are read at once */
#define MOST_SEARCHED ((uint64_t)64 << 20) /* bytes of a copy that are searched */
#define LARGEST_BLOCK ((uint64_t)1 << 38)  /* 256 GiB, more than a device has */
#define MOST_LOOKUPS 4096u

static uint64_t bounds_clock = UINT64_MAX, lowest_start, highest_start; /* under gpm_uses_lock */

void gpm_upload_begin(struct gpm_upload *u) {
  uint64_t now = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  *u = (struct gpm_upload){.lowest = 0};
  gpm_lock_take(&gpm_uses_lock);
  if (bounds_clock != now) {
    bounds_clock = now;
    if (!gpm_blocks_bounds(&lowest_start, &highest_start)) lowest_start = UINT64_MAX;
  }
  u->lowest = lowest_start == UINT64_MAX ? UINT64_MAX : lowest_start - GPUMEMPROF_USE_NEAR;
  u->highest = highest_start + LARGEST_BLOCK;
  gpm_lock_release(&gpm_uses_lock);
}

/* False: there is no room. */
static bool add_start(struct gpm_upload *u, uint64_t start) {
  for (uint32_t i = 0; i < u->count; i++)
    if (u->found[i] == start) return true;
  if (u->count == GPM_UPLOADS_FOUND) return false;
  u->found[u->count++] = start;
  return true;
}

/* Adds the block in which an address lies, and those that may be meant besides: the one that ends
 * there, as with a reverse iterator, and one that begins a little later, as with an array that
 * counts from 1. False: there is no room, or there were too many questions. */
static bool add_found(struct gpm_upload *u, uint64_t address) {
  uint64_t start = 0;
  if (u->lookups++ == MOST_LOOKUPS) return false;
  bool within = gpm_blocks_find_regular(address, &start);
  if (within && !add_start(u, start)) return false;
  bool may_end = !within || start == address;
  if (may_end && gpm_blocks_find_regular(address - 1, &start) && !add_start(u, start)) return false;
  uint64_t next = ((address >> GPM_GRANULE_BITS) + 1) << GPM_GRANULE_BITS;
  return next - address > GPUMEMPROF_USE_NEAR || !gpm_blocks_find(next) || add_start(u, next);
}

/* Whether a copy may begin in the middle of an address whose other half was, or will be, in another
 * copy, as where bytes are copied in pieces of any size. */
static bool begins_within(const struct gpm_upload *u, uint64_t to, uint32_t first) {
  uint32_t low = (uint32_t)(u->lowest >> 32), span = (uint32_t)(u->highest >> 32) - low;
  return to % 8 == 4 && first - low <= span;
}

/* word[-1] is the one before the first. */
static bool search_words(struct gpm_upload *u, const uint32_t *word, uint32_t count) {
  uint32_t low = (uint32_t)(u->lowest >> 32), span = (uint32_t)(u->highest >> 32) - low;
  for (uint32_t i = 0; i < count; i++) {
    if (word[i] - low > span) continue; /* the upper half of no address */
    uint64_t address = (uint64_t)word[i] << 32 | word[(int64_t)i - 1];
    if (address >= u->lowest && address < u->highest && !add_found(u, address)) return false;
  }
  return true;
}

static bool read_program(void *to, const void *from, uint64_t bytes) {
  struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
  long done = gpm_syscall(SYS_process_vm_readv, gpm_getpid(), &here, 1, &there, 1, 0);
  return done == (long)bytes;
}

bool gpm_upload_search(struct gpm_upload *u, uint64_t to, const void *from, uint64_t bytes) {
  uint32_t piece[SEARCHED_PIECE / 4 + 1];
  uint64_t skipped = -to & 3;
  u->bytes += bytes;
  if (u->bytes > MOST_SEARCHED) return false;
  if (u->lowest == UINT64_MAX || bytes < skipped + 4) return true;
  const char *at = (const char *)from + skipped;
  uint64_t left = (bytes - skipped) & ~(uint64_t)3;
  piece[0] = UINT32_MAX; /* what is before the first word is no part of an address */
  bool first = true;
  while (left) {
    uint64_t now = left < SEARCHED_PIECE ? left : SEARCHED_PIECE;
    if (!read_program(&piece[1], at, now)) return false;
    uint32_t skip = first;
    if (first && begins_within(u, to + skipped, piece[1])) return false;
    if (!search_words(u, &piece[1 + skip], (uint32_t)(now / 4) - skip)) return false;
    piece[0] = piece[now / 4];
    at += now;
    left -= now;
    first = false;
  }
  return true;
}
