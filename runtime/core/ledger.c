/* ledger.c - the events: what an allocation, a failure, a free and its roll-back change.
 *
 * cuda_hooks.c brings each event here after (allocation) or before (free) the CUDA call, unless
 * again.c has made it; shadow_stack.c says which line it is charged to; entries.h holds what is
 * written. A device's lock covers its totals, the cells and blocks on it and its pairs, so that
 * peaks are exact whatever the threads do.
 */
#include "core/ledger.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "core/entries.h"
#include "core/history.h"
#include "core/operands.h"
#include "core/shadow_stack.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/cells.h"
#include "records/devices.h"
#include "records/maxima.h"
#include "records/padding.h"
#include "records/pairs.h"
#include "records/stale.h"
#include "threads/bias.h"
#include "threads/threads.h"

struct gpm_node *_Atomic gpm_pause_node;

static inline uint64_t tick_clock(bool alone) {
  return gpm_ledger_add(alone, &__gpumemprof_clock.events, 1);
}

/* A time stamp; now and then it also brings the capture's calibration up to date. */
static GPM_NOINLINE uint64_t stamp(void) {
  const struct gpumemprof_capture_header *h = gpm_capture;
  uint64_t now = gpm_ticks(), last = __atomic_load_n(&h->last_ticks, __ATOMIC_RELAXED);
  if (now - last >= (last - h->first_ticks) / 8) gpm_capture_calibrate();
  return now;
}

/* After the device's total rose. */
static inline void notice_peak(struct gpm_device *device, uint64_t clock, uint32_t node) {
  struct gpumemprof_capture_device *d = device->record;
  if (GPM_UNLIKELY(d->total > device->watched_above)) gpm_measures_rose(device, clock);
  if (d->total <= d->peak) return;
  d->peak = d->total;
  d->peak_ticks = stamp();
  d->peak_clock = clock;
  d->peak_node = node;
  d->peak_epoch++;
}

/* Before the device's total falls: where the maxima keep it. */
static inline struct gpumemprof_capture_maximum *place_total(struct gpm_device *device) {
  uint64_t total = device->record->total;
  struct gpumemprof_capture_maximum *at = gpm_maxima_place(&device->maxima, total);
  return GPM_LIKELY(at != NULL) ? at : gpm_maxima_make_place(&device->maxima, total);
}

static int64_t for_scopes(const struct gpm_device *device, uint64_t bytes) {
  return gpm_is_apart(device) ? 0 : (int64_t)bytes;
}

/* The scopes that are open count it, unless it was paused when the line was found. */
static inline void charge_scopes(struct gpm_thread *thread, bool alone, const struct gpm_node *line,
                                 const struct gpm_device *device, enum gpm_change change,
                                 uint16_t kind, uint64_t bytes) {
  if (!alone && gpm_is_paused(line)) return;
  int64_t counted = for_scopes(device, bytes);
  gpm_thread_charge(thread, change == GPM_CHANGE_ENDED ? -counted : counted);
  if (GPM_UNLIKELY(thread->measuring))
    gpm_measures_count(thread, &(struct gpm_moved){change, kind, bytes, (uint64_t)counted});
}

/* A block at an address that is still live: its free was not seen. Under the lock of its device. */
static GPM_COLD void drop_replaced(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                                   uint64_t address, struct gpm_cell *cell) {
  gpm_capture_count(GPUMEMPROF_COUNTER_replaced_blocks);
  atomic_store_explicit(&block->cell, NULL, memory_order_release);
  struct gpm_pair *pair = gpm_pairs_get(cell, gpm_tree_root());
  if (!pair) return; /* no room, recording has just stopped: it stays live */
  if (block->ticks & GPM_BLOCK_PADDED) gpm_padding_ends(cell->device, block);
  gpm_entry_keep_at_peak(cell);
  gpm_amount_add(&pair->record->freed, block->bytes, 1);
  gpm_amount_add(&cell->record->freed, block->bytes, 1);
  uint64_t clock = tick_clock(alone);
  gpm_entry_dead(alone, cell, block->bytes, clock, place_total(cell->device));
  if (gpm_observed(GPM_OBSERVING_THRESHOLDS)) gpm_thresholds_fell(cell->device);
  if (block->ticks & GPM_BLOCK_GUARDED) gpm_guards_freed(thread, address, block->bytes);
  if (gpm_history_is_on())
    gpm_history_freed(thread, GPUMEMPROF_EVENT_FREED, pair->id, address, clock, stamp());
}

/* Removes what is left at an address about to be used again. */
static GPM_COLD void clear_address(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                                   uint64_t address) {
  struct gpm_cell *old = atomic_load(&block->cell);
  if (!old) return;
  gpm_section_enter(thread, alone, old->device->lock);
  if (atomic_load(&block->cell) == old) drop_replaced(thread, alone, block, address, old);
  gpm_section_leave(alone, old->device->lock);
  if (block->ticks & GPM_BLOCK_WATCHED) gpm_custom_segment_freed(thread, alone, address);
}

