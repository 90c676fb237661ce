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
  GPM_MERGE_SUM,  /* it counts 0 where a process lacks it, and adds up */
  GPM_MERGE_ZERO, /* it counts 0 there, but a sum means nothing */
  GPM_MERGE_EACH  /* only processes in which it applies count */
};

struct gpm_column {
  const char *key, *title, *definition;
  enum gpm_unit unit;
  int shown;
  enum gpm_merging merge;
};

/* The figures in the order of enum gpm_figure, then the texts; an entry without a key ends them. */
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

/* Return the columns that a table has unless --columns says otherwise, and those of JSON and CSV,
 * which are all but the figures of lifetimes. */
struct gpm_choice gpm_columns_usual(enum gpm_by by);
struct gpm_choice gpm_columns_all(void);
/* Returns the columns of JSON and CSV for rows of that kind. If the rows are not by location, the
 * texts that only locations have are left out. */
struct gpm_choice gpm_columns_all_of(enum gpm_by by);
static inline bool gpm_columns_have_locations(enum gpm_by by) {
  return !gpm_by_is_flat(by) && by != GPM_BY_FILE;
}
/* The figures from here on are those of lifetimes.h. */
enum { GPM_FIGURE_LIFETIMES = GPM_FIGURE_freed_blocks };
static inline bool gpm_columns_are_lifetimes(unsigned column) {
  return column >= GPM_FIGURE_LIFETIMES && column < GPM_FIGURE_COUNT;
}
bool gpm_columns_have_lifetimes(const struct gpm_choice *choice);
/* Parses "a,b,c": each name may occur once and is one of `keys`, which a null ends. Fills `column`
 * with their indices and *count with their number. Returns null, or what is wrong, which the caller
 * frees. The functions below return errors in the same way. */
char *gpm_columns_list(const char *list, const char *what, const char *const *keys,
                       unsigned *column, unsigned *count);
/* Parses a list of columns. */
char *gpm_columns_parse(const char *list, struct gpm_choice *choice);
/* Rows of several captures have neither the figures of lifetimes nor what differs from one capture
 * to another: the operands and the text of the line. */
bool gpm_columns_are_of_several(unsigned column);
/* Parse columns of such rows. */
char *gpm_columns_parse_several(const char *list, struct gpm_choice *choice);
char *gpm_columns_find_several(const char *key, unsigned *column);
/* Fills in the figures of a choice, in order, and returns their number. */
unsigned gpm_columns_figures(const struct gpm_choice *choice,
                             enum gpm_figure figure[GPM_FIGURE_COUNT]);
/* Adds `location` if the choice has no text. */
void gpm_columns_name_rows(struct gpm_choice *choice);
/* what: the noun for a column in the sentence that is returned. */
char *gpm_columns_find(const char *what, const char *key, unsigned *column);

/* These return texts that the caller frees. A figure as tables show it, in a style of text.h. */
char *gpm_columns_figure(enum gpm_figure figure, int64_t value, unsigned style);
/* The text of a table's cell: the figure, or "-" where it does not apply. */
char *gpm_columns_cell(const struct gpm_rows *rows, const struct gpm_row *row, unsigned column,
                       unsigned style);
/* The line of a row of lines, functions or call paths; 0: not known. Takes no memory. */
uint32_t gpm_columns_line(const struct gpm_rows *rows, const struct gpm_row *row);
/* The content of a text column, clean (text.h) and otherwise as it is in the capture. */
char *gpm_columns_text(const struct gpm_rows *rows, const struct gpm_row *row, unsigned column);

/* Returns whether a column says something of calls: their number or what they needed. */
bool gpm_columns_have_calls(const unsigned *column, unsigned count);

#endif
