/* columns.c - see columns.h. */
#include "rows/columns.h"

#include "rows/locations.h"
#include "rows/operands.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct gpm_column gpm_columns[] = {
#define GPM_FIGURE(key, title, unit, shown, merge, definition)                                     \
  {#key, title, definition, GPM_UNIT_##unit, shown, GPM_MERGE_##merge},
#include "rows/columns.def"
#define GPM_TEXT(key, title, shown, definition)                                                    \
  {#key, title, definition, GPM_UNIT_TEXT, shown, GPM_MERGE_EACH},
#include "rows/columns.def"
    {NULL, NULL, NULL, GPM_UNIT_TEXT, 0, GPM_MERGE_EACH},
};

struct gpm_choice gpm_columns_usual(enum gpm_by by) {
  struct gpm_choice choice = {.count = 0};
  int least = gpm_by_is_flat(by) ? 2 : 1, most = gpm_by_is_flat(by) ? 3 : 2;
  for (unsigned i = 0; i < GPM_COLUMN_COUNT; i++)
    if (gpm_columns[i].shown >= least && gpm_columns[i].shown <= most)
      choice.column[choice.count++] = i;
  return choice;
}

struct gpm_choice gpm_columns_all(void) {
  struct gpm_choice choice = {.count = 0};
  for (unsigned i = GPM_FIGURE_COUNT; i < GPM_COLUMN_COUNT; i++)
    if (i != GPM_TEXT_location) choice.column[choice.count++] = i;
  for (unsigned i = 0; i < GPM_FIGURE_LIFETIMES; i++) choice.column[choice.count++] = i;
  return choice;
}

struct gpm_choice gpm_columns_all_of(enum gpm_by by) {
  struct gpm_choice all = gpm_columns_all(), choice = {.count = 0};
  for (unsigned i = 0; i < all.count; i++)
    if (all.column[i] < GPM_FIGURE_COUNT || gpm_columns_have_locations(by))
      choice.column[choice.count++] = all.column[i];
  return choice;
}

/* Fills `keys` with the keys of the first `count` columns, and ends them with a null. */
static void name_columns(const char **keys, unsigned count) {
  for (unsigned i = 0; i < count; i++) keys[i] = gpm_columns[i].key;
  keys[count] = NULL;
}

char *gpm_columns_find(const char *what, const char *key, unsigned *column) {
  const char *keys[GPM_COLUMN_COUNT + 1];
  size_t found;
  name_columns(keys, GPM_COLUMN_COUNT);
  char *wrong = gpm_text_choose(what, key, keys, &found);
  *column = (unsigned)found;
  return wrong;
}

bool gpm_columns_have_lifetimes(const struct gpm_choice *choice) {
  for (unsigned i = 0; i < choice->count; i++)
    if (gpm_columns_are_lifetimes(choice->column[i])) return true;
  return false;
}

static char *add_column(const char *key, const char *what, const char *const *keys,
                        unsigned *column, unsigned *count) {
  size_t found;
  char *wrong = gpm_text_choose(what, key, keys, &found);
  for (unsigned i = 0; !wrong && i < *count; i++)
    if (column[i] == found) wrong = gpm_memory_format("column `%s` is named twice", key);
  if (!wrong) column[(*count)++] = (unsigned)found;
  return wrong;
}

char *gpm_columns_list(const char *list, const char *what, const char *const *keys,
                       unsigned *column, unsigned *count) {
  char *copy = gpm_memory_text(list), *rest = copy, *wrong = NULL;
  *count = 0;
  for (const char *key; !wrong && (key = strsep(&rest, ","));)
    wrong = add_column(key, what, keys, column, count);
  free(copy);
  return wrong;
}

char *gpm_columns_parse(const char *list, struct gpm_choice *choice) {
  const char *keys[GPM_COLUMN_COUNT + 1];
  name_columns(keys, GPM_COLUMN_COUNT);
  return gpm_columns_list(list, "column", keys, choice->column, &choice->count);
}

bool gpm_columns_are_of_several(unsigned column) {
  return !gpm_columns_are_lifetimes(column) && column != GPM_TEXT_operands &&
         column != GPM_TEXT_source_line;
}

/* Fills in the keys of such columns, ended by a null, and which columns they are. */
static void name_several(const char **keys, unsigned *column) {
  unsigned count = 0;
  for (unsigned i = 0; i < GPM_COLUMN_COUNT; i++) {
    if (!gpm_columns_are_of_several(i)) continue;
    column[count] = i;
    keys[count++] = gpm_columns[i].key;
  }
  keys[count] = NULL;
}

char *gpm_columns_parse_several(const char *list, struct gpm_choice *choice) {
  const char *keys[GPM_COLUMN_COUNT + 1];
  unsigned column[GPM_COLUMN_COUNT];
  name_several(keys, column);
  char *wrong = gpm_columns_list(list, "column", keys, choice->column, &choice->count);
  for (unsigned i = 0; i < choice->count; i++) choice->column[i] = column[choice->column[i]];
  return wrong;
}

char *gpm_columns_find_several(const char *key, unsigned *column) {
  const char *keys[GPM_COLUMN_COUNT + 1];
  unsigned several[GPM_COLUMN_COUNT];
  size_t found = 0;
  name_several(keys, several);
  char *wrong = gpm_text_choose("column", key, keys, &found);
  if (!wrong) *column = several[found];
  return wrong;
}

unsigned gpm_columns_figures(const struct gpm_choice *choice,
                             enum gpm_figure figure[GPM_FIGURE_COUNT]) {
  unsigned count = 0;
  for (unsigned i = 0; i < choice->count; i++)
    if (choice->column[i] < GPM_FIGURE_COUNT) figure[count++] = (enum gpm_figure)choice->column[i];
  return count;
}

void gpm_columns_name_rows(struct gpm_choice *choice) {
  for (unsigned i = 0; i < choice->count; i++)
    if (choice->column[i] >= GPM_FIGURE_COUNT) return;
  choice->column[choice->count++] = GPM_TEXT_location;
}

uint32_t gpm_columns_line(const struct gpm_rows *rows, const struct gpm_row *row) {
  struct gpm_key key = gpm_locations_key(rows, row);
  return rows->by == GPM_BY_FUNCTION ? key.scope_line : key.line;
}

char *gpm_columns_text(const struct gpm_rows *rows, const struct gpm_row *row, unsigned column) {
  const struct gpm_reader *r = rows->profile->reader;
  if (column == GPM_TEXT_location) return gpm_locations_row(rows, row);
  if ((column == GPM_TEXT_variable && rows->by == GPM_BY_VARIABLE) ||
      (column == GPM_TEXT_type && rows->by == GPM_BY_TYPE))
    return gpm_locations_text(r, gpm_locations_name(rows, row));
  struct gpm_key key = gpm_locations_key(rows, row);
  if (column == GPM_TEXT_file) return gpm_locations_text(r, key.file);
  if (column == GPM_TEXT_line) return gpm_memory_format("%u", gpm_columns_line(rows, row));
  if (column == GPM_TEXT_function) {
    char *function = gpm_locations_text(r, key.function), *name = gpm_locations_text(r, key.name);
    char *text = *name ? gpm_memory_format("%s {%s}", function, name) : gpm_memory_text(function);
    free(function);
    free(name);
    return text;
  }
  if (row->site == GPUMEMPROF_NONE) return gpm_memory_text("");
  if (column == GPM_TEXT_operands) return gpm_operands_range(r, row->site);
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, row->site);
  return gpm_locations_text(r, column == GPM_TEXT_variable    ? s->variable
                               : column == GPM_TEXT_size_expr ? s->size_expr
                               : column == GPM_TEXT_type      ? s->type
                               : column == GPM_TEXT_callee    ? s->callee
                                                              : s->source_line);
}

