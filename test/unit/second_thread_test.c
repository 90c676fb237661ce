/* second_thread_test.c - the moment in which a second thread makes its first events: nothing is
 * lost.
 *
 * Each forked child starts the runtime again, with one thread in a tight loop of events until a
 * second thread, started meanwhile, has made its own events. Every counter that both of them change
 * without an atomic operation must be exact.
 */
#include "base/state.h"
#include "emit.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static struct test_site scope, line;
static long pairs;
static _Atomic bool second_done;

enum { EACH = 4 }; /* pairs in an activation; more of them would test nothing new */

static void some_pairs(struct gpm_thread *self, uint64_t address) {
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  for (int i = 0; i < EACH; i++) {
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, address, 512, 512);
    test_free(self, address);
  }
  test_pop(f);
}

static void *second(void *data) {
  struct gpm_thread *self = gpm_thread_self();
  for (long i = 0; i < pairs; i++) some_pairs(self, 1 << 30);
  atomic_store(&second_done, true);
  return data;
}

static int child(unsigned seed) {
  srand(seed);
  CHECK(gpm_recording());
  struct gpm_thread *self = gpm_thread_self();
  long before = rand() % 500, first = 0;
  for (; first < before; first++) some_pairs(self, 2u << 30);
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, second, NULL));
  for (; !atomic_load(&second_done); first++) {
    some_pairs(self, 2u << 30);
    if (seed % 2) __gpumemprof_context_release(__gpumemprof_context_capture());
  }
  pthread_join(id, NULL);
  const struct gpumemprof_capture_device *d = gpm_ledger_device(0)->record;
  const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, 0);
  const struct gpumemprof_capture_pair *p = test_record(GPUMEMPROF_CHUNK_PAIRS, 0, 0);
  const struct gpumemprof_capture_node *n = gpm_tree_child(gpm_tree_root(), &scope.site)->record;
  uint64_t calls = (uint64_t)(first + pairs), all = EACH * calls;
  CHECK(__gpumemprof_clock.events == 2 * all && d->total == 0 &&
        !d->live[GPUMEMPROF_KIND_DEVICE].blocks);
  CHECK(c->allocated.blocks == all && c->freed.blocks == all && c->allocated.bytes == all * 512);
  CHECK(p->freed.blocks == all && p->freed.bytes == all * 512 && n->active_calls == calls);
  CHECK(before < 100 || test_repeat > before);
  CHECK(n->own_peak_sum == calls * 512 && (d->peak == 512 || d->peak == 1024));
  return 0;
}

int main(int argc, char **argv) {
  int children = argc > 1 ? atoi(argv[1]) : 200;
  pairs = argc > 2 ? atol(argv[2]) : 1000;
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "work", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "work", "p");
  CHECK(gpm_recording());
  gpm_cuda_one_device = true;
  some_pairs(gpm_thread_self(), 1 << 30); /* children must not inherit what it found */
  for (int i = 0; i < children; i++) {
    pid_t pid = fork();
    if (!pid) _exit(child((unsigned)i));
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return 0;
}
