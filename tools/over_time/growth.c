/* growth.c - see growth.h. At the end of a step, only the lines that changed in it are examined. */
#include "over_time/growth.h"

#include "analysis/held.h"
#include "events/walk.h"
#include "support/progress.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000 };

struct line {
  uint64_t live, before; /* before: live bytes at the end of the previous step */
  uint64_t first, middle;
  uint32_t rises;
  bool fell, changed;
};

struct finding {
  struct gpm_growth *g;
  struct line *line; /* by key */
  uint32_t *changed; /* keys of the lines that changed in this step */
  uint32_t changed_count;
  uint64_t *live, *first; /* by node */
  uint32_t middle;        /* the step in the middle of the window */
};

/* ---- steps along the events --------------------------------------------------------------------
 */

/* Merges the ends of steps with the events of the lines that are counted. */
struct stepping {
  uint32_t ended, to; /* number of steps that ended; the last step that is examined */
  struct gpm_cursor ends;
  const struct gpumemprof_capture_step *end;
  void (*step_ended)(void *to, uint32_t number);
  void (*take)(void *to, const struct gpm_step *event);
  void *data;
};

static void end_step_of(struct stepping *s) {
  s->end = gpm_cursor_next(&s->ends);
  s->step_ended(s->data, ++s->ended);
}

static bool hear(void *self, const struct gpm_step *event) {
  struct stepping *s = self;
  if (!event->block) return true;
  while (s->ended < s->to && event->event.clock > s->end->clock) end_step_of(s);
  if (s->ended < s->to) s->take(s->data, event);
  return s->ended < s->to;
}

/* No event follows. */
static void end(void *self, uint64_t clock) {
  struct stepping *s = self;
  (void)clock;
  while (s->ended < s->to) end_step_of(s);
}

/* The caller has set step_ended, take and data. */
static struct gpm_listener listen(struct stepping *s, const struct gpm_growth *g) {
  s->to = g->to;
  s->ends = (struct gpm_cursor){.records = &g->profile->reader->steps};
  s->end = gpm_cursor_next(&s->ends);
  return (struct gpm_listener){
      .self = s, .profile = g->profile, .stops = true, .step = hear, .end = end};
}

static uint64_t change_of(const struct gpm_step *e) {
  return e->event.kind == GPM_EVENT_FREED ? 0 - e->block->bytes : e->block->bytes;
}

/* ---- finding -----------------------------------------------------------------------------------
 */

static void take(void *data, const struct gpm_step *e) {
  struct finding *f = data;
  uint32_t key = f->g->key[e->block->cell];
  if (key == GPUMEMPROF_NONE) return;
  struct line *l = &f->line[key];
  if (!l->changed) f->changed[f->changed_count++] = key;
  l->changed = true;
  l->live += change_of(e);
  f->live[f->g->profile->cell_node[e->block->cell]] += change_of(e);
}

static void begin_window(struct finding *f) {
  for (uint32_t i = 0; i < f->g->keys.count; i++) f->line[i].first = f->line[i].live;
  memcpy(f->first, f->live, f->g->profile->node_count * sizeof *f->first);
}

static void end_step(void *data, uint32_t number) {
  struct finding *f = data;
  for (uint32_t i = 0; i < f->changed_count; i++) {
    struct line *l = &f->line[f->changed[i]];
    if (number > f->g->from) {
      l->fell |= l->live < l->before;
      l->rises += l->live > l->before;
    }
    l->before = l->live;
    l->changed = false;
  }
  f->changed_count = 0;
  if (number == f->g->from) begin_window(f);
  for (uint32_t i = 0; number == f->middle && i < f->g->keys.count; i++)
    f->line[i].middle = f->line[i].live;
}

static bool grows(const struct line *l) {
  return !l->fell && l->rises > 1 && l->live > l->middle;
}

