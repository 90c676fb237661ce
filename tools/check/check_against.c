/* check_against.c - `gpumemprof check --against BASE`: compares peaks, leaks and each line with
 * those of another run. Lines are matched by the key that `diff` uses (match.h). Only growth of
 * more than --tolerance is a finding. */
#include "capture/identity.h"
#include "check/check_limits.h"
#include "input/command.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>

struct judging {
  struct gpm_limits *limits;
  const struct gpm_check_asked *asked;
  struct gpm_side *base, *side;
  struct gpm_comparison comparison;
  char *base_name;
  unsigned style;
};

/* The limit's name contains no path, so that a CI system recognizes the limit when the base is
 * another file. */
static struct gpm_limit *add(const struct judging *j, enum gpm_rule rule, const char *what) {
  return gpm_limits_add(j->limits, rule,
                        gpm_memory_format("%s at most %s above the base", what,
                                          j->asked->tolerance_as ? j->asked->tolerance_as : "0"));
}

/* While the program runs, a figure that has not grown may still grow, so its limit is undecided and
 * not met. If the base was taken while its own program ran, nothing can be decided. */
static void end_early(const struct judging *j, struct gpm_limit *limit) {
  bool base = gpm_reader_is_midway(j->base->reader);
  if (base) {
    limit->verdict = GPM_VERDICT_UNDECIDED;
    limit->why = "the base's figures are of a moment while its program ran";
  } else if (limit->verdict != GPM_VERDICT_BROKEN && gpm_reader_is_midway(j->side->reader)) {
    limit->verdict = GPM_VERDICT_UNDECIDED;
    limit->why = gpm_limits_midway;
  }
}

static bool grew(const struct judging *j, uint64_t was, uint64_t is) {
  return is > was && gpm_tolerance_exceeded(&j->asked->tolerance, was, is - was);
}

/* Returns "702.31 MiB WHAT, 128.00 MiB more than the 574.31 MiB of base.gmprof". The caller frees
 * it. */
static char *growth(const struct judging *j, const char *what, uint64_t was, uint64_t is) {
  char before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER];
  return gpm_memory_format("%s %s, %s more than the %s of %s",
                           gpm_text_bytes(after, (int64_t)is, j->style), what,
                           gpm_text_bytes(more, (int64_t)(is - was), j->style),
                           gpm_text_bytes(before, (int64_t)was, j->style), j->base_name);
}

/* Only the devices that this run used are compared: no other device can have grown. */
static void judge_peaks(const struct judging *j) {
  const struct gpm_reader *r = j->side->reader;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    const struct gpumemprof_capture_device *d = &r->devices[device];
    uint32_t before = gpm_compare_device(j->base->reader, d->ordinal);
    uint64_t was = before == GPUMEMPROF_NONE ? 0 : j->base->reader->devices[before].peak;
    if (d->ordinal == GPUMEMPROF_CUSTOM || (d->ordinal < 0 && !d->peak && !was)) continue;
    char *name = gpm_locations_device(r, device), *what = gpm_memory_format("peak of %s", name);
    struct gpm_limit *limit = add(j, GPM_RULE_PEAK_GREW, what);
    if (grew(j, was, d->peak)) {
      char *text = growth(j, "at its peak", was, d->peak), *where = NULL;
      if (d->peak_node != GPUMEMPROF_NONE && d->peak_node < j->side->profile->node_count)
        where = gpm_locations_node(j->side->profile, d->peak_node);
      struct gpm_finding *f =
          gpm_limits_find_node(limit, j->side->profile, d->peak_node,
                               gpm_memory_format("%s held %s%s%s", name, text, where ? ", at " : "",
                                                 where ? where : ""));
      f->value = d->peak;
      f->allowed = was;
      free(text);
      free(where);
    }
    end_early(j, limit);
    free(name);
    free(what);
  }
}

/* Returns the line whose leaks grew most, or null: there is none, or lines cannot be compared. */
static const struct gpm_row *worst_leak(const struct judging *j) {
  const struct gpm_comparison *c = &j->comparison;
  const struct gpm_row *worst = NULL;
  int64_t most = 0;
  unsigned nameless;
  if (gpm_compare_nameless(j->base->reader, j->side->reader, &nameless)) return NULL;
  for (uint32_t i = 0; i < c->match.count; i++) {
    int64_t by = gpm_compare_difference(c, &c->match.pair[i], GPM_FIGURE_leaked);
    if (by <= most) continue;
    most = by;
    worst = gpm_compare_row(c, &c->match.pair[i], 1);
  }
  return worst;
}

