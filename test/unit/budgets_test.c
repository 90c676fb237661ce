/* budgets_test.c [STEPS [single]] - scopes with budgets: random threads take turns, hand work over,
 * free each other's blocks, jump, have frees fail, and free unnoticed.
 *
 * The model stores for each block all scopes that were open around its allocation, and visits all
 * blocks when a scope ends. The records of violations must equal the model's, path by path.
 */
enum { THREADS = 4, SCOPES = 4, DEPTH = 8, LONGEST = 6, CONTEXTS = 8 };
enum { NODES = 1 << 15, MOST_LIVE = 300, MOST_AROUND = 256, LIMIT = 1500000 };
#include "base/state.h"
#include "records/cells.h"
#include "records/devices.h"
#include "scopes_model.h"
#include "threads/threads.h"

static const uint16_t flags_of[SCOPES] = {0, GPUMEMPROF_SITE_BUDGET, GPUMEMPROF_SITE_NO_LEAK,
                                          GPUMEMPROF_SITE_NO_ALLOC | GPUMEMPROF_SITE_NO_LEAK |
                                              GPUMEMPROF_SITE_BUDGET};

static struct figures {
  uint64_t times[GPUMEMPROF_BUDGET_NO_LEAK + 1], peak, bytes, blocks;
  int largest;    /* NO_LEAK: path of the call at the first violation */
} figures[NODES]; /* by path */
struct block {
  uint64_t address, bytes, number;
  const struct scope *around[MOST_AROUND];
  int around_count, call;
  bool counts; /* its kind counts for budgets */
};
static struct block live[MOST_LIVE];
static int live_count;
static uint64_t next_address = 1 << 20, blocks_made;

static bool is_single;

static bool is_around(const struct block *b, const struct scope *s) {
  for (int i = 0; i < b->around_count; i++)
    if (b->around[i] == s) return true;
  return false;
}

static void judge_leak(const struct scope *s, struct figures *p) {
  uint64_t bytes = 0, blocks = 0;
  const struct block *largest = NULL;
  for (int i = 0; i < live_count; i++) {
    if (!live[i].counts || !is_around(&live[i], s)) continue;
    bytes += live[i].bytes;
    blocks++;
    bool older = largest && live[i].number < largest->number;
    if (!largest || live[i].bytes > largest->bytes || (live[i].bytes == largest->bytes && older))
      largest = &live[i];
  }
  if (!blocks) return;
  if (!p->times[GPUMEMPROF_BUDGET_NO_LEAK]++) p->largest = largest->call;
  if (bytes < p->bytes) return;
  p->bytes = bytes;
  p->blocks = blocks;
}

static void end(struct scope *s) {
  struct figures *p = &figures[s->path];
  if (flags_of[s->name] & GPUMEMPROF_SITE_BUDGET && s->peak > LIMIT) {
    p->times[GPUMEMPROF_BUDGET_BYTES]++;
    if ((uint64_t)s->peak > p->peak) p->peak = (uint64_t)s->peak;
  }
  if (flags_of[s->name] & GPUMEMPROF_SITE_NO_LEAK) judge_leak(s, p);
  s->ended = true;
}

static void allocate(struct gpm_thread *self, struct thread *t) {
  uint32_t what = below(8);
  uint16_t kind = what == 0   ? GPUMEMPROF_KIND_PINNED
                  : what == 1 ? GPUMEMPROF_KIND_IMPORTED
                              : GPUMEMPROF_KIND_DEVICE;
  int ordinal = what == 0 ? GPUMEMPROF_HOST : what == 1 ? GPUMEMPROF_IMPORTED : (int)below(2);
  uint64_t address = next_address;
  if (live_count && below(20) == 0) { /* its free was not seen */
    int i = (int)below((uint32_t)live_count);
    address = live[i].address;
    live[i] = live[--live_count];
  } else next_address += 1 << 12; /* near for repeats.c */
  struct block *b = &live[live_count++];
  *b = (struct block){.address = address,
                      .bytes = (1 + below(64)) << 14, /* many are equal */
                      .number = blocks_made++,
                      .counts = what != 1};
  test_allocate(self, ordinal, kind, b->address, b->bytes, b->bytes);
  charge_all(t, kind == GPUMEMPROF_KIND_DEVICE ? (int64_t)b->bytes : 0);
  b->call = call_path(t);
  for (struct scope *s = t->open[t->depth - 1]; s; s = still_open(s->outer)) {
    CHECK(b->around_count < MOST_AROUND);
    b->around[b->around_count++] = s;
  }
  for (int at = b->call; b->counts && at; at = paths[at].above)
    figures[at].times[GPUMEMPROF_BUDGET_NO_ALLOC] = 1; /* whose scope has the budget: see compare */
}

