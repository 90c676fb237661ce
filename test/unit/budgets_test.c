/* budgets_test.c [STEPS [alone]] - scopes with budgets: random threads that hand work over, free
 * each other's blocks, jump, fail to free, and free unseen, in turns.
 *
 * The model keeps for each block all scopes that were open around its allocation, and looks through
 * all blocks when a scope ends. Every record of a violation has to be the model's, path by path.
 */
#include "turns.h"

enum { THREADS = 4, SCOPES = 4, DEPTH = 8, LONGEST = 6, CONTEXTS = 8 };
enum { NODES = 1 << 15, MOST_LIVE = 300, MOST_AROUND = 256, LIMIT = 1500000 };
static const uint16_t flags_of[SCOPES] = {0, GPUMEMPROF_SITE_BUDGET, GPUMEMPROF_SITE_NO_LEAK,
                                          GPUMEMPROF_SITE_NO_ALLOC | GPUMEMPROF_SITE_NO_LEAK |
                                              GPUMEMPROF_SITE_BUDGET};
static struct test_site scope_sites[SCOPES], call_sites[SCOPES];

struct path { /* a scope below a call, or a call in a scope */
  int length, above, below[2 * SCOPES];
  uint64_t times[GPUMEMPROF_BUDGET_NO_LEAK + 1], peak, bytes, blocks;
  int largest; /* NO_LEAK: path of the call, of the first time */
};
static struct path paths[NODES];
static int path_count = 1;

static int path_of(int parent, int name) {
  int *at = &paths[parent].below[name];
  if (*at) return *at;
  CHECK(path_count < NODES);
  paths[path_count].length = paths[parent].length + 1;
  paths[path_count].above = parent;
  return *at = path_count++;
}

struct scope {
  struct gpumemprof_frame *frame;
  struct scope *outer; /* where its events count too; another thread's below an attachment */
  bool attached, ended;
  int path, name;
  int64_t net, peak;
  struct scope *next; /* of all there ever were: contexts point to them for ever */
};
static struct scope *all_scopes;
static struct thread {
  struct scope *open[DEPTH + 1];
  int depth;
} threads[THREADS];
static struct context {
  struct gpumemprof_context *context;
  struct scope *home;
  int call; /* path of the capture */
} contexts[CONTEXTS];
struct block {
  uint64_t address, bytes, number;
  const struct scope *around[MOST_AROUND];
  int around_count, call;
  bool counts; /* its kind does */
};
static struct block live[MOST_LIVE];
static int live_count;
static uint64_t next_address = 1 << 20, blocks_made;

static bool is_alone;

static uint64_t seed = 815;
static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(seed >> 33) % n;
}

static struct scope *still_open(struct scope *s) { /* what ended hands its contexts outwards */
  while (s && s->ended) s = s->outer;
  return s;
}

static void charge_all(struct thread *t, int64_t change) {
  for (struct scope *s = t->open[t->depth - 1]; s; s = still_open(s->outer)) {
    s->net += change;
    if (s->net > s->peak) s->peak = s->net;
  }
}

static int call_path(const struct thread *t) {
  const struct scope *s = t->open[t->depth - 1];
  return path_of(s->path, SCOPES + s->name);
}

static struct scope *push(struct thread *t, struct gpumemprof_frame *frame, int above, int name) {
  struct scope *s = calloc(1, sizeof *s);
  s->next = all_scopes;
  all_scopes = s;
  s->frame = frame;
  s->name = name;
  s->path = path_of(above, name);
  t->open[t->depth++] = s;
  return s;
}

static void enter(struct thread *t) {
  int above = t->depth ? call_path(t) : 0;
  struct scope *outer = t->depth ? t->open[t->depth - 1] : NULL;
  int name = (int)below(SCOPES);
  struct gpumemprof_frame *f = test_push(&scope_sites[name].site, UINTPTR_MAX);
  f->call = &call_sites[name].site;
  push(t, f, above, name)->outer = outer;
}

static bool is_around(const struct block *b, const struct scope *s) {
  for (int i = 0; i < b->around_count; i++)
    if (b->around[i] == s) return true;
  return false;
}

static void judge_leak(const struct scope *s, struct path *p) {
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
  struct path *p = &paths[s->path];
  if (flags_of[s->name] & GPUMEMPROF_SITE_BUDGET && s->peak > LIMIT) {
    p->times[GPUMEMPROF_BUDGET_BYTES]++;
    if ((uint64_t)s->peak > p->peak) p->peak = (uint64_t)s->peak;
  }
  if (flags_of[s->name] & GPUMEMPROF_SITE_NO_LEAK) judge_leak(s, p);
  s->ended = true;
}

static void leave(struct thread *t) {
  struct scope *s = t->open[--t->depth];
  if (s->attached) __gpumemprof_context_detach(s->frame);
  else test_pop(s->frame);
  end(s);
}

static void jump_back(struct thread *t) {
  int to = 1 + (int)below((uint32_t)t->depth - 1);
  if (t->open[to - 1]->attached) return;
  __gpumemprof_unwind(t->open[to - 1]->frame);
  while (t->depth > to) end(t->open[--t->depth]);
}

static void capture(struct thread *t) {
  struct context *c = &contexts[below(CONTEXTS)];
  if (c->context) __gpumemprof_context_release(c->context);
  *c = (struct context){__gpumemprof_context_capture(), t->open[t->depth - 1], call_path(t)};
  CHECK(c->context);
}