/* The line an event belongs to; null: no room. */
static inline struct gpm_node *event_line(struct gpm_thread *thread, bool alone) {
  return !alone && gpm_observed(GPM_OBSERVING_PAUSED) ? gpm_pause_line() : gpm_thread_line(thread);
}

static inline const void *stream_of(const struct gpm_thread *thread, uint16_t kind) {
  return kind == GPUMEMPROF_KIND_POOL ? thread->stream : NULL;
}

static GPM_COLD struct gpm_cell *find_paused_cell(const struct gpm_thread *thread,
                                                  struct gpm_device *device, uint16_t kind) {
  struct gpm_node *node = gpm_pause_line();
  return node ? gpm_cells_get(node, device, kind, thread->label, stream_of(thread, kind)) : NULL;
}

/* The cell an allocation goes to. Its frame remembers the latest of device memory: loops come back
 * to it. */
static GPM_INLINE struct gpm_cell *find_cell(struct gpm_thread *thread, bool alone,
                                             struct gpm_device *device, uint16_t kind) {
  if (!alone && gpm_observed(GPM_OBSERVING_PAUSED)) return find_paused_cell(thread, device, kind);
  const void *stream = stream_of(thread, kind);
  struct gpumemprof_frame *f = gpm_thread_frame();
  struct gpm_cell *cell = f ? f->cell : NULL;
  if (GPM_LIKELY(cell && atomic_load_explicit(&cell->site, memory_order_relaxed) == f->call &&
                 cell->device == device && cell->kind == kind && cell->stream == stream))
    return cell;
  struct gpm_node *node = gpm_thread_line(thread);
  cell = node ? gpm_cells_get(node, device, kind, thread->label, stream) : NULL;
  /* A line that spans is looked for each time, which opens its activation. */
  if (GPM_UNLIKELY(!node || node->spans)) return cell;
  if (!gpm_is_apart(device) && (f = gpm_thread_frame())) f->cell = cell;
  return cell;
}

/* Until then each block is timed, which again.c does not do. */
static GPM_COLD void allow_again(struct gpm_cell *cell) {
  if (gpm_is_apart(cell->device) || cell->guarded) return;
  cell->again_there = gpm_again_of(cell);
  if (gpm_cuda_one_device) cell->again = cell->again_there;
}

static inline uint64_t timed_since(const struct gpm_block *block) {
  return block->ticks & ~GPM_BLOCK_FLAGS;
}

/* Into the history, after every figure has the event: whoever is killed in between leaves figures
 * that are ahead of the history, never behind it (replay_compare.c). */
static GPM_NOINLINE void note_allocated(struct gpm_thread *thread, const struct gpm_cell *cell,
                                        const struct gpm_block *block, uint64_t address,
                                        uint64_t bytes, uint64_t requested) {
  uint64_t ticks = timed_since(block); /* 0: it was switched on meanwhile */
  if (gpm_has_operands(cell)) gpm_operands_event(thread, cell->node);
  gpm_history_allocated(thread, cell->id, address, bytes, bytes - requested, block->clock,
                        ticks ? ticks : stamp());
}

/* A block is entered in a slot where none is. */
static GPM_INLINE void write_block(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                                   struct gpm_cell *cell, struct gpm_block *block, uint64_t address,
                                   uint64_t bytes, uint64_t requested) {
  struct gpumemprof_capture_cell *c = cell->record;
  bool history = gpm_history_is_on();
  gpm_section_enter(thread, alone, device->lock);
  uint64_t clock = tick_clock(alone);
  bool timed = c->allocated.blocks < GPM_TIMED_ALWAYS || gpm_entry_drawn(clock) || history;
  block->ticks = GPM_UNLIKELY(timed) ? stamp() & ~GPM_BLOCK_FLAGS : 0;
  gpm_entry_keep_at_peak(cell);
  if (GPM_UNLIKELY(!c->allocated.blocks)) c->min_size = bytes;
  gpm_entry_allocated(alone, cell, block, bytes, clock);
  if (GPM_UNLIKELY(bytes != requested)) {
    c->padding += bytes - requested;
    gpm_padding_begins(device, block, bytes - requested);
  }
  if (GPM_UNLIKELY(c->allocated.blocks == GPM_TIMED_ALWAYS) && !history) allow_again(cell);
  if (GPM_UNLIKELY(cell->guarded) && gpm_guards_allocated(thread, address, bytes))
    block->ticks |= GPM_BLOCK_GUARDED;
  notice_peak(device, clock, c->node);
  GPM_ASSERT(device->record->total <= device->record->peak);
  if (!alone && gpm_observed(GPM_OBSERVING_EVENTS))
    gpm_observers_allocated(thread, cell, address, block, requested);
  gpm_section_leave(alone, device->lock);
}

