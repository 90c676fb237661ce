/* growth.c - see growth.h. At the end of a step, only the lines that changed in it are examined.
 *
 * Which step is the last of the window is known only after the last event if the program did not
 * end by itself: its last steps may lack events. So nothing here depends on it while events are
 * read. A line that never falls holds more at the end than in the middle if it rose after the
 * middle, so its latest rise is kept, and what followed the last whole step is undone.
 */
#include "over_time/growth.h"

#include "analysis/holding.h"
#include "events/walk.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000 };

struct line {
  uint64_t live, before; /* before: live bytes at the end of the latest step */
  uint64_t first;
  struct gpm_growth_rise *rise; /* with g->series: all of them, while the line has not fallen */
  uint32_t rises, room, latest_rise;
  bool fell, changed;
};

struct change {
  uint32_t node;
  uint64_t bytes; /* modulo 2^64 */
};

struct gpm_growth_finding {
  struct gpm_growth *g;
  bool complete;      /* no step lacks an event */
  uint32_t ended, to; /* number of steps that ended; the last step that is examined */
  struct gpm_cursor ends;
  const struct gpumemprof_capture_step *end;
  struct line *line; /* by key */
  uint32_t *changed; /* keys of the lines that changed in this step */
  uint32_t changed_count;
  uint64_t *live, *first; /* by node */
  struct change *since;   /* the changes of this step, unless the run is complete */
  size_t since_count, since_room;
};

/* ---- finding -----------------------------------------------------------------------------------
 */

static void keep_change(struct gpm_growth_finding *f, struct change change) {
  if (f->since_count == f->since_room) {
    f->since_room = f->since_room ? f->since_room * 2 : 256;
    f->since = gpm_memory_resize(f->since, f->since_room, sizeof *f->since);
  }
  f->since[f->since_count++] = change;
}

static void take(struct gpm_growth_finding *f, const struct gpm_step *e) {
  uint32_t key = f->g->key[e->block->cell], node = f->g->profile->cell_node[e->block->cell];
  if (key == GPUMEMPROF_NONE) return;
  uint64_t bytes = e->event.kind == GPM_EVENT_FREED ? 0 - e->block->bytes : e->block->bytes;
  struct line *l = &f->line[key];
  if (!l->changed) f->changed[f->changed_count++] = key;
  l->changed = true;
  l->live += bytes;
  f->live[node] += bytes;
  if (!f->complete) keep_change(f, (struct change){node, bytes});
}

static void begin_window(struct gpm_growth_finding *f) {
  for (uint32_t i = 0; i < f->g->keys.count; i++) f->line[i].first = f->line[i].live;
  memcpy(f->first, f->live, f->g->profile->node_count * sizeof *f->first);
}

static void fall(struct line *l) {
  l->fell = true;
  free(l->rise);
  l->rise = NULL;
}

static void rise(const struct gpm_growth_finding *f, struct line *l, uint32_t step) {
  if (f->g->series && l->rises == l->room) {
    l->room = l->room ? l->room * 2 : 4;
    l->rise = gpm_memory_resize(l->rise, l->room, sizeof *l->rise);
  }
  if (f->g->series) l->rise[l->rises] = (struct gpm_growth_rise){step, l->live};
  l->rises++;
  l->latest_rise = step;
}

static void end_step(struct gpm_growth_finding *f) {
  uint32_t number = ++f->ended;
  f->end = gpm_cursor_next(&f->ends);
  for (uint32_t i = 0; i < f->changed_count; i++) {
    struct line *l = &f->line[f->changed[i]];
    if (number > f->g->from && l->live < l->before) fall(l);
    if (number > f->g->from && l->live > l->before && !l->fell) rise(f, l, number);
    l->before = l->live;
    l->changed = false;
  }
  f->changed_count = 0;
  f->since_count = 0;
  if (number == f->g->from) begin_window(f);
}

static bool add_event(void *self, const struct gpm_step *event) {
  struct gpm_growth_finding *f = self;
  if (!event->block) return true;
  while (f->ended < f->to && event->event.clock > f->end->clock) end_step(f);
  if (f->ended < f->to) take(f, event);
  return f->ended < f->to || !f->complete; /* else the number of whole steps is still to come */
}

