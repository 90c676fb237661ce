/* snapshot.c - what is live at one moment, for the program (measure.h: gpumemprof_snapshot).
 *
 * The ledger has every figure already: a snapshot copies one device's record under its lock, and
 * adds the figures of the process and of the calling thread. The driver and the kernel are asked
 * only for figures that the program wants. measures.c takes snapshots where a scope begins and
 * ends.
 */
#include "base/program_calls.h"
#include "base/resident.h"
#include "base/state.h"
#include "base/ticks.h"
#include "control/measures.h"
#include "core/shadow_stack.h"
#include "cuda/driver.h"
#include "cuda/samples.h"
#include "cuda/stream_pools.h"
#include "records/devices.h"
#include "records/labels.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

int gpm_snapshot_ordinal(int device) {
  if (device != GPUMEMPROF_CURRENT_DEVICE) return device;
  const struct gpm_driver *driver = gpm_driver();
  int ordinal = -1, saved = errno;
  bool observed = driver->cuCtxGetDevice && !driver->cuCtxGetDevice(&ordinal);
  errno = saved;
  if (observed) return ordinal;
  unsigned count = gpm_recording() ? gpm_ledger_device_count() : 0;
  for (unsigned i = 1; i < count; i++)
    if (!gpm_is_not_gpu(gpm_ledger_device_at(i))) return gpm_ledger_device_at(i)->record->ordinal;
  return GPUMEMPROF_NO_DEVICE;
}

/* Reads a total of memory other than a GPU's without its lock, which another thread may have: each
 * figure is consistent, and of about that moment. */
__attribute__((no_sanitize("thread"))) static struct gpumemprof_amount
live_not_gpus(int ordinal, unsigned kind) {
  const struct gpm_device *device = gpm_ledger_known_device(ordinal);
  if (!device) return (struct gpumemprof_amount){0, 0};
  const volatile struct gpumemprof_capture_amount *live = &device->record->live[kind];
  return (struct gpumemprof_amount){live->bytes, live->blocks};
}

static void fill_not_gpus(struct gpumemprof_snapshot *s) {
  s->live[GPUMEMPROF_KIND_PINNED] = live_not_gpus(GPUMEMPROF_HOST, GPUMEMPROF_KIND_PINNED);
  s->live[GPUMEMPROF_KIND_IMPORTED] = live_not_gpus(GPUMEMPROF_IMPORTED, GPUMEMPROF_KIND_IMPORTED);
  s->live[GPUMEMPROF_KIND_CUSTOM] = live_not_gpus(GPUMEMPROF_CUSTOM, GPUMEMPROF_KIND_CUSTOM);
  s->pinned = s->live[GPUMEMPROF_KIND_PINNED].bytes;
}

void gpm_snapshot_totals(struct gpumemprof_snapshot *s, const struct gpm_device *device) {
  const struct gpumemprof_capture_device *d = device->record;
  s->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  s->acquired = d->total;
  s->requested = d->total - d->padding;
  s->peak = d->peak;
  s->managed = d->live[GPUMEMPROF_KIND_MANAGED].bytes;
  s->blocks = 0;
  for (unsigned kind = 0; kind < GPUMEMPROF_KIND_COUNT; kind++) {
    s->live[kind] = (struct gpumemprof_amount){d->live[kind].bytes, d->live[kind].blocks};
    s->blocks += d->live[kind].blocks;
  }
  fill_not_gpus(s);
}

static void fill_scope(struct gpumemprof_snapshot *s, struct gpm_thread *thread) {
  const struct gpumemprof_site *site = gpm_thread_scope(thread);
  s->label = gpm_labels_own(thread->label);
  if (!site) return;
  s->scope_line = site->line;
  if (site->kind == GPUMEMPROF_SITE_BLOCK) {
    const struct gpumemprof_block_site *block = (const void *)site;
    s->scope = block->name;
    s->scope_file = block->file;
  } else {
    s->scope = gpm_sites_text(&site->function);
    s->scope_file = gpm_sites_text(&site->file);
  }
}

void gpm_snapshot_fill(struct gpumemprof_snapshot *s, struct gpm_thread *thread, int ordinal,
                       unsigned asks) {
  int saved = errno;
  struct gpm_device *device = ordinal < 0 ? NULL : gpm_ledger_known_device(ordinal);
  s->device = ordinal < 0 ? GPUMEMPROF_NO_DEVICE : ordinal;
  if (asks & GPUMEMPROF_ASK_PROCESS) s->resident = gpm_resident_bytes();
  if (asks & GPUMEMPROF_ASK_DEVICE && ordinal >= 0) {
    if (device) gpm_pools_sample(device);
    gpm_samples_ask(ordinal, &s->device_free, &s->device_total);
  }
  fill_scope(s, thread);
  if (device) gpm_pools_sum(device, &s->pool_used, &s->pool_reserved);
  s->time_ns = gpm_ticks_monotonic_ns();
  if (device) {
    gpm_lock_take(device->lock);
    gpm_snapshot_totals(s, device);
    gpm_lock_release(device->lock);
  } else {
    s->clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
    fill_not_gpus(s);
  }
  errno = saved;
}

int __gpumemprof_snapshot_take(struct gpumemprof_snapshot *snapshot, size_t size, int device,
                               unsigned asks) {
  int ordinal = gpm_recording() ? gpm_snapshot_ordinal(device) : GPUMEMPROF_NO_DEVICE;
  struct gpm_thread *thread = gpm_thread_enter();
  if (!thread) return 0;
  struct gpumemprof_snapshot now = {0};
  gpm_snapshot_fill(&now, thread, ordinal, asks);
  gpm_set_busy(thread, false);
  memcpy(snapshot, &now, size < sizeof now ? size : sizeof now);
  return 1;
}
