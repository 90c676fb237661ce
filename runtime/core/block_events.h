/* block_events.h - the begin and the end of a block, both for blocks from CUDA (ledger.c) and for
 * pieces of the program's own allocators (pieces.c).
 *
 * The cell of an allocation is usually the one that its frame remembers from the allocation before.
 * The block and all sums are written under the lock of the device. If an older block is still
 * recorded at the address, its free was missed, and it is dropped first. entries.h writes what is
 * the same for every event.
 */
#ifndef GPM_BLOCK_EVENTS_H
#define GPM_BLOCK_EVENTS_H

#include "base/compiler.h"
#include "base/invariants.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/charge.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/operands.h"
#include "core/shadow_stack.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/padding.h"
#include "records/pairs.h"
#include "threads/observing.h"
#include "threads/threads.h"

/* Ends a block whose address CUDA has given out again: its free was missed. Under the lock of its
 * device. */
static GPM_COLD_IN_HEADER void drop_replaced(struct gpm_thread *thread, struct gpm_block *block,
                                             uint64_t address, struct gpm_cell *cell) {
  gpm_capture_count(GPUMEMPROF_COUNTER_replaced_blocks);
  atomic_store_explicit(&block->cell, NULL, memory_order_release);
  struct gpm_pair *pair = gpm_pairs_get(cell, gpm_tree_root());
  if (!pair) return; /* no room: recording has just stopped, and the block stays live */
  if (block->ticks & GPM_BLOCK_PADDED) gpm_padding_ends(cell->device, block);
  gpm_entry_keep_at_peak(cell);
  gpm_amount_add(&pair->record->freed, block->bytes, 1);
  gpm_amount_add(&cell->record->freed, block->bytes, 1);
  uint64_t clock = tick_clock();
  keep_total(cell->device, clock);
  gpm_entry_dead(gpm_ledger_plain(), cell, block->bytes);
  if (gpm_observed(GPM_OBSERVING_THRESHOLDS)) gpm_thresholds_fell(cell->device);
  if (block->ticks & GPM_BLOCK_GUARDED) gpm_guards_freed(thread, address, block->bytes);
  if (gpm_history_is_on())
    gpm_history_freed(thread, GPUMEMPROF_EVENT_FREED, pair->id, address, clock, stamp());
}

/* Drops a block that is still recorded at an address about to be used again. */
static GPM_COLD_IN_HEADER void clear_address(struct gpm_thread *thread, struct gpm_block *block,
                                             uint64_t address) {
  struct gpm_cell *old = atomic_load(&block->cell);
  if (!old) return;
  gpm_lock_take(old->device->lock);
  if (atomic_load(&block->cell) == old) drop_replaced(thread, block, address, old);
  gpm_lock_release(old->device->lock);
  if (block->ticks & GPM_BLOCK_WATCHED) gpm_custom_segment_freed(thread, address);
}

static inline const void *stream_of(const struct gpm_thread *thread, uint16_t kind) {
  return kind == GPUMEMPROF_KIND_POOL ? thread->stream : NULL;
}

static GPM_COLD_IN_HEADER struct gpm_cell *
find_paused_cell(const struct gpm_thread *thread, struct gpm_device *device, uint16_t kind) {
  struct gpm_node *node = gpm_pause_line();
  return node ? gpm_cells_get(node, device, kind, thread->label, stream_of(thread, kind)) : NULL;
}

/* The cell that counts an allocation; null: no room. The frame remembers its latest cell of GPU
 * memory, because loops allocate from the same line repeatedly. */
static GPM_INLINE struct gpm_cell *find_cell(struct gpm_thread *thread, struct gpm_device *device,
                                             uint16_t kind) {
  if (gpm_observed(GPM_OBSERVING_PAUSED)) return find_paused_cell(thread, device, kind);
  const void *stream = stream_of(thread, kind);
  struct gpumemprof_frame *f = gpm_thread_frame();
  struct gpm_cell *cell = f ? f->cell : NULL;
  if (GPM_LIKELY(cell && atomic_load_explicit(&cell->site, memory_order_relaxed) == f->call &&
                 cell->device == device && cell->kind == kind && cell->stream == stream))
    return cell;
  struct gpm_node *node = gpm_thread_line(thread);
  cell = node ? gpm_cells_get(node, device, kind, thread->label, stream) : NULL;
  /* A line that spans has to be looked up each time, because that opens its activation. */
  if (GPM_UNLIKELY(!node || node->spans)) return cell;
  if (!gpm_is_not_gpu(device) && (f = gpm_thread_frame())) f->cell = cell;
  return cell;
}

/* Lets repeats.c record the events of the cell. Called after the first GPM_TIMED_ALWAYS blocks,
 * because those are timed, which repeats.c does not do. */
static GPM_COLD_IN_HEADER void allow_repeats(struct gpm_cell *cell) {
  if (gpm_is_not_gpu(cell->device) || cell->guarded) return;
  cell->repeats_there = cell->kind;
  if (gpm_cuda_one_device) cell->repeats = cell->repeats_there;
}

/* Adds the allocation to the history, after all figures count it: a program that is killed in
 * between leaves figures that are ahead of the history, never behind it (replay_compare.c). */
static GPM_NOINLINE_IN_HEADER void note_allocated(struct gpm_thread *thread,
                                                  const struct gpm_cell *cell,
                                                  const struct gpm_block *block, uint64_t address,
                                                  uint64_t bytes, uint64_t requested) {
  uint64_t ticks = timed_since(block); /* 0: the history was switched on meanwhile */
  gpm_pages_allocated(cell, address, bytes);
  if (gpm_has_operands(cell)) gpm_operands_event(thread, cell->node);
  gpm_history_allocated(thread, cell->id, address, bytes, bytes - requested, block->clock,
                        ticks ? ticks : stamp());
}

