/* repeats.c - events that repeat an earlier one: a line allocates or frees once more.
 *
 * cuda_hooks.c tries these first. An event that would need a lookup, a record or a time stamp is
 * refused before anything is written, and ledger.c records it instead. Only loads, comparisons and
 * the entries (entries.h) remain: no calls, so the hook of the bias's owner needs no machine frame.
 * On an H200 an allocation and its free take 25 ns this way, and 40 ns the general way. A thread
 * without the bias does the same under the lock of the device.
 */
#include "core/repeats.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "core/activations.h"
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
#include "threads/bias.h"
#include "threads/threads.h"

/* Whether something else wants to know of each event. The owner of the bias need not ask, because
 * all of these end the bias. */
static inline bool is_watched(const struct gpm_thread *thread) {
  return atomic_load_explicit(&gpm_observers, memory_order_relaxed) || gpm_history_is_on() ||
         thread->delegating;
}

/* Whether the frame's call is under way, and the cell or the pair is of that call. */
static inline bool is_at(const struct gpumemprof_frame *f, const void *site) {
  return site == f->call && f->stack >= gpm_thread_machine_stack();
}

static inline bool is_repeat(bool single, bool many, uint16_t kind, const struct gpm_cell *cell,
                             const struct gpumemprof_frame *f) {
  uint16_t repeats =
      atomic_load_explicit(many ? &cell->repeats_there : &cell->repeats, memory_order_relaxed);
  if (GPM_LIKELY(repeats == kind)) return true;
  if (repeats != (kind | GPM_REPEAT_WITH_OPERANDS)) return false;
  return single ? gpm_operands_same(cell->operands, f)
                : gpm_operands_same_meanwhile(cell->operands, f);
}

/* The clock of the next event, if no other thread makes one first. */
static inline uint64_t next_clock(bool single) {
  const uint64_t *events = &__gpumemprof_clock.events;
  return (single ? *events : gpm_peek(events)) + 1;
}

/* What may have changed before the lock was taken: a peak that a scope waits for, or a reset. */
static inline bool has_changed(const struct gpm_cell *cell, uint64_t total) {
  return total > cell->device->watched_above ||
         atomic_load_explicit(&cell->repeats_there, memory_order_relaxed) == GPM_NO_REPEAT;
}

/* As gpm_section_enter, for a thread that has had an event before. */
static inline void enter_section(bool single, const struct gpm_cell *cell) {
  GPM_TEST_YIELD();
  if (!single) gpm_lock_take(cell->device->lock);
  else gpm_lock_check_order(cell->device->lock);
}

static inline bool refuse_repeat(bool single, const struct gpm_cell *cell) {
  gpm_section_leave(single, cell->device->lock);
  return false;
}

bool gpm_repeats_allocated(struct gpm_thread *thread, bool single, const struct gpm_device *device,
                           uint16_t kind, uint64_t address, uint64_t bytes) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_cell *cell = f->cell;
  struct gpm_block *block;
  if (GPM_UNLIKELY(!cell || !is_repeat(single, device != NULL, kind, cell, f) ||
                   (device && cell->device != device) ||
                   (kind == GPUMEMPROF_KIND_POOL && cell->stream != thread->stream) ||
                   !is_at(f, atomic_load_explicit(&cell->site, memory_order_relaxed)) ||
                   !gpm_blocks_near(&thread->near, address, &block) ||
                   (!single && is_watched(thread))))
    return false;
  enter_section(single, cell);
  uintptr_t occupied = (uintptr_t)atomic_load_explicit(&block->cell, memory_order_relaxed);
  uint64_t total = cell->totals->total + bytes;
  if (GPM_UNLIKELY(occupied | block->ticks) || GPM_UNLIKELY(gpm_entry_drawn(next_clock(single))) ||
      GPM_UNLIKELY(total > cell->totals->peak) || GPM_UNLIKELY(!single && has_changed(cell, total)))
    return refuse_repeat(single, cell);
  bool plain = gpm_ledger_plain(single);
  uint64_t clock = gpm_ledger_add(plain, &__gpumemprof_clock.events, 1);
  thread->temporary_candidate = address;
  gpm_entry_keep_at_peak(cell);
  gpm_entry_allocated(plain, cell, block, bytes, clock);
  GPM_ASSERT(gpm_blocks_find(address) == block && cell->totals->total <= cell->totals->peak);
  gpm_section_leave(single, cell->device->lock);
  struct gpumemprof_capture_activation *activation = f->active;
  activation->flags |= GPUMEMPROF_ACTIVATION_MOVED;
  gpm_activation_charge(activation, (int64_t)bytes);
  return true;
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

bool gpm_repeats_opened(struct gpm_thread *thread, bool single, uint16_t kind) {
  struct gpumemprof_frame *f = gpm_thread_top();
  const struct gpm_open *latest = thread->latest;
  if (GPM_UNLIKELY(f->active || !f->call || f->stack < gpm_thread_machine_stack() ||
                   !latest->frame || gpm_is_line(latest) || (!single && is_watched(thread))))
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

bool gpm_repeats_freed(struct gpm_thread *thread, bool single, uint64_t address) {
  const struct gpumemprof_frame *f = gpm_thread_top();
  struct gpm_block *block;
  if (GPM_UNLIKELY(!gpm_blocks_near(&thread->near, address, &block))) return false;
  struct gpm_cell *cell = atomic_load_explicit(&block->cell, memory_order_relaxed);
  if (GPM_UNLIKELY(!cell || (!single && is_watched(thread)))) return false;
  enter_section(single, cell);
  struct gpm_pair *pair = cell->latest_pair;
  struct gpumemprof_capture_activation *activation = f->active;
  if (GPM_UNLIKELY(
          (!single && atomic_load_explicit(&block->cell, memory_order_relaxed) != cell) ||
          pair->scope != f->node || /* if they are equal, the frame is open */
          !is_at(f, atomic_load_explicit(&pair->call, memory_order_relaxed)) || block->ticks ||
          (activation->flags & (GPUMEMPROF_ACTIVATION_MOVED | GPUMEMPROF_ACTIVATION_LINE)) !=
              GPUMEMPROF_ACTIVATION_MOVED))
    return refuse_repeat(single, cell);
  struct gpumemprof_capture_maximum *at = gpm_maxima_position(cell->maxima, cell->totals->total);
  if (GPM_UNLIKELY(!at)) return refuse_repeat(single, cell);
  bool plain = gpm_ledger_plain(single);
  uint64_t clock = gpm_ledger_add(plain, &__gpumemprof_clock.events, 1);
  uint64_t temporary = thread->temporary_candidate == address;
  thread->temporary_candidate = 0;
  thread->pending.address = address;
  if (!single) thread->pending.ticks = 0;
  gpm_entry_keep_at_peak(cell);
  uint64_t bytes =
      gpm_entry_freed(plain, cell, pair, block, clock, at, temporary, &thread->pending);
  GPM_ASSERT(!gpm_blocks_find(address));
  gpm_section_leave(single, cell->device->lock);
  gpm_activation_charge(activation, -(int64_t)bytes);
  return true;
}