static void free_one(struct gpm_thread *self, struct thread *t) {
  int i = (int)below((uint32_t)live_count);
  struct block *b = &live[i];
  bool device =
      test_block(b->address) && !gpm_is_not_gpu(atomic_load(&test_block(b->address)->cell)->device);
  test_free(self, b->address);
  charge_all(t, device ? -(int64_t)b->bytes : 0);
  if (below(10) == 0) {
    test_free_failed(self);
    charge_all(t, device ? (int64_t)b->bytes : 0);
  } else live[i] = live[--live_count];
}

static void step(struct gpm_thread *self, int me) {
  struct thread *t = &threads[me];
  uint32_t what = below(100);
  bool deeper = can_go_deeper(t);
  if (!t->depth || (what < 20 && deeper)) enter(t);
  else if (what < 34) leave(t);
  else if (what < 36 && t->depth > 1) jump_back(t);
  else if (what < 44 && !is_single) capture(t);
  else if (what < 52 && deeper && !is_single) attach(t);
  else if (what < (is_single ? 68 : 75) && live_count < MOST_LIVE) allocate(self, t);
  else if (live_count) free_one(self, t);
}

/* The lines of their sites identify the runtime's paths in the model. */
static void compare(void) {
  static int model[NODES];
  uint64_t n = test_record_count(GPUMEMPROF_CHUNK_NODES, 0), times[4] = {0}, named = 0;
  for (uint64_t id = 1; id < n; id++) {
    const struct gpumemprof_capture_node *r = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, r->site);
    struct figures *p = &figures[model[id] = path_of_node(model[r->parent], s)];
    bool no_alloc = s->kind == GPUMEMPROF_SITE_FUNCTION && s->flags & GPUMEMPROF_SITE_NO_ALLOC;
    if (!no_alloc) p->times[GPUMEMPROF_BUDGET_NO_ALLOC] = 0;
    CHECK(!(s->flags & GPUMEMPROF_SITE_BUDGET) || s->budget == LIMIT);
  }
  const struct gpumemprof_capture_violation *v;
  for (uint64_t i = 0; (v = test_record(GPUMEMPROF_CHUNK_VIOLATIONS, 0, i)); i++) {
    struct figures *p = &figures[model[v->node]];
    bool leak = v->budget == GPUMEMPROF_BUDGET_NO_LEAK;
    CHECK(p->times[v->budget] == (v->budget == GPUMEMPROF_BUDGET_NO_ALLOC ? 1 : v->times));
    bool exceeded = v->budget == GPUMEMPROF_BUDGET_BYTES;
    CHECK(v->bytes == (leak ? p->bytes : exceeded ? p->peak : 0));
    CHECK(v->blocks == (leak ? p->blocks : 0));
    if (leak && v->where != GPUMEMPROF_NONE) {
      CHECK(model[v->where] == p->largest);
      named++;
    }
    if (v->budget == GPUMEMPROF_BUDGET_NO_ALLOC) CHECK(v->where > v->node && !v->times);
    times[v->budget] += p->times[v->budget];
    p->times[v->budget] = 0;
  }
  for (int i = 0; i < path_count; i++) /* none of the model's violations is missing */
    for (int k = 1; k <= GPUMEMPROF_BUDGET_NO_LEAK; k++) CHECK(!figures[i].times[k]);
  CHECK(times[1] > 100 && times[2] > 20 && times[3] > 100 && named == 16);
  CHECK(test_repeat); /* repeats.c makes events with and without the lock */
  printf("%llu budgets exceeded, %llu paths that allocate, %llu leaks as the model's\n",
         (unsigned long long)times[1], (unsigned long long)times[2], (unsigned long long)times[3]);
}

int main(int argc, char **argv) {
  static char size[] = "1500000"; /* LIMIT */
  seed = 815;
  make_sites();
  for (int s = 0; s < SCOPES; s++) {
    struct gpumemprof_site *site = &scope_sites[s].site;
    site->flags = flags_of[s];
    snprintf(scope_sites[s].variable, sizeof scope_sites[s].variable, "%s", size);
    site->size_expr = (int32_t)(scope_sites[s].variable - (char *)&site->size_expr);
  }
  is_single = argc > 2;
  CHECK(gpm_recording());
  walk(is_single ? 1 : THREADS, argc > 1 ? atol(argv[1]) : 200000, step);
  compare();
  forget_scopes();
  return 0;
}
