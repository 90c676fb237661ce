/* baseline.c - resets the figures, and loses nothing that is live (measure.h: gpumemprof_reset).
 *
 * The reset works in place, because frames, blocks and pairs point to the records. What a cell has
 * live becomes what it allocated, what it freed becomes zero, and peaks become the present totals.
 * So `allocated - freed = live` holds before, during and after the reset, and a later event finds
 * what it expects. Each device changes under its lock, in one moment. A process that is killed
 * during a reset leaves RESETTING in the header, and the reader completes it (settle.c of the
 * tools); for this purpose a cell that is half changed has its live bytes in at_peak.
 *
 * Open activations, measured scopes and the time stamps of live blocks are not affected.
 */
#include "control/baseline.h"
#include "base/lock.h"
#include "base/program_calls.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "control/measures.h"
#include "core/ended_frames.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/operands.h"
#include "cuda/unaccounted.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "tables/map.h"
#include "threads/threads.h"

#define HALF_DONE UINT64_MAX /* a value of a cell's peak_epoch */

static void reset_cell(struct gpm_cell *cell) {
  struct gpumemprof_capture_cell *c = cell->record;
  gpm_two live = *(const gpm_two *)&c->allocated - *(const gpm_two *)&c->freed;
  gpm_two_store(&c->at_peak, live);
  __atomic_store_n(&c->peak_epoch, HALF_DONE, __ATOMIC_RELEASE);
  gpm_two_store(&c->allocated, live);
  gpm_two_store(&c->freed, (gpm_two){0, 0});
  __atomic_store_n(&c->peak_epoch, 0, __ATOMIC_RELEASE); /* no device has this epoch now */
  gpm_two_store(&c->lifetime_clock, (gpm_two){0, 0});    /* with temporary_blocks */
  c->padding = 0;
  c->min_size = UINT64_MAX; /* sizes allocated before do not count */
  c->max_size = 0;
  c->lifetime_ticks = c->timed_blocks = 0;
  /* The first blocks are timed again. */
  if (c->allocated.blocks < GPM_TIMED_ALWAYS) cell->repeats = cell->repeats_there = GPM_NO_REPEAT;
}

/* Counts the padding of live blocks: the part of `allocated` beyond what was requested. */
static void count_paddings(struct gpm_device *device) {
  for (uint32_t i = 0; i < device->paddings.room; i++) {
    const struct gpm_map_slot *slot = &device->paddings.slots[i];
    const struct gpm_block *block = (const struct gpm_block *)(uintptr_t)slot->key;
    struct gpm_cell *cell = slot->value ? atomic_load(&block->cell) : NULL;
    if (cell && cell->device == device && block->ticks & GPM_BLOCK_PADDED)
      cell->record->padding += (uintptr_t)slot->value;
  }
}

/* The caller holds the device's lock. */
static void reset_device(struct gpm_device *device) {
  struct gpumemprof_capture_device *d = device->record;
  device->reset_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  for (struct gpm_cell *cell = device->cells; cell; cell = cell->next_of_device) reset_cell(cell);
  count_paddings(device);
  for (uint32_t i = 0; i < device->pair_room; i++)
    if (device->pairs[i]) gpm_two_store(&device->pairs[i]->record->freed, (gpm_two){0, 0});
  d->peak = d->total;
  d->peak_ticks = gpm_ticks();
  d->peak_clock = device->reset_clock;
  d->peak_node = GPUMEMPROF_NONE;
  gpm_ledger_limit_repeats(device);
  d->peak_epoch++; /* what a cell has live now is what it had at the peak */
}

/* The caller holds the lock of `host`, which protects what is not changed atomically elsewhere. */
static void reset_node(struct gpm_node *node, void *data) {
  (void)data;
  struct gpumemprof_capture_node *n = node->record;
  uint64_t *const figures[] = {&n->active_calls, &n->calls,        &n->wall_ticks,
                               &n->own_peak_max, &n->own_peak_sum, &n->device_peak,
                               &n->failed_calls, &n->failed_bytes, &n->oom_calls};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    __atomic_store_n(figures[i], 0, __ATOMIC_RELAXED);
  struct gpumemprof_capture_line *line = node->line;
  if (!line) return;
  uint64_t live = __atomic_load_n(&line->live, __ATOMIC_RELAXED);
  __atomic_store_n(&line->live_peak, live, __ATOMIC_RELAXED);
  /* The line may have grown meanwhile on a device whose lock is not held. */
  live = __atomic_load_n(&line->live, __ATOMIC_RELAXED);
  if (live > __atomic_load_n(&line->live_peak, __ATOMIC_RELAXED))
    gpm_ledger_raise(false, &line->live_peak, live);
}

/* Resets the counters that describe figures; others describe the process, its samples and its
 * history. */
static void reset_counters(void) {
  static const uint8_t of_figures[] = {
      GPUMEMPROF_COUNTER_failed_allocations, GPUMEMPROF_COUNTER_failed_frees,
      GPUMEMPROF_COUNTER_unknown_frees,      GPUMEMPROF_COUNTER_frames_beyond_stack,
      GPUMEMPROF_COUNTER_stale_frames,       GPUMEMPROF_COUNTER_replaced_blocks,
      GPUMEMPROF_COUNTER_events_not_stored,  GPUMEMPROF_COUNTER_unknown_device,
      GPUMEMPROF_COUNTER_interrupted_calls,  GPUMEMPROF_COUNTER_unknown_pieces,
      GPUMEMPROF_COUNTER_orphaned_pieces};
  for (unsigned i = 0; i < sizeof of_figures; i++)
    __atomic_store_n(&gpm_capture->counters[of_figures[i]], 0, __ATOMIC_RELAXED);
}

uint64_t gpm_baseline_number(void) {
  const struct gpumemprof_capture_header *h = gpm_capture;
  uint64_t number = 2 * __atomic_load_n(&h->resets, __ATOMIC_ACQUIRE);
  bool under_way = __atomic_load_n(&h->flags, __ATOMIC_ACQUIRE) & GPUMEMPROF_CAPTURE_RESETTING;
  return number + under_way;
}

void gpm_baseline_set(void) {
  struct gpumemprof_capture_header *h = gpm_capture;
  gpm_threads_count_ended();
  gpm_lock_take(&gpm_tree_lock);
  __atomic_fetch_or(&h->flags, GPUMEMPROF_CAPTURE_RESETTING, __ATOMIC_SEQ_CST);
  unsigned devices = gpm_ledger_device_count();
  for (unsigned i = 0; i < devices; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    gpm_lock_take(device->lock);
    reset_device(device);
    if (!i) gpm_tree_each(reset_node, NULL);
    gpm_lock_release(device->lock);
  }
  gpm_history_reset();
  reset_counters();
  gpm_capture_calibrate();
  __atomic_store_n(&h->reset_ticks, gpm_ticks(), __ATOMIC_RELAXED);
  __atomic_fetch_add(&h->resets, 1, __ATOMIC_RELAXED);
  __atomic_fetch_and(&h->flags, ~GPUMEMPROF_CAPTURE_RESETTING, __ATOMIC_SEQ_CST);
  gpm_lock_release(&gpm_tree_lock);
  gpm_unaccounted_reset();
  gpm_operands_reset();
}

int __gpumemprof_reset(void) {
  struct gpm_thread *thread = gpm_thread_enter();
  if (!thread) return 0;
  gpm_baseline_set();
  gpm_set_busy(thread, false);
  return 1;
}
