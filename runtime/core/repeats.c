/* repeats.c - events that repeat an earlier one: a line allocates or frees once more.
 *
 * call_events.h tries these first. An event that would need a lookup or a record, or a time stamp
 * that is not for the history, is refused before anything is written, and ledger.c records it
 * instead. Only loads, comparisons and the entries (entries.h) remain, under the lock of the
 * device: no calls, so the hook needs nearly no machine frame.
 */
#include "core/repeats.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "core/activations.h"
#include "core/block_events.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/operands.h"
#include "core/shadow_stack.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/maxima.h"
#include "records/pairs.h"
#include "threads/observing.h"
#include "threads/threads.h"

/* Takes the lock of the device. False: another thread has it, and the caller does not wait. */
static inline bool take_lock(bool quick, struct gpm_lock *lock) {
  GPM_TEST_YIELD();
  if (!quick) gpm_lock_take(lock);
  else if (GPM_UNLIKELY(!gpm_lock_take_quickly(lock))) return false;
  return true;
}

static inline enum gpm_repeat refuse_repeat(const struct gpm_cell *cell, bool slowly) {
  gpm_lock_release(cell->lock);
  return slowly ? GPM_REPEAT_SLOWLY : GPM_REPEAT_NONE;
}

/* ---- allocations --------------------------------------------------------------------------------
 */

/* Whether there is a block already, or a time stamp where this block gets none. */
static inline bool is_in_use(const struct gpm_block *block, bool in_history) {
  uintptr_t cell = (uintptr_t)atomic_load_explicit(&block->cell, memory_order_relaxed);
  return cell | (in_history ? 0 : block->ticks);
}

/* The clock of the next event, if no other device has one first. */
static inline uint64_t next_clock(void) {
  return gpm_peek(&__gpumemprof_clock.events) + 1;
}

static GPM_INLINE void allocate_repeated(bool plain, struct gpm_cell *cell, struct gpm_block *block,
                                         uint64_t bytes) {
  gpm_entry_keep_at_peak(cell);
  uint64_t clock = gpm_ledger_add(plain, &__gpumemprof_clock.events, 1);
  gpm_entry_allocated(plain, cell, block, bytes, clock);
}

enum gpm_repeat gpm_repeats_allocated(struct gpm_thread *thread, enum gpm_repeating how,
                                      const struct gpm_device *device, uint16_t kind,
                                      uint64_t address, uint64_t bytes) {
  const bool quick = how == GPM_REPEATING_QUICKLY, in_history = how == GPM_REPEATING_IN_HISTORY;
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_cell *cell = f->cell;
  struct gpm_block *block;
  if (GPM_UNLIKELY(f->stack < gpm_thread_machine_stack())) return GPM_REPEAT_NONE;
  if (GPM_UNLIKELY(!cell)) return GPM_REPEAT_SLOWLY;
  if (GPM_UNLIKELY(atomic_load_explicit(&cell->site, memory_order_relaxed) != f->call ||
                   (device && cell->device != device) ||
                   (kind == GPUMEMPROF_KIND_POOL && cell->stream != thread->stream) ||
                   !gpm_blocks_near(&thread->near, address, &block)))
    return GPM_REPEAT_NONE;
  if (GPM_UNLIKELY(cell->operands && !gpm_operands_same(cell->operands, f)) ||
      GPM_UNLIKELY(!take_lock(quick, cell->lock)))
    return GPM_REPEAT_SLOWLY;
  bool plain = gpm_ledger_plain();
  if (GPM_UNLIKELY(quick && !plain)) return refuse_repeat(cell, true);
  if (GPM_UNLIKELY((device ? cell->repeats_there : cell->repeats) != kind) ||
      GPM_UNLIKELY(cell->totals->total + bytes > cell->device->repeats_up_to) ||
      GPM_UNLIKELY(is_in_use(block, in_history)) ||
      (!in_history && GPM_UNLIKELY(gpm_entry_drawn(next_clock()))))
    return refuse_repeat(cell, false);
  if (in_history) block->ticks = stamp() & ~GPM_BLOCK_FLAGS;
  if (GPM_LIKELY(plain)) allocate_repeated(true, cell, block, bytes);
  else allocate_repeated(false, cell, block, bytes);
  GPM_ASSERT(gpm_blocks_find(address) == block && cell->totals->total <= cell->totals->peak);
  gpm_lock_release(cell->lock);
  thread->temporary_candidate = address;
  /* Asked for once more, as the lock is above: a register each would cost more than a load. */
  struct gpumemprof_capture_activation *activation = gpm_thread_top()->active;
  activation->flags |= GPUMEMPROF_ACTIVATION_MOVED;
  gpm_activation_charge(activation, (int64_t)bytes);
  if (in_history) note_allocated(thread, cell, block, address, bytes, bytes);
  return GPM_REPEAT_DONE;
}

/* The cell of a line that counts the thread's allocations of a kind, if it is among the newest. */
static inline struct gpm_cell *newest_cell(const struct gpm_thread *thread,
                                           const struct gpm_node *line, uint16_t kind) {
  const void *stream = kind == GPUMEMPROF_KIND_POOL ? thread->stream : NULL;
  struct gpm_cell *cell = atomic_load_explicit(&line->cells, memory_order_acquire);
  for (unsigned i = 0; cell && i < GPM_RECENT; i++, cell = cell->next)
    if (cell->kind == kind && cell->label == thread->label && cell->stream == stream) return cell;
  return NULL;
}

