/* diff_answer.c - the first line of `gpumemprof diff`: by how much the peak of B differs from that
 * of A, and the line that explains it best. See answers.h. */
#include "answers/answers.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>

struct change {
  int ordinal;
  uint64_t before, after;
};

static uint64_t peak_of(const struct gpm_reader *r, int ordinal) {
  uint32_t device = gpm_compare_device(r, ordinal);
  return device == GPUMEMPROF_NONE ? 0 : r->devices[device].peak;
}

static uint64_t size_of(int64_t bytes) {
  return bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
}

static int64_t difference(const struct change *c) {
  return (int64_t)(c->after - c->before);
}

/* Finds the GPU whose peak differs most; a total that is no GPU's only where no GPU has any.
 * Returns how many GPUs have a peak. */
static uint32_t find(const struct gpm_diff *d, struct change *most) {
  uint32_t gpus = 0;
  bool any = false;
  for (unsigned side = 0; side < 2; side++) {
    const struct gpm_reader *r = d->side[side].reader, *other = d->side[!side].reader;
    for (uint32_t i = 0; i < r->device_count; i++) {
      int ordinal = r->devices[r->device_order[i]].ordinal;
      if (side && gpm_compare_device(other, ordinal) != GPUMEMPROF_NONE) continue;
      struct change one = {ordinal, peak_of(d->side[0].reader, ordinal),
                           peak_of(d->side[1].reader, ordinal)};
      if (!one.before && !one.after) continue;
      bool gpu = ordinal >= 0, is_gpu = any && most->ordinal >= 0;
      gpus += gpu;
      if (!any || (gpu && !is_gpu) ||
          (gpu == is_gpu && size_of(difference(&one)) > size_of(difference(most))))
        *most = one;
      any = true;
    }
  }
  return gpus;
}

/* Where wrappers are shown, the line of one says nothing about who needs the memory. */
static bool is_wrapper(const struct gpm_diff *d, const struct gpm_matched *pair) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, gpm_diff_side(pair));
  const struct gpm_reader *r = d->side[gpm_diff_side(pair)].reader;
  return r->responsible && row->site != GPUMEMPROF_NONE &&
         gpm_reader_site(r, row->site)->flags & GPUMEMPROF_SITE_FOR_CALLER;
}

/* By how much a row's figure changed in the direction in which the peak did. */
static int64_t moved(const struct gpm_diff *d, const struct gpm_matched *pair, bool grew,
                     enum gpm_figure figure) {
  int64_t by = gpm_compare_difference(&d->comparison, pair, figure);
  return grew ? by : -by;
}

/* What the row held where it held more. A line holds no more than those that call it. */
static int64_t size_in_larger(const struct gpm_diff *d, const struct gpm_matched *pair, bool grew) {
  return gpm_compare_value(&d->comparison, pair, grew, GPM_FIGURE_at_peak);
}

/* Whether a row says more about the change than another: it held less, so that more of it changed,
 * or if it is the same memory, it allocates that. */
static bool is_closer(const struct gpm_diff *d, const struct gpm_matched *pair,
                      const struct gpm_matched *other, bool grew) {
  int64_t size = size_in_larger(d, pair, grew), than = size_in_larger(d, other, grew);
  if (size != than) return size < than;
  return moved(d, pair, grew, GPM_FIGURE_self_at_peak) >
         moved(d, other, grew, GPM_FIGURE_self_at_peak);
}

/* Of the rows that changed in that direction, the one that did most, by what its calls allocate
 * themselves or by all below them. Null: there is none. */
static const struct gpm_matched *largest(const struct gpm_diff *d, bool grew,
                                         enum gpm_figure figure) {
  const struct gpm_matched *found = NULL;
  for (uint32_t i = 0; i < d->comparison.match.count; i++) {
    const struct gpm_matched *pair = &d->comparison.match.pair[i];
    int64_t of = moved(d, pair, grew, figure);
    if (of <= 0 || is_wrapper(d, pair)) continue;
    if (!found || of > moved(d, found, grew, figure)) found = pair;
  }
  return found;
}

