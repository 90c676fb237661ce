/* samples.c - see samples.h.
 *
 * cuda_hooks.c asks for a sample when a device is first seen, stream_pools.c when a pool changed,
 * and monitor.c in every interval. The last sample is taken at exit, before CUDA ends: its exit
 * handler is registered when the first device is seen. CUDA has registered its own handler by then,
 * so ours runs before it. The same handler stops the helper first.
 */
#include "cuda/samples.h"
#include "base/lock.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "cuda/stream_pools.h"
#include "options/options.h"
#include "records/blocks.h"
#include "records/cells.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SAMPLES (1u << 20) /* 128 MiB of capture */
#define PAGE ((uint64_t)2 << 20)

static struct gpm_lock samples_lock = GPM_LOCK(samples); /* protects the table */
static struct gpm_table sample_table;

/* Takes the time stamp under the lock, so that the samples of all threads are in the order of their
 * times. Returns the record; null: no room. */
static struct gpumemprof_capture_sample *append_sample(struct gpumemprof_capture_sample *s) {
  gpm_lock_take(&samples_lock);
  bool room = sample_table.count < MOST_SAMPLES || s->why == GPUMEMPROF_SAMPLE_FIRST ||
              s->why == GPUMEMPROF_SAMPLE_EXIT;
  struct gpumemprof_capture_sample *record = room ? gpm_table_next(&sample_table) : NULL;
  if (record) {
    s->ticks = gpm_ticks();
    s->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
    *record = *s;
    gpm_table_publish(&sample_table);
  }
  gpm_lock_release(&samples_lock);
  if (!room) gpm_capture_count(GPUMEMPROF_COUNTER_samples_left_out);
  return record;
}

/* Copies the figures of a device from the ledger. */
static void read_ledger(const struct gpm_device *device, struct gpumemprof_capture_sample *s) {
  const struct gpumemprof_capture_device *r = device->record;
  gpm_lock_take(device->lock);
  s->ledger = r->total;
  s->pooled = r->live[GPUMEMPROF_KIND_POOL].bytes + r->live[GPUMEMPROF_KIND_GRAPH].bytes;
  s->managed = r->live[GPUMEMPROF_KIND_MANAGED].bytes;
  gpm_lock_release(device->lock);
}

static struct gpumemprof_capture_sample sample_of(const struct gpm_device *device, uint16_t why) {
  return (struct gpumemprof_capture_sample){
      .pool = GPUMEMPROF_NONE, .device = device->index, .why = why};
}

void gpm_samples_pool(const struct gpm_device *device, uint32_t pool,
                      const struct gpumemprof_capture_pool *now) {
  struct gpumemprof_capture_sample s = sample_of(device, GPUMEMPROF_SAMPLE_CHANGE);
  s.pool = pool;
  s.used = now->used;
  s.total = now->reserved;
  read_ledger(device, &s);
  append_sample(&s);
}

/* ---- contexts -----------------------------------------------------------------------------------
 * While a sample retains a primary context, the program's last release of it does not end it. So no
 * sample retains one while a call that may end a context is under way.
 */

#define LONGEST_WAIT_NS 1000000000u /* for a driver that does not answer */
static _Atomic unsigned endings;    /* calls under way that may end a context */
static _Atomic unsigned borrowed;   /* primary contexts that samples retain */

void gpm_samples_ending(void) {
  atomic_fetch_add(&endings, 1);
  uint64_t start = gpm_ticks_monotonic_ns();
  while (atomic_load(&borrowed) && gpm_ticks_monotonic_ns() - start < LONGEST_WAIT_NS) gpm_yield();
}

void gpm_samples_ended(void) {
  atomic_fetch_sub(&endings, 1);
}

static bool is_current(const struct gpm_driver *driver, int ordinal) {
  int current = -1;
  return driver->cuCtxGetDevice && !driver->cuCtxGetDevice(&current) && current == ordinal;
}