static void judge_leaks(const struct judging *j) {
  uint64_t was = gpm_compare_totals(j->base).value[GPM_TOTAL_LEAKED],
           is = gpm_compare_totals(j->side).value[GPM_TOTAL_LEAKED];
  struct gpm_limit *limit = add(j, GPM_RULE_LEAKS_GREW, "leaks");
  end_early(j, limit);
  if (limit->verdict == GPM_VERDICT_UNDECIDED || !grew(j, was, is)) return;
  const struct gpm_row *worst = worst_leak(j);
  char *text = growth(j, "leaked", was, is),
       *where = worst ? gpm_locations_row(&j->side->rows, worst) : NULL;
  struct gpm_finding *f = gpm_limits_find_row(
      limit, &j->side->rows, worst,
      gpm_memory_format("%s%s%s", text, where ? "; it grew most at " : "", where ? where : ""));
  f->value = is;
  f->allowed = was;
  free(text);
  free(where);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

struct grown {
  const struct gpm_matched *pair;
  uint64_t by;
};

static int by_growth(const void *a, const void *b) {
  const struct grown *x = a, *y = b;
  if (x->by != y->by) return x->by > y->by ? -1 : 1;
  return x->pair < y->pair ? -1 : x->pair > y->pair;
}

/* If the peaks are those of several devices, the figure is a sum, and no device ever held as
 * much. */
static const char *held_when(const struct judging *j, const struct gpm_matched *pair,
                             const char *what) {
  for (unsigned side = 0; side < 2; side++) {
    const struct gpm_row *row = gpm_compare_row(&j->comparison, pair, side);
    if (row && gpm_row_is_sum(row)) return "at the peaks of several devices, added up";
  }
  return what;
}

static void judge_lines(const struct judging *j, enum gpm_rule rule, enum gpm_figure figure,
                        const char *title, const char *what) {
  const struct gpm_comparison *c = &j->comparison;
  struct gpm_limit *limit = add(j, rule, title);
  unsigned nameless;
  if (gpm_compare_nameless(j->base->reader, j->side->reader, &nameless)) {
    limit->verdict = GPM_VERDICT_UNDECIDED;
    limit->why = nameless ? "the program was replaced since, so its lines have no names"
                          : "the program of the base was replaced, so its lines have no names";
    return;
  }
  struct grown *grown = gpm_memory_array(c->match.count, sizeof *grown);
  size_t count = 0;
  for (uint32_t i = 0; i < c->match.count; i++) {
    const struct gpm_matched *pair = &c->match.pair[i];
    uint64_t was = (uint64_t)gpm_compare_value(c, pair, 0, figure),
             is = (uint64_t)gpm_compare_value(c, pair, 1, figure);
    if (grew(j, was, is)) grown[count++] = (struct grown){pair, is - was};
  }
  if (count) qsort(grown, count, sizeof *grown, by_growth);
  for (size_t i = 0; i < count; i++) {
    const struct gpm_matched *pair = grown[i].pair;
    const struct gpm_row *row = gpm_compare_row(c, pair, 1);
    uint64_t was = (uint64_t)gpm_compare_value(c, pair, 0, figure);
    char *where = gpm_locations_row(&j->side->rows, row), *text, number[GPM_TEXT_NUMBER];
    const char *when = figure == GPM_FIGURE_at_peak ? held_when(j, pair, what) : what;
    if (gpm_compare_row(c, pair, 0)) text = growth(j, when, was, was + grown[i].by);
    else
      text = gpm_memory_format("%s %s, on a line that %s does not have",
                               gpm_text_bytes(number, (int64_t)grown[i].by, j->style), when,
                               j->base_name);
    struct gpm_finding *f =
        gpm_limits_find_row(limit, &j->side->rows, row, gpm_memory_format("%s: %s", where, text));
    f->value = was + grown[i].by;
    f->allowed = was;
    free(where);
    free(text);
  }
  end_early(j, limit);
  free(grown);
}

bool gpm_limits_judge_against(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                              struct gpm_side *side, unsigned style) {
  struct gpm_input input = {.path = asked->against};
  gpm_input_hide_as(&input, asked->opened_as);
  struct gpm_reader *reader = gpm_input_open(&input);
  if (!reader) return false;
  if (!gpm_identity_are_two(side->reader, reader, asked->named, "check")) {
    gpm_reader_close(reader);
    return false;
  }
  struct gpm_side base;
  gpm_side_make(&base, reader, input.filter, GPM_BY_LINE);
  struct judging j = {
      .limits = limits, .asked = asked, .base = &base, .side = side, .style = style};
  j.base_name = gpm_text_path(reader->host, reader->path);
  gpm_compare_make(&j.comparison, &base, side);
  judge_peaks(&j);
  judge_leaks(&j);
  judge_lines(&j, GPM_RULE_AT_PEAK_GREW, GPM_FIGURE_at_peak, "each line at the peak",
              "at the peak");
  judge_lines(&j, GPM_RULE_ALLOCATED_GREW, GPM_FIGURE_self_alloc, "what each line allocates",
              "allocated");
  gpm_compare_free(&j.comparison);
  free(j.base_name);
  gpm_side_free(&base);
  return true;
}
