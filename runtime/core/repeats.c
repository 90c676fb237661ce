/* repeats.c - events that repeat an earlier one: a line allocates or frees once more.
 *
 * cuda_hooks.c tries these first, for the owner of the bias (bias.h). An event that would need a
 * lookup, a record or a time stamp is refused before anything is written, and ledger.c records it
 * instead. Only loads, comparisons and the entries (entries.h) remain: no calls, so the hook needs
 * no machine frame. On an H200 an allocation and its free take 25 ns this way, and 40 ns the
 * general way.
 */
#include "core/repeats.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "core/entries.h"
#include "core/operands.h"
#include "core/shadow_stack.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/maxima.h"
#include "records/pairs.h"
#include "threads/threads.h"

static inline bool is_repeat(uint16_t repeats, uint16_t kind, const struct gpm_cell *cell,
                             const struct gpumemprof_frame *f) {
  return GPM_LIKELY(repeats == kind) ||
         (repeats == (kind | GPM_REPEAT_WITH_OPERANDS) && gpm_operands_same(cell->operands, f));
}

bool gpm_repeats_allocated(struct gpm_thread *thread, const struct gpm_device *device,
                           uint16_t kind, uint64_t address, uint64_t bytes) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_cell *cell = f->cell;
  struct gpm_block *block;
  if (GPM_UNLIKELY(!cell ||
                   !is_repeat(device ? cell->repeats_there : cell->repeats, kind, cell, f) ||
                   (device && cell->device != device) ||
                   (kind == GPUMEMPROF_KIND_POOL && cell->stream != thread->stream) ||
                   atomic_load_explicit(&cell->site, memory_order_relaxed) != f->call ||
                   f->stack < gpm_thread_machine_stack() ||
                   !gpm_blocks_near(&thread->near, address, &block)))
    return false;
  uintptr_t occupied = (uintptr_t)atomic_load_explicit(&block->cell, memory_order_relaxed);
  uint64_t clock = __gpumemprof_clock.events + 1;
  if (GPM_UNLIKELY(occupied | block->ticks) || GPM_UNLIKELY(gpm_entry_drawn(clock)) ||
      GPM_UNLIKELY(cell->totals->total + bytes > cell->totals->peak))
    return false;
  __atomic_store_n(&__gpumemprof_clock.events, clock, __ATOMIC_RELAXED);
  thread->temporary_candidate = address;
  gpm_entry_keep_at_peak(cell);
  gpm_entry_allocated(true, cell, block, bytes, clock);
  gpm_activation_charge(f->active, (int64_t)bytes);
  GPM_ASSERT(gpm_blocks_find(address) == block && cell->totals->total <= cell->totals->peak);
  return true;
}

bool gpm_repeats_freed(struct gpm_thread *thread, uint64_t address) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_block *block;
  if (GPM_UNLIKELY(!gpm_blocks_near(&thread->near, address, &block))) return false;
  struct gpm_cell *cell = atomic_load_explicit(&block->cell, memory_order_relaxed);
  if (GPM_UNLIKELY(!cell)) return false;
  struct gpm_pair *pair = cell->latest_pair;
  struct gpumemprof_capture_activation *activation = f->active;
  if (GPM_UNLIKELY(
          pair->scope != f->node || /* if they are equal, the frame is open */
          atomic_load_explicit(&pair->call, memory_order_relaxed) != f->call ||
          f->stack < gpm_thread_machine_stack() || block->ticks ||
          (activation->flags & (GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_LINE)) !=
              GPUMEMPROF_ACTIVATION_MOVED))
    return false;
  struct gpumemprof_capture_maximum *at = gpm_maxima_position(cell->maxima, cell->totals->total);
  if (GPM_UNLIKELY(!at)) return false;
  uint64_t clock = __gpumemprof_clock.events + 1;
  __atomic_store_n(&__gpumemprof_clock.events, clock, __ATOMIC_RELAXED);
  uint64_t temporary = thread->temporary_candidate == address;
  thread->temporary_candidate = 0;
  thread->pending.address = address;
  gpm_entry_keep_at_peak(cell);
  uint64_t bytes = gpm_entry_freed(true, cell, pair, block, clock, at, temporary, &thread->pending);
  gpm_activation_charge(activation, -(int64_t)bytes);
  GPM_ASSERT(!gpm_blocks_find(address));
  return true;
}