/* Makes the primary context current, if the program has one: it is retained, or it could go
 * meanwhile. */
static bool make_current(const struct gpm_driver *driver, int ordinal) {
  unsigned flags;
  int active = 0;
  gpm_context context;
  if (!driver->cuDevicePrimaryCtxGetState || !driver->cuDevicePrimaryCtxRetain ||
      !driver->cuDevicePrimaryCtxRelease_v2 || !driver->cuCtxPushCurrent_v2 ||
      !driver->cuCtxPopCurrent_v2)
    return false;
  atomic_fetch_add(&borrowed, 1);
  if (!atomic_load(&endings) && !driver->cuDevicePrimaryCtxGetState(ordinal, &flags, &active) &&
      active && !driver->cuDevicePrimaryCtxRetain(&context, ordinal)) {
    if (!driver->cuCtxPushCurrent_v2(context)) return true;
    driver->cuDevicePrimaryCtxRelease_v2(ordinal);
  }
  atomic_fetch_sub(&borrowed, 1);
  return false;
}

static void give_back(const struct gpm_driver *driver, int ordinal) {
  gpm_context popped;
  driver->cuCtxPopCurrent_v2(&popped);
  driver->cuDevicePrimaryCtxRelease_v2(ordinal);
  atomic_fetch_sub(&borrowed, 1);
}

/* ---- devices ------------------------------------------------------------------------------------
 */

bool gpm_samples_ask(int ordinal, uint64_t *bytes_free, uint64_t *total) {
  const struct gpm_driver *driver = gpm_driver();
  size_t free_now, all;
  int saved = errno;
  bool borrows = !is_current(driver, ordinal);
  if (borrows && !make_current(driver, ordinal)) return false;
  bool known = driver->cuMemGetInfo_v2 && !driver->cuMemGetInfo_v2(&free_now, &all);
  if (borrows) give_back(driver, ordinal);
  errno = saved;
  if (!known) return false;
  *bytes_free = free_now;
  *total = all;
  return true;
}

struct sampled {
  const struct gpm_device *device;
  uint64_t rounding, managed_here, managed_elsewhere;
};

/* Only large blocks have pages of their own, and so are rounded up to whole pages. */
static uint64_t rounding_of(const struct gpm_cell *cell, uint64_t bytes) {
  bool single = cell->kind == GPUMEMPROF_KIND_DEVICE && bytes > PAGE / 2;
  return single ? (PAGE - bytes % PAGE) % PAGE : 0;
}

static void visit_pages(uint64_t address, struct gpm_block *block, void *data) {
  struct sampled *w = data;
  const struct gpm_cell *cell = atomic_load(&block->cell);
  (void)address;
  if (cell && cell->device == w->device) w->rounding += rounding_of(cell, gpm_peek(&block->bytes));
}

uint64_t gpm_samples_rounding(const struct gpm_device *device) {
  struct sampled w = {.device = device};
  gpm_blocks_each(visit_pages, &w);
  return w.rounding;
}

/* Adds up the rounding of a block, and where managed memory was prefetched to last. */
static void visit(uint64_t address, struct gpm_block *block, void *data) {
  struct sampled *w = data;
  const struct gpm_cell *cell = atomic_load(&block->cell);
  if (!cell || cell->device != w->device || atomic_load(&endings)) return;
  uint64_t bytes = gpm_peek(&block->bytes);
  w->rounding += rounding_of(cell, bytes);
  if (cell->kind != GPUMEMPROF_KIND_MANAGED) return;
  const struct gpm_driver *driver = gpm_driver();
  int prefetched = -2;
  if (driver->cuMemRangeGetAttribute)
    driver->cuMemRangeGetAttribute(&prefetched, sizeof prefetched, GPM_RANGE_LAST_PREFETCH, address,
                                   bytes);
  if (prefetched == w->device->record->ordinal) w->managed_here += bytes;
  else if (prefetched != -2) w->managed_elsewhere += bytes;
}

