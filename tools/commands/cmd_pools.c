/* cmd_pools.c - `gpumemprof pools`: what allocators hold, use, and waste in holes. Rows: pools.h.
 */
#include "analysis/pools.h"
#include "input/command.h"
#include "output/json.h"
#include "output/pools_json.h"
#include "output/summary.h"
#include "output/table.h"
#include "print/fields_order.h"
#include "print/selection.h"
#include "support/text.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pools {
  struct gpm_input input;
  struct gpm_fields fields; /* --columns */
  enum gpm_field_id by;     /* --sort */
  uint32_t hidden;          /* by --min */
};

const struct argp_option gpm_cmd_pools_options[] = {
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct pools *o = state->input;
  return gpm_input_parse(key, arg, state, &o->input);
}

/* ---- which, in which order ---------------------------------------------------------------------
 */

/* Fields of figures are in the order of enum gpm_pool_figure. */
static enum gpm_pool_figure figure_of(enum gpm_field_id field) {
  return (enum gpm_pool_figure)(field - GPM_FIELD_pools_used);
}
_Static_assert(GPM_FIELD_pools_device - GPM_FIELD_pools_used == GPM_POOL_FIGURES,
               "fields.def has a field for each figure of a pool");

/* The figure that --min applies to. */
static enum gpm_field_id least_of(const struct pools *o) {
  return gpm_fields[o->by].unit == GPM_UNIT_BYTES ? o->by : GPM_FIELD_pools_reserved_peak;
}