/* The line that explains the change best: the one whose own memory changed by more than half as
 * much as that of any line, or of the rows that changed nearly as much as that, the closest. Main
 * and other callers change with each line that they lead to, and what shrank elsewhere hides what
 * grew. */
static const struct gpm_matched *closest(const struct gpm_diff *d, bool grew) {
  const struct gpm_matched *found = largest(d, grew, GPM_FIGURE_at_peak),
                           *itself = largest(d, grew, GPM_FIGURE_self_at_peak);
  if (!found) return NULL;
  int64_t most = moved(d, found, grew, GPM_FIGURE_at_peak);
  if (itself && moved(d, itself, grew, GPM_FIGURE_self_at_peak) > most / 2) return itself;
  for (uint32_t i = 0; i < d->comparison.match.count; i++) {
    const struct gpm_matched *pair = &d->comparison.match.pair[i];
    int64_t of = moved(d, pair, grew, GPM_FIGURE_at_peak);
    if (of < most - most / 10 || is_wrapper(d, pair)) continue;
    if (is_closer(d, pair, found, grew)) found = pair;
  }
  return found;
}

/* "train.cu:114 main", without what is allocated there. To be freed. */
static char *name_of(const struct gpm_diff *d, const struct gpm_matched *pair) {
  char *file = gpm_diff_text(&d->comparison, pair, GPM_TEXT_file),
       *function = gpm_diff_text(&d->comparison, pair, GPM_TEXT_function);
  unsigned side = gpm_diff_side(pair);
  const struct gpm_rows *rows = &d->side[side].rows;
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  uint32_t line = gpm_columns_line(rows, row);
  free(file);
  file = gpm_columns_cell(rows, row, GPM_TEXT_file, 0);
  char *text = !*file && !*function ? gpm_memory_text("code that was not rebuilt")
               : line && *file      ? gpm_memory_format("%s:%u %s", file, line, function)
                                    : gpm_memory_format("%s%s%s", file, *file ? " " : "", function);
  free(file);
  free(function);
  return text;
}

static void print_line(const struct gpm_diff *d, int64_t change, unsigned style) {
  bool grew = change > 0;
  const struct gpm_matched *pair = closest(d, grew);
  char by[GPM_TEXT_NUMBER];
  if (!pair) return;
  int64_t bytes = gpm_compare_difference(&d->comparison, pair, GPM_FIGURE_at_peak);
  char *where = name_of(d, pair);
  printf(": %s %s by %s", where, grew ? "grew" : "shrank",
         gpm_text_bytes(by, (int64_t)size_of(bytes), style));
  free(where);
}

/* The line, or why there is none. */
static void print_reason(const struct gpm_diff *d, int64_t change, unsigned style) {
  unsigned side;
  const char *path = gpm_compare_nameless(d->side[0].reader, d->side[1].reader, &side);
  if (!path) {
    print_line(d, change, style);
    return;
  }
  char *name = gpm_text_clean(gpm_text_base(path));
  printf("; its lines cannot be compared,\nbecause %s of %c is gone, and its lines have no names: "
         "keep each build in its own folder",
         name, "AB"[side]);
  free(name);
}

void gpm_answers_print_diff(const struct gpm_diff *d, unsigned style) {
  struct change most = {0};
  uint32_t gpus = find(d, &most);
  char number[GPM_TEXT_NUMBER];
  if (!most.before && !most.after) return;
  int64_t by = difference(&most);
  const char *other = gpm_locations_not_gpu(most.ordinal);
  char *name = other ? gpm_memory_text(other) : gpm_memory_format("GPU %d", most.ordinal);
  if (!by && gpus > 1) printf("A and B have the same peak on each GPU");
  else if (!by)
    printf("A and B have the same peak, %s", gpm_text_bytes(number, (int64_t)most.after, style));
  else {
    printf("B needs %s %s at %s%s", gpm_text_bytes(number, (int64_t)size_of(by), style),
           by > 0 ? "more" : "less", gpus > 1 ? "the peak of " : "its peak", gpus > 1 ? name : "");
    print_reason(d, by, style);
  }
  putchar('\n');
  free(name);
}
