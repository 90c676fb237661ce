/* ledger.c - the events: what an allocation, a failure, a free and its roll-back change.
 *
 * cuda_hooks.c brings each event here after (allocation) or before (free) the CUDA call;
 * shadow_stack.c says which line it is charged to. A device's lock covers its totals, the cells and
 * blocks on it and its pairs, so that peaks are exact whatever the threads do.
 *
 * At-peak needs no replay: the device counts peak epochs, and whoever is about to change a cell's
 * live bytes first saves them if the cell was last touched in an older epoch. A new peak then only
 * increments the epoch: cells not touched since hold exactly what they held at the peak.
 *
 * A time stamp costs as much as all the rest of an event, so not every block gets one: the first of
 * each cell do, then one in sixteen, drawn by a hash of its clock. Lifetimes in clock ticks are of
 * every block.
 */
#include "ledger.h"

#define TIMED_ALWAYS 64u /* blocks of a cell */
#define TIMED_ONE_IN_BITS 4

static inline uint64_t live_bytes(const struct gpumemprof_capture_cell *c) {
  return c->allocated - c->freed;
}

/* Call before the cell's live bytes change. */
static inline void keep_at_peak(struct gpumemprof_capture_cell *c,
                                const struct gpumemprof_capture_device *d) {
  if (c->peak_epoch == d->peak_epoch) return;
  c->at_peak = live_bytes(c);
  c->at_peak_blocks = c->allocated_blocks - c->freed_blocks;
  c->peak_epoch = d->peak_epoch;
}

static inline uint64_t tick_clock(bool alone) {
  return gpm_ledger_add(alone, &__gpumemprof_clock, 1);
}

/* A time stamp; now and then it also brings the capture's calibration up to date. */
static GPM_NOINLINE uint64_t stamp(void) {
  const struct gpumemprof_capture_header *h = gpm_capture;
  uint64_t now = gpm_ticks(), last = __atomic_load_n(&h->last_ticks, __ATOMIC_RELAXED);
  if (now - last >= (last - h->first_ticks) / 8) gpm_process_refresh();
  return now;
}

static inline bool is_timed(const struct gpumemprof_capture_cell *c, uint64_t clock) {
  return c->allocated_blocks < TIMED_ALWAYS ||
         !(clock * 0x9e3779b97f4a7c15ULL >> (64 - TIMED_ONE_IN_BITS));
}

static inline void line_add(bool alone, struct gpumemprof_capture_line *line, uint64_t bytes) {
  gpm_ledger_raise(alone, &line->live_peak, gpm_ledger_add(alone, &line->live, bytes));
}

/* The device's total changes, in one kind of memory. Under the device's lock, after the cells
 * changed. */
static inline void total_rises(struct gpm_device *device, uint16_t kind, uint64_t bytes,
                               uint64_t clock, uint32_t node) {
  struct gpumemprof_capture_device *d = device->record;
  d->live[kind].bytes += bytes;
  d->live[kind].blocks++;
  uint64_t total = d->total += bytes;
  d->clock = clock;
  if (total <= d->peak) return;
  d->peak = total;
  d->peak_ticks = stamp();
  d->peak_clock = clock;
  d->peak_node = node;
  d->peak_epoch++;
}

static inline void total_falls(struct gpm_device *device, uint16_t kind, uint64_t bytes,
                               uint64_t clock) {
  struct gpumemprof_capture_device *d = device->record;
  d->live[kind].bytes -= bytes;
  d->live[kind].blocks--;
  gpm_maxima_push(&device->maxima, d->clock, clock, d->total);
  d->total -= bytes;
  d->clock = clock;
}

static int64_t for_scopes(const struct gpm_device *device, uint64_t bytes) {
  return device->record->ordinal == GPUMEMPROF_HOST ? 0 : (int64_t)bytes;
}

/* A block at an address that is still live: its free was not seen. Under the lock of its device. */
static GPM_COLD void drop_replaced(bool alone, struct gpm_block *block, struct gpm_cell *cell) {
  struct gpm_device *device = cell->device;
  keep_at_peak(cell->record, device->record);
  struct gpm_pair *pair = gpm_pairs_get(device, cell, gpm_tree_root()->id);
  if (pair) {
    pair->record->blocks++;
    pair->record->bytes += block->bytes;
  }
  cell->record->freed += block->bytes;
  cell->record->freed_blocks++;
  total_falls(device, cell->kind, block->bytes, tick_clock(alone));
  gpm_ledger_add(alone, &cell->line->live, 0 - block->bytes);
  atomic_store_explicit(&block->cell, NULL, memory_order_release);
  gpm_capture_count(GPUMEMPROF_COUNTER_replaced_blocks);
}