/* Equal ones keep their order; figures that are not known come last. */
static int compare(const void *a, const void *b, void *data) {
  enum gpm_pool_figure f = figure_of(((const struct pools *)data)->by);
  const struct gpm_pool *x = a, *y = b;
  if (gpm_pool_knows(x, f) != gpm_pool_knows(y, f)) return gpm_pool_knows(x, f) ? -1 : 1;
  if (x->value[f] != y->value[f]) return x->value[f] < y->value[f] ? 1 : -1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static void put(struct libscols_line *line, unsigned column, char *text) {
  if (!line || scols_line_refer_data(line, column, text)) gpm_table_failed();
}

static char *figure_text(const struct gpm_pool *row, unsigned c, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  if (!gpm_pool_knows(row, c)) return gpm_memory_text("-");
  if (!gpm_pools_columns[c].bytes) return gpm_memory_format("%" PRIu64, row->value[c]);
  return gpm_memory_text(gpm_text_bytes(number, (int64_t)row->value[c], style));
}

struct printing {
  const struct gpm_pools *pools;
  unsigned style;
};

static char *cell(void *data, uint32_t row, enum gpm_field_id field) {
  const struct printing *p = data;
  const struct gpm_pool *pool = &p->pools->pool[row];
  switch (field) {
  case GPM_FIELD_pools_device:
    return gpm_memory_format("%s%s", pool->device, pool->several_devices ? " ..." : "");
  case GPM_FIELD_pools_name:
    return gpm_memory_text(pool->name);
  case GPM_FIELD_pools_source:
    return gpm_memory_text(pool->source);
  case GPM_FIELD_pools_handle:
    return pool->handle ? gpm_memory_format("0x%" PRIx64, pool->handle) : gpm_memory_text("-");
  default:
    return figure_text(pool, figure_of(field), p->style);
  }
}

/* Pools that are equal in the text keep their order. */
static void sort_by_text(struct gpm_pools *pools, enum gpm_field_id by) {
  struct printing printing = {.pools = pools};
  struct gpm_fields_rows rows = {.cell = cell, .data = &printing};
  uint32_t *order = gpm_fields_order(&rows, pools->count, by);
  struct gpm_pool *sorted = gpm_memory_array(pools->count, sizeof *sorted);
  for (uint32_t i = 0; i < pools->count; i++) sorted[i] = pools->pool[order[i]];
  free(order);
  free(pools->pool);
  pools->pool = sorted;
}

/* Moves the rows that --min hides after the others, whose number becomes `count`. */
static uint32_t arrange(struct pools *o, struct gpm_pools *pools) {
  enum gpm_pool_figure f = figure_of(least_of(o));
  uint32_t large = 0;
  if (gpm_fields_is_text(o->by)) sort_by_text(pools, o->by);
  else if (o->input.sort && pools->count)
    qsort_r(pools->pool, pools->count, sizeof *pools->pool, compare, o);
  for (uint32_t i = 0; i < pools->count; i++) {
    struct gpm_pool one = pools->pool[i];
    if (o->input.least && (!gpm_pool_knows(&one, f) || one.value[f] < o->input.least)) continue;
    memmove(&pools->pool[large + 1], &pools->pool[large], (i - large) * sizeof one);
    pools->pool[large++] = one;
  }
  o->hidden = pools->count - large;
  return large;
}

static void print_rows(const struct gpm_pools *pools, uint32_t count, unsigned style) {
  struct libscols_table *table = gpm_table_empty();
  for (unsigned c = 0; c < GPM_POOL_FIGURES; c++)
    if (gpm_pools_columns[c].title)
      gpm_table_column(table, gpm_pools_columns[c].title, true, false);
  gpm_table_column(table, "device", false, false);
  gpm_table_column(table, "pool", false, true);
  for (size_t i = 0; i < count; i++) {
    const struct gpm_pool *row = &pools->pool[i];
    struct libscols_line *line = scols_table_new_line(table, NULL);
    unsigned at = 0;
    for (unsigned c = 0; c < GPM_POOL_FIGURES; c++)
      if (gpm_pools_columns[c].title) put(line, at++, figure_text(row, c, style));
    put(line, at++, gpm_memory_format("%s%s", row->device, row->several_devices ? " ..." : ""));
    put(line, at,
        row->handle ? gpm_memory_format("%s at 0x%" PRIx64, row->name, row->handle)
                    : gpm_memory_text(row->name));
  }
  gpm_table_print(table);
}

/* Notes about the cost of holes, and about figures that are not known. */
static void print_notes(const struct gpm_pool *row, unsigned style) {
  char need[GPM_TEXT_NUMBER], free_now[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
  const uint64_t *v = row->value;
  if (v[GPM_POOL_GROWTHS])
    printf("%s: grew %" PRIu64 " time%s with free bytes: %" PRIu64
           " with enough in holes too small, %" PRIu64
           " with a hole large enough; the latest for %s, with %s free, %s in the largest hole\n",
           row->name, v[GPM_POOL_GROWTHS], v[GPM_POOL_GROWTHS] == 1 ? "" : "s",
           v[GPM_POOL_FRAGMENTED], v[GPM_POOL_PASSED_OVER],
           gpm_text_bytes(need, (int64_t)v[GPM_POOL_GROWTH_NEED], style),
           gpm_text_bytes(free_now, (int64_t)v[GPM_POOL_GROWTH_FREE], style),
           gpm_text_bytes(hole, (int64_t)v[GPM_POOL_GROWTH_HOLE], style));
  if (v[GPM_POOL_OUTSIDE])
    printf("%s: %s of it lie in memory whose allocation was not seen; reserved is without that\n",
           row->name, gpm_text_bytes(need, (int64_t)v[GPM_POOL_OUTSIDE], style));
}

static void print_table(const struct pools *o, const struct gpm_profile *p,
                        const struct gpm_pools *pools, uint32_t count) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(p, style, o->input.verbose);
  gpm_summary_print_losses(p->reader);
  if (!pools->count) {
    printf("\nno pool of CUDA's was used, and no allocator of the program's own was described; "
           "gpumemprof.h has GPUMEMPROF_ALLOCATES and gpumemprof_pool_create for that\n");
    return;
  }
  uint32_t shown = gpm_input_shown(&o->input, count);
  gpm_table_print_unit(o->input.exact);
  struct printing printing = {pools, style};
  if (o->fields.count) gpm_fields_print(&o->fields, shown, cell, &printing);
  else print_rows(pools, shown, style);
  for (uint32_t i = 0; i < shown; i++) print_notes(&pools->pool[i], style);
  gpm_table_print_more(count, shown, "pool");
  gpm_selection_print_hidden(&o->input, o->hidden, gpm_fields[least_of(o)].title);
}

static void print_json(const struct pools *o, const struct gpm_profile *p,
                       const struct gpm_pools *pools, uint32_t count) {
  uint32_t shown = gpm_input_shown(&o->input, count);
  if (o->input.format == GPM_FORMAT_CSV) gpm_fields_as_csv(&o->fields, "pool");
  gpm_json_begin(p, pools, pools);
  for (uint32_t i = 0; i < shown; i++)
    gpm_json_item(gpm_fields_take(&o->fields, gpm_pools_json(p->reader, &pools->pool[i])), !i);
  gpm_json_end(p);
}

int gpm_cmd_pools_run(const struct gpm_command *command, int argc, char **argv) {
  struct pools o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!gpm_fields_choose(&o.fields, &o.input)) return GPM_EXIT_OK;
  o.by = gpm_fields_sort(&o.input);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  struct gpm_pools pools;
  gpm_pools_make(&pools, reader, &o.input.filter);
  uint32_t count = arrange(&o, &pools);
  gpm_progress(NULL);
  if (o.input.format != GPM_FORMAT_TABLE) print_json(&o, profile, &pools, count);
  else print_table(&o, profile, &pools, count);
  gpm_pools_free(&pools);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return GPM_EXIT_OK;
}