static GPM_COLD void no_room(void) {
  gpm_process_stop("there is no memory for the profiler's tables");
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
}

/* Enters a block; null: there is no room. */
static GPM_INLINE struct gpm_block *enter_block(struct gpm_thread *thread, bool alone,
                                                struct gpm_device *device, struct gpm_cell *cell,
                                                uint64_t address, uint64_t bytes,
                                                uint64_t requested) {
  struct gpm_block *block = cell ? gpm_blocks_slot(&thread->near, address) : NULL;
  if (GPM_UNLIKELY(!block)) return no_room(), NULL;
  if (GPM_UNLIKELY(atomic_load_explicit(&block->cell, memory_order_relaxed) != NULL))
    clear_address(thread, alone, block, address);
  write_block(thread, alone, device, cell, block, address, bytes, requested);
  return block;
}

void gpm_ledger_allocated(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                          uint16_t kind, uint64_t address, uint64_t bytes, uint64_t requested) {
  struct gpm_cell *cell = find_cell(thread, alone, device, kind);
  if (GPM_UNLIKELY(cell && gpm_has_operands(cell)))
    gpm_operands_note(thread, cell->node, requested);
  const struct gpm_block *block =
      enter_block(thread, alone, device, cell, address, bytes, requested);
  if (GPM_UNLIKELY(!block)) return;
  charge_scopes(thread, alone, cell->node, device, GPM_CHANGE_CREATED, kind, bytes);
  thread->temporary_candidate = address;
  if (GPM_UNLIKELY(gpm_history_is_on()))
    note_allocated(thread, cell, block, address, bytes, requested);
}

void gpm_ledger_placed(struct gpm_thread *thread, struct gpm_cell *cell, uint64_t address,
                       uint64_t bytes) {
  const struct gpm_block *block =
      enter_block(thread, false, cell->device, cell, address, bytes, bytes);
  if (block && gpm_history_is_on()) note_allocated(thread, cell, block, address, bytes, bytes);
}

struct gpm_node *gpm_ledger_line(struct gpm_thread *thread) {
  return event_line(thread, false);
}

struct gpm_node *gpm_ledger_failed(struct gpm_thread *thread, uint64_t requested,
                                   bool out_of_memory) {
  struct gpm_node *node = event_line(thread, false);
  node = node ? gpm_stale_event(node) : NULL;
  if (!node) return NULL;
  if (gpm_has_operands(node)) gpm_operands_note(thread, node, requested);
  __atomic_add_fetch(&node->record->failed_calls, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&node->record->failed_bytes, requested, __ATOMIC_RELAXED);
  if (out_of_memory) __atomic_add_fetch(&node->record->oom_calls, 1, __ATOMIC_RELAXED);
  gpm_capture_count(GPUMEMPROF_COUNTER_failed_allocations);
  if (gpm_history_is_on()) {
    if (gpm_has_operands(node)) gpm_operands_event(thread, node);
    gpm_history_failed(thread, node->id, requested, out_of_memory);
  }
  return node;
}

/* Of a block that ends. */
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

/* Takes the block out, if it still is what was found. Its bytes, or -1. Under the lock. */
static inline int64_t take_block(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                                 uint64_t address, struct gpm_cell *cell, struct gpm_node *node,
                                 uint64_t temporary, struct gpm_pending_free *undo) {
  if (atomic_load_explicit(&block->cell, memory_order_relaxed) != cell)
    return -1; /* freed meanwhile */
  struct gpm_pair *pair = gpm_pairs_get(cell, node);
  if (GPM_UNLIKELY(!pair)) return -1; /* no room: recording has just stopped */
  if (GPM_UNLIKELY(block->ticks)) {
    stop_timing(cell, block, undo);
    if (block->ticks & GPM_BLOCK_GUARDED) gpm_guards_freed(thread, address, block->bytes);
  } else if (!alone) undo->ticks = 0;
  gpm_entry_keep_at_peak(cell);
  struct gpumemprof_capture_maximum *at = place_total(cell->device);
  undo->clock = tick_clock(alone);
  uint64_t bytes = gpm_entry_freed(alone, cell, pair, block, undo->clock, at, temporary, undo);
  if (!alone && gpm_observed(GPM_OBSERVING_EVENTS))
    gpm_observers_freed(thread, pair, address, block, undo->clock);
  return (int64_t)bytes;
}

static GPM_COLD void unknown_free(struct gpm_pending_free *undo, uint64_t candidate) {
  undo->pair = NULL;
  undo->candidate = candidate;
  gpm_capture_count(GPUMEMPROF_COUNTER_unknown_frees);
}