static int by_growth(const void *a, const void *b) {
  const struct gpm_growth_line *x = a, *y = b;
  uint64_t grew = x->last - x->first, other = y->last - y->first;
  if (grew != other) return grew > other ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static void list(struct finding *f) {
  struct gpm_growth *g = f->g;
  const struct gpm_profile *p = g->profile;
  uint32_t *node = gpm_memory_array(g->keys.count, sizeof *node);
  memset(node, 0xff, g->keys.count * sizeof *node);
  for (uint32_t c = 0; c < p->cell_count; c++) {
    if (g->key[c] == GPUMEMPROF_NONE || !grows(&f->line[g->key[c]])) continue;
    uint32_t n = p->cell_node[c], *best = &node[g->key[c]];
    if (*best == GPUMEMPROF_NONE ||
        (int64_t)(f->live[n] - f->first[n]) > (int64_t)(f->live[*best] - f->first[*best]))
      *best = n;
  }
  for (uint32_t i = 0; i < g->keys.count; i++) g->count += node[i] != GPUMEMPROF_NONE;
  g->line = gpm_memory_array(g->count, sizeof *g->line);
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->keys.count; i++)
    if (node[i] != GPUMEMPROF_NONE)
      g->line[at++] = (struct gpm_growth_line){.key = i,
                                               .node = node[i],
                                               .first = f->line[i].first,
                                               .last = f->line[i].live,
                                               .rises = f->line[i].rises};
  if (g->count) qsort(g->line, g->count, sizeof *g->line, by_growth);
  free(node);
}

/* ---- the window --------------------------------------------------------------------------------
 */

static bool nothing(void *self, const struct gpm_event *event) {
  (void)self;
  (void)event;
  return true;
}

static void keep_last(void *self, uint64_t clock) {
  *(uint64_t *)self = clock;
}

/* Counts the steps of which no event is missing. The last ones may lack some if the program did not
 * end by itself. */
static bool count_steps(struct gpm_growth *g, struct gpm_reader *r) {
  g->steps = (uint32_t)r->steps.count;
  if (r->state == GPM_STATE_COMPLETE) return true;
  uint64_t last = 0;
  struct gpm_listener listener = {.self = &last, .stops = true, .event = nothing, .end = keep_last};
  if (!gpm_walk_tell(r, &listener, 1)) return false;
  g->steps = 0;
  struct gpm_cursor at = {.records = &r->steps};
  for (const struct gpumemprof_capture_step *step; (step = gpm_cursor_next(&at));)
    if (step->clock <= last) g->steps = (uint32_t)at.number + 1;
  return true;
}

static bool choose_window(struct gpm_growth *g, struct gpm_reader *r) {
  if (!gpm_walk_has_all(r, "growth from step to step") || !count_steps(g, r)) return false;
  char *path = gpm_text_clean(r->path);
  if (!g->from) g->from = 1;
  if (!g->to) g->to = g->steps;
  bool fine = false;
  if (!g->steps)
    gpm_host_say(
        r->host,
        "%s has no steps: call gpumemprof_step() at the end of each, or name a function that is "
        "one with GPUMEMPROF_OPTIONS=step=FUNCTION",
        path);
  else if (g->to > g->steps)
    gpm_host_say(r->host, "--steps goes to %u, and %s has %u", g->to, path, g->steps);
  else if (g->to < g->from + 2)
    gpm_host_say(
        r->host,
        "growth is told from the ends of three steps at least, and %s has %u from step %u on", path,
        g->to >= g->from ? g->to - g->from + 1 : 0, g->from);
  else fine = true;
  free(path);
  return fine;
}

static void find_keys(struct gpm_growth *g, const struct gpm_reader *r) {
  const struct gpm_profile *p = g->profile;
  g->keys.reader = r;
  g->key = gpm_memory_array(p->cell_count, sizeof *g->key);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    bool counts = p->cell_shown[at.number] && c->kind != GPUMEMPROF_KIND_STATIC;
    g->key[at.number] =
        counts ? gpm_keys_get(&g->keys, gpm_holding_place(p, c->node)) : GPUMEMPROF_NONE;
  }
}

struct gpm_growth_finding {
  struct finding f;
  struct stepping steps;
};

