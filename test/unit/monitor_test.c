/* monitor_test.c - the monitor in a program with a single thread: events repeat beside it; it
 * delays the end of no context, creates none, calls nothing while a stream is being captured, and
 * stops within a second whatever the driver does. Runs under the sanitizers, too. This file has its
 * own driver.
 */
#include "base/program_calls.h"
#include "base/state.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "cuda/effects.h"
#include "cuda/samples.h"
#include "emit.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

void __gpumemprof_pre_cuDevicePrimaryCtxRelease_v2(int device);
void __gpumemprof_post_cuDevicePrimaryCtxRelease_v2(int device, int result);

enum { MS = 1000000, SIZE = 1 << 20, MOST_SAMPLES = 1 << 20 };
static _Atomic int active = 1, borrowed_by_helper, answers_after_us, modes;
static _Atomic long asks, makes;
static _Thread_local int current = -1;

/* ---- the driver ---------------------------------------------------------------------------------
 */
int cuDriverGetVersion(int *version);
int cuCtxGetDevice(int *device);
int cuCtxPushCurrent_v2(gpm_context context);
int cuCtxPopCurrent_v2(gpm_context *context);
int cuMemGetInfo_v2(size_t *bytes_free, size_t *total);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active);
int cuDevicePrimaryCtxRetain(gpm_context *context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuThreadExchangeStreamCaptureMode(int *mode);

int cuDriverGetVersion(int *version) {
  return *version = 13000, 0;
}
int cuCtxGetDevice(int *device) {
  return *device = current, current < 0 ? 201 : 0;
}
int cuCtxPushCurrent_v2(gpm_context context) {
  return (void)context, current = 0;
}
int cuCtxPopCurrent_v2(gpm_context *context) {
  return *context = NULL, current = -1, 0;
}
int cuMemGetInfo_v2(size_t *bytes_free, size_t *total) {
  CHECK(current == 0);
  asks++;
  if (answers_after_us) usleep((unsigned)answers_after_us);
  *bytes_free = SIZE / 2;
  *total = SIZE;
  return 0;
}
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active) {
  return *flags = (unsigned)device, *is_active = active, 0;
}
int cuDevicePrimaryCtxRetain(gpm_context *context, int device) {
  *context = (gpm_context)(void *)context;
  makes += !active;
  borrowed_by_helper++;
  return device;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  borrowed_by_helper--;
  return device;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  modes = *mode;
  return 0;
}

/* ---- cases --------------------------------------------------------------------------------------
 */
static struct test_site scope, line;

static uint64_t sample_count(void) {
  return test_record_count(GPUMEMPROF_CHUNK_SAMPLES, 0);
}

static void await(long count) {
  for (int i = 0; asks < count; i++) {
    CHECK(i < 20000);
    usleep(1000);
  }
}

static void events_repeat_and_samples_are_of_the_ledger(struct gpm_thread *self) {
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, 1 << 30, 4096, 4096);
  gpm_samples_first(gpm_ledger_device(0));
  CHECK(__gpumemprof_monitor_start(MS) == 0);
  long until = asks + 50;
  for (int i = 0; asks < until && i < 100000000; i++) {
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, 2u << 30, 512, 512);
    test_free(self, 2u << 30);
  }
  __gpumemprof_monitor_stop();
  test_pop(f);
  CHECK(asks >= until && modes == 2);
  CHECK(test_repeat > 100);
  CHECK(gpm_capture->counters[GPUMEMPROF_COUNTER_threads] == 1 && gpm_capture->monitor_ns == MS);
  long after = asks;
  usleep(20000);
  CHECK(asks == after);
  uint64_t count = sample_count(), clock = 0, both = 0;
  CHECK(count >= 50);
  for (uint64_t k = 0; k < count; k++) {
    const struct gpumemprof_capture_sample *s = test_record(GPUMEMPROF_CHUNK_SAMPLES, 0, k);
    CHECK(s->ledger == 4096 || s->ledger == 4608);
    CHECK(s->used == SIZE / 2 && s->total == SIZE && s->clock >= clock);
    CHECK(s->why == (k ? GPUMEMPROF_SAMPLE_MONITOR : GPUMEMPROF_SAMPLE_FIRST));
    CHECK(!k || s->rss > 100000);
    both |= s->ledger == 4096 ? 1 : 2;
    clock = s->clock;
  }
  CHECK(both && __gpumemprof_clock.events >= clock);
}

/* When the program makes what may be the last release of a context, there must be no other user of
 * it. */
