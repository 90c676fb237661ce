/* ledger.c - the events of blocks from CUDA: allocations and frees.
 *
 * cuda_hooks.c calls this after an allocating CUDA call and before a freeing one, unless repeats.c
 * has recorded the event already. event_line.c finds the line that the event is charged to;
 * entries.h writes the figures. A device's lock covers its totals and the cells, blocks and pairs
 * on it, so that peaks are exact with any number of threads. The other events are in pieces.c,
 * taken_back.c and failures.c.
 */
#include "core/ledger.h"
#include "base/compiler.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/block_events.h"
#include "core/charge.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/operands.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/threads.h"

struct gpm_node *_Atomic gpm_pause_node;

/* Records a new block; null: no room. */
static GPM_INLINE struct gpm_block *enter_block(struct gpm_thread *thread,
                                                struct gpm_device *device, struct gpm_cell *cell,
                                                uint64_t address, uint64_t bytes,
                                                uint64_t requested) {
  struct gpm_block *block = cell ? gpm_blocks_slot(&thread->near, address) : NULL;
  if (GPM_UNLIKELY(!block)) return no_room(), NULL;
  if (GPM_UNLIKELY(atomic_load_explicit(&block->cell, memory_order_relaxed) != NULL))
    clear_address(thread, block, address);
  write_block(thread, device, cell, block, address, bytes, requested);
  return block;
}

void gpm_ledger_allocated(struct gpm_thread *thread, struct gpm_device *device, uint16_t kind,
                          uint64_t address, uint64_t bytes, uint64_t requested) {
  struct gpm_cell *cell = find_cell(thread, device, kind);
  if (GPM_UNLIKELY(cell && gpm_has_operands(cell)))
    gpm_operands_note(thread, cell->node, requested);
  const struct gpm_block *block = enter_block(thread, device, cell, address, bytes, requested);
  if (GPM_UNLIKELY(!block)) return;
  charge_scopes(thread, cell->node, device, GPM_CHANGE_CREATED, kind, bytes);
  thread->temporary_candidate = address;
  if (GPM_UNLIKELY(gpm_history_is_on()))
    note_allocated(thread, cell, block, address, bytes, requested);
}

void gpm_ledger_placed(struct gpm_thread *thread, struct gpm_cell *cell, uint64_t address,
                       uint64_t bytes) {
  const struct gpm_block *block = enter_block(thread, cell->device, cell, address, bytes, bytes);
  if (block && gpm_history_is_on()) note_allocated(thread, cell, block, address, bytes, bytes);
}

static GPM_COLD void unknown_free(struct gpm_pending_free *undo, uint64_t candidate) {
  undo->pair = NULL;
  undo->candidate = candidate;
  gpm_capture_count(GPUMEMPROF_COUNTER_unknown_frees);
}

void gpm_ledger_free(struct gpm_thread *thread, uint64_t address) {
  struct gpm_pending_free *undo = &thread->pending;
  undo->address = address;
  struct gpm_block *block = gpm_blocks_find(address);
  uint64_t candidate = thread->temporary_candidate;
  if (GPM_UNLIKELY(!free_block(thread, block, address, undo))) return unknown_free(undo, candidate);
  if (GPM_UNLIKELY(block->ticks & GPM_BLOCK_WATCHED)) gpm_custom_segment_freed(thread, address);
}

void gpm_ledger_unplaced(struct gpm_thread *thread, uint64_t address) {
  struct gpm_block *block = gpm_blocks_find(address);
  struct gpm_cell *cell = block ? atomic_load(&block->cell) : NULL;
  if (!cell) return;
  struct gpm_pending_free undo = {0};
  gpm_lock_take(cell->device->lock);
  int64_t bytes = take_block(thread, block, address, cell, gpm_tree_root(), 0, &undo);
  gpm_lock_release(cell->device->lock);
  if (bytes >= 0 && gpm_history_is_on()) note_freed(thread, address, &undo);
  if (bytes >= 0 && block->ticks & GPM_BLOCK_WATCHED) gpm_custom_segment_freed(thread, address);
}
