/* repeats_test.c - threads that repeat the events of one line at the same time: nothing
 * is lost, and what another thread changes before the lock is taken is noticed. Windows are
 * widened by gpm_test_yield.
 *
 * pairs: threads allocate and free on the same path, in scopes of their own; the sums are exact.
 * freed twice: two threads free the same block at the same time; only one free counts.
 * measured: an allocation that repeats raises the peak of a scope that another thread measures.
 */
#include "base/state.h"
#include "capture/capture.h"
#include "emit.h"

#include "gpumemprof/measure.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 4, BYTES = 512, FIRST = 0x7f0000, HELD = THREADS * BYTES };

static struct test_site scope_site, call_site, held_site;
static long rounds;

static void let_others_run(void) {
  static _Thread_local uint32_t seed = 1;
  seed = seed * 1664525u + 1013904223u;
  if (!(seed >> 27)) sched_yield();
}

static _Atomic int arrived;
static int started;
static void wait_for_all(void) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < started) sched_yield();
}

static struct gpumemprof_frame *enter(void) {
  struct gpumemprof_frame *f = test_push(&scope_site.site, UINTPTR_MAX);
  f->call = &call_site.site;
  return f;
}

static uint64_t own_address(int thread) {
  return FIRST + (uint64_t)thread * BYTES;
}

/* Each address is in the table that the thread used last, and no total is a new peak. */
static void *pair_worker(void *data) {
  int number = (int)(intptr_t)data;
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *outer = enter();
  wait_for_all();
  for (long i = 0; i < rounds; i++) {
    struct gpumemprof_frame *f = enter();
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(number), BYTES, BYTES);
    test_free(self, own_address(number));
    test_pop(f);
  }
  test_pop(outer);
  return NULL;
}

static void run(void *(*worker)(void *), int count) {
  pthread_t ids[THREADS];
  atomic_store(&arrived, 0);
  started = count;
  for (int i = 0; i < count; i++)
    CHECK(!pthread_create(&ids[i], NULL, worker, (void *)(intptr_t)i));
  for (int i = 0; i < count; i++) pthread_join(ids[i], NULL);
}

static const struct gpumemprof_capture_cell *cell_of(uint64_t bytes) {
  for (uint64_t k = 0; k < test_record_count(GPUMEMPROF_CHUNK_CELLS, 0); k++) {
    const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, k);
    if (c->max_size == bytes) return c;
  }
  return NULL;
}

static const struct gpumemprof_capture_node *scope_of(const struct gpumemprof_capture_cell *c) {
  const struct gpumemprof_capture_node *line = test_record(GPUMEMPROF_CHUNK_NODES, 0, c->node);
  return test_record(GPUMEMPROF_CHUNK_NODES, 0, line->parent);
}

static void pairs(void) {
  uint64_t begin = __gpumemprof_clock.events, count = (uint64_t)rounds * (1 + THREADS);
  run(pair_worker, 1);
  const struct gpumemprof_capture_cell *c = cell_of(BYTES);
  CHECK(c && scope_of(c)->device_peak == HELD + BYTES); /* not what is left when the scope ends */
  run(pair_worker, THREADS);
  CHECK(c->allocated.blocks == count && c->allocated.bytes == count * BYTES);
  CHECK(c->freed.blocks == count && c->freed.bytes == count * BYTES);
  CHECK(c->temporary_blocks == count && __gpumemprof_clock.events == begin + 2 * count);
  CHECK(gpm_ledger_device(0)->record->total == HELD);
  const struct gpumemprof_capture_node *scope = scope_of(c);
  CHECK(scope->active_calls == count && scope->own_peak_sum == count * BYTES);
  CHECK(scope->own_peak_max == BYTES && scope->device_peak >= HELD + BYTES);
  CHECK(test_repeat > (long)count && test_first > (long)count / 2);
  printf(
      "%llu pairs of one and of %d threads: %ld events repeat an earlier one, %ld in a new scope\n",
      (unsigned long long)count, THREADS, (long)test_repeat, (long)test_first);
}

/* ---- freed twice ------------------------------------------------------------------------------
 */

static _Atomic long round_begun, round_ended;

