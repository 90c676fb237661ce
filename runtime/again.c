/* again.c - the events that bring nothing new: a line allocates or frees once more.
 *
 * cuda_hooks.c tries these first, for a thread that is alone (bias.h). Whatever would need a
 * look-up, a record or a time stamp is refused before anything is written, and ledger.c makes the
 * event. What is left are loads, comparisons and the entries (entries.h): no call, so that the hook
 * needs no machine frame. On an H200 this is two thirds of the cost of the general way.
 */
#include "entries.h"

bool gpm_again_allocated(struct gpm_thread *thread, uint16_t kind, uint64_t address,
                         uint64_t bytes) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_cell *cell = f->cell;
  if (GPM_UNLIKELY(!cell || f->stack < gpm_thread_machine_stack() || cell->kind != kind ||
                   atomic_load_explicit(&cell->site, memory_order_relaxed) != f->call ||
                   !atomic_load_explicit(&gpm_cuda_one_device, memory_order_relaxed)))
    return false;
  struct gpm_block *block = gpm_blocks_near(&thread->near, address);
  if (GPM_UNLIKELY(!block || atomic_load_explicit(&block->cell, memory_order_relaxed) ||
                   block->ticks))
    return false;
  uint64_t clock = __gpumemprof_clock + 1;
  if (GPM_UNLIKELY(gpm_entry_timed(cell->record, clock) ||
                   cell->totals->total + bytes > cell->totals->peak))
    return false;
  __atomic_store_n(&__gpumemprof_clock, clock, __ATOMIC_RELAXED);
  thread->temporary_candidate = address;
  gpm_entry_keep_at_peak(cell);
  gpm_entry_allocated(true, cell, block, bytes, clock);
  gpm_activation_charge(f->active, (int64_t)bytes);
  return true;
}

bool gpm_again_freed(struct gpm_thread *thread, uint64_t address) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_block *block = gpm_blocks_near(&thread->near, address);
  struct gpm_cell *cell = block ? atomic_load_explicit(&block->cell, memory_order_relaxed) : NULL;
  struct gpm_pair *pair = cell ? cell->latest_pair : NULL;
  if (GPM_UNLIKELY(!pair || block->ticks || !f->active || pair->scope != f->node ||
                   f->stack < gpm_thread_machine_stack() ||
                   atomic_load_explicit(&pair->from->site, memory_order_relaxed) != f->call))
    return false;
  struct gpumemprof_capture_maximum *at =
      gpm_maxima_place(&cell->device->maxima, cell->totals->total);
  if (GPM_UNLIKELY(!at)) return false;
  uint64_t clock = __gpumemprof_clock + 1;
  __atomic_store_n(&__gpumemprof_clock, clock, __ATOMIC_RELAXED);
  struct gpm_pending_free *undo = &thread->pending;
  bool temporary = thread->temporary_candidate == address;
  thread->temporary_candidate = 0;
  undo->address = address;
  gpm_entry_keep_at_peak(cell);
  uint64_t bytes = gpm_entry_freed(true, cell, pair, block, clock, at, temporary, undo);
  gpm_activation_charge(f->active, -(int64_t)bytes);
  return true;
}