/* No event follows. clock: the last tick up to which no event is missing. */
static void end(void *self, uint64_t clock) {
  struct gpm_growth_finding *f = self;
  while (f->ended < f->to && (f->complete || f->end->clock <= clock)) end_step(f);
  while (f->since_count) {
    struct change change = f->since[--f->since_count];
    f->live[change.node] -= change.bytes;
  }
  if (f->complete) return;
  struct gpm_cursor at = {.records = &f->g->profile->reader->steps};
  for (const struct gpumemprof_capture_step *step; (step = gpm_cursor_next(&at));)
    if (step->clock <= clock) f->g->steps = (uint32_t)at.number + 1;
}

/* ---- the lines ---------------------------------------------------------------------------------
 */

static bool grows(const struct gpm_growth *g, const struct line *l) {
  return !l->fell && l->rises > 1 && l->latest_rise > g->from + (g->to - g->from) / 2;
}

static int by_growth(const void *a, const void *b) {
  const struct gpm_growth_line *x = a, *y = b;
  uint64_t grew = x->last - x->first, other = y->last - y->first;
  if (grew != other) return grew > other ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static void list(struct gpm_growth_finding *f) {
  struct gpm_growth *g = f->g;
  const struct gpm_profile *p = g->profile;
  uint32_t *node = gpm_memory_array(g->keys.count, sizeof *node);
  memset(node, 0xff, g->keys.count * sizeof *node);
  uint32_t *paths = gpm_memory_array((size_t)g->keys.count + 1, sizeof *paths);
  uint8_t *seen = gpm_memory_array((size_t)p->node_count + 1, 1);
  for (uint32_t c = 0; c < p->cell_count; c++) {
    if (g->key[c] == GPUMEMPROF_NONE || !grows(g, &f->line[g->key[c]])) continue;
    uint32_t n = p->cell_node[c], *best = &node[g->key[c]];
    paths[g->key[c]] += !seen[n] && f->live[n] > f->first[n];
    seen[n] = 1;
    if (*best == GPUMEMPROF_NONE ||
        (int64_t)(f->live[n] - f->first[n]) > (int64_t)(f->live[*best] - f->first[*best]))
      *best = n;
  }
  for (uint32_t i = 0; i < g->keys.count; i++) g->count += node[i] != GPUMEMPROF_NONE;
  g->line = gpm_memory_array(g->count, sizeof *g->line);
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->keys.count; i++) {
    struct line *l = &f->line[i];
    if (node[i] == GPUMEMPROF_NONE) continue;
    g->line[at++] = (struct gpm_growth_line){.key = i,
                                             .node = node[i],
                                             .paths = paths[i],
                                             .first = l->first,
                                             .last = l->before,
                                             .rises = l->rises,
                                             .rise = l->rise};
    l->rise = NULL;
  }
  if (g->count) qsort(g->line, g->count, sizeof *g->line, by_growth);
  free(node);
  free(paths);
  free(seen);
}

/* ---- the window --------------------------------------------------------------------------------
 */

/* Chooses the window, once the number of steps is known. Returns false after it reported what is
 * wrong. */
static bool choose_window(struct gpm_growth *g) {
  const struct gpm_reader *r = g->profile->reader;
  char *path = gpm_text_clean(r->path);
  if (!g->from) g->from = 1;
  if (!g->to) g->to = g->steps;
  bool fine = false;
  if (!g->steps)
    gpm_host_say(r->host,
                 "%s has no steps: name the function that is a step, "
                 "GPUMEMPROF_OPTIONS=history=all:step=FUNCTION, or call gpumemprof_step() at the "
                 "end of each "
                 "step",
                 path);
  else if (g->to > g->steps)
    gpm_host_say(r->host, "--steps goes to %u, and %s has %u", g->to, path, g->steps);
  else if (g->to < g->from + 2)
    gpm_host_say(r->host,
                 "growth needs the ends of at least three steps, and %s has %u from step %u on",
                 path, g->to >= g->from ? g->to - g->from + 1 : 0, g->from);
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
        counts ? gpm_keys_get(&g->keys, gpm_holding_location(p, c->node)) : GPUMEMPROF_NONE;
  }
}

