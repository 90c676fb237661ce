/* page_scopes.c - see page_scopes.h. trace.c reports that a scope opens right before the first
 * event in it; the scope begins at the clock of that event. */
#include "page/page_scopes.h"

#include "events/trace.h"
#include "support/map.h"

#include <stdlib.h>

struct thread {
  struct gpm_page_scope *open; /* outermost first */
  size_t depth, room, started; /* started: open scopes whose `start` is set */
};

struct gpm_page_scopes_making {
  struct gpm_page_scopes *to;
  const struct gpm_page_numbers *nodes; /* null: all */
  struct gpm_trace *trace;
  struct thread *thread;
  size_t room;
  struct gpm_map number; /* thread -> index in `thread` */
  uint64_t clock;        /* of the latest event */
};

static struct thread *thread_of(struct gpm_page_scopes_making *s, uint32_t number) {
  size_t next = s->number.count, i = (size_t)*gpm_map_at(&s->number, number, next);
  if (i == s->room) {
    s->thread = gpm_memory_resize(s->thread, ++s->room, sizeof *s->thread);
    s->thread[i] = (struct thread){.open = NULL};
  }
  return &s->thread[i];
}

static void open_scope(void *to, uint32_t number, uint32_t node, uint64_t ns) {
  struct thread *t = thread_of(to, number);
  if (t->depth == t->room) {
    t->room = t->room ? 2 * t->room : 16;
    t->open = gpm_memory_resize(t->open, t->room, sizeof *t->open);
  }
  t->open[t->depth++] = (struct gpm_page_scope){.thread = number, .node = node, .time_ns = ns};
}

static void close_scope(void *to, uint32_t number, uint32_t node, uint64_t ns) {
  struct gpm_page_scopes_making *s = to;
  struct thread *t = thread_of(to, number);
  struct gpm_page_scope *scope = &t->open[--t->depth];
  if (t->started > t->depth) t->started = t->depth;
  scope->end = s->clock;
  scope->span_ns = ns - scope->time_ns;
  s->to->seen++;
  if (s->nodes && s->nodes->record[s->nodes->number[node]] != node)
    return; /* its call path is not in the page */
  gpm_largest_add(&s->to->kept, (double)scope->span_ns, scope);
}

/* The scopes that opened for an event of a thread begin at the clock of that event. */
static void start_scopes(struct gpm_page_scopes_making *s, const struct gpm_step *step) {
  struct thread *t = thread_of(s, step->event.thread);
  if (step->event.clock > s->clock) s->clock = step->event.clock;
  for (; t->started < t->depth; t->started++) t->open[t->started].start = s->clock;
}

static void on_block(void *to, const struct gpm_step *step, bool ends) {
  (void)ends;
  start_scopes(to, step);
}

static void on_failure(void *to, const struct gpm_step *step) {
  start_scopes(to, step);
}

struct gpm_page_scopes_making *gpm_page_scopes_listen(struct gpm_page_scopes *scopes,
                                                      const struct gpm_page *page,
                                                      const struct gpm_page_paths *paths,
                                                      struct gpm_listener *listener) {
  static const struct gpm_trace_calls calls = {.open = open_scope,
                                               .close = close_scope,
                                               .block = on_block,
                                               .failure = on_failure,
                                               .stops = true};
  *scopes = (struct gpm_page_scopes){.kept = {.size = sizeof(struct gpm_page_scope),
                                              .most = gpm_page_most(page, GPM_PAGE_SCOPES)}};
  struct gpm_page_scopes_making *s = gpm_memory_array(1, sizeof *s);
  s->to = scopes;
  s->nodes = paths ? &paths->nodes : NULL;
  s->trace = gpm_trace_begin(page->profile, &calls, s, listener);
  return s;
}

void gpm_page_scopes_made(struct gpm_page_scopes_making *s) {
  for (size_t i = 0; i < s->room; i++) free(s->thread[i].open);
  free(s->thread);
  gpm_map_free(&s->number);
  gpm_trace_free(s->trace);
  free(s);
}

void gpm_page_scopes_free(struct gpm_page_scopes *scopes) {
  gpm_largest_free(&scopes->kept);
}