/* Removes what is left at an address about to be used again. */
static GPM_COLD void clear_address(struct gpm_thread *thread, bool alone, struct gpm_block *block) {
  struct gpm_cell *old = atomic_load(&block->cell);
  if (!old) return;
  gpm_section_enter(thread, alone, old->device->lock);
  if (atomic_load(&block->cell) == old) drop_replaced(alone, block, old);
  gpm_section_leave(alone, old->device->lock);
}

/* The cell an allocation goes to. Its frame remembers the latest: loops come back to it. */
static inline struct gpm_cell *find_cell(struct gpm_thread *thread, struct gpm_device *device,
                                         uint16_t kind) {
  struct gpumemprof_frame *f = gpm_thread_frame();
  struct gpm_cell *cell = f ? f->cell : NULL;
  if (GPM_LIKELY(cell && atomic_load_explicit(&cell->node->site, memory_order_relaxed) == f->call &&
                 cell->device == device && cell->kind == kind))
    return cell;
  struct gpm_node *node = gpm_thread_line(thread);
  cell = node ? gpm_tree_cell(node, device, kind) : NULL;
  if ((f = gpm_thread_frame())) f->cell = cell;
  return cell;
}

void gpm_ledger_allocated(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                          uint16_t kind, uint64_t address, uint64_t bytes, uint64_t requested) {
  struct gpm_cell *cell = find_cell(thread, device, kind);
  struct gpm_block *block = cell ? gpm_blocks_slot(&thread->near, address) : NULL;
  if (GPM_UNLIKELY(!block)) {
    gpm_process_stop("there is no memory for the profiler's tables");
    gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
    return;
  }
  if (GPM_UNLIKELY(atomic_load_explicit(&block->cell, memory_order_relaxed) != NULL))
    clear_address(thread, alone, block);
  struct gpumemprof_capture_cell *c = cell->record;
  struct gpumemprof_capture_device *d = device->record;
  gpm_section_enter(thread, alone, device->lock);
  uint64_t clock = tick_clock(alone);
  keep_at_peak(c, d);
  block->bytes = bytes;
  block->clock = clock;
  block->ticks = GPM_UNLIKELY(is_timed(c, clock)) ? stamp() : 0;
  atomic_store_explicit(&block->cell, cell, memory_order_release);
  if (!c->allocated_blocks || bytes < c->min_size) c->min_size = bytes;
  if (bytes > c->max_size) c->max_size = bytes;
  c->allocated += bytes;
  c->allocated_blocks++;
  if (GPM_UNLIKELY(bytes != requested)) c->padding += bytes - requested;
  total_rises(device, kind, bytes, clock, c->node);
  line_add(alone, cell->line, bytes);
  gpm_section_leave(alone, device->lock);
  gpm_thread_charge(thread, for_scopes(device, bytes));
  thread->temporary_candidate = address;
  thread->temporary_block = block;
}

void gpm_ledger_failed(struct gpm_thread *thread, uint64_t requested, bool out_of_memory) {
  struct gpm_node *node = gpm_thread_line(thread);
  if (!node) return;
  __atomic_add_fetch(&node->record->failed_calls, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&node->record->failed_bytes, requested, __ATOMIC_RELAXED);
  if (out_of_memory) __atomic_add_fetch(&node->record->oom_calls, 1, __ATOMIC_RELAXED);
  gpm_capture_count(GPUMEMPROF_COUNTER_failed_allocations);
}

/* Takes the block out, if it still is what was found; fills what a roll-back needs. Its bytes, or
 * -1. Under the lock. */
static inline int64_t take_block(bool alone, struct gpm_device *device, struct gpm_block *block,
                                 struct gpm_cell *cell, struct gpm_pair *pair,
                                 struct gpm_node *node, struct gpm_pending_free *undo) {
  if (atomic_load_explicit(&block->cell, memory_order_relaxed) != cell)
    return -1; /* freed meanwhile */
  if (!pair) pair = gpm_pairs_get(device, cell, node->id);
  if (GPM_UNLIKELY(!pair)) return -1; /* no room: recording has just stopped */
  struct gpumemprof_capture_cell *c = cell->record;
  struct gpumemprof_capture_device *d = device->record;
  uint64_t clock = tick_clock(alone), bytes = block->bytes;
  undo->pair = pair;
  undo->lifetime_clock = clock - block->clock;
  if (GPM_UNLIKELY(block->ticks)) {
    undo->lifetime_ticks = stamp() - block->ticks;
    c->lifetime_ticks += undo->lifetime_ticks;
    c->timed_blocks++;
  }
  keep_at_peak(c, d);
  atomic_store_explicit(&block->cell, NULL, memory_order_release);
  pair->record->blocks++;
  pair->record->bytes += bytes;
  c->freed += bytes;
  c->freed_blocks++;
  c->temporary_blocks += undo->temporary;
  c->lifetime_clock += undo->lifetime_clock;
  gpm_ledger_add(alone, &cell->line->live, 0 - bytes);
  total_falls(device, cell->kind, bytes, clock);
  return (int64_t)bytes;
}