/* Who has to run the program again for the events needs to know of the steps, too. Returns whether
 * it reported that. */
static bool lacks_both(const struct gpm_reader *r) {
  if (r->steps.count || gpm_walk_knows_all(r)) return false;
  char *path = gpm_text_clean(r->path);
  gpm_host_say(
      r->host,
      "%s has no steps and not all events, and growth needs both: name the function that is "
      "a step, GPUMEMPROF_OPTIONS=history=all:step=FUNCTION, or call gpumemprof_step() at "
      "the end of each step and record with GPUMEMPROF_OPTIONS=history=all",
      path);
  free(path);
  return true;
}

struct gpm_growth_finding *gpm_growth_listen(struct gpm_growth *g, struct gpm_reader *r,
                                             struct gpm_listener *listener) {
  bool complete = r->state == GPM_STATE_COMPLETE;
  if (lacks_both(r) || !gpm_walk_has_all(r, "growth from step to step")) return NULL;
  if (complete) g->steps = (uint32_t)r->steps.count;
  if (complete && !choose_window(g)) return NULL;
  if (!g->from) g->from = 1;
  find_keys(g, r);
  struct gpm_growth_finding *f = gpm_memory_array(1, sizeof *f);
  *f = (struct gpm_growth_finding){
      .g = g,
      .complete = complete,
      .to = g->to && g->to < r->steps.count ? g->to : (uint32_t)r->steps.count,
      .ends = {.records = &r->steps},
      .line = gpm_memory_array(g->keys.count, sizeof *f->line),
      .changed = gpm_memory_array(g->keys.count, sizeof *f->changed),
      .live = gpm_memory_array(g->profile->node_count, sizeof *f->live),
      .first = gpm_memory_array(g->profile->node_count, sizeof *f->first)};
  f->end = gpm_cursor_next(&f->ends);
  *listener = (struct gpm_listener){
      .self = f, .profile = g->profile, .stops = true, .step = add_event, .end = end};
  return f;
}

bool gpm_growth_found(struct gpm_growth_finding *f, bool received) {
  bool fine = received && (f->complete || choose_window(f->g));
  if (fine) list(f);
  for (uint32_t i = 0; i < f->g->keys.count; i++) free(f->line[i].rise);
  free(f->line);
  free(f->changed);
  free(f->live);
  free(f->first);
  free(f->since);
  free(f);
  return fine;
}

bool gpm_growth_find(struct gpm_growth *g, struct gpm_reader *r) {
  struct gpm_listener listener;
  struct gpm_growth_finding *f = gpm_growth_listen(g, r, &listener);
  if (!f) return false;
  gpm_host_doing(r->host, "reading the events");
  return gpm_growth_found(f, gpm_walk_read(r, &listener, 1));
}

void gpm_growth_suppress(struct gpm_growth *g, const struct gpm_suppressions *suppressions) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    struct gpm_suppression *by = gpm_suppressions_find(suppressions, g->profile, g->line[i].node);
    if (!by) g->line[kept++] = g->line[i];
    else {
      by->bytes += g->line[i].last - g->line[i].first;
      by->lines++;
      free(g->line[i].rise);
    }
  }
  g->count = kept;
}

void gpm_growth_free(struct gpm_growth *g) {
  for (uint32_t i = 0; i < g->count; i++) free(g->line[i].rise);
  gpm_keys_free(&g->keys);
  free(g->line);
  free(g->key);
}

/* ---- series ------------------------------------------------------------------------------------
 */

uint32_t gpm_growth_points(const struct gpm_growth *g, uint32_t *every) {
  uint32_t window = g->to - g->from;
  *every = (window + MOST_POINTS - 1) / MOST_POINTS;
  return (window + *every - 1) / *every + 1;
}

uint64_t gpm_growth_live(const struct gpm_growth_line *line, uint32_t step) {
  uint32_t low = 0, high = line->rises; /* rises below `low` are no later than the step */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (line->rise[middle].step <= step) low = middle + 1;
    else high = middle;
  }
  return low ? line->rise[low - 1].live : line->first;
}
