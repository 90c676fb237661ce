/* charge.h - what every event does beside its block: it takes the clock, moves the device's peak,
 * is charged to a line and to the scopes that are open.
 *
 * ledger.c, pieces.c, taken_back.c and failures.c include it; their functions are on the path of
 * each event, so these are inlined there. `alone`: the thread needs no lock (bias.h).
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
#include "threads/bias.h"
#include "threads/threads.h"

static inline uint64_t tick_clock(bool alone) {
  return gpm_ledger_add(alone, &__gpumemprof_clock.events, 1);
}

/* A time stamp; now and then it also brings the capture's calibration up to date. */
static GPM_NOINLINE_IN_HEADER uint64_t stamp(void) {
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

static inline int64_t for_scopes(const struct gpm_device *device, uint64_t bytes) {
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

/* The line an event belongs to; null: no room. */
static inline struct gpm_node *event_line(struct gpm_thread *thread, bool alone) {
  return !alone && gpm_observed(GPM_OBSERVING_PAUSED) ? gpm_pause_line() : gpm_thread_line(thread);
}

static inline uint64_t timed_since(const struct gpm_block *block) {
  return block->ticks & ~GPM_BLOCK_FLAGS;
}

#endif /* GPM_CHARGE_H */
