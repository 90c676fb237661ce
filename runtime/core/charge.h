/* charge.h - what every event does besides its block: it advances the allocation clock, may raise
 * the device's peak, and is charged to a line and to the open scopes.
 *
 * ledger.c, pieces.c, taken_back.c and failures.c include it. The functions are inlined there,
 * because every event runs through them.
 */
#ifndef GPM_CHARGE_H
#define GPM_CHARGE_H

#include "base/compiler.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "core/ledger.h"
#include "core/shadow_stack.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/maxima.h"
#include "threads/observing.h"
#include "threads/threads.h"

static inline uint64_t tick_clock(void) {
  return gpm_ledger_add(gpm_ledger_plain(), &__gpumemprof_clock.events, 1);
}

/* Takes a time stamp, and from time to time updates the capture's calibration of the clock. */
static GPM_NOINLINE_IN_HEADER uint64_t stamp(void) {
  const struct gpumemprof_capture_header *h = gpm_capture;
  uint64_t now = gpm_ticks(), last = __atomic_load_n(&h->last_ticks, __ATOMIC_RELAXED);
  if (now - last >= (last - h->first_ticks) / 8) gpm_capture_calibrate();
  return now;
}

/* Call after the device's total rose: records a new peak. */
static inline void notice_peak(struct gpm_device *device, uint64_t clock, uint32_t node) {
  struct gpumemprof_capture_device *d = device->record;
  if (GPM_UNLIKELY(d->total > device->watched_above)) gpm_measures_rose(device, clock);
  if (d->total <= d->peak) return;
  d->peak = d->total;
  d->peak_ticks = stamp();
  d->peak_clock = clock;
  d->peak_node = node;
  d->peak_epoch++;
  gpm_ledger_limit_repeats(device);
}

/* Call before the event of that clock lowers the device's total: the maxima keep it. */
static inline void keep_total(struct gpm_device *device, uint64_t clock) {
  uint64_t total = device->record->total;
  struct gpumemprof_capture_maximum *at = gpm_maxima_position(&device->maxima, total);
  if (GPM_UNLIKELY(!at)) at = gpm_maxima_make_position(&device->maxima, total);
  if (GPM_LIKELY(at != NULL)) gpm_maxima_set(&device->maxima, at, clock, total);
}

static inline int64_t for_scopes(const struct gpm_device *device, uint64_t bytes) {
  return gpm_is_not_gpu(device) ? 0 : (int64_t)bytes;
}

/* Charges the event to the open scopes, unless recording was paused when the line was found. */
static inline void charge_scopes(struct gpm_thread *thread, const struct gpm_node *line,
                                 const struct gpm_device *device, enum gpm_change change,
                                 uint16_t kind, uint64_t bytes) {
  if (gpm_is_paused(line)) return;
  int64_t counted = for_scopes(device, bytes);
  gpm_thread_charge(thread, change == GPM_CHANGE_ENDED ? -counted : counted);
  if (GPM_UNLIKELY(thread->measuring))
    gpm_measures_count(thread, &(struct gpm_moved){change, kind, bytes, (uint64_t)counted});
}

/* The node of the line that an event is charged to; null: no room. */
static inline struct gpm_node *event_line(struct gpm_thread *thread) {
  return gpm_observed(GPM_OBSERVING_PAUSED) ? gpm_pause_line() : gpm_thread_line(thread);
}

static inline uint64_t timed_since(const struct gpm_block *block) {
  return block->ticks & ~GPM_BLOCK_FLAGS;
}

#endif /* GPM_CHARGE_H */
