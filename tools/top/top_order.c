/* top_order.c - see top_order.h. The screen and --once call it for each refresh. */
#include "top/top_order.h"

#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gpm_top_column_text gpm_top_columns[] = {
#define GPM_TOP_COLUMN(name, title, width, key, definition) {#name, title, definition, width, key},
#include "top/top_columns.def"
    {NULL, NULL, NULL, 0, 0},
};

const char *gpm_top_title(const struct gpm_top *t, enum gpm_top_column column) {
  if (column == GPM_TOP_old && !gpm_reader_is_midway(t->reader) && !gpm_top_runs(t))
    return "LEAKED";
  return gpm_top_columns[column].title;
}

/* ---- figures -----------------------------------------------------------------------------------
 */

/* The bytes that were never freed. A line has no row if a reset cleared its figures. */
static int64_t leaked(const struct gpm_top *t, uint32_t line) {
  return t->row[line] == GPUMEMPROF_NONE ? 0 : gpm_top_row(t, line)->value[GPM_FIGURE_leaked];
}

/* Bytes or blocks; false: the figure is not known, or is not an integer. */
static bool whole_figure(const struct gpm_top *t, uint32_t line, enum gpm_top_column column,
                         int64_t *value) {
  const struct gpm_top_model *m = &t->model;
  const struct gpm_top_change *c = &m->line[line];
  switch (column) {
  case GPM_TOP_live:
    *value = (int64_t)c->now.live;
    return true;
  case GPM_TOP_share:
    *value = (int64_t)gpm_top_share(t, t->figures[line].at_peak);
    return t->peaks != 0;
  case GPM_TOP_live_peak:
    *value = (int64_t)t->figures[line].most;
    return t->figures[line].has_most;
  case GPM_TOP_growth:
    *value = c->growth;
    return m->has_before;
  case GPM_TOP_change:
    *value = c->change;
    return m->has_before;
  case GPM_TOP_blocks:
    *value = (int64_t)c->now.blocks;
    return true;
  case GPM_TOP_old:
    *value = (int64_t)c->old;
    if (gpm_reader_is_midway(t->reader) || gpm_top_runs(t)) return m->has_old;
    *value = leaked(t, line);
    return true;
  default:
    return false;
  }
}

bool gpm_top_figure(const struct gpm_top *t, uint32_t line, enum gpm_top_column column,
                    double *value) {
  int64_t whole;
  if (column == GPM_TOP_allocations) {
    *value = t->model.line[line].allocations;
    return t->model.has_rates;
  }
  bool known = whole_figure(t, line, column, &whole);
  *value = known ? (double)whole : 0;
  return known;
}

char *gpm_top_cell(struct gpm_top *t, uint32_t line, enum gpm_top_column column, bool exact) {
  char number[GPM_TEXT_NUMBER];
  double rate;
  int64_t whole = 0;
  if (column == GPM_TOP_place) return gpm_memory_text(gpm_top_place(t, line));
  if (!gpm_top_figure(t, line, column, &rate)) return gpm_memory_text("-");
  whole_figure(t, line, column, &whole);
  bool sign = column == GPM_TOP_growth || column == GPM_TOP_change;
  if (column == GPM_TOP_share) snprintf(number, sizeof number, "%.1f", (double)whole / 100);
  else if (column == GPM_TOP_allocations) gpm_text_short_count(number, rate);
  else if (column == GPM_TOP_blocks && exact) snprintf(number, sizeof number, "%" PRId64, whole);
  else if (column == GPM_TOP_blocks) gpm_text_short_count(number, (double)whole);
  else if (exact) gpm_text_bytes(number, whole, GPM_TEXT_EXACT | (sign ? GPM_TEXT_SIGN : 0));
  else gpm_text_short_bytes(number, whole, sign ? GPM_TEXT_SIGN : 0);
  return gpm_memory_text(number);
}

/* ---- order -------------------------------------------------------------------------------------
 */

struct sorting {
  struct gpm_top *top;
  const struct gpm_top_order *order;
};

static int by_number(double a, double b) {
  return a < b ? 1 : a > b ? -1 : 0;
}

/* Lines with unknown figures come last. Equal ones are ordered by live bytes, then by location, so
 * that two refreshes with the same figures have the same order. */
static int compare(const void *a, const void *b, void *data) {
  const struct sorting *s = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  double one, other;
  int by = 0;
  if (s->order->sort == GPM_TOP_place)
    by = strcmp(gpm_top_place(s->top, x), gpm_top_place(s->top, y));
  else {
    bool known = gpm_top_figure(s->top, x, s->order->sort, &one);
    bool too = gpm_top_figure(s->top, y, s->order->sort, &other);
    if (known != too) return known ? -1 : 1;
    by = by_number(one, other);
  }
  if (by) return s->order->inverted ? -by : by;
  const struct gpm_top_change *lines = s->top->model.line;
  by = by_number((double)lines[x].now.live, (double)lines[y].now.live);
  return by ? by : strcmp(s->top->lines.text[x], s->top->lines.text[y]);
}

bool gpm_top_matches(struct gpm_top *t, uint32_t line, const char *text) {
  return strcasestr(gpm_top_place(t, line), text) != NULL;
}

uint32_t *gpm_top_sort(struct gpm_top *t, const struct gpm_top_order *order, uint32_t *count) {
  uint32_t *lines = gpm_memory_array(t->count, sizeof *lines);
  struct sorting sorting = {t, order};
  *count = 0;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->allocates[i] && (!*order->filter || gpm_top_matches(t, i, order->filter)))
      lines[(*count)++] = i;
  if (*count) qsort_r(lines, *count, sizeof *lines, compare, &sorting);
  return lines;
}