/* The frame goes on with the function's work, so its name and budget are those of the scope under
 * it. */
static void attach(struct thread *t) {
  const struct context *c = &contexts[below(CONTEXTS)];
  if (!c->context || paths[c->call].length >= 2 * LONGEST) return;
  struct gpumemprof_frame *f = __gpumemprof_context_attach(c->context);
  CHECK(f);
  struct scope *s = push(t, f, c->call, t->open[t->depth - 1]->name);
  s->attached = true;
  s->outer = c->home;
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
  } else next_address += 1 << 12; /* near for again.c */
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
    paths[at].times[GPUMEMPROF_BUDGET_NO_ALLOC] = 1; /* whose scope has the budget: see compare */
}

static void free_one(struct gpm_thread *self, struct thread *t) {
  int i = (int)below((uint32_t)live_count);
  struct block *b = &live[i];
  bool device =
      test_block(b->address) && !gpm_is_apart(atomic_load(&test_block(b->address)->cell)->device);
  test_free(self, b->address);
  charge_all(t, device ? -(int64_t)b->bytes : 0);
  if (below(10) == 0) {
    test_free_failed(self);
    charge_all(t, device ? (int64_t)b->bytes : 0);
  } else live[i] = live[--live_count];
}

static void step(struct gpm_thread *self, struct thread *t) {
  uint32_t what = below(100);
  bool deeper = t->depth < DEPTH && paths[t->depth ? call_path(t) : 0].length < 2 * LONGEST;
  if (!t->depth || (what < 20 && deeper)) enter(t);
  else if (what < 34) leave(t);
  else if (what < 36 && t->depth > 1) jump_back(t);
  else if (what < 44 && !is_alone) capture(t);
  else if (what < 52 && deeper && !is_alone) attach(t);
  else if (what < (is_alone ? 68 : 75) && live_count < MOST_LIVE) allocate(self, t);
  else if (live_count) free_one(self, t);
}

static void thread_step(struct gpm_thread *self, int me) {
  step(self, &threads[me]);
}

static void thread_end(int me) {
  if (me % 2) /* the others leave that to their thread's end */
    while (threads[me].depth) leave(&threads[me]);
}

/* Paths of the runtime are looked up in the model by their sites' lines. */
static void compare(void) {
  static int model[NODES];
  uint64_t n = test_record_count(GPUMEMPROF_CHUNK_NODES, 0), times[4] = {0}, named = 0;
  for (uint64_t id = 1; id < n; id++) {
    const struct gpumemprof_capture_node *r = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, r->site);
    model[id] = path_of(model[r->parent], (int)s->line - 1);
    struct path *p = &paths[model[id]];
    bool no_alloc = s->kind == GPUMEMPROF_SITE_FUNCTION && s->flags & GPUMEMPROF_SITE_NO_ALLOC;
    if (!no_alloc) p->times[GPUMEMPROF_BUDGET_NO_ALLOC] = 0;
    CHECK(!(s->flags & GPUMEMPROF_SITE_BUDGET) || s->budget == LIMIT);
  }
  const struct gpumemprof_capture_violation *v;
  for (uint64_t i = 0; (v = test_record(GPUMEMPROF_CHUNK_VIOLATIONS, 0, i)); i++) {
    struct path *p = &paths[model[v->node]];
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
  for (int i = 0; i < path_count; i++) /* and none of the model's is missing */
    for (int k = 1; k <= GPUMEMPROF_BUDGET_NO_LEAK; k++) CHECK(!paths[i].times[k]);
  CHECK(times[1] > 100 && times[2] > 20 && times[3] > 100 && named == 16);
  CHECK(!is_alone == !test_again); /* elsewhere nothing is as it was */
  printf("%llu budgets exceeded, %llu paths that allocate, %llu leaks as the model's\n",
         (unsigned long long)times[1], (unsigned long long)times[2], (unsigned long long)times[3]);
}

int main(int argc, char **argv) {
  static char size[] = "1500000"; /* LIMIT */
  for (int s = 0; s < SCOPES; s++) {
    char name[32];
    snprintf(name, sizeof name, "scope%d", s);
    test_site_set(&scope_sites[s], GPUMEMPROF_SITE_FUNCTION, "a.c", (uint32_t)s + 1, name, "");
    test_site_set(&call_sites[s], GPUMEMPROF_SITE_CALL, "a.c", (uint32_t)(SCOPES + s) + 1, name,
                  "x");
    struct gpumemprof_site *site = &scope_sites[s].site;
    site->flags = flags_of[s];
    snprintf(scope_sites[s].variable, sizeof scope_sites[s].variable, "%s", size);
    site->size_expr = (int32_t)(scope_sites[s].variable - (char *)&site->size_expr);
  }
  is_alone = argc > 2;
  CHECK(gpm_recording());
  take_turns((struct turns){.threads = is_alone ? 1 : THREADS,
                            .steps_left = argc > 1 ? atol(argv[1]) : 200000,
                            .longest = 20,
                            .below = below,
                            .step = thread_step,
                            .end = thread_end});
  for (int i = 0; i < THREADS; i += 2) /* of those that did not leave */
    while (threads[i].depth) end(threads[i].open[--threads[i].depth]);
  compare();
  for (struct scope *next; all_scopes; all_scopes = next) {
    next = all_scopes->next;
    free(all_scopes);
  }
  return 0;
}
