/* named_blocks.c - a block gets its name after its allocation: from then on it counts under a label
 * inside the one that its thread had.
 *
 * Kokkos says the label of a view when the memory is there (kokkos.c). No event happens: totals,
 * the line and the scopes stay as they are. The block goes to another cell of its call path, and
 * with it what it adds to the sums of its cell, those of the device's peak included. So all figures
 * are those of a program that pushes the label around the allocation. Of the old cell, the smallest
 * and the largest block are known again when it has no block left, as where each one gets a name.
 *
 * A block keeps the first name that it gets: a pool would get one for each view at its begin.
 *
 * The history has the block under its old cell already; a record of NAMED says the new one.
 */
#include "base/compiler.h"
#include "base/lock.h"
#include "capture/capture.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/ledger.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/labels.h"
#include "records/padding.h"

static struct gpm_table named_table; /* under gpm_tree_lock */

void gpm_named_blocks_start(void) {
  named_table = (struct gpm_table){GPUMEMPROF_CHUNK_NAMED, sizeof(struct gpumemprof_capture_named),
                                   0, 0, NULL};
}

/* The block is in what its cell had at the peak of the device. */
static void move_at_peak(struct gpm_cell *from, struct gpm_cell *to, uint64_t bytes) {
  gpm_amount_add(&to->record->at_peak, bytes, 1);
  gpm_amount_sub(&from->record->at_peak, bytes, 1);
}

/* Adds before it subtracts: the reader takes a killed program's sums that are too high for those of
 * an allocation under way. */
static void move_sums(struct gpm_cell *from, struct gpm_cell *to, const struct gpm_block *block) {
  struct gpumemprof_capture_cell *f = from->record, *t = to->record;
  uint64_t bytes = block->bytes;
  gpm_entry_keep_at_peak(from);
  gpm_entry_keep_at_peak(to);
  if (block->clock <= from->totals->peak_clock) move_at_peak(from, to, bytes);
  if (!t->allocated.blocks || bytes < t->min_size) t->min_size = bytes;
  if (bytes > t->max_size) t->max_size = bytes;
  gpm_amount_add(&t->allocated, bytes, 1);
  gpm_amount_sub(&f->allocated, bytes, 1);
  if (!f->allocated.blocks) f->min_size = UINT64_MAX, f->max_size = 0;
  if (!(block->ticks & GPM_BLOCK_PADDED)) return;
  uint64_t padding = gpm_padding_of(from->device, block);
  t->padding += padding;
  f->padding -= padding;
}

/* Returns whether the block was still of that cell. */
static bool move_block(struct gpm_block *block, struct gpm_cell *from, struct gpm_cell *to) {
  gpm_lock_take(from->device->lock);
  bool same = atomic_load_explicit(&block->cell, memory_order_relaxed) == from;
  if (same) {
    move_sums(from, to, block);
    block->ticks |= GPM_BLOCK_NAMED;
    atomic_store_explicit(&block->cell, to, memory_order_release);
  }
  gpm_lock_release(from->device->lock);
  return same;
}

static GPM_COLD void move_in_history(struct gpm_block *block, struct gpm_cell *from,
                                     struct gpm_cell *to) {
  gpm_lock_take(&gpm_tree_lock);
  struct gpumemprof_capture_named *record = gpm_table_next(&named_table);
  if (record) *record = (struct gpumemprof_capture_named){block->clock, to->id, 0};
  if (move_block(block, from, to) && record) gpm_table_publish(&named_table);
  gpm_lock_release(&gpm_tree_lock);
}

void gpm_ledger_named(uint64_t address, const char *name) {
  struct gpm_block *block = gpm_blocks_find(address);
  struct gpm_cell *from = block ? atomic_load(&block->cell) : NULL;
  if (!from || block->ticks & GPM_BLOCK_NAMED) return;
  const struct gpm_label *label = gpm_labels_find(from->label, name);
  struct gpm_cell *to =
      label ? gpm_cells_get(from->node, from->device, from->kind, label, from->stream) : NULL;
  if (!to || to == from || to->node != from->node) return; /* cells.c: the path may be stale */
  if (GPM_UNLIKELY(gpm_history_is_on())) move_in_history(block, from, to);
  else move_block(block, from, to);
}