bool gpm_repeats_opened(struct gpm_thread *thread, uint16_t kind) {
  struct gpumemprof_frame *f = gpm_thread_top();
  const struct gpm_open *latest = thread->latest;
  if (GPM_UNLIKELY(f->active || !f->call || f->stack < gpm_thread_machine_stack() ||
                   !latest->frame || gpm_is_line(latest)))
    return false;
  bool next = latest->frame == f - 1 && f < thread->limit;
  if (GPM_UNLIKELY(!(next ? open_known(thread, f) : gpm_thread_open_known(thread, f))))
    return false;
  struct gpm_node *line = gpm_tree_known(f->node, f->call);
  if (GPM_UNLIKELY(!line || line->spans)) return false;
  struct gpm_cell *cell = newest_cell(thread, line, kind);
  if (GPM_UNLIKELY(!cell || gpm_is_not_gpu(cell->device))) return false;
  f->cell = cell;
  return true;
}

/* ---- frees --------------------------------------------------------------------------------------
 */

/* Whether the frame has an activation of its own in which memory moved before. */
static inline bool has_moved(const struct gpumemprof_capture_activation *a) {
  const uint32_t both = GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_LINE;
  /* Another thread may have folded into it just now (ended_frames.c). */
  uint32_t flags = __atomic_load_n(&a->flags, __ATOMIC_ACQUIRE);
  return (flags & both) == GPUMEMPROF_ACTIVATION_MOVED;
}

/* The position of the present total among the maxima; null: it is not known without a search. */
static inline struct gpumemprof_capture_maximum *maximum_of(bool quick,
                                                            const struct gpm_cell *cell) {
  uint64_t total = cell->totals->total;
  struct gpumemprof_capture_maximum *top = cell->maxima->top;
  if (!quick) return gpm_maxima_position(cell->maxima, total);
  return GPM_LIKELY(top && top->total == total) ? top : NULL;
}

static GPM_INLINE uint64_t free_repeated(bool plain, struct gpm_cell *cell, struct gpm_block *block,
                                         uint64_t clock, uint64_t temporary,
                                         struct gpm_pending_free *undo) {
  gpm_entry_keep_at_peak(cell);
  return gpm_entry_freed(plain, cell, cell->latest_pair, block, clock, temporary, undo);
}

enum gpm_repeat gpm_repeats_freed(struct gpm_thread *thread, enum gpm_repeating how,
                                  uint64_t address) {
  const bool quick = how == GPM_REPEATING_QUICKLY, in_history = how == GPM_REPEATING_IN_HISTORY;
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_block *block;
  if (GPM_UNLIKELY(f->stack < gpm_thread_machine_stack() ||
                   !gpm_blocks_near(&thread->near, address, &block)))
    return GPM_REPEAT_NONE;
  struct gpm_cell *cell = atomic_load_explicit(&block->cell, memory_order_relaxed);
  if (GPM_UNLIKELY(!cell)) return GPM_REPEAT_NONE;
  if (GPM_UNLIKELY(!take_lock(quick, cell->lock))) return GPM_REPEAT_SLOWLY;
  bool plain = gpm_ledger_plain();
  const struct gpm_pair *pair = cell->latest_pair;
  struct gpumemprof_capture_maximum *at = maximum_of(quick, cell);
  if (GPM_UNLIKELY(atomic_load_explicit(&block->cell, memory_order_relaxed) != cell ||
                   pair->scope != f->node || /* if they are equal, the frame is open */
                   atomic_load_explicit(&pair->call, memory_order_relaxed) != f->call ||
                   (in_history ? block->ticks & GPM_BLOCK_FLAGS : block->ticks) ||
                   !has_moved(f->active)))
    return refuse_repeat(cell, false);
  if (GPM_UNLIKELY(!at || (quick && !plain))) return refuse_repeat(cell, quick);
  if (in_history) stop_timing(cell, block, &thread->pending);
  uint64_t clock = gpm_ledger_add(plain, &__gpumemprof_clock.events, 1);
  if (quick) at->until = clock;
  else gpm_maxima_set(cell->maxima, at, clock, cell->totals->total);
  uint64_t temporary = thread->temporary_candidate == address;
  uint64_t bytes = GPM_LIKELY(plain)
                       ? free_repeated(true, cell, block, clock, temporary, &thread->pending)
                       : free_repeated(false, cell, block, clock, temporary, &thread->pending);
  GPM_ASSERT(!gpm_blocks_find(address));
  gpm_lock_release(cell->lock);
  thread->temporary_candidate = 0;
  thread->pending.address = address;
  if (!in_history) thread->pending.ticks = 0;
  gpm_activation_charge(gpm_thread_top()->active, -(int64_t)bytes);
  if (in_history) {
    thread->pending.clock = clock;
    note_freed(thread, address, &thread->pending);
  }
  return GPM_REPEAT_DONE;
}