static void no_context_is_kept_from_its_end(void) {
  answers_after_us = 3000;
  CHECK(__gpumemprof_monitor_start(MS) == 0);
  for (int i = 0; i < 30; i++) {
    await(asks + 1);
    __gpumemprof_pre_cuDevicePrimaryCtxRelease_v2(0);
    CHECK(!borrowed_by_helper);
    usleep(2000);
    CHECK(!borrowed_by_helper);
    __gpumemprof_post_cuDevicePrimaryCtxRelease_v2(0, 0);
  }
  answers_after_us = 0;
}

static void no_context_is_made(void) {
  active = 0;
  usleep(20000);
  long before = asks;
  usleep(20000);
  CHECK(asks == before && !makes);
  active = 1;
  await(asks + 1);
}

static void nothing_is_asked_during_a_capture(void) {
  const uint64_t *left_out = &gpm_capture->counters[GPUMEMPROF_COUNTER_monitor_left_out];
  CHECK(!*left_out);
  gpm_graphs_capture_begins();
  usleep(20000);
  long before = asks;
  usleep(20000);
  CHECK(asks == before && __atomic_load_n(left_out, __ATOMIC_RELAXED) > 0);
  gpm_graphs_capture_ends(NULL);
  await(asks + 1);
}

static void *starts_and_stops(void *data) {
  for (int i = 0; i < 100; i++) {
    CHECK(__gpumemprof_monitor_start(MS + (uint64_t)i) == 0);
    if (i % 3 == 0) __gpumemprof_monitor_stop();
  }
  return data;
}

static void started_and_stopped_by_several_threads(void) {
  pthread_t ids[3];
  for (int i = 0; i < 3; i++) CHECK(!pthread_create(&ids[i], NULL, starts_and_stops, NULL));
  for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
  __gpumemprof_monitor_stop();
  CHECK(__gpumemprof_monitor_start(MS) == 0);
  await(asks + 2);
  __gpumemprof_monitor_stop();
}

static void samples_are_bounded(void) {
  struct gpm_device *device = gpm_ledger_device(0);
  uint64_t before = gpm_capture->counters[GPUMEMPROF_COUNTER_samples_left_out];
  long taken = (long)sample_count();
  for (long i = taken; i < MOST_SAMPLES + 5; i++) gpm_samples_monitor(device, false, 1);
  CHECK(gpm_capture->counters[GPUMEMPROF_COUNTER_samples_left_out] == before + 5);
  gpm_samples_device(device, GPUMEMPROF_SAMPLE_EXIT);
  uint64_t stored = 0;
  const char *base = (const char *)gpm_capture;
  for (uint64_t at = gpm_capture->header_size; at < gpm_capture->used;) {
    const struct gpumemprof_chunk *c = (const void *)(base + at);
    at += c->size;
    if (c->type == GPUMEMPROF_CHUNK_SAMPLES) stored += c->used / c->record_size;
  }
  CHECK(stored == MOST_SAMPLES + 1);
}

static void stopping_does_not_wait_for_a_driver_that_hangs(void) {
  answers_after_us = 30000000;
  long before = asks;
  CHECK(__gpumemprof_monitor_start(MS) == 0);
  await(before + 1);
  uint64_t start = gpm_ticks_monotonic_ns();
  __gpumemprof_monitor_stop();
  uint64_t took = gpm_ticks_monotonic_ns() - start;
  CHECK(took >= 500u * MS && took < (uint64_t)5000 * MS);
  errno = 0;
  CHECK(__gpumemprof_monitor_start(MS) == GPUMEMPROF_ERROR_SYSTEM && errno == EBUSY);
}

int main(void) {
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "work", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "work", "p");
  CHECK(gpm_recording());
  gpm_cuda_one_device = true;
  errno = 77;
  for (uint64_t wrong = 0; wrong <= MS - 1; wrong += MS - 1)
    CHECK(__gpumemprof_monitor_start(wrong) == GPUMEMPROF_ERROR_ARGUMENT);
  CHECK(__gpumemprof_monitor_start(UINT64_MAX) == GPUMEMPROF_ERROR_ARGUMENT && errno == 77);
  events_repeat_and_samples_are_of_the_ledger(gpm_thread_self());
  no_context_is_kept_from_its_end();
  no_context_is_made();
  nothing_is_asked_during_a_capture();
  started_and_stopped_by_several_threads();
  samples_are_bounded();
  stopping_does_not_wait_for_a_driver_that_hangs();
  CHECK(gpm_recording());
  unlink(gpm_capture_path()); /* 130 MiB */
  _exit(0);                   /* the helper sleeps in the driver */
}
