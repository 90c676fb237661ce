/* bias_test.c - the moment a second thread ends the bias of the first: nothing is lost.
 *
 * Each forked child starts anew with one thread in a tight loop of events; a second joins it after
 * a pause of its own length. Every counter both of them change without an atomic operation must
 * come out exact.
 */
#include "bias.h"
#include "emit.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static struct test_site scope, line;
static long pairs;

static void *work(void *data) {
  struct gpm_thread *self = gpm_thread_self();
  uint64_t mine = ((uint64_t)(uintptr_t)data) << 30;
  for (long i = 0; i < pairs; i++) {
    struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
    f->call = &line.site;
    bool alone = test_enter(self);
    gpm_ledger_allocated(self, alone, gpm_ledger_device(0), GPUMEMPROF_KIND_DEVICE, mine, 512, 500);
    test_leave(self);
    alone = test_enter(self);
    gpm_ledger_free(self, alone, mine);
    test_leave(self);
    test_pop(f);
  }
  return NULL;
}

static void *late(void *data) {
  volatile unsigned pause = (unsigned)rand() % 40000;
  while (pause) pause--;
  return work(data);
}

static int child(unsigned seed) {
  srand(seed);
  CHECK(gpm_recording());
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, late, (void *)2));
  work((void *)1);
  bool alone = atomic_load(&gpm_bias_owner) == gpm_thread_self(); /* the second was later still */
  pthread_join(id, NULL);
  CHECK(atomic_load(&gpm_bias_owner) != gpm_thread_self());
  const struct gpumemprof_capture_device *d = gpm_ledger_device(0)->record;
  const struct gpumemprof_capture_cell *c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, 0);
  const struct gpumemprof_capture_pair *p = test_record(GPUMEMPROF_CHUNK_PAIRS, 0, 0);
  const struct gpumemprof_capture_node *n = gpm_tree_child(gpm_tree_root(), &scope.site)->record;
  uint64_t all = 2 * (uint64_t)pairs;
  CHECK(__gpumemprof_clock == 2 * all && d->total == 0 && !d->live[GPUMEMPROF_KIND_DEVICE].blocks);
  CHECK(c->allocated_blocks == all && c->freed_blocks == all && c->allocated == all * 512);
  CHECK(p->blocks == all && p->bytes == all * 512 && n->active_calls == all);
  CHECK(n->own_peak_sum == all * 512 && (d->peak == 512 || d->peak == 1024));
  return alone ? 3 : 0;
}

int main(int argc, char **argv) {
  int children = argc > 1 ? atoi(argv[1]) : 60;
  pairs = argc > 2 ? atol(argv[2]) : 3000;
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "work", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "work", "p");
  CHECK(gpm_recording());
  work((void *)1); /* the parent has a bias of its own, which children must not inherit */
  int overlapped = 0;
  for (int i = 0; i < children; i++) {
    pid_t pid = fork();
    if (!pid) _exit(child((unsigned)i));
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
    overlapped += WEXITSTATUS(status) == 0;
  }
  printf("%d of %d times the second thread came while the first was at work\n", overlapped,
         children);
  CHECK(overlapped > 0);
  return 0;
}
