/* contexts_test.c - work handed over: random threads capture, attach, detach and release in turns.
 *
 * The model charges every event to every scope it belongs to at once; the runtime charges most of
 * them when scopes end. Own peaks must be equal, path by path.
 */
enum { THREADS = 4, SCOPES = 3, DEPTH = 10, LONGEST = 8, CONTEXTS = 12 };
enum { NODES = 1 << 15, MOST_LIVE = 400 };
#include "base/state.h"
#include "core/contexts.h"
#include "scopes_model.h"
#include "threads/threads.h"

static struct figures {
  uint64_t active, peak_sum, peak_max;
} figures[NODES]; /* by path */
struct block {
  uint64_t address, bytes;
};
static struct block live[MOST_LIVE];
static int live_count;
static uint64_t next_address = 1 << 20;

static void end(struct scope *s) {
  struct figures *p = &figures[s->path];
  s->ended = true;
  if (!s->moved) return;
  p->active++;
  p->peak_sum += (uint64_t)s->peak;
  if ((uint64_t)s->peak > p->peak_max) p->peak_max = (uint64_t)s->peak;
}

static void step(struct gpm_thread *self, int me) {
  struct thread *t = &threads[me];
  uint32_t what = below(100);
  bool deeper = can_go_deeper(t);
  if (!t->depth || (what < 20 && deeper)) enter(t);
  else if (what < 34) leave(t);
  else if (what < 36 && t->depth > 1) jump_back(t);
  else if (what < 44) capture(t);
  else if (what < 52 && deeper) attach(t);
  else if (what < 76 && live_count < MOST_LIVE) {
    struct block b = {next_address, 1 + below(1 << 20)};
    next_address += 1 << 20;
    test_allocate(self, 0, GPUMEMPROF_KIND_DEVICE, b.address, b.bytes, b.bytes);
    live[live_count++] = b;
    charge_all(t, (int64_t)b.bytes);
  } else if (live_count) {
    int i = (int)below((uint32_t)live_count);
    test_free(self, live[i].address);
    charge_all(t, -(int64_t)live[i].bytes);
    live[i] = live[--live_count];
  }
}

/* The lines of their sites identify the runtime's paths in the model. */
static void compare(void) {
  static int model[NODES];
  uint64_t n = test_record_count(GPUMEMPROF_CHUNK_NODES, 0), active = 0;
  for (uint64_t id = 1; id < n; id++) {
    const struct gpumemprof_capture_node *r = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, r->site);
    const struct figures *p = &figures[model[id] = path_of_node(model[r->parent], s)];
    CHECK(r->active_calls == p->active);
    CHECK(r->own_peak_sum == p->peak_sum);
    CHECK(r->own_peak_max == p->peak_max);
    active += p->active;
  }
  printf("%llu paths, %llu scopes, own peaks as the model's\n", (unsigned long long)n,
         (unsigned long long)active);
}

static void context_of_a_parent_is_not_attached(void) {
  struct gpumemprof_frame *f = test_push(&scope_sites[0].site, UINTPTR_MAX);
  f->call = &call_sites[0].site;
  struct gpumemprof_context *c = __gpumemprof_context_capture();
  gpm_contexts_forked();
  CHECK(!__gpumemprof_context_attach(c));
  __gpumemprof_context_release(c);
  test_pop(f);
}

int main(int argc, char **argv) {
  seed = 4711;
  make_sites();
  CHECK(gpm_recording());
  walk(THREADS, argc > 1 ? atol(argv[1]) : 200000, step);
  compare();
  context_of_a_parent_is_not_attached();
  forget_scopes();
  return 0;
}
