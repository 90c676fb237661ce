/* scopes_model.h - threads with scopes, and work that one hands to another: a random walk through
 * all that, made at once in the runtime (emit.h, turns.h) and in a model.
 *
 * The model charges every event to every scope it belongs to at once: along the thread's scopes
 * down to an attachment, and from there on along those of its context's home. A test decides what
 * is compared with the runtime: it keeps its own figures by path, defines an `end` that checks a
 * scope, and defines the sizes below before it includes this file:
 *
 *   SCOPES   names that scopes have      DEPTH   scopes open on a thread, LONGEST path of them
 *   THREADS  that take turns             CONTEXTS  captured at a time    NODES  paths at most
 */
#ifndef TEST_SCOPES_MODEL_H
#define TEST_SCOPES_MODEL_H

#include "threads/threads.h"
#include "turns.h"

static struct test_site scope_sites[SCOPES], call_sites[SCOPES];

static struct path { /* a scope below a call, or a call in a scope */
  int length, above, below[2 * SCOPES];
} paths[NODES];
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
  struct scope *outer; /* its events count there, too; another thread's below an attachment */
  bool attached, moved, ended;
  int path, name;
  int64_t net, peak;
  struct scope *next; /* list of all scopes ever opened, which contexts may point to */
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

static void end(struct scope *s); /* defined by the test: checks the figures, and sets `ended` */

static uint64_t seed; /* set by the test */
static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(seed >> 33) % n;
}

/* Lines identify paths: a scope's line is its name, from 1, and that of a call in it is greater by
 * SCOPES. */
static void make_sites(void) {
  for (int s = 0; s < SCOPES; s++) {
    char name[32];
    snprintf(name, sizeof name, "scope%d", s);
    test_site_set(&scope_sites[s], GPUMEMPROF_SITE_FUNCTION, "a.c", (uint32_t)s + 1, name, "");
    test_site_set(&call_sites[s], GPUMEMPROF_SITE_CALL, "a.c", (uint32_t)(SCOPES + s) + 1, name,
                  "x");
  }
}

/* Finds the path of the runtime's node by its parent's path and its site's line. */
static int path_of_node(int parent, const struct gpumemprof_capture_site *site) {
  return path_of(parent, (int)site->line - 1);
}

/* ---- events -------------------------------------------------------------------------------------
 */

static struct scope *still_open(struct scope *s) { /* an ended scope passes contexts outwards */
  while (s && s->ended) s = s->outer;
  return s;
}

static void charge_all(struct thread *t, int64_t change) {
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

/* ---- scopes -------------------------------------------------------------------------------------
 */

static bool can_go_deeper(const struct thread *t) {
  return t->depth < DEPTH && paths[t->depth ? call_path(t) : 0].length < 2 * LONGEST;
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

/* The frame continues the function's work, so it has the name of the scope below it, and its
 * budget. */
static void attach(struct thread *t) {
  const struct context *c = &contexts[below(CONTEXTS)];
  if (!c->context || paths[c->call].length >= 2 * LONGEST) return;
  struct gpumemprof_frame *f = __gpumemprof_context_attach(c->context);
  CHECK(f);
  struct scope *s = push(t, f, c->call, t->open[t->depth - 1]->name);
  s->attached = true;
  s->outer = c->home;
}

/* ---- the walk -----------------------------------------------------------------------------------
 */

static void end_of_turns(int me) {
  if (me % 2) /* the others rely on the end of their thread */
    while (threads[me].depth) leave(&threads[me]);
}

/* Runs `threads` threads in turns; when it returns, all scopes have ended. */
static void walk(int count, long steps, void (*step)(struct gpm_thread *self, int me)) {
  take_turns((struct turns){.threads = count,
                            .steps_left = steps,
                            .longest = 20,
                            .below = below,
                            .step = step,
                            .end = end_of_turns});
  for (int i = 0; i < THREADS; i += 2) /* those that relied on the end of the thread */
    while (threads[i].depth) end(threads[i].open[--threads[i].depth]);
}

static void forget_scopes(void) {
  for (struct scope *next; all_scopes; all_scopes = next) {
    next = all_scopes->next;
    free(all_scopes);
  }
}

#endif /* TEST_SCOPES_MODEL_H */
