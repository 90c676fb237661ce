/* call_costs.c - see call_costs.h. */
#include "export/call_costs.h"

#include "export/path_sums.h"
#include "rows/rows_make.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions --------------------------------------------------------------------------------
 */

/* The frame that replaces the outer frames of a long path differs from code that was not rebuilt
 * only by its line (frames.c). */
static uint32_t function_of_frame(struct gpm_call_costs *c, uint32_t frame) {
  struct gpm_key key = c->x->frames->keys.key[frame];
  if (key.line != UINT32_MAX) key.line = 0;
  return gpm_keys_get(&c->functions, key);
}

static uint32_t function_of_scope(struct gpm_call_costs *c, uint32_t node, bool with_block) {
  const struct gpm_profile *p = c->x->profile;
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
  return gpm_keys_get(
      &c->functions,
      (struct gpm_key){.file = s->file, .function = s->function, .name = with_block ? s->name : 0});
}

static void find_functions(struct gpm_call_costs *c) {
  const struct gpm_export *x = c->x;
  c->functions.reader = x->reader;
  uint32_t frames = x->frames->keys.count;
  c->of_frame = gpm_memory_array(frames, sizeof *c->of_frame);
  for (uint32_t i = 0; i < frames; i++) c->of_frame[i] = function_of_frame(c, i);
  for (uint32_t n = 0; n < x->profile->node_count; n++)
    if (gpm_profile_is_scope(x->profile, n)) function_of_scope(c, n, true);
  c->frame_of = gpm_memory_array(c->functions.count, sizeof *c->frame_of);
  c->start = gpm_memory_array(c->functions.count, sizeof *c->start);
  memset(c->frame_of, 0xff, c->functions.count * sizeof *c->frame_of);
  for (uint32_t i = frames; i-- > 0;) c->frame_of[c->of_frame[i]] = i;
  for (uint32_t n = x->profile->node_count; n-- > 0;)
    if (gpm_profile_is_scope(x->profile, n))
      c->start[function_of_scope(c, n, true)] =
          gpm_reader_site(x->reader, x->profile->site[n])->line;
}

/* ---- costs ------------------------------------------------------------------------------------
 */

static bool is_same(const struct gpm_call_cost *a, const struct gpm_call_cost *b) {
  return a->function == b->function && a->line == b->line && a->callee == b->callee &&
         a->repeats == b->repeats;
}

/* Returns the cost at a place; null if there is none and none is to be added. */
static struct gpm_call_cost *cost_at(struct gpm_call_costs *c, struct gpm_call_cost place,
                                     bool add) {
  uint64_t hash = gpm_map_mix((uint64_t)place.function << 32 | place.line);
  hash = gpm_map_mix(hash ^ ((uint64_t)place.callee << 1 | place.repeats));
  for (;; hash++) {
    uint64_t at = add ? *gpm_map_at(&c->by_content, hash, c->count)
                      : gpm_map_find(&c->by_content, hash, c->count);
    if (at == c->count) break;
    if (is_same(&c->cost[at], &place)) return &c->cost[at];
  }
  if (!add) return NULL;
  if (c->count == c->room) {
    c->room = c->room ? c->room * 2 : 256;
    c->cost = gpm_memory_resize(c->cost, c->room, sizeof *c->cost);
  }
  c->cost[c->count] = place;
  return &c->cost[c->count++];
}

static void add_values(struct gpm_call_costs *c, struct gpm_call_cost place,
                       const uint64_t value[GPM_EXPORT_VALUE_COUNT]) {
  struct gpm_call_cost *cost = cost_at(c, place, true);
  for (unsigned i = 0; value && i < GPM_EXPORT_VALUE_COUNT; i++) cost->value[i] += value[i];
}

/* Adds the figures of a call path to each of its calls. entered: by function, twice the number of
 * the path, plus 1 once it was entered again. */
