/* threads_test.c - real concurrency: eight threads free each other's blocks on four devices, all
 * for a scope of main's, which handed the work over. Conservation is exact, and so is what that
 * scope was charged with. And the clock, which all of them share.
 *
 * Run under TSan in the sanitizer builds.
 */
#include "base/state.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "emit.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 8, SLOTS = 512 };
static struct test_site scope, line;
static _Atomic uint64_t slots[SLOTS];
static long rounds;
static struct gpumemprof_context *handed_over; /* all threads work for main's scope */

static void *worker(void *data) {
  uint64_t seed = (uintptr_t)data * 7919 + 1;
  struct gpm_thread *self = gpm_thread_self();
  struct gpumemprof_frame *attached = __gpumemprof_context_attach(handed_over);
  for (long i = 0; i < rounds; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
    f->call = &line.site;
    uint32_t slot = (uint32_t)(seed >> 40) % SLOTS;
    uint64_t mine = ((uint64_t)(uintptr_t)data << 32 | (uint64_t)(i + 1)) << 9;
    test_allocate(self, (int)(seed >> 33) % 4, GPUMEMPROF_KIND_DEVICE, mine, 1 + (seed >> 50), 1);
    uint64_t old = atomic_exchange(&slots[slot], mine);
    if (old) test_free(self, old);
    test_pop(f);
  }
  __gpumemprof_context_detach(attached);
  return NULL;
}

static uint64_t clock_of_the_system(void) {
  struct timespec now;
  CHECK(!clock_gettime(CLOCK_MONOTONIC, &now));
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Tests the clock by which ticks are calibrated and the helper waits, in any part of a second. */
static void monotonic_time_is_that_of_the_system(void) {
  for (int i = 0; i < 1000; i++) {
    uint64_t before = clock_of_the_system(), time = gpm_ticks_monotonic_ns();
    CHECK(before <= time && time <= clock_of_the_system());
  }
}

int main(int argc, char **argv) {
  monotonic_time_is_that_of_the_system();
  rounds = argc > 1 ? atol(argv[1]) : 20000;
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "worker", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "worker", "p");
  CHECK(gpm_recording());
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  handed_over = __gpumemprof_context_capture();
  const struct gpumemprof_capture_activation *whole = f->active;
  pthread_t ids[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK(!pthread_create(&ids[i], NULL, worker, (void *)(i + 1)));
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);

  uint64_t live_blocks = 0, live_bytes = 0, held = 0, held_bytes = 0;
  for (int i = 0; i < SLOTS; i++)
    if (slots[i]) {
      held++;
      held_bytes += test_block(slots[i])->bytes;
    }
  uint64_t allocated = 0, freed = 0, paired = 0, paired_bytes = 0;
  const struct gpumemprof_capture_cell *c;
  for (uint64_t k = 0; (c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, k)); k++) {
    allocated += c->allocated.blocks;
    freed += c->freed.blocks;
    live_bytes += c->allocated.bytes - c->freed.bytes;
  }
  const struct gpumemprof_capture_pair *p;
  for (uint64_t k = 0; (p = test_record(GPUMEMPROF_CHUNK_PAIRS, 0, k)); k++) {
    paired += p->freed.blocks;
    paired_bytes += p->freed.bytes;
  }
  uint64_t totals = 0;
  for (int d = 0; d < 4; d++) {
    totals += gpm_ledger_device(d)->record->total;
    live_blocks += gpm_ledger_device(d)->record->live[GPUMEMPROF_KIND_DEVICE].blocks;
  }
  CHECK(allocated == (uint64_t)rounds * THREADS);
  CHECK(allocated - freed == held && paired == freed && live_blocks == held);
  CHECK(live_bytes == held_bytes && totals == held_bytes && paired_bytes > 0);
  CHECK(__gpumemprof_clock.events == allocated + freed);
  CHECK(whole->net == (int64_t)held_bytes && whole->peak >= whole->net);
  uint64_t active = 0;
  const struct gpumemprof_capture_node *n;
  for (uint64_t k = 0; (n = test_record(GPUMEMPROF_CHUNK_NODES, 0, k)); k++)
    active += n->active_calls;
  CHECK(active == allocated + THREADS); /* and what was attached */
  for (int i = 0; i < GPUMEMPROF_COUNTER_COUNT; i++)
    CHECK(i == GPUMEMPROF_COUNTER_threads || !gpm_capture->counters[i]);
  return 0;
}