/* Writes a block into an empty slot, and counts it. */
static GPM_INLINE void write_block(struct gpm_thread *thread, struct gpm_device *device,
                                   struct gpm_cell *cell, struct gpm_block *block, uint64_t address,
                                   uint64_t bytes, uint64_t requested) {
  struct gpumemprof_capture_cell *c = cell->record;
  bool history = gpm_history_is_on();
  gpm_lock_take(device->lock);
  uint64_t clock = tick_clock();
  bool timed = c->allocated.blocks < GPM_TIMED_ALWAYS || gpm_entry_drawn(clock) || history;
  block->ticks = GPM_UNLIKELY(timed) ? stamp() & ~GPM_BLOCK_FLAGS : 0;
  gpm_entry_keep_at_peak(cell);
  if (GPM_UNLIKELY(!c->allocated.blocks)) c->min_size = bytes;
  gpm_entry_allocated(gpm_ledger_plain(), cell, block, bytes, clock);
  if (GPM_UNLIKELY(bytes != requested)) {
    c->padding += bytes - requested;
    gpm_padding_begins(device, block, bytes - requested);
  }
  if (GPM_UNLIKELY(c->allocated.blocks == GPM_TIMED_ALWAYS)) allow_repeats(cell);
  if (GPM_UNLIKELY(cell->guarded) && gpm_guards_allocated(thread, address, bytes))
    block->ticks |= GPM_BLOCK_GUARDED;
  notice_peak(device, clock, c->node);
  GPM_ASSERT(device->record->total <= device->record->peak);
  if (gpm_observed(GPM_OBSERVING_EVENTS))
    gpm_observers_allocated(thread, cell, address, block, requested);
  gpm_lock_release(device->lock);
}

static GPM_COLD_IN_HEADER void no_room(void) {
  gpm_process_stop("there is no memory for the profiler's tables");
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
}

/* Adds the lifetime of a block that ends, if its allocation was timed, and ends its padding. */
static GPM_INLINE void stop_timing(struct gpm_cell *cell, const struct gpm_block *block,
                                   struct gpm_pending_free *undo) {
  if (GPM_UNLIKELY(block->ticks & GPM_BLOCK_PADDED)) gpm_padding_ends(cell->device, block);
  if (GPM_UNLIKELY(!timed_since(block))) {
    undo->ticks = 0;
    return;
  }
  undo->ticks = stamp();
  undo->lifetime_ticks = undo->ticks - timed_since(block);
  cell->record->lifetime_ticks += undo->lifetime_ticks;
  cell->record->timed_blocks++;
}

/* Ends the block, if it still belongs to the cell that was found before the lock was taken. Returns
 * its bytes, or -1. Under the lock of the device. */
static inline int64_t take_block(struct gpm_thread *thread, struct gpm_block *block,
                                 uint64_t address, struct gpm_cell *cell, struct gpm_node *node,
                                 uint64_t temporary, struct gpm_pending_free *undo) {
  if (atomic_load_explicit(&block->cell, memory_order_relaxed) != cell)
    return -1; /* freed meanwhile */
  struct gpm_pair *pair = gpm_pairs_get(cell, node);
  if (GPM_UNLIKELY(!pair)) return -1; /* no room: recording has just stopped */
  if (GPM_UNLIKELY(block->ticks)) {
    stop_timing(cell, block, undo);
    if (block->ticks & GPM_BLOCK_GUARDED) gpm_guards_freed(thread, address, block->bytes);
  } else undo->ticks = 0;
  gpm_entry_keep_at_peak(cell);
  undo->clock = tick_clock();
  keep_total(cell->device, undo->clock);
  uint64_t bytes =
      gpm_entry_freed(gpm_ledger_plain(), cell, pair, block, undo->clock, temporary, undo);
  if (gpm_observed(GPM_OBSERVING_EVENTS))
    gpm_observers_freed(thread, pair, address, block, undo->clock);
  return (int64_t)bytes;
}

/* Adds the free to the history. The block has no time stamp if it was allocated before the history
 * was on, so one is taken here. */
static GPM_NOINLINE_IN_HEADER void note_freed(struct gpm_thread *thread, uint64_t address,
                                              const struct gpm_pending_free *undo) {
  gpm_history_freed(thread, GPUMEMPROF_EVENT_FREED, undo->pair->id, address, undo->clock,
                    undo->ticks ? undo->ticks : stamp());
}

/* Records a free. False: the block is not live any more, or there is no room. */
static GPM_INLINE bool free_block(struct gpm_thread *thread, struct gpm_block *block,
                                  uint64_t address, struct gpm_pending_free *undo) {
  uint64_t temporary = thread->temporary_candidate == address;
  thread->temporary_candidate = 0;
  struct gpm_cell *cell = block ? atomic_load_explicit(&block->cell, memory_order_acquire) : NULL;
  struct gpm_node *node = cell ? event_line(thread) : NULL;
  if (GPM_UNLIKELY(!node)) return false;
  struct gpm_device *device = cell->device;
  gpm_lock_take(device->lock);
  int64_t bytes = take_block(thread, block, address, cell, node, temporary, undo);
  gpm_lock_release(device->lock);
  if (GPM_UNLIKELY(bytes < 0)) return false;
  charge_scopes(thread, node, device, GPM_CHANGE_ENDED, cell->kind, (uint64_t)bytes);
  if (GPM_UNLIKELY(gpm_history_is_on())) note_freed(thread, address, undo);
  return true;
}

#endif /* GPM_BLOCK_EVENTS_H */