/* Adds what needs a visit of every block. This may take long, so the sample has been recorded
 * before. */
static void count_blocks(const struct gpm_device *device, bool ends_matter,
                         struct gpumemprof_capture_sample *record) {
  struct sampled w = {.device = device};
  gpm_blocks_each(visit, &w);
  if (ends_matter && atomic_load(&endings)) return; /* not all blocks were visited */
  __atomic_store_n(&record->managed_here, w.managed_here, __ATOMIC_RELAXED);
  __atomic_store_n(&record->managed_elsewhere, w.managed_elsewhere, __ATOMIC_RELAXED);
  __atomic_store_n(&record->rounding, w.rounding, __ATOMIC_RELEASE);
}

/* Takes a sample of a device whose context is current. pages: visits every block. */
static void sample_current(struct gpm_device *device, enum gpumemprof_sample_why why, bool pages,
                           uint64_t rss) {
  size_t bytes_free, total;
  if (gpm_driver()->cuMemGetInfo_v2(&bytes_free, &total)) return;
  bool monitors = why == GPUMEMPROF_SAMPLE_MONITOR;
  struct gpumemprof_capture_sample s = sample_of(device, (uint16_t)why);
  s.used = total - bytes_free;
  s.total = total;
  s.rss = rss;
  s.pools = __atomic_load_n(&device->pools_reserved, __ATOMIC_RELAXED);
  s.rounding = pages || monitors ? GPUMEMPROF_ROUNDING_UNKNOWN : 0;
  read_ledger(device, &s);
  struct gpumemprof_capture_sample *record = append_sample(&s);
  if (pages && record) count_blocks(device, monitors, record);
}

static void sample(struct gpm_device *device, enum gpumemprof_sample_why why, bool pages,
                   uint64_t rss) {
  const struct gpm_driver *driver = gpm_driver();
  int ordinal = device->record->ordinal;
  if (ordinal < 0 || !driver->cuMemGetInfo_v2) return;
  bool here = is_current(driver, ordinal);
  if (!here && !make_current(driver, ordinal)) return;
  sample_current(device, why, pages, rss);
  if (!here) give_back(driver, ordinal);
}

void gpm_samples_device(struct gpm_device *device, enum gpumemprof_sample_why why) {
  if (strcmp(gpm_options.unaccounted, "off"))
    sample(device, why, why != GPUMEMPROF_SAMPLE_CHANGE, 0);
}

void gpm_samples_monitor(struct gpm_device *device, bool pages, uint64_t rss) {
  sample(device, GPUMEMPROF_SAMPLE_MONITOR, pages, rss);
}

static void sample_at_exit(void) {
  atomic_store(&gpm_exiting, true);
  gpm_helper_stop();
  struct gpm_thread *thread = gpm_recording() ? gpm_event_enter() : NULL;
  if (!thread) return;
  unsigned count = gpm_ledger_device_count();
  for (unsigned i = 1; i < count; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    if (gpm_is_not_gpu(device)) continue;
    gpm_pools_sample(device);
    gpm_samples_device(device, GPUMEMPROF_SAMPLE_EXIT);
  }
  gpm_event_leave(thread);
}

void gpm_samples_first(struct gpm_device *device) {
  static _Atomic bool registered;
  if (!atomic_exchange(&registered, true)) atexit(sample_at_exit);
  gpm_samples_device(device, GPUMEMPROF_SAMPLE_FIRST);
  gpm_helper_device_seen();
}

void gpm_samples_forked(void) {
  atomic_store(&endings, 0);
  atomic_store(&borrowed, 0);
}

void gpm_samples_start(void) {
  atomic_store(&samples_lock.held, 0);
  sample_table = (struct gpm_table){GPUMEMPROF_CHUNK_SAMPLES,
                                    sizeof(struct gpumemprof_capture_sample), 0, 0, NULL};
}
