/* taken_back.c - a free that failed: what gpm_ledger_free did before the call is taken back.
 *
 * The free was recorded before CUDA was called, because its address may be another thread's when
 * the call returns. thread->pending has what it changed. A reset (baseline.c) may have come
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
#include "threads/bias.h"
#include "threads/threads.h"

/* A reset may have come between. */
static void uncount_unknown_free(void) {
  uint64_t *at = &gpm_capture->counters[GPUMEMPROF_COUNTER_unknown_frees];
  uint64_t count = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (count && !__atomic_compare_exchange_n(at, &count, count - 1, true, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED))
    continue;
}

/* What the free did to the cell. */
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

/* The same after a reset forgot the free: the block is one of those it began with. */
static void count_as_allocated(struct gpm_cell *cell, const struct gpm_block *block) {
  gpm_amount_add(&cell->record->allocated, block->bytes, 1);
  if (block->ticks & GPM_BLOCK_PADDED) cell->record->padding += gpm_padding_of(cell->device, block);
}

void gpm_ledger_free_failed(struct gpm_thread *thread, bool alone, int result) {
  struct gpm_pending_free *undo = &thread->pending;
  gpm_capture_count(GPUMEMPROF_COUNTER_failed_frees);
  struct gpm_pair *pair = undo->pair;
  if (!pair) { /* nothing happened */
    thread->temporary_candidate = undo->candidate;
    uncount_unknown_free();
    return;
  }
  /* The block keeps its figures: its address is not handed out before the call. */
  uint64_t block_address = undo->address;
  struct gpm_block *block = gpm_blocks_slot(&thread->near, block_address);
  struct gpm_device *device = pair->cell->device;
  uint64_t bytes = block->bytes;
  gpm_section_enter(thread, alone, device->lock);
  gpm_entry_keep_at_peak(pair->cell);
  atomic_store_explicit(&block->cell, pair->cell, memory_order_release);
  if (GPM_LIKELY(undo->lifetime_clock + block->clock > device->reset_clock))
    take_free_back(undo, block);
  else count_as_allocated(pair->cell, block);
  gpm_entry_live(alone, pair->cell, bytes);
  if (GPM_UNLIKELY(block->ticks & GPM_BLOCK_PADDED)) gpm_padding_resumes(device, block);
  uint64_t clock = tick_clock(alone);
  if (block->ticks & GPM_BLOCK_GUARDED) gpm_guards_free_failed(thread, block_address, bytes);
  notice_peak(device, clock, pair->cell->record->node);
  GPM_ASSERT(device->record->total <= device->record->peak);
  if (!alone && gpm_observed(GPM_OBSERVING_EVENTS))
    gpm_observers_free_failed(thread, pair, block_address, block, clock, result);
  gpm_section_leave(alone, device->lock);
  charge_scopes(thread, alone, pair->from, device, GPM_CHANGE_TAKEN_BACK, pair->cell->kind, bytes);
  undo->address = 0;
  if (GPM_UNLIKELY(gpm_history_is_on()))
    gpm_history_freed(thread, GPUMEMPROF_EVENT_TAKEN_BACK, pair->id, block_address, clock, stamp());
}
