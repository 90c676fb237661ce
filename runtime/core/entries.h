/* entries.h - the ledger's entries: what an allocation and a free write, whatever the
 * circumstances.
 *
 * ledger.c makes every event of them, repeats.c the events that bring nothing new. All of it is
 * under the device's lock (bias.h); `alone` as there.
 *
 * At-peak needs no replay: the device counts peak epochs, and whoever is about to change a cell's
 * live bytes first saves them if the cell was last touched in an older epoch. A new peak then only
 * increments the epoch: cells not touched since hold exactly what they held at the peak.
 */
#ifndef GPM_ENTRIES_H
#define GPM_ENTRIES_H

#include "core/ledger.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/pairs.h"

/* A time stamp costs as much as all the rest of an event, so not every block gets one: the first of
 * each cell do, then one in 64, drawn by a hash of its clock, so that no period of the program
 * hides from it. Lifetimes in clock ticks are of every block. */
#define GPM_TIMED_ALWAYS 64u /* blocks of a cell */
#define GPM_TIMED_BITS 6     /* then one in 2^6 */

static inline bool gpm_entry_drawn(uint64_t clock) {
  return !((uint32_t)clock * 0x9e3779b1u >> (32 - GPM_TIMED_BITS));
}

/* Two sums in one store: the driver's next locked instruction waits for each that is under way. */
typedef uint64_t gpm_two __attribute__((vector_size(16), may_alias));

static inline void gpm_amount_add(struct gpumemprof_capture_amount *at, uint64_t bytes,
                                  uint64_t blocks) {
  *(gpm_two *)at += (gpm_two){bytes, blocks};
}
static inline void gpm_amount_sub(struct gpumemprof_capture_amount *at, uint64_t bytes,
                                  uint64_t blocks) {
  *(gpm_two *)at -= (gpm_two){bytes, blocks};
}

/* Call before the cell's live bytes change. */
static inline void gpm_entry_keep_at_peak(struct gpm_cell *cell) {
  struct gpumemprof_capture_cell *c = cell->record;
  uint64_t epoch = cell->totals->peak_epoch;
  GPM_ASSERT(gpm_section_is_mine(cell->device->lock));
  GPM_ASSERT(c->peak_epoch <= epoch);
  if (c->peak_epoch == epoch) return;
  *(gpm_two *)&c->at_peak = *(const gpm_two *)&c->allocated - *(const gpm_two *)&c->freed;
  __atomic_store_n(&c->peak_epoch, epoch,
                   __ATOMIC_RELEASE); /* last: a killed program is read too */
}

/* Bytes of the cell are live, or live once more: adds them to the device's and the line's sums. */
static inline void gpm_entry_live(bool alone, struct gpm_cell *cell, uint64_t bytes) {
  struct gpumemprof_capture_device *d = cell->totals;
  d->total += bytes;
  gpm_amount_add(cell->live, bytes, 1);
  struct gpumemprof_capture_line *line = cell->line;
  gpm_ledger_raise(alone, &line->live_peak, gpm_ledger_add(alone, &line->live, bytes));
}

/* They are not live any more. `at`: where the maxima keep the total that ends; null: nowhere. */
static inline void gpm_entry_dead(bool alone, struct gpm_cell *cell, uint64_t bytes, uint64_t clock,
                                  struct gpumemprof_capture_maximum *at) {
  struct gpumemprof_capture_device *d = cell->totals;
  uint64_t total = d->total;
  GPM_ASSERT(bytes <= total && bytes <= cell->live->bytes && cell->live->blocks);
  GPM_ASSERT(cell->kind == GPUMEMPROF_KIND_CUSTOM || bytes <= gpm_peek(&cell->line->live));
  d->total = total - bytes;
  if (GPM_LIKELY(at != NULL)) gpm_maxima_set(cell->maxima, at, clock, total);
  gpm_amount_sub(cell->live, bytes, 1);
  gpm_ledger_add(alone, &cell->line->live, 0 - bytes);
}

/* A block of the cell's was allocated. */
static inline void gpm_entry_allocated(bool alone, struct gpm_cell *cell, struct gpm_block *block,
                                       uint64_t bytes, uint64_t clock) {
  *(gpm_two *)&block->bytes = (gpm_two){bytes, clock};
  atomic_store_explicit(&block->cell, cell, memory_order_release);
  struct gpumemprof_capture_cell *c = cell->record;
  if (bytes < c->min_size) c->min_size = bytes;
  if (bytes > c->max_size) c->max_size = bytes;
  GPM_ASSERT(c->min_size <= bytes && c->max_size >= bytes);
  gpm_amount_add(&c->allocated, bytes, 1);
  gpm_entry_live(alone, cell, bytes);
}

/* It was freed, through `pair`; what taking that back needs goes to `undo`. Its bytes. */
static inline uint64_t gpm_entry_freed(bool alone, struct gpm_cell *cell, struct gpm_pair *pair,
                                       struct gpm_block *block, uint64_t clock,
                                       struct gpumemprof_capture_maximum *at, uint64_t temporary,
                                       struct gpm_pending_free *undo) {
  uint64_t bytes = block->bytes, lifetime = clock - block->clock;
  GPM_ASSERT(atomic_load(&block->cell) == cell && pair->cell == cell && block->clock < clock);
  atomic_store_explicit(&block->cell, NULL, memory_order_release);
  gpm_two ended = {lifetime, temporary};
  undo->pair = pair;
  *(gpm_two *)&undo->lifetime_clock = ended;
  gpm_amount_add(&pair->record->freed, bytes, 1);
  struct gpumemprof_capture_cell *c = cell->record;
  gpm_amount_add(&c->freed, bytes, 1);
  GPM_ASSERT(c->freed.bytes <= c->allocated.bytes && c->freed.blocks <= c->allocated.blocks);
  *(gpm_two *)&c->lifetime_clock += ended;
  gpm_entry_dead(alone, cell, bytes, clock, at);
  return bytes;
}

#endif /* GPM_ENTRIES_H */
