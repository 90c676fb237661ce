/* monitor.c - periodic samples of what every device has in use: the option monitor=100ms, and
 * gpumemprof_monitor_start.
 *
 * It is a task of the helper (helper.h). In every interval it reads the pools of each device that
 * was seen and takes a sample of the device (samples.c). A round that takes long is followed by a
 * pause of the same length, and a round that visits every block is followed by no other such round
 * for 64 times its processor time. So the monitor never takes more than half of a core, and usually
 * almost nothing. The longer pause is measured in processor time, so that time in which other
 * programs had the processor does not lengthen it. While a stream is being captured, the monitor
 * does not call CUDA.
 */
#include "base/compiler.h"
#include "base/program_calls.h"
#include "base/resident.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "cuda/cuda_query.h"
#include "cuda/samples.h"
#include "cuda/stream_pools.h"
#include "options/options.h"
#include "records/devices.h"
#include "threads/threads.h"
#include "timed/helper.h"

#include <time.h>

#define SHORTEST_NS GPM_MONITOR_SHORTEST_NS
#define PAGES_PAUSE 64u
#define STOP_WAIT_NS 1000000000u
#define AS_THE_OPTION_SAYS UINT64_MAX

static _Atomic uint64_t asked_for = AS_THE_OPTION_SAYS; /* interval; 0: none */
static _Atomic bool sampling;                           /* the helper is taking samples */
/* Only the helper uses these. */
static uint64_t interval; /* between the present samples */
static uint64_t sample_due, pages_due;

static uint64_t wanted(void) {
  uint64_t ns = atomic_load(&asked_for);
  return ns == AS_THE_OPTION_SAYS ? gpm_options.monitor : ns;
}

bool gpm_monitor_is_on(void) {
  return wanted() != 0;
}

static bool captures(void) {
  return atomic_load(&gpm_pool_calls_differ) & ~GPM_HOST_POOLS;
}

static void sample_all(bool pages) {
  if (captures()) return gpm_capture_count(GPUMEMPROF_COUNTER_monitor_left_out);
  uint64_t rss = gpm_resident_bytes();
  unsigned count = gpm_ledger_device_count();
  for (unsigned i = 1; i < count; i++) {
    struct gpm_device *device = gpm_ledger_device_at(i);
    if (gpm_is_not_gpu(device)) continue;
    gpm_pools_poll(device);
    gpm_samples_monitor(device, pages, rss);
  }
}

static uint64_t own_processor_ns(void) {
  struct timespec used;
  gpm_clock(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

uint64_t gpm_monitor_round(uint64_t now) {
  uint64_t ns = wanted();
  if (!ns) return UINT64_MAX;
  if (ns != interval) {
    interval = ns;
    sample_due = now + ns;
    __atomic_store_n(&gpm_capture->monitor_ns, ns, __ATOMIC_RELAXED);
  }
  if (now < sample_due) return sample_due;
  bool pages = now >= pages_due;
  uint64_t used = own_processor_ns();
  atomic_store(&sampling, true);
  if (gpm_monitor_is_on()) sample_all(pages); /* else stopping it did not wait for us */
  atomic_store(&sampling, false);
  uint64_t end = gpm_ticks_monotonic_ns();
  if (pages) pages_due = end + (own_processor_ns() - used) * PAGES_PAUSE;
  sample_due += ns;
  if (sample_due < end + (end - now)) sample_due = end + (end - now);
  return sample_due;
}

void gpm_monitor_forked(void) {
  atomic_store(&sampling, false);
  interval = sample_due = pages_due = 0;
}

GPM_EXPORT int __gpumemprof_monitor_start(uint64_t interval_ns) {
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  if (interval_ns < SHORTEST_NS || interval_ns == AS_THE_OPTION_SAYS) {
    gpm_text_say("gpumemprof_monitor_start: the interval is ",
                 interval_ns < SHORTEST_NS ? "less than 1 ms" : "too long", "; nothing changes",
                 NULL);
    return GPUMEMPROF_ERROR_ARGUMENT;
  }
  atomic_store(&asked_for, interval_ns);
  gpm_helper_wake();
  return gpm_system_result(gpm_helper_start());
}

GPM_EXPORT void __gpumemprof_monitor_stop(void) {
  if (!gpm_recording()) return;
  atomic_store(&asked_for, 0);
  if (!gpm_triggers_are_on() && !gpm_nvtx_emits(GPM_NVTX_BYTES)) return gpm_helper_stop();
  uint64_t start = gpm_ticks_monotonic_ns();
  while (atomic_load(&sampling) && gpm_ticks_monotonic_ns() - start < STOP_WAIT_NS) gpm_yield();
}