/* The pair of a free when the cell's latest one came from the same call. Only for a thread alone.
 */
static inline struct gpm_pair *same_pair(const struct gpm_cell *cell) {
  const struct gpumemprof_frame *f = gpm_thread_frame();
  struct gpm_pair *pair = cell->latest_pair;
  return f && pair && pair->from_scope == f->node &&
                 atomic_load_explicit(&pair->from->site, memory_order_relaxed) == f->call
             ? pair
             : NULL;
}

static void remember_pair(struct gpm_pair *pair, const struct gpm_node *node) {
  const struct gpumemprof_frame *f = gpm_thread_frame();
  pair->from = node;
  pair->from_scope = f ? f->node : NULL;
}

static GPM_COLD void unknown_free(struct gpm_pending_free *undo) {
  undo->cell = NULL;
  gpm_capture_count(GPUMEMPROF_COUNTER_unknown_frees);
}

void gpm_ledger_free(struct gpm_thread *thread, bool alone, uint64_t address) {
  struct gpm_pending_free *undo = &thread->pending;
  undo->address = address;
  undo->temporary = thread->temporary_candidate == address;
  thread->temporary_candidate = 0;
  struct gpm_block *block = undo->temporary ? thread->temporary_block : gpm_blocks_find(address);
  struct gpm_cell *cell = block ? atomic_load_explicit(&block->cell, memory_order_acquire) : NULL;
  if (GPM_UNLIKELY(!cell)) return unknown_free(undo);
  struct gpm_pair *pair = alone ? same_pair(cell) : NULL;
  struct gpm_node *node = pair ? NULL : gpm_thread_line(thread);
  if (GPM_UNLIKELY(!pair && !node)) return unknown_free(undo);
  struct gpm_device *device = cell->device;
  gpm_section_enter(thread, alone, device->lock);
  int64_t bytes = take_block(alone, device, block, cell, pair, node, undo);
  if (alone && !pair && bytes >= 0) remember_pair(undo->pair, node);
  gpm_section_leave(alone, device->lock);
  if (GPM_UNLIKELY(bytes < 0)) return unknown_free(undo);
  undo->cell = cell;
  gpm_thread_charge(thread, -for_scopes(device, (uint64_t)bytes));
}

void gpm_ledger_free_failed(struct gpm_thread *thread, bool alone) {
  struct gpm_pending_free *undo = &thread->pending;
  gpm_capture_count(GPUMEMPROF_COUNTER_failed_frees);
  struct gpm_cell *cell = undo->cell;
  if (!cell) {
    __atomic_sub_fetch(&gpm_capture->counters[GPUMEMPROF_COUNTER_unknown_frees], 1,
                       __ATOMIC_RELAXED);
    return;
  }
  /* The block keeps its figures: its address is not handed out before the call. */
  struct gpm_block *block = gpm_blocks_slot(&thread->near, undo->address);
  struct gpm_device *device = cell->device;
  struct gpumemprof_capture_cell *c = cell->record;
  struct gpumemprof_capture_device *d = device->record;
  uint64_t bytes = block->bytes;
  gpm_section_enter(thread, alone, device->lock);
  keep_at_peak(c, d);
  atomic_store_explicit(&block->cell, cell, memory_order_release);
  undo->pair->record->blocks--;
  undo->pair->record->bytes -= bytes;
  c->freed -= bytes;
  c->freed_blocks--;
  c->temporary_blocks -= undo->temporary;
  if (block->ticks) {
    c->lifetime_ticks -= undo->lifetime_ticks;
    c->timed_blocks--;
  }
  c->lifetime_clock -= undo->lifetime_clock;
  total_rises(device, cell->kind, bytes, tick_clock(alone), c->node);
  line_add(alone, cell->line, bytes);
  gpm_section_leave(alone, device->lock);
  gpm_thread_charge(thread, for_scopes(device, bytes));
  undo->address = 0;
}

struct reset_visit {
  struct gpm_thread *thread;
  bool alone;
  struct gpm_device *device;
  uint64_t until;
};

static void reset_block(uint64_t address, struct gpm_block *block, void *data) {
  struct reset_visit *visit = data;
  struct gpm_cell *cell = atomic_load(&block->cell);
  if (!cell || cell->device != visit->device || block->clock > visit->until) return;
  gpm_ledger_free(visit->thread, visit->alone, address);
}

void gpm_ledger_reset(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                      uint64_t until_clock) {
  if (!device) return;
  struct reset_visit visit = {thread, alone, device, until_clock};
  gpm_blocks_each(reset_block, &visit);
}