static void *freeing_worker(void *data) {
  bool allocates = !data;
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = enter();
  wait_for_all();
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(allocates), BYTES, BYTES);
  test_free(self, own_address(allocates)); /* both have used the table of the addresses */
  for (long i = 1; i <= rounds; i++) {
    if (allocates) {
      while (atomic_load(&round_ended) < i - 1) sched_yield();
      test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(3), BYTES, BYTES);
      atomic_store(&round_begun, i);
    } else
      for (int spins = 1; atomic_load(&round_begun) < i; spins++)
        if (!(spins % 1000)) sched_yield(); /* both free at once, if both have a processor */
    test_free(self, own_address(3));
    if (!allocates) atomic_store(&round_ended, i);
  }
  test_pop(f);
  return NULL;
}

static uint64_t unknown_frees(void) {
  return gpm_capture->counters[GPUMEMPROF_COUNTER_unknown_frees];
}

static void freed_twice(void) {
  uint64_t before = unknown_frees(), begin = __gpumemprof_clock.events;
  run(freeing_worker, 2);
  CHECK(unknown_frees() - before == (uint64_t)rounds);
  CHECK(__gpumemprof_clock.events - begin == 4 + 2 * (uint64_t)rounds);
  CHECK(gpm_ledger_device(0)->record->total == HELD);
  CHECK(!gpm_capture->counters[GPUMEMPROF_COUNTER_replaced_blocks]);
  printf("%ld blocks freed twice: one free of each counts\n", rounds);
}

/* ---- measured ---------------------------------------------------------------------------------
 */

enum { SCOPES = 3 }; /* measured, one after the other: one event in 64 is timed, and no repeat */
static _Atomic int stage;

static void wait_for_stage(int number) {
  while (atomic_load(&stage) < number) sched_yield();
}

/* Allocates a block in each measured scope. */
static void *measured_worker(void *unused) {
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = enter();
  for (int i = 0; i < 8; i++) {
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(0), BYTES, BYTES);
    test_free(self, own_address(0));
  }
  long before = test_repeat;
  for (int i = 0; i < SCOPES; i++) {
    atomic_store(&stage, 2 * i + 1);
    wait_for_stage(2 * i + 2);
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(i), BYTES, BYTES);
    test_free(self, own_address(i));
  }
  atomic_store(&stage, 2 * SCOPES + 1);
  CHECK(test_repeat > before);
  test_pop(f);
  return unused;
}

static void measured(void) {
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, measured_worker, NULL));
  for (int i = 0; i < SCOPES; i++) {
    struct gpumemprof_result result = {0};
    wait_for_stage(2 * i + 1);
    uint64_t scope = __gpumemprof_scope_open("measured", "a.c", "main", 9, 0, 0);
    CHECK(scope);
    atomic_store(&stage, 2 * i + 2);
    wait_for_stage(2 * i + 3);
    CHECK(__gpumemprof_scope_close(scope, &result, sizeof result));
    CHECK(result.device_peak == HELD + BYTES && result.device_peak_above_entry == BYTES);
    CHECK(result.peak.acquired == HELD + BYTES);
  }
  pthread_join(id, NULL);
  printf("%d measured scopes have the peak that another thread made\n", SCOPES);
}

/* Holds so much that nothing later is a new peak. */
static void *second_thread(void *unused) {
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = test_push(&scope_site.site, UINTPTR_MAX);
  f->call = &held_site.site;
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(100), 4 * HELD, 4 * HELD);
  test_free(self, own_address(100));
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(200), HELD, HELD);
  test_pop(f);
  return unused;
}

int main(int argc, char **argv) {
  rounds = argc > 1 ? atol(argv[1]) : 20000;
  test_site_set(&scope_site, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "scope", "");
  test_site_set(&call_site, GPUMEMPROF_SITE_CALL, "a.c", 2, "scope", "x");
  test_site_set(&held_site, GPUMEMPROF_SITE_CALL, "a.c", 3, "scope", "held");
  CHECK(gpm_recording());
  gpm_cuda_one_device = true;
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *f = test_push(&scope_site.site, UINTPTR_MAX);
  f->call = &held_site.site;
  test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, own_address(300), BYTES * 2, BYTES * 2);
  test_free(self, own_address(300));
  test_pop(f);
  run(second_thread, 1);
  gpm_test_yield = let_others_run;
  pairs();
  freed_twice();
  measured();
  return 0;
}
