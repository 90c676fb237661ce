/* small_variables.c - see small_variables.h. */
#include "analysis/small_variables.h"

#include "rows/rows_make.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_VARIABLE 4096u /* bytes: less than a page of the host */
#define MANY_ROWS 3u

static bool may_be(enum gpm_by by) {
  return by == GPM_BY_LINE || by == GPM_BY_PATH || by == GPM_BY_VARIABLE || by == GPM_BY_TYPE;
}

static uint32_t key_of(struct gpm_rows *rows, uint32_t cell,
                       const struct gpumemprof_capture_cell *c) {
  return gpm_by_is_flat(rows->by) ? gpm_rows_flat_key(rows, cell, c)
                                  : rows->grouping.direct[c->node];
}

/* True if nothing else was allocated or freed on the row or below it. */
static bool is_small(const struct gpm_row *row) {
  return !row->value[GPM_FIGURE_failed_calls] &&
         (uint64_t)row->value[GPM_FIGURE_incl_alloc] < SMALL_VARIABLE &&
         (uint64_t)row->value[GPM_FIGURE_incl_freed] < SMALL_VARIABLE &&
         (uint64_t)row->value[GPM_FIGURE_at_peak] < SMALL_VARIABLE;
}

struct found {
  struct gpm_small_variables *of; /* by row */
  uint8_t *other;                 /* by row; 1: not only variables */
};

static struct found begin(uint32_t count) {
  struct found found = {.of = gpm_memory_array(count, sizeof *found.of),
                        .other = gpm_memory_array(count, 1)};
  return found;
}

static void add(struct found *found, uint32_t row, const struct gpumemprof_capture_cell *c) {
  if (c->kind != GPUMEMPROF_KIND_STATIC) found->other[row] = 1;
  found->of[row].variables += c->allocated.blocks;
  found->of[row].bytes += c->allocated.bytes;
}

static void judge(struct found *found, uint32_t number, const struct gpm_row *row) {
  struct gpm_small_variables *of = &found->of[number];
  if (found->other[number] || of->bytes >= SMALL_VARIABLE || !is_small(row))
    *of = (struct gpm_small_variables){0};
}

static struct gpm_small_variables *end(struct found *found) {
  free(found->other);
  return found->of;
}

struct gpm_small_variables *gpm_small_variables_of_rows(struct gpm_rows *rows) {
  struct found found = begin(rows->count);
  if (!may_be(rows->by)) return end(&found);
  struct gpm_cursor at = {.records = &rows->profile->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(rows->profile, &at, &a);) {
    uint32_t key = a.cell->allocated.blocks ? key_of(rows, a.id, a.cell) : GPUMEMPROF_NONE;
    if (key != GPUMEMPROF_NONE) add(&found, key, a.cell);
  }
  for (uint32_t i = 0; i < rows->count; i++) judge(&found, i, &rows->row[i]);
  return end(&found);
}

struct gpm_small_variables *gpm_small_variables_of_paths(const struct gpm_path_rank *rank) {
  const struct gpm_profile *p = rank->profile;
  struct found found = begin(p->node_count);
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);)
    if (a.cell->allocated.blocks) add(&found, a.cell->node, a.cell);
  struct gpm_row row = {0};
  for (uint32_t n = 0; n < p->node_count; n++) {
    if (!found.of[n].variables) continue;
    gpm_path_rank_row(rank, n, &row);
    judge(&found, n, &row);
  }
  return end(&found);
}

/* statics.c and the plugin give variables in device memory this function name. */
bool gpm_small_variables_is_one(const struct gpm_reader *r, uint32_t site, uint64_t bytes) {
  return bytes < SMALL_VARIABLE && site != GPUMEMPROF_NONE &&
         !strcmp(gpm_reader_string(r, gpm_reader_site(r, site)->function), "(static)");
}

bool gpm_small_rows_are_many(const struct gpm_small_rows *t) {
  return t->rows >= MANY_ROWS;
}

void gpm_small_rows_add(struct gpm_small_rows *to, uint64_t variables, uint64_t bytes) {
  to->sum.variables += variables;
  to->sum.bytes += bytes;
  to->rows++;
}

uint32_t gpm_small_rows_leave_out(struct gpm_small_rows *t,
                                  const struct gpm_small_variables *of_row, uint32_t *row,
                                  uint32_t count) {
  struct gpm_small_rows found = {.rows = 0};
  for (uint32_t i = 0; i < count; i++)
    if (of_row[row[i]].variables)
      gpm_small_rows_add(&found, of_row[row[i]].variables, of_row[row[i]].bytes);
  if (!gpm_small_rows_are_many(&found)) return count;
  *t = found;
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!of_row[row[i]].variables) row[left++] = row[i];
  return left;
}
