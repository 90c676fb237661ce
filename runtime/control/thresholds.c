/* thresholds.c - callbacks when a device's total crosses a limit.
 *
 *   limit  ------/''''\---/''\-----------/''\--   above it: crossed, which is reported once
 *   19/20  -----/------\_/----\---------/----\-   not above it: no longer crossed
 *          ____/               \_______/      \
 *                ^ a callback            ^ a callback
 *
 * The ledger reports each rise and fall under its lock, so that no crossing is missed in either
 * direction. The callback runs on the thread that made the total rise, when its event is done. Each
 * device stores for each threshold which limits it has crossed; percentages become bytes when the
 * device first checks the threshold.
 */
#include "control/thresholds.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "control/observers.h"
#include "cuda/device_names.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define LEVELS 2 /* warn, critical */

struct gpm_watch {
  int handle; /* of the threshold it belongs to */
  bool crossed[LEVELS];
  uint64_t limit[LEVELS]; /* UINT64_MAX: none */
};

static uint64_t lower_of(uint64_t bytes, double percent, uint64_t memory) {
  uint64_t limit = bytes ? bytes : UINT64_MAX;
  uint64_t part = percent > 0 && memory ? (uint64_t)((double)memory * (percent / 100)) : UINT64_MAX;
  return part < limit ? part : limit;
}

/* Returns the device's state of the threshold in that slot, or null when there is no memory. */
static struct gpm_watch *watch_of(struct gpm_device *device, unsigned slot,
                                  const struct gpm_observer *o) {
  if (!device->watches)
    device->watches = gpm_memory_get(GPM_OBSERVERS_MOST * sizeof(struct gpm_watch));
  if (!device->watches) return NULL;
  struct gpm_watch *w = &device->watches[slot];
  int handle = atomic_load(&o->handle);
  if (w->handle == handle) return w;
  const struct gpumemprof_threshold *t = &o->threshold;
  uint64_t memory = device->record->memory_total;
  *w = (struct gpm_watch){.handle = handle,
                          .limit = {lower_of(t->warn_bytes, t->warn_percent, memory),
                                    lower_of(t->critical_bytes, t->critical_percent, memory)}};
  return w;
}

static bool is_of(const struct gpm_observer *o, const struct gpm_device *device) {
  int ordinal = device->record->ordinal, wanted = o->threshold.device;
  return wanted == ordinal || (wanted == GPUMEMPROF_EVERY_DEVICE && ordinal >= 0);
}

static void uncross(struct gpm_watch *w, uint64_t total) {
  for (int i = 0; i < LEVELS; i++)
    if (w->crossed[i] && total <= w->limit[i] - w->limit[i] / 20) w->crossed[i] = false;
}

void gpm_thresholds_fell(struct gpm_device *device) {
  for (unsigned slot = 0; slot < GPM_OBSERVERS_MOST; slot++) {
    struct gpm_observer *o = gpm_observers_at(GPM_OBSERVING_THRESHOLDS, slot);
    if (!gpm_observers_enter(o)) continue;
    struct gpm_watch *w = is_of(o, device) ? watch_of(device, slot, o) : NULL;
    if (w) uncross(w, device->record->total);
    gpm_observers_exit(o);
  }
}

/* A thread that is in a callback reports nothing; the next rise by another thread does. */
static void cross(struct gpm_thread *thread, const struct gpm_device *device, struct gpm_watch *w,
                  unsigned slot, const struct gpumemprof_crossing *c, uint32_t site) {
  for (int i = 0; i < LEVELS; i++) {
    if (w->crossed[i] || device->record->total <= w->limit[i]) continue;
    struct gpm_notice *notice = gpm_observers_notice(thread, site);
    if (!notice) return;
    w->crossed[i] = true;
    notice->handle = w->handle;
    notice->slot = slot;
    notice->crossing = *c;
    notice->crossing.level = (uint32_t)i + GPUMEMPROF_WARN;
    notice->crossing.limit = w->limit[i];
  }
}

void gpm_thresholds_rose(struct gpm_thread *thread, struct gpm_device *device,
                         const struct gpm_node *node, const struct gpm_block *block,
                         uint64_t clock) {
  struct gpumemprof_crossing c = {.size = sizeof c,
                                  .device = device->record->ordinal,
                                  .total = device->record->total,
                                  .bytes = block->bytes,
                                  .block = block->clock,
                                  .clock = clock};
  for (unsigned slot = 0; slot < GPM_OBSERVERS_MOST; slot++) {
    struct gpm_observer *o = gpm_observers_at(GPM_OBSERVING_THRESHOLDS, slot);
    if (!gpm_observers_enter(o)) continue;
    struct gpm_watch *w = is_of(o, device) ? watch_of(device, slot, o) : NULL;
    if (w) cross(thread, device, w, slot, &c, node->record->site);
    gpm_observers_exit(o);
  }
}

/* ---- called by the program ---------------------------------------------------------------------
 */

static bool is_share(double percent) {
  return percent >= 0 && percent <= 100; /* false for NaN */
}

/* Returns what is wrong with it, or null. */
static const char *fault_of(const struct gpumemprof_threshold *t) {
  if (!t->callback) return "it has no callback";
  if (!is_share(t->warn_percent) || !is_share(t->critical_percent))
    return "a percentage must be from 0 to 100";
  bool share = t->warn_percent > 0 || t->critical_percent > 0;
  if (!share && !t->warn_bytes && !t->critical_bytes) return "it has no limit";
  if (share && t->device < 0 && t->device != GPUMEMPROF_EVERY_DEVICE)
    return "a percentage is of a GPU's memory, give bytes for what is no GPU";
  return NULL;
}

int __gpumemprof_threshold_add(const struct gpumemprof_threshold *threshold) {
  struct gpm_observer content = {0};
  struct gpumemprof_threshold *t = &content.threshold;
  int saved = errno;
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  if (threshold && threshold->size >= sizeof threshold->size)
    memcpy(t, threshold, threshold->size < sizeof *t ? threshold->size : sizeof *t);
  const char *fault = t->size ? fault_of(t) : "there is none, or its size is not set";
  if (fault) {
    gpm_text_say("gpumemprof_threshold_add: ", fault, "; nothing is watched", NULL);
    return GPUMEMPROF_ERROR_ARGUMENT;
  }
  if (t->device != GPUMEMPROF_EVERY_DEVICE && !gpm_device_exists(t->device)) {
    gpm_device_names_say("gpumemprof_threshold_add", t->device);
    return GPUMEMPROF_ERROR_DEVICE;
  }
  if (!gpm_thread_is_outside()) return GPUMEMPROF_ERROR_OFF;
  int handle = gpm_observers_add(GPM_OBSERVING_THRESHOLDS, &content);
  errno = saved;
  if (handle) return handle;
  gpm_text_say("gpumemprof_threshold_add: 16 thresholds are watched, which is the most; remove one "
               "first",
               NULL);
  return GPUMEMPROF_ERROR_FULL;
}

int __gpumemprof_threshold_remove(int handle) {
  return gpm_observers_remove(GPM_OBSERVING_THRESHOLDS, handle);
}