struct gpm_growth_finding *gpm_growth_listen(struct gpm_growth *g, struct gpm_reader *r,
                                             struct gpm_listener *listener) {
  if (!choose_window(g, r)) return NULL;
  find_keys(g, r);
  struct gpm_growth_finding *f = gpm_memory_array(1, sizeof *f);
  f->f = (struct finding){.g = g,
                          .line = gpm_memory_array(g->keys.count, sizeof *f->f.line),
                          .changed = gpm_memory_array(g->keys.count, sizeof *f->f.changed),
                          .live = gpm_memory_array(g->profile->node_count, sizeof *f->f.live),
                          .first = gpm_memory_array(g->profile->node_count, sizeof *f->f.first),
                          .middle = g->from + (g->to - g->from) / 2};
  f->steps = (struct stepping){.step_ended = end_step, .take = take, .data = &f->f};
  *listener = listen(&f->steps, g);
  return f;
}

void gpm_growth_found(struct gpm_growth_finding *f, bool heard) {
  if (heard) list(&f->f);
  free(f->f.line);
  free(f->f.changed);
  free(f->f.live);
  free(f->f.first);
  free(f);
}

bool gpm_growth_find(struct gpm_growth *g, struct gpm_reader *r) {
  struct gpm_listener listener;
  struct gpm_growth_finding *f = gpm_growth_listen(g, r, &listener);
  if (!f) return false;
  gpm_host_doing(r->host, "reading the events");
  bool fine = gpm_walk_tell(r, &listener, 1);
  gpm_growth_found(f, fine);
  return fine;
}

void gpm_growth_suppress(struct gpm_growth *g, const struct gpm_suppressions *suppressions) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    struct gpm_suppression *by = gpm_suppressions_find(suppressions, g->profile, g->line[i].node);
    if (!by) g->line[kept++] = g->line[i];
    else {
      by->bytes += g->line[i].last - g->line[i].first;
      by->lines++;
    }
  }
  g->count = kept;
}

void gpm_growth_free(struct gpm_growth *g) {
  gpm_keys_free(&g->keys);
  free(g->line);
  free(g->key);
}

/* ---- series ------------------------------------------------------------------------------------
 */

/* Returns, by key, the index of its line, or NONE. */
static uint32_t *rows_of(const struct gpm_growth *g) {
  uint32_t *row = gpm_memory_array(g->keys.count, sizeof *row);
  memset(row, 0xff, g->keys.count * sizeof *row);
  for (uint32_t i = 0; i < g->count; i++) row[g->line[i].key] = i;
  return row;
}

struct series {
  const struct gpm_growth *g;
  uint32_t *row, every, points, point;
  uint64_t *live, *value;
};

static void take_of_series(void *data, const struct gpm_step *e) {
  struct series *s = data;
  uint32_t key = s->g->key[e->block->cell];
  if (key != GPUMEMPROF_NONE && s->row[key] != GPUMEMPROF_NONE)
    s->live[s->row[key]] += change_of(e);
}

static void end_step_of_series(void *data, uint32_t number) {
  struct series *s = data;
  const struct gpm_growth *g = s->g;
  if (number != g->to && (number < g->from || (number - g->from) % s->every)) return;
  for (uint32_t i = 0; i < g->count; i++) s->value[(size_t)i * s->points + s->point] = s->live[i];
  s->point++;
}

uint64_t *gpm_growth_series(const struct gpm_growth *g, struct gpm_reader *r, uint32_t *every,
                            uint32_t *points) {
  uint32_t window = g->to - g->from;
  *every = (window + MOST_POINTS - 1) / MOST_POINTS;
  *points = (window + *every - 1) / *every + 1;
  struct series s = {.g = g, .row = rows_of(g), .every = *every, .points = *points};
  s.value = gpm_memory_array((size_t)*points * g->count, sizeof *s.value);
  s.live = gpm_memory_array(g->count, sizeof *s.live);
  struct stepping steps = {.step_ended = end_step_of_series, .take = take_of_series, .data = &s};
  struct gpm_listener listener = listen(&steps, g);
  bool fine = gpm_walk_tell(r, &listener, 1);
  free(s.live);
  free(s.row);
  if (fine) return s.value;
  free(s.value);
  return NULL;
}
