/* samples.c - see samples.h.
 *
 * devices.c asks for one at a device's first sight, stream_pools.c where a pool changed; the last
 * is taken at exit, before CUDA ends: its handler is registered at the first sight of a device,
 * when CUDA has registered its own, and so runs before it.
 */
#include "samples.h"

#include "driver.h"
#include "effects.h"
#include "ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SAMPLES (1u << 20) /* 128 MiB of capture */
#define PAGE ((uint64_t)2 << 20)

static struct gpm_lock samples_lock; /* protects the table */
static struct gpm_table sample_table;

static void append_sample(struct gpumemprof_capture_sample *s) {
  gpm_lock_take(&samples_lock);
  bool room = sample_table.count < MOST_SAMPLES || s->why != GPUMEMPROF_SAMPLE_CHANGE;
  struct gpumemprof_capture_sample *record = room ? gpm_table_next(&sample_table) : NULL;
  if (record) {
    *record = *s;
    gpm_table_publish(&sample_table);
  }
  gpm_lock_release(&samples_lock);
  if (!room) gpm_capture_count(GPUMEMPROF_COUNTER_samples_left_out);
}

/* What the ledger of a device holds. */
static void read_ledger(const struct gpm_device *device, struct gpumemprof_capture_sample *s) {
  const struct gpumemprof_capture_device *r = device->record;
  gpm_lock_take(device->lock);
  s->ledger = r->total;
  s->pooled = r->live[GPUMEMPROF_KIND_POOL].bytes + r->live[GPUMEMPROF_KIND_GRAPH].bytes;
  s->managed = r->live[GPUMEMPROF_KIND_MANAGED].bytes;
  gpm_lock_release(device->lock);
}

static struct gpumemprof_capture_sample now_of(const struct gpm_device *device, uint16_t why) {
  return (struct gpumemprof_capture_sample){
      .ticks = gpm_ticks(),
      .clock = __atomic_load_n(&__gpumemprof_clock, __ATOMIC_RELAXED),
      .pool = GPUMEMPROF_NONE,
      .device = device->index,
      .why = why};
}

void gpm_samples_pool(const struct gpm_device *device, uint32_t pool,
                      const struct gpumemprof_capture_pool *now) {
  struct gpumemprof_capture_sample s = now_of(device, GPUMEMPROF_SAMPLE_CHANGE);
  s.pool = pool;
  s.used = now->used;
  s.total = now->reserved;
  read_ledger(device, &s);
  append_sample(&s);
}

/* ---- devices ------------------------------------------------------------------------------------
 */

/* Free and total bytes of the device whose context is current. */
static bool ask_current(const struct gpm_driver *driver, int ordinal, size_t *bytes_free,
                        size_t *total) {
  int current = -1;
  return driver->cuCtxGetDevice && driver->cuMemGetInfo_v2 && !driver->cuCtxGetDevice(&current) &&
         current == ordinal && !driver->cuMemGetInfo_v2(bytes_free, total);
}

/* Makes the primary context current for the question, if the program has one: it is retained, or it
 * could go meanwhile. */
static bool ask_primary(const struct gpm_driver *driver, int ordinal, size_t *bytes_free,
                        size_t *total) {
  unsigned flags;
  int active = 0;
  gpm_context context, popped;
  if (!driver->cuDevicePrimaryCtxGetState || !driver->cuDevicePrimaryCtxRetain ||
      !driver->cuDevicePrimaryCtxRelease_v2 || !driver->cuCtxPushCurrent_v2 ||
      !driver->cuCtxPopCurrent_v2 || driver->cuDevicePrimaryCtxGetState(ordinal, &flags, &active) ||
      !active || driver->cuDevicePrimaryCtxRetain(&context, ordinal))
    return false;
  bool told = !driver->cuCtxPushCurrent_v2(context);
  if (told) {
    told = ask_current(driver, ordinal, bytes_free, total);
    driver->cuCtxPopCurrent_v2(&popped);
  }
  driver->cuDevicePrimaryCtxRelease_v2(ordinal);
  return told;
}

bool gpm_samples_ask(int ordinal, uint64_t *bytes_free, uint64_t *total) {
  const struct gpm_driver *driver = gpm_driver();
  size_t free_now, all;
  int saved = errno;
  bool told = ask_current(driver, ordinal, &free_now, &all) ||
              ask_primary(driver, ordinal, &free_now, &all);
  errno = saved;
  if (!told) return false;
  *bytes_free = free_now;
  *total = all;
  return true;
}

struct sampled {
  const struct gpm_device *device;
  struct gpumemprof_capture_sample *sample;
};

/* Large blocks have pages of their own; where managed memory was sent last. */
static void visit(uint64_t address, struct gpm_block *block, void *data) {
  const struct sampled *w = data;
  struct gpm_cell *cell = atomic_load(&block->cell);
  if (!cell || cell->device != w->device) return;
  if (cell->kind == GPUMEMPROF_KIND_DEVICE && block->bytes > PAGE / 2)
    w->sample->rounding += (PAGE - block->bytes % PAGE) % PAGE;
  if (cell->kind != GPUMEMPROF_KIND_MANAGED) return;
  const struct gpm_driver *driver = gpm_driver();
  int place = -2;
  if (driver->cuMemRangeGetAttribute)
    driver->cuMemRangeGetAttribute(&place, sizeof place, GPM_RANGE_LAST_PREFETCH, address,
                                   block->bytes);
  if (place == w->device->record->ordinal) w->sample->managed_here += block->bytes;
  else if (place != -2) w->sample->managed_elsewhere += block->bytes;
}

void gpm_samples_device(struct gpm_device *device, enum gpumemprof_sample_why why) {
  int ordinal = device->record->ordinal;
  uint64_t bytes_free, total;
  if (!strcmp(gpm_options.unaccounted, "off") || ordinal < 0 ||
      !gpm_samples_ask(ordinal, &bytes_free, &total))
    return;
  struct gpumemprof_capture_sample s = now_of(device, (uint16_t)why);
  s.used = total - bytes_free;
  s.total = total;
  s.pools = __atomic_load_n(&device->pools_reserved, __ATOMIC_RELAXED);
  read_ledger(device, &s);
  if (why != GPUMEMPROF_SAMPLE_CHANGE) {
    struct sampled w = {device, &s};
    gpm_blocks_each(visit, &w);
  }
  append_sample(&s);
}

_Atomic bool gpm_exiting;

static void sample_at_exit(void) {
  atomic_store(&gpm_exiting, true);
  struct gpm_thread *thread = gpm_recording() ? gpm_event_enter() : NULL;
  if (!thread) return;
  unsigned count = gpm_ledger_device_count();
  for (unsigned i = 1; i < count; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    if (gpm_is_apart(device)) continue;
    gpm_pools_look(thread, device);
    gpm_samples_device(device, GPUMEMPROF_SAMPLE_EXIT);
  }
  gpm_event_leave(thread);
}

void gpm_samples_first(struct gpm_device *device) {
  static _Atomic bool registered;
  if (!atomic_exchange(&registered, true)) atexit(sample_at_exit);
  gpm_samples_device(device, GPUMEMPROF_SAMPLE_FIRST);
}

void gpm_samples_start(void) {
  atomic_store(&samples_lock.held, 0);
  sample_table = (struct gpm_table){GPUMEMPROF_CHUNK_SAMPLES,
                                    sizeof(struct gpumemprof_capture_sample), 0, 0, NULL};
}
