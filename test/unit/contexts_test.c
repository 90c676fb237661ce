/* contexts_test.c - work handed over: random threads capture, attach, detach and release in turns.
 *
 * The model charges every event to every scope it belongs to at once: along the thread's scopes
 * down to an attachment, there on to the home of its context. The runtime charges most of them when
 * scopes end. Own peaks have to be equal, path by path.
 */
#include "turns.h"

enum { THREADS = 4, SCOPES = 3, DEPTH = 10, LONGEST = 8, CONTEXTS = 12 };
enum { NODES = 1 << 15, MOST_LIVE = 400 };
static struct test_site scope_sites[SCOPES], call_sites[SCOPES];

struct path { /* a scope below a call, or a call in a scope */
  int length, below[2 * SCOPES];
  uint64_t active, peak_sum, peak_max;
};
static struct path paths[NODES];
static int path_count = 1;

static int path_of(int parent, int name) {
  int *at = &paths[parent].below[name];
  if (*at) return *at;
  CHECK(path_count < NODES);
  paths[path_count].length = paths[parent].length + 1;
  return *at = path_count++;
}

struct scope {
  struct gpumemprof_frame *frame;
  struct scope *outer; /* where its events count too; another thread's below an attachment */
  bool attached, moved, ended;
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
  uint64_t address, bytes;
};
static struct block live[MOST_LIVE];
static int live_count;
static uint64_t next_address = 1 << 20;

static uint64_t seed = 4711;
static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(seed >> 33) % n;
}

static struct scope *still_open(struct scope *s) { /* what ended hands its contexts outwards */
  while (s && s->ended) s = s->outer;
  return s;
}

static void count(struct thread *t, int64_t change) {
  for (struct scope *s = t->open[t->depth - 1]; s; s = still_open(s->outer)) {
    s->moved = true;
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

static void end(struct scope *s) {
  struct path *p = &paths[s->path];
  s->ended = true;
  if (!s->moved) return;
  p->active++;
  p->peak_sum += (uint64_t)s->peak;
  if ((uint64_t)s->peak > p->peak_max) p->peak_max = (uint64_t)s->peak;
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

/* The frame goes on with the function's work, so its name is that of the scope under it. */
static void attach(struct thread *t) {
  const struct context *c = &contexts[below(CONTEXTS)];
  if (!c->context || paths[c->call].length >= 2 * LONGEST) return;
  struct gpumemprof_frame *f = __gpumemprof_context_attach(c->context);
  CHECK(f);
  struct scope *s = push(t, f, c->call, t->open[t->depth - 1]->name);
  s->attached = true;
  s->outer = c->home;
}

static void step(struct gpm_thread *self, struct thread *t) {
  uint32_t what = below(100);
  bool deeper = t->depth < DEPTH && paths[t->depth ? call_path(t) : 0].length < 2 * LONGEST;
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
    count(t, (int64_t)b.bytes);
  } else if (live_count) {
    int i = (int)below((uint32_t)live_count);
    test_free(self, live[i].address);
    count(t, -(int64_t)live[i].bytes);
    live[i] = live[--live_count];
  }
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
  uint64_t n = test_record_count(GPUMEMPROF_CHUNK_NODES, 0), active = 0;
  for (uint64_t id = 1; id < n; id++) {
    const struct gpumemprof_capture_node *r = test_record(GPUMEMPROF_CHUNK_NODES, 0, id);
    const struct gpumemprof_capture_site *s = test_record(GPUMEMPROF_CHUNK_SITES, 0, r->site);
    const struct path *p = &paths[model[id] = path_of(model[r->parent], (int)s->line - 1)];
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
  for (int s = 0; s < SCOPES; s++) {
    char name[32];
    snprintf(name, sizeof name, "scope%d", s);
    test_site_set(&scope_sites[s], GPUMEMPROF_SITE_FUNCTION, "a.c", (uint32_t)s + 1, name, "");
    test_site_set(&call_sites[s], GPUMEMPROF_SITE_CALL, "a.c", (uint32_t)(SCOPES + s) + 1, name,
                  "x");
  }
  CHECK(gpm_recording());
  take_turns((struct turns){.threads = THREADS,
                            .steps_left = argc > 1 ? atol(argv[1]) : 200000,
                            .longest = 20,
                            .below = below,
                            .step = thread_step,
                            .end = thread_end});
  for (int i = 0; i < THREADS; i += 2)
    while (threads[i].depth) end(threads[i].open[--threads[i].depth]);
  compare();
  context_of_a_parent_is_not_attached();
  for (struct scope *next; all_scopes; all_scopes = next) {
    next = all_scopes->next;
    free(all_scopes);
  }
  return 0;
}
