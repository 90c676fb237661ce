/* entries.h - the entries of the ledger: what every allocation and every free writes.
 *
 * block_events.h composes full events of them; repeats.c composes the events that repeat earlier
 * ones. All of it runs under the device's lock. `plain`: that lock protects lines and nodes, too
 * (devices.h).
 *
 * The content of a peak needs no replay. The device counts peak epochs, and code that is about to
 * change a cell's live bytes first saves them if the cell was last changed in an older epoch. So a
 * new peak only increments the epoch: cells that have not changed since still have the live bytes
 * that they had at the peak.
 */
#ifndef GPM_ENTRIES_H
#define GPM_ENTRIES_H

#include "base/two_words.h"
#include "core/ledger.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/pairs.h"

/* A time stamp costs as much as the rest of an event, so not every block gets one: the first blocks
 * of each cell do, then one in 64. A hash of the allocation clock selects them, so that the
 * sampling does not run in step with a loop of the program. Lifetimes in ticks of the allocation
 * clock cover every block. */
#define GPM_TIMED_ALWAYS 64u /* blocks of a cell */
#define GPM_TIMED_BITS 6     /* then one in 2^6 */

static inline bool gpm_entry_drawn(uint64_t clock) {
  return !((uint32_t)clock * 0x9e3779b1u >> (32 - GPM_TIMED_BITS));
}

/* Two sums are written by one store (two_words.h), also because the next locked instruction of the
 * driver waits for every store in flight. */
static inline void gpm_amount_add(struct gpumemprof_capture_amount *at, uint64_t bytes,
                                  uint64_t blocks) {
  gpm_two_store(at, *(const gpm_two *)at + (gpm_two){bytes, blocks});
}
static inline void gpm_amount_sub(struct gpumemprof_capture_amount *at, uint64_t bytes,
                                  uint64_t blocks) {
  gpm_two_store(at, *(const gpm_two *)at - (gpm_two){bytes, blocks});
}

/* Call before the cell's live bytes change. */
static inline void gpm_entry_keep_at_peak(struct gpm_cell *cell) {
  struct gpumemprof_capture_cell *c = cell->record;
  uint64_t epoch = cell->totals->peak_epoch;
  GPM_ASSERT(gpm_lock_is_mine(cell->device->lock));
  GPM_ASSERT(c->peak_epoch <= epoch);
  if (c->peak_epoch == epoch) return;
  gpm_two_store(&c->at_peak, *(const gpm_two *)&c->allocated - *(const gpm_two *)&c->freed);
  /* Stored last, because the capture of a killed program is read as well. */
  __atomic_store_n(&c->peak_epoch, epoch, __ATOMIC_RELEASE);
}

/* Adds bytes of the cell that are live, or live once more, to the sums of the device and the
 * line. */
static inline void gpm_entry_live(bool plain, struct gpm_cell *cell, uint64_t bytes) {
  struct gpumemprof_capture_device *d = cell->totals;
  d->total += bytes;
  gpm_amount_add(cell->live, bytes, 1);
  struct gpumemprof_capture_line *line = cell->line;
  gpm_ledger_raise(plain, &line->live_peak, gpm_ledger_add(plain, &line->live, bytes));
}

/* Subtracts bytes that are not live any more. The maxima have the total before that already. */
static inline void gpm_entry_dead(bool plain, struct gpm_cell *cell, uint64_t bytes) {
  struct gpumemprof_capture_device *d = cell->totals;
  GPM_ASSERT(bytes <= d->total && bytes <= cell->live->bytes && cell->live->blocks);
  GPM_ASSERT(cell->kind == GPUMEMPROF_KIND_CUSTOM || bytes <= gpm_peek(&cell->line->live));
  d->total -= bytes;
  gpm_amount_sub(cell->live, bytes, 1);
  gpm_ledger_add(plain, &cell->line->live, 0 - bytes);
}

/* Counts the allocation of a block of the cell. */
static inline void gpm_entry_allocated(bool plain, struct gpm_cell *cell, struct gpm_block *block,
                                       uint64_t bytes, uint64_t clock) {
  struct gpumemprof_capture_cell *c = cell->record;
  gpm_two_store(&block->bytes, (gpm_two){bytes, clock});
  atomic_store_explicit(&block->cell, cell, memory_order_release);
  if (bytes < c->min_size) c->min_size = bytes;
  if (bytes > c->max_size) c->max_size = bytes;
  GPM_ASSERT(c->min_size <= bytes && c->max_size >= bytes);
  gpm_amount_add(&c->allocated, bytes, 1);
  gpm_entry_live(plain, cell, bytes);
}

/* Counts the free of a block in `pair`. Writes what is needed to take the free back into `undo`.
 * Returns the block's bytes. */
static inline uint64_t gpm_entry_freed(bool plain, struct gpm_cell *cell, struct gpm_pair *pair,
                                       struct gpm_block *block, uint64_t clock, uint64_t temporary,
                                       struct gpm_pending_free *undo) {
  uint64_t bytes = block->bytes, lifetime = clock - block->clock;
  GPM_ASSERT(atomic_load(&block->cell) == cell && pair->cell == cell && block->clock < clock);
  atomic_store_explicit(&block->cell, NULL, memory_order_release);
  gpm_two ended = {lifetime, temporary};
  undo->pair = pair;
  gpm_two_store(&undo->lifetime_clock, ended);
  gpm_amount_add(&pair->record->freed, bytes, 1);
  struct gpumemprof_capture_cell *c = cell->record;
  gpm_amount_add(&c->freed, bytes, 1);
  GPM_ASSERT(c->freed.bytes <= c->allocated.bytes && c->freed.blocks <= c->allocated.blocks);
  gpm_two_store(&c->lifetime_clock, *(const gpm_two *)&c->lifetime_clock + ended);
  gpm_entry_dead(plain, cell, bytes);
  return bytes;
}

#endif /* GPM_ENTRIES_H */
