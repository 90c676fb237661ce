/* columns.h - the columns of columns.def: which of them a report shows, and the text of their
 * cells. */
#ifndef GPM_TOOLS_COLUMNS_H
#define GPM_TOOLS_COLUMNS_H

#include "rows/rows.h"

enum gpm_unit {
  GPM_UNIT_BYTES,
  GPM_UNIT_SIGNED,
  GPM_UNIT_COUNT,
  GPM_UNIT_PERCENT,
  GPM_UNIT_TIME,
  GPM_UNIT_TEXT
};

/* How a figure is merged over several processes. */
enum gpm_merging {
  GPM_MERGE_SUM,  /* counts 0 where a process lacks it, and adds up */
  GPM_MERGE_ZERO, /* counts 0 there, but a sum means nothing */
  GPM_MERGE_EACH  /* only of processes in which it applies */
};

struct gpm_column {
  const char *key, *title, *definition;
  enum gpm_unit unit;
  int shown;
  enum gpm_merging merge;
};

/* Figures first, in the order of enum gpm_figure, then texts; ended by an entry without a key. */
extern const struct gpm_column gpm_columns[];
enum gpm_text_column {
  GPM_TEXT_COLUMN_FIRST = GPM_FIGURE_COUNT - 1,
#define GPM_TEXT(key, title, shown, definition) GPM_TEXT_##key,
#include "rows/columns.def"
  GPM_COLUMN_COUNT
};

/* A choice of columns, in order. */
struct gpm_choice {
  unsigned column[GPM_COLUMN_COUNT];
  unsigned count;
};

struct gpm_choice gpm_columns_usual(enum gpm_by by); /* of tables */
struct gpm_choice gpm_columns_all(void);             /* of JSON and CSV: not lifetimes' */
/* The same for rows of that kind; unless they are by location, without the texts that only
 * locations have. */
struct gpm_choice gpm_columns_all_of(enum gpm_by by);
static inline bool gpm_columns_have_places(enum gpm_by by) {
  return !gpm_by_is_flat(by) && by != GPM_BY_FILE;
}
/* Figures from here on are those of lifetimes.h. */
enum { GPM_FIGURE_LIFETIMES = GPM_FIGURE_freed_blocks };
static inline bool gpm_columns_are_lifetimes(unsigned column) {
  return column >= GPM_FIGURE_LIFETIMES && column < GPM_FIGURE_COUNT;
}
bool gpm_columns_have_lifetimes(const struct gpm_choice *choice);
/* "a,b,c", each once, of keys that a null ends: which they are, and how many. Null, or what is
 * wrong, to be freed; so do all that follow. */
char *gpm_columns_list(const char *list, const char *what, const char *const *keys,
                       unsigned *column, unsigned *count);
/* The same of all columns. */
char *gpm_columns_parse(const char *list, struct gpm_choice *choice);
/* The same for figures only, without those of lifetimes. */
char *gpm_columns_figures(const char *list, enum gpm_figure figure[GPM_FIGURE_COUNT],
                          unsigned *count);
char *gpm_columns_find_figure(const char *key, enum gpm_figure *figure);
/* what: its noun in the sentence. */
char *gpm_columns_find(const char *what, const char *key, unsigned *column);

/* A figure formatted for tables, in the style of text.h; to be freed. */
char *gpm_columns_figure(enum gpm_figure figure, int64_t value, unsigned style);
/* The text of a table's cell: the figure, or "-" where it does not apply; to be freed. */
char *gpm_columns_cell(const struct gpm_rows *rows, const struct gpm_row *row, unsigned column,
                       unsigned style);
/* A text column's content, as it is in the capture but clean; to be freed. */
char *gpm_columns_text(const struct gpm_rows *rows, const struct gpm_row *row, unsigned column);

#endif
