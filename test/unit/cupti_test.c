/* cupti_test.c - what CUPTI reports about simultaneous calls of eight threads: each allocation and
 * free is recorded once below a frame made for its library, those inside a thunk are not, and a
 * free that failed is taken back. Runs under the sanitizers, too. The CUPTI is that of sim/; the
 * calls are reported to it and never made, so that the addresses and results are the test's own.
 */
#include "base/state.h"
#include "calls/calls.h"
#include "capture/capture.h"
#include "emit.h"
#include "gpumemprof/cuda_types.h"
#include "threads/threads.h"

#include <pthread.h>

enum { THREADS = 8 };
enum { ALLOC = 243, FREE = 245 };

static struct test_site scope, line;
static long rounds;

static void report(uint32_t number, const char *name, const void *parameters, int result) {
  struct gpm_sim_call call;
  gpm_sim_call_begin(&call, GPM_SIM_DOMAIN_DRIVER, number, name, parameters);
  gpm_sim_call_end(&call, &result);
}

static void allocated(uint64_t address, uint64_t bytes, int result) {
  struct {
    uint64_t *p;
    size_t n;
  } a = {&address, bytes};
  report(ALLOC, "cuMemAlloc_v2", &a, result);
}

static void freed(uint64_t address, int result) {
  report(FREE, "cuMemFree_v2", &address, result);
}

/* Each thread ends with one block of 512 bytes. */
static void *worker(void *data) {
  uint64_t own = ((uint64_t)(uintptr_t)data + 1) << 32;
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  for (long i = 0; i < rounds; i++) {
    allocated(own, 1024, GPM_CUDA_SUCCESS);
    __gpumemprof_stack.inside = 1; /* a thunk's call under way */
    allocated(own + 4096, 1 << 20, GPM_CUDA_SUCCESS);
    freed(own, GPM_CUDA_SUCCESS);
    __gpumemprof_stack.inside = 0;
    freed(own, 1);
    freed(own, GPM_CUDA_SUCCESS);
  }
  allocated(own, 4096, GPM_CUDA_OUT_OF_MEMORY);
  allocated(own, 512, GPM_CUDA_SUCCESS);
  test_pop(f);
  return NULL;
}

int main(int argc, char **argv) {
  rounds = argc > 1 ? atol(argv[1]) : 300;
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "worker", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "worker", "");
  CHECK(gpm_recording() && gpm_thread_self() && gpm_sim_listener());
  const uint32_t numbers[] = {ALLOC, FREE, 39, 271};
  for (int i = 0; i < 4; i++) CHECK(gpm_sim_listens_to(GPM_SIM_DOMAIN_DRIVER, numbers[i]));
  pthread_t ids[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) CHECK(!pthread_create(&ids[i], NULL, worker, (void *)i));
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);

  uint64_t blocks = 0, bytes = 0, gone = 0;
  const struct gpumemprof_capture_cell *c;
  for (uint64_t k = 0; (c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, k)); k++) {
    const struct gpumemprof_capture_node *n = test_record(GPUMEMPROF_CHUNK_NODES, 0, c->node);
    const struct gpumemprof_capture_site *at = test_record(GPUMEMPROF_CHUNK_SITES, 0, n->site);
    CHECK(at->kind == GPUMEMPROF_SITE_NATIVE);
    n = test_record(GPUMEMPROF_CHUNK_NODES, 0, n->parent); /* the scope, the line that called */
    n = test_record(GPUMEMPROF_CHUNK_NODES, 0, n->parent);
    at = test_record(GPUMEMPROF_CHUNK_SITES, 0, n->site);
    CHECK(at->kind == GPUMEMPROF_SITE_CALL && at->line == 2);
    blocks += c->allocated.blocks;
    bytes += c->allocated.bytes;
    gone += c->freed.bytes;
  }
  uint64_t each = (uint64_t)rounds * THREADS;
  CHECK(blocks == each + THREADS && bytes == 1024 * each + 512 * THREADS && gone == 1024 * each);
  CHECK(gpm_capture->counters[GPUMEMPROF_COUNTER_failed_frees] == each);
  CHECK(gpm_capture->counters[GPUMEMPROF_COUNTER_failed_allocations] == THREADS);
  CHECK(!gpm_capture->counters[GPUMEMPROF_COUNTER_unknown_frees]);
  CHECK(!gpm_capture->counters[GPUMEMPROF_COUNTER_events_not_stored]);
  CHECK(!gpm_capture->counters[GPUMEMPROF_COUNTER_interrupted_calls]);
  return 0;
}
