/* pieces.c - the events of pieces, the blocks that the program's own allocators hand out
 * (custom.c).
 *
 * A piece is a block of kind CUSTOM. custom.c keeps it, so it is in no table of addresses, and its
 * free cannot fail. Otherwise its events are the same as those of any block (block_events.h).
 */
#include "base/compiler.h"
#include "base/taps.h"
#include "core/block_events.h"
#include "core/charge.h"
#include "core/history.h"
#include "core/ledger.h"
#include "core/operands.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/threads.h"

bool gpm_ledger_piece_allocated(struct gpm_thread *thread, struct gpm_device *device,
                                struct gpm_block *block, uint64_t key, uint64_t bytes) {
  struct gpm_cell *cell = find_cell(thread, device, GPUMEMPROF_KIND_CUSTOM);
  if (GPM_UNLIKELY(!cell)) return no_room(), false;
  if (GPM_UNLIKELY(gpm_has_operands(cell))) gpm_operands_note(thread, cell->node, bytes);
  write_block(thread, device, cell, block, key, bytes, bytes);
  charge_scopes(thread, cell->node, device, GPM_CHANGE_CREATED, GPUMEMPROF_KIND_CUSTOM, bytes);
  thread->temporary_candidate = key;
  if (GPM_UNLIKELY(gpm_history_is_on())) note_allocated(thread, cell, block, key, bytes, bytes);
  return true;
}

void gpm_ledger_piece_freed(struct gpm_thread *thread, struct gpm_block *block, uint64_t key) {
  struct gpm_pending_free undo; /* not thread->pending: a call of cudaFree may be under way */
  free_block(thread, block, key, &undo);
}

void gpm_ledger_piece_replaced(struct gpm_thread *thread, struct gpm_block *block, uint64_t key) {
  clear_address(thread, block, key);
}

void gpm_ledger_watch(struct gpm_block *block) {
  struct gpm_cell *cell = atomic_load(&block->cell);
  if (!cell) return;
  gpm_lock_take(cell->device->lock);
  if (atomic_load(&block->cell) == cell) block->ticks |= GPM_BLOCK_WATCHED;
  gpm_lock_release(cell->device->lock);
}
