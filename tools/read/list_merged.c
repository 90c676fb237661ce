/* list_merged.c - the rows of all captures of a reader as one list: a parallel job. See list.h.
 *
 *   texts of the row | line | processes | KEY.sum, KEY.min and KEY.max of each figure
 *
 * The list needs no open capture, as rows are identified by their texts (comparison/merged.h).
 */
#include "read/list.h"

#include "comparison/merged.h"
#include "rows/columns.h"

enum { LOCATION, FIRST_TEXT, LINE = FIRST_TEXT + GPM_MERGED_TEXTS, PROCESSES, FIRST_FIGURE };
enum { MERGED_COLUMNS = FIRST_FIGURE + 3 * GPM_FIGURE_LIFETIMES };
_Static_assert((int)MERGED_COLUMNS < (int)GPM_LIST_COLUMNS,
               "columns of merged rows have their own numbers");

struct merging {
  struct gpm_merged merged;
  struct gpm_paths paths;
  enum gpm_figure figure[GPM_FIGURE_LIFETIMES];
  struct gpm_list_column column[MERGED_COLUMNS];
  char *key[3 * GPM_FIGURE_LIFETIMES];
};

/* ---- columns -----------------------------------------------------------------------------------
 */

static enum gpumemprof_read_unit unit_of(enum gpm_unit unit) {
  static const enum gpumemprof_read_unit units[] = {
      [GPM_UNIT_BYTES] = GPUMEMPROF_READ_BYTES, [GPM_UNIT_SIGNED] = GPUMEMPROF_READ_SIGNED_BYTES,
      [GPM_UNIT_COUNT] = GPUMEMPROF_READ_COUNT, [GPM_UNIT_PERCENT] = GPUMEMPROF_READ_PERCENT,
      [GPM_UNIT_TIME] = GPUMEMPROF_READ_NS,     [GPM_UNIT_TEXT] = GPUMEMPROF_READ_TEXT};
  return units[unit];
}

static struct gpm_list_column column_of(unsigned column) {
  const struct gpm_column *c = &gpm_columns[column];
  return (struct gpm_list_column){c->key, c->definition, unit_of(c->unit)};
}

static void name_columns(struct merging *m) {
  static const char *const of_merged[] = {"sum", "min", "max"};
  m->column[LOCATION] = column_of(GPM_TEXT_location);
  for (unsigned i = 0; i < GPM_MERGED_TEXTS; i++)
    m->column[FIRST_TEXT + i] = column_of(gpm_merged_columns[i]);
  m->column[LINE] = (struct gpm_list_column){"line", "line number", GPUMEMPROF_READ_NUMBER};
  m->column[PROCESSES] =
      (struct gpm_list_column){"processes", "captures that have the row", GPUMEMPROF_READ_COUNT};
  for (unsigned f = 0; f < GPM_FIGURE_LIFETIMES; f++) {
    struct gpm_list_column *to = &m->column[FIRST_FIGURE + 3 * f];
    m->figure[f] = (enum gpm_figure)f;
    for (unsigned which = 0; which < 3; which++) {
      to[which] = column_of(f);
      to[which].key = m->key[3 * f + which] =
          gpm_memory_format("%s.%s", gpm_columns[f].key, of_merged[which]);
    }
  }
}

/* ---- values ------------------------------------------------------------------------------------
 */

/* Sums are known only for figures that add up. */
static bool merged_number(const struct gpumemprof_read_list *l, uint32_t item, int column,
                          int64_t *number) {
  const struct merging *m = l->data;
  const struct gpm_merged_row *row = &m->merged.row[item];
  if (column == LINE || column == PROCESSES) {
    *number = column == LINE ? row->line : row->processes;
    return *number != 0;
  }
  unsigned figure = (unsigned)(column - FIRST_FIGURE) / 3,
           which = (unsigned)(column - FIRST_FIGURE) % 3;
  const struct gpm_merged_figure *v = gpm_merged_value(&m->merged, item, figure);
  *number = which == 0 ? (int64_t)v->sum : which == 1 ? v->min : v->max;
  return v->known && (which || gpm_columns[figure].merge == GPM_MERGE_SUM);
}

static char *merged_text(const struct gpumemprof_read_list *l, uint32_t item, int column) {
  const struct merging *m = l->data;
  const struct gpm_merged_row *row = &m->merged.row[item];
  if (column == LOCATION && row->path != GPUMEMPROF_NONE)
    return gpm_paths_text(&m->paths, row->path);
  uint32_t word = column == LOCATION ? row->location : row->text[column - FIRST_TEXT];
  return gpm_memory_text(m->merged.words.text[word]);
}

static void drop(void *arguments) {
  struct merging *m = arguments;
  gpm_merged_free(&m->merged);
  gpm_paths_free(&m->paths);
  for (size_t i = 0; i < sizeof m->key / sizeof *m->key; i++) free(m->key[i]);
  free(m);
}

/* ---- making ------------------------------------------------------------------------------------
 */

static void add(struct merging *m, const struct gpm_read_capture *capture, uint32_t number) {
  struct gpm_rows rows;
  gpm_rows_make(&rows, capture->profile, m->merged.by);
  uint32_t *path_of_node = gpm_paths_add(&m->paths, capture->profile);
  gpm_merged_add(&m->merged, &rows, number, path_of_node);
  free(path_of_node);
  gpm_rows_free(&rows);
}

struct ask {
  struct gpumemprof_read *reader;
  enum gpumemprof_read_by by;
  struct gpumemprof_read_list *list;
};

static int make_merged(void *arguments) {
  struct ask *a = arguments;
  enum gpm_by by = (enum gpm_by)a->by;
  if ((unsigned)a->by >= GPM_BY_COUNT || !gpm_by_merges(by))
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "captures are not merged by stream, size or thread, nor by %d",
                         (int)a->by);
  struct merging *m = gpm_memory_array(1, sizeof *m);
  name_columns(m);
  m->merged.by = by;
  m->merged.figure = m->figure;
  m->merged.figures = GPM_FIGURE_LIFETIMES;
  for (uint32_t i = 0; i < a->reader->captures; i++) add(m, a->reader->capture[i], i);
  gpm_merged_end(&m->merged, a->reader->captures);
  a->list = gpm_list_new(a->reader, NULL, m->column, MERGED_COLUMNS);
  a->list->data = m;
  a->list->drop = drop;
  a->list->number = merged_number;
  a->list->text = merged_text;
  gpm_list_items(a->list, m->merged.count);
  return GPUMEMPROF_READ_OK;
}

struct gpumemprof_read_list *gpumemprof_read_merge(struct gpumemprof_read *r,
                                                   enum gpumemprof_read_by by) {
  struct ask a = {.reader = r, .by = by};
  return gpm_read_call(r, make_merged, &a) ? NULL : a.list;
}
