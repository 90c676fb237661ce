/* step_order.c - the order of the steps of a finding (advice.h): each is the one of those left with
 * which the peak falls furthest; but at one place in the program, memory is freed before other
 * memory is allocated, as the peak would stay otherwise.
 */
#include "advice/advice.h"

#include <stdlib.h>

/* Trying each step as the next one takes the square of their number. If that is more work than
 * this, they are ordered by their bytes. */
enum { MOST_TRIED = 1000000 };

/* Whether a step is better than another one that leaves that peak. */
static bool is_better(const struct gpm_line_change *a, int64_t peak_of_a,
                      const struct gpm_line_change *b, int64_t peak_of_b) {
  if (peak_of_a != peak_of_b) return peak_of_a < peak_of_b;
  if (a->bytes != b->bytes) return a->bytes > b->bytes;
  return a->byte_positions > b->byte_positions;
}

/* Moves the best next step to place `at`, by trying each. */
static void choose(struct gpm_line_changes *c, uint32_t *step, uint32_t at, uint32_t count) {
  uint32_t best = at;
  int64_t lowest = 0;
  for (uint32_t i = at; i < count; i++) {
    gpm_line_changes_make(c, step[i]);
    int64_t peak = gpm_peaks_now(&c->peaks);
    gpm_line_changes_unmake(c, step[i]);
    if (i > at && !is_better(&c->change[step[i]], peak, &c->change[step[best]], lowest)) continue;
    best = i;
    lowest = peak;
  }
  uint32_t chosen = step[best];
  step[best] = step[at];
  step[at] = chosen;
}

static int largest_first(const void *a, const void *b, void *data) {
  const struct gpm_line_changes *c = data;
  const uint32_t *x = a, *y = b;
  if (is_better(&c->change[*x], 0, &c->change[*y], 0)) return -1;
  if (is_better(&c->change[*y], 0, &c->change[*x], 0)) return 1;
  return *x < *y ? -1 : *x > *y;
}

/* ---- frees before allocations ------------------------------------------------------------------
 */

struct frees_first {
  const struct gpm_line_changes *c;
  const uint32_t *step;
  uint32_t *next; /* the next step that frees at the same place, or NONE */
  bool *listed;
  struct gpm_map free; /* by place: the first such step */
  uint32_t *order, count;
};

/* Return the place where a change has memory freed, or allocated, or NONE. */
static uint32_t frees_at(const struct gpm_line_change *c) {
  switch (c->rule) {
  case GPM_ADVICE_LATE_FREE:
  case GPM_ADVICE_NEVER_FREED:
  case GPM_ADVICE_IDLE:
  case GPM_ADVICE_IDLE_COPY:
  case GPM_ADVICE_IDLE_OUT:
    return c->frees;
  default:
    return GPUMEMPROF_NONE;
  }
}
static uint32_t allocates_at(const struct gpm_line_change *c) {
  switch (c->rule) {
  case GPM_ADVICE_EARLY_ALLOC:
  case GPM_ADVICE_EARLY_ALLOC_FILL:
  case GPM_ADVICE_IDLE:
  case GPM_ADVICE_IDLE_COPY:
    return c->allocates;
  default:
    return GPUMEMPROF_NONE;
  }
}

/* Lists a step, behind those that free memory where it allocates. */
static void list(struct frees_first *f, uint32_t i) {
  if (f->listed[i]) return;
  f->listed[i] = true;
  uint32_t place = allocates_at(&f->c->change[f->step[i]]), none = GPUMEMPROF_NONE;
  uint32_t k = place == none ? none : (uint32_t)gpm_map_find(&f->free, place + (uint64_t)1, none);
  for (; k != none; k = f->next[k]) list(f, k);
  f->order[f->count++] = f->step[i];
}

static void put_frees_first(const struct gpm_line_changes *c, uint32_t *step, uint32_t count) {
  struct frees_first f = {.c = c,
                          .step = step,
                          .next = gpm_memory_array(count, sizeof *f.next),
                          .listed = gpm_memory_array(count, sizeof *f.listed),
                          .order = gpm_memory_array(count, sizeof *f.order)};
  for (uint32_t i = count; i-- > 0;) {
    uint32_t place = frees_at(&c->change[step[i]]);
    if (place == GPUMEMPROF_NONE) continue;
    uint64_t *first = gpm_map_at(&f.free, place + (uint64_t)1, GPUMEMPROF_NONE);
    f.next[i] = (uint32_t)*first;
    *first = i;
  }
  for (uint32_t i = 0; i < count; i++) list(&f, i);
  for (uint32_t i = 0; i < count; i++) step[i] = f.order[i];
  gpm_map_free(&f.free);
  free(f.next);
  free(f.listed);
  free(f.order);
}

void gpm_advice_order_steps(struct gpm_line_changes *c, uint32_t *step, uint32_t count) {
  uint64_t blocks = 0;
  for (uint32_t i = 0; i < count; i++) blocks += c->change[step[i]].blocks;
  if (blocks * count > MOST_TRIED) qsort_r(step, count, sizeof *step, largest_first, c);
  else {
    for (uint32_t i = 0; i < count; i++) {
      choose(c, step, i, count);
      gpm_line_changes_make(c, step[i]);
    }
    for (uint32_t i = 0; i < count; i++) gpm_line_changes_unmake(c, step[i]);
  }
  put_frees_first(c, step, count);
}