char *gpm_columns_figure(enum gpm_figure figure, int64_t value, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  switch (gpm_columns[figure].unit) {
  case GPM_UNIT_BYTES:
    return gpm_memory_text(gpm_text_bytes(number, value, style));
  case GPM_UNIT_SIGNED:
    return gpm_memory_text(gpm_text_bytes(number, value, style | GPM_TEXT_SIGN));
  case GPM_UNIT_PERCENT:
    return gpm_memory_format("%.2f", (double)value / 100);
  case GPM_UNIT_TIME:
    return gpm_memory_text(gpm_text_duration(number, (uint64_t)value));
  default:
    return gpm_memory_format("%" PRId64, value);
  }
}

char *gpm_columns_cell(const struct gpm_rows *rows, const struct gpm_row *row, unsigned column,
                       unsigned style) {
  if (column >= GPM_FIGURE_COUNT) {
    char *text = gpm_columns_text(rows, row, column);
    if (column != GPM_TEXT_file) return text;
    free(text);
    return gpm_text_file(
        rows->profile->reader->host,
        gpm_reader_string(rows->profile->reader, gpm_locations_key(rows, row).file));
  }
  if (!gpm_row_knows(row, (enum gpm_figure)column)) return gpm_memory_text("-");
  return gpm_columns_figure((enum gpm_figure)column, row->value[column], style);
}

bool gpm_columns_have_calls(const unsigned *column, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (column[i] == GPM_FIGURE_calls || column[i] == GPM_FIGURE_own_peak_max ||
        column[i] == GPM_FIGURE_own_peak_mean || column[i] == GPM_FIGURE_alloc_per_call)
      return true;
  return false;
}
