/* taken_back.c - takes back what gpm_ledger_free recorded, when CUDA's call failed.
 *
 * The free was recorded before CUDA was called, because another thread may get the address before
 * the call returns. thread->pending has what it changed. A reset (baseline.c) may have happened in
 * between.
 */
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/charge.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/ledger.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/padding.h"
#include "records/pairs.h"
#include "threads/observing.h"
#include "threads/threads.h"

/* Stops at 0, because a reset may have happened in between. */
static void uncount_unknown_free(void) {
  uint64_t *at = &gpm_capture->counters[GPUMEMPROF_COUNTER_unknown_frees];
  uint64_t count = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (count && !__atomic_compare_exchange_n(at, &count, count - 1, true, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED))
    continue;
}

/* Takes back what the free changed in the cell and the pair. */
static void take_free_back(const struct gpm_pending_free *undo, const struct gpm_block *block) {
  struct gpumemprof_capture_cell *c = undo->pair->cell->record;
  GPM_ASSERT(undo->pair->record->freed.blocks && c->freed.blocks &&
             c->temporary_blocks >= undo->temporary && c->lifetime_clock >= undo->lifetime_clock);
  gpm_amount_sub(&undo->pair->record->freed, block->bytes, 1);
  gpm_amount_sub(&c->freed, block->bytes, 1);
  c->temporary_blocks -= undo->temporary;
  if (timed_since(block)) {
    c->lifetime_ticks -= undo->lifetime_ticks;
    c->timed_blocks--;
  }
  c->lifetime_clock -= undo->lifetime_clock;
}

/* Does the same if a reset has discarded the free: the block counts as live at the reset. */
static void count_as_allocated(struct gpm_cell *cell, const struct gpm_block *block) {
  gpm_amount_add(&cell->record->allocated, block->bytes, 1);
  if (block->ticks & GPM_BLOCK_PADDED) cell->record->padding += gpm_padding_of(cell->device, block);
}

void gpm_ledger_free_failed(struct gpm_thread *thread, int result) {
  struct gpm_pending_free *undo = &thread->pending;
  gpm_capture_count(GPUMEMPROF_COUNTER_failed_frees);
  struct gpm_pair *pair = undo->pair;
  if (!pair) { /* the free of an unknown address changed nothing else */
    thread->temporary_candidate = undo->candidate;
    uncount_unknown_free();
    return;
  }
  /* The block still has its figures, because CUDA could not hand out the address before the
   * call. */
  uint64_t block_address = undo->address;
  struct gpm_block *block = gpm_blocks_slot(&thread->near, block_address);
  struct gpm_device *device = pair->cell->device;
  uint64_t bytes = block->bytes;
  gpm_lock_take(device->lock);
  gpm_entry_keep_at_peak(pair->cell);
  atomic_store_explicit(&block->cell, pair->cell, memory_order_release);
  if (GPM_LIKELY(undo->lifetime_clock + block->clock > device->reset_clock))
    take_free_back(undo, block);
  else count_as_allocated(pair->cell, block);
  gpm_entry_live(gpm_ledger_plain(), pair->cell, bytes);
  if (GPM_UNLIKELY(block->ticks & GPM_BLOCK_PADDED)) gpm_padding_resumes(device, block);
  uint64_t clock = tick_clock();
  if (block->ticks & GPM_BLOCK_GUARDED) gpm_guards_free_failed(thread, block_address, bytes);
  notice_peak(device, clock, pair->cell->record->node);
  GPM_ASSERT(device->record->total <= device->record->peak);
  if (gpm_observed(GPM_OBSERVING_EVENTS))
    gpm_observers_free_failed(thread, pair, block_address, block, clock, result);
  gpm_lock_release(device->lock);
  charge_scopes(thread, pair->from, device, GPM_CHANGE_TAKEN_BACK, pair->cell->kind, bytes);
  undo->address = 0;
  if (GPM_UNLIKELY(gpm_history_is_on()))
    gpm_history_freed(thread, GPUMEMPROF_EVENT_TAKEN_BACK, pair->id, block_address, clock, stamp());
}
