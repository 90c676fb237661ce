/* growth.c - see growth.h. At the end of a step only the lines are looked at that changed in it. */
#include "over_time/growth.h"

#include "analysis/held.h"
#include "events/walk.h"
#include "support/progress.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000 };

struct line {
  uint64_t live, before; /* before: at the end of the step before */
  uint64_t first, middle;
  uint32_t rises;
  bool fell, changed;
};

struct finding {
  struct gpm_growth *g;
  struct line *line; /* by key */
  uint32_t *changed; /* keys, of this step */
  uint32_t changed_count;
  uint64_t *live, *first; /* by node */
  uint32_t middle;        /* step */
};

/* ---- steps along the events --------------------------------------------------------------------
 */

/* The next event of a line that counts, or the end of the next step, whichever comes first. */
struct stepping {
  struct gpm_walk *walk;
  struct gpm_step event;
  bool has_event;
  struct gpm_cursor ends;
  const struct gpumemprof_capture_step *end;
};

static bool next_event(struct stepping *s) {
  while ((s->has_event = gpm_walk_next(s->walk, &s->event)))
    if (s->event.block) break;
  return s->has_event;
}

static bool begin(struct stepping *s, const struct gpm_growth *g, struct gpm_reader *r) {
  *s = (struct stepping){.walk = gpm_walk_open(r, g->profile), .ends = {.records = &r->steps}};
  if (!s->walk) return false;
  gpm_walk_stop_at_gap(s->walk);
  s->end = gpm_cursor_next(&s->ends);
  next_event(s);
  return true;
}

/* A step has ended: its number, from 1. Else 0, and the event is to be taken. */
static uint32_t step_ended(struct stepping *s) {
  if (s->has_event && s->event.event.clock <= s->end->clock) return 0;
  uint32_t number = (uint32_t)s->ends.number + 1;
  s->end = gpm_cursor_next(&s->ends);
  return number;
}

static uint64_t change_of(const struct gpm_step *e) {
  return e->event.kind == GPM_EVENT_FREED ? 0 - e->block->bytes : e->block->bytes;
}

/* ---- finding -----------------------------------------------------------------------------------
 */

static void take(struct finding *f, const struct gpm_step *e) {
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

static void end_step(struct finding *f, uint32_t number) {
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

static bool read_steps(struct finding *f, struct gpm_reader *r) {
  struct stepping s;
  if (!begin(&s, f->g, r)) return false;
  for (uint32_t ended = 0; ended < f->g->to;) {
    uint32_t number = step_ended(&s);
    if (number) end_step(f, ended = number);
    else {
      take(f, &s.event);
      next_event(&s);
    }
  }
  return gpm_walk_close(s.walk);
}

/* ---- the window --------------------------------------------------------------------------------
 */

/* Steps whose every event is there: not all, if the program did not end by itself. */
static bool count_steps(struct gpm_growth *g, struct gpm_reader *r) {
  g->steps = (uint32_t)r->steps.count;
  if (r->state == GPM_STATE_COMPLETE) return true;
  struct gpm_walk *walk = gpm_walk_open(r, NULL);
  if (!walk) return false;
  gpm_walk_stop_at_gap(walk);
  struct gpm_step s;
  while (gpm_walk_next(walk, &s)) {
  }
  uint64_t last = gpm_walk_clock(walk);
  g->steps = 0;
  struct gpm_cursor at = {.records = &r->steps};
  for (const struct gpumemprof_capture_step *end; (end = gpm_cursor_next(&at));)
    if (end->clock <= last) g->steps = (uint32_t)at.number + 1;
  return gpm_walk_close(walk);
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

bool gpm_growth_find(struct gpm_growth *g, struct gpm_reader *r) {
  if (!choose_window(g, r)) return false;
  find_keys(g, r);
  struct finding f = {.g = g,
                      .line = gpm_memory_array(g->keys.count, sizeof *f.line),
                      .changed = gpm_memory_array(g->keys.count, sizeof *f.changed),
                      .live = gpm_memory_array(g->profile->node_count, sizeof *f.live),
                      .first = gpm_memory_array(g->profile->node_count, sizeof *f.first),
                      .middle = g->from + (g->to - g->from) / 2};
  gpm_host_doing(r->host, "reading the events");
  bool fine = read_steps(&f, r);
  if (fine) list(&f);
  free(f.line);
  free(f.changed);
  free(f.live);
  free(f.first);
  return fine;
}

void gpm_growth_free(struct gpm_growth *g) {
  gpm_keys_free(&g->keys);
  free(g->line);
  free(g->key);
}

/* ---- series ------------------------------------------------------------------------------------
 */

/* By key: which of the lines, or NONE. */
static uint32_t *rows_of(const struct gpm_growth *g) {
  uint32_t *row = gpm_memory_array(g->keys.count, sizeof *row);
  memset(row, 0xff, g->keys.count * sizeof *row);
  for (uint32_t i = 0; i < g->count; i++) row[g->line[i].key] = i;
  return row;
}

uint64_t *gpm_growth_series(const struct gpm_growth *g, struct gpm_reader *r, uint32_t *every,
                            uint32_t *points) {
  uint32_t window = g->to - g->from;
  *every = (window + MOST_POINTS - 1) / MOST_POINTS;
  *points = (window + *every - 1) / *every + 1;
  uint64_t *series = gpm_memory_array((size_t)*points * g->count, sizeof *series);
  uint64_t *live = gpm_memory_array(g->count, sizeof *live);
  uint32_t *row = rows_of(g);
  struct stepping s;
  bool fine = begin(&s, g, r);
  for (uint32_t ended = 0, point = 0; fine && ended < g->to;) {
    uint32_t number = step_ended(&s);
    if (!number) {
      uint32_t key = g->key[s.event.block->cell];
      if (key != GPUMEMPROF_NONE && row[key] != GPUMEMPROF_NONE)
        live[row[key]] += change_of(&s.event);
      next_event(&s);
      continue;
    }
    ended = number;
    if (ended != g->to && (ended < g->from || (ended - g->from) % *every)) continue;
    for (uint32_t i = 0; i < g->count; i++) series[(size_t)i * *points + point] = live[i];
    point++;
  }
  if (fine) fine = gpm_walk_close(s.walk);
  free(live);
  free(row);
  if (fine) return series;
  free(series);
  return NULL;
}