/* Into the history. A block that was allocated before that was on need not have been timed. */
static GPM_NOINLINE void note_freed(struct gpm_thread *thread, uint64_t address,
                                    const struct gpm_pending_free *undo) {
  gpm_history_freed(thread, GPUMEMPROF_EVENT_FREED, undo->pair->id, address, undo->clock,
                    undo->ticks ? undo->ticks : stamp());
}

/* False: it is not a live block any more. */
static GPM_INLINE bool free_block(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                                  uint64_t address, struct gpm_pending_free *undo) {
  uint64_t temporary = thread->temporary_candidate == address;
  thread->temporary_candidate = 0;
  struct gpm_cell *cell = block ? atomic_load_explicit(&block->cell, memory_order_acquire) : NULL;
  struct gpm_node *node = cell ? event_line(thread, alone) : NULL;
  if (GPM_UNLIKELY(!node)) return false;
  struct gpm_device *device = cell->device;
  gpm_section_enter(thread, alone, device->lock);
  int64_t bytes = take_block(thread, alone, block, address, cell, node, temporary, undo);
  gpm_section_leave(alone, device->lock);
  if (GPM_UNLIKELY(bytes < 0)) return false;
  charge_scopes(thread, alone, node, device, GPM_CHANGE_ENDED, cell->kind, (uint64_t)bytes);
  if (GPM_UNLIKELY(gpm_history_is_on())) note_freed(thread, address, undo);
  return true;
}

void gpm_ledger_free(struct gpm_thread *thread, bool alone, uint64_t address) {
  struct gpm_pending_free *undo = &thread->pending;
  undo->address = address;
  struct gpm_block *block = gpm_blocks_find(address);
  uint64_t candidate = thread->temporary_candidate;
  if (GPM_UNLIKELY(!free_block(thread, alone, block, address, undo)))
    return unknown_free(undo, candidate);
  if (GPM_UNLIKELY(block->ticks & GPM_BLOCK_WATCHED))
    gpm_custom_segment_freed(thread, alone, address);
}

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
static void allocate_again(struct gpm_cell *cell, const struct gpm_block *block) {
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
  else allocate_again(pair->cell, block);
  gpm_entry_live(alone, pair->cell, bytes);
  if (GPM_UNLIKELY(block->ticks & GPM_BLOCK_PADDED)) gpm_padding_again(device, block);
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

void gpm_ledger_unplaced(struct gpm_thread *thread, uint64_t address) {
  struct gpm_block *block = gpm_blocks_find(address);
  struct gpm_cell *cell = block ? atomic_load(&block->cell) : NULL;
  if (!cell) return;
  struct gpm_pending_free undo = {0};
  gpm_section_enter(thread, false, cell->device->lock);
  int64_t bytes = take_block(thread, false, block, address, cell, gpm_tree_root(), 0, &undo);
  gpm_section_leave(false, cell->device->lock);
  if (bytes >= 0 && gpm_history_is_on()) note_freed(thread, address, &undo);
  if (bytes >= 0 && block->ticks & GPM_BLOCK_WATCHED)
    gpm_custom_segment_freed(thread, false, address);
}

/* ---- pieces ------------------------------------------------------------------------------------
 */

bool gpm_ledger_piece_allocated(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                                struct gpm_block *block, uint64_t key, uint64_t bytes) {
  struct gpm_cell *cell = find_cell(thread, alone, device, GPUMEMPROF_KIND_CUSTOM);
  if (GPM_UNLIKELY(!cell)) return no_room(), false;
  if (GPM_UNLIKELY(gpm_has_operands(cell))) gpm_operands_note(thread, cell->node, bytes);
  write_block(thread, alone, device, cell, block, key, bytes, bytes);
  charge_scopes(thread, alone, cell->node, device, GPM_CHANGE_CREATED, GPUMEMPROF_KIND_CUSTOM,
                bytes);
  thread->temporary_candidate = key;
  if (GPM_UNLIKELY(gpm_history_is_on())) note_allocated(thread, cell, block, key, bytes, bytes);
  return true;
}

void gpm_ledger_piece_freed(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                            uint64_t key) {
  struct gpm_pending_free undo; /* not the thread's: a call of cudaFree may be under way */
  free_block(thread, alone, block, key, &undo);
}

void gpm_ledger_piece_replaced(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                               uint64_t key) {
  clear_address(thread, alone, block, key);
}

void gpm_ledger_watch(struct gpm_thread *thread, bool alone, struct gpm_block *block) {
  struct gpm_cell *cell = atomic_load(&block->cell);
  if (!cell) return;
  gpm_section_enter(thread, alone, cell->device->lock);
  if (atomic_load(&block->cell) == cell) block->ticks |= GPM_BLOCK_WATCHED;
  gpm_section_leave(alone, cell->device->lock);
}