static void add_path(struct gpm_call_costs *c, uint32_t node, uint64_t *entered, uint64_t number,
                     const uint64_t value[GPM_EXPORT_VALUE_COUNT]) {
  const struct gpm_frames *frames = c->x->frames;
  struct gpm_call_cost place = {.function = GPUMEMPROF_NONE};
  for (uint32_t i = gpm_frames_path(c->x->frames, node); i-- > 0;) {
    place.callee = c->of_frame[frames->stack[i]];
    uint64_t *seen = &entered[place.callee];
    place.repeats = *seen >= 2 * number;
    add_values(c, place, *seen == 2 * number + 1 ? NULL : value);
    *seen = 2 * number + place.repeats;
    place.function = place.callee;
    place.line = gpm_frames_line(frames, frames->stack[i]);
  }
  place.callee = GPUMEMPROF_NONE;
  place.repeats = false;
  add_values(c, place, value);
}

static void add_paths(struct gpm_call_costs *c) {
  uint64_t *sum[GPM_EXPORT_VALUE_COUNT], number = 0;
  for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++)
    sum[i] = gpm_export_sums(c->x, (enum gpm_export_value)i);
  uint64_t *entered = gpm_memory_array(c->functions.count, sizeof *entered);
  for (uint32_t n = 0; n < c->x->profile->node_count; n++) {
    uint64_t value[GPM_EXPORT_VALUE_COUNT], any = 0;
    for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++) {
      any |= value[i] = sum[i][n];
      c->total[i] += value[i];
    }
    if (any) add_path(c, n, entered, ++number, value);
  }
  free(entered);
  for (unsigned i = 0; i < GPM_EXPORT_VALUE_COUNT; i++) free(sum[i]);
}

/* ---- numbers of calls -------------------------------------------------------------------------
 */

static void add_calls(struct gpm_call_costs *c, struct gpm_call_cost place, uint64_t calls) {
  struct gpm_call_cost *cost = cost_at(c, place, false);
  if (cost) cost->calls += calls;
}

/* Counts calls of a function or a named block at the innermost of `count` frames, from `first` on.
 */
static void count_calls(struct gpm_call_costs *c, uint32_t callee, uint32_t first, uint32_t count,
                        uint64_t calls) {
  const uint32_t *stack = c->x->frames->stack;
  struct gpm_call_cost place = {.function = c->of_frame[stack[first]],
                                .line = gpm_frames_line(c->x->frames, stack[first]),
                                .callee = callee};
  for (uint32_t i = first; i < count && !place.repeats; i++)
    place.repeats = c->of_frame[stack[i]] == callee;
  add_calls(c, place, calls);
}

/* A named block is called by the lines around it, and calls its own function for its lines. */
static void count_activations(struct gpm_call_costs *c, uint32_t node, uint64_t calls) {
  uint32_t count = gpm_frames_path(c->x->frames, node), above = node;
  uint32_t callee = function_of_scope(c, node, true);
  bool block = c->x->profile->kind[node] == GPUMEMPROF_SITE_BLOCK;
  if (block) count_calls(c, function_of_scope(c, node, false), 0, count, calls);
  if (gpm_frames_above(c->x->frames, &above) != GPUMEMPROF_NONE)
    count_calls(c, callee, block, count, calls);
}

static void add_activations(struct gpm_call_costs *c) {
  struct gpm_activations_at at = {.nodes = {.records = &c->x->reader->nodes}};
  for (struct gpm_activations a; gpm_rows_next_activations(c->x->profile, &at, &a);)
    if (gpm_profile_is_scope(c->x->profile, a.node)) count_activations(c, a.node, a.calls);
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static int compare(uint32_t a, uint32_t b) {
  return a < b ? -1 : a > b;
}

static int in_order(const void *a, const void *b) {
  const struct gpm_call_cost *x = a, *y = b;
  int order = compare(x->function, y->function);
  if (!order) order = compare(x->line, y->line);
  if (!order) order = compare(x->callee + 1, y->callee + 1); /* the line itself first */
  return order ? order : compare(x->repeats, y->repeats);
}

void gpm_call_costs_make(struct gpm_call_costs *c, const struct gpm_export *x) {
  *c = (struct gpm_call_costs){.x = x};
  find_functions(c);
  add_paths(c);
  add_activations(c);
  if (c->count) qsort(c->cost, c->count, sizeof *c->cost, in_order);
}

void gpm_call_costs_free(struct gpm_call_costs *c) {
  gpm_keys_free(&c->functions);
  gpm_map_free(&c->by_content);
  free(c->of_frame);
  free(c->frame_of);
  free(c->start);
  free(c->cost);
}
