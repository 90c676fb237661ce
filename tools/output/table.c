/* table.c - see table.h. Only the last column, the location, is long. On a terminal it is cut to
 * the width, so that each row has one line; figures never are. A file or a pipe gets all of it. */
#include "output/table.h"

#include "support/say.h"
#include "support/text.h"
#include "terminal/fit.h"
#include "terminal/terminal.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void gpm_table_failed(void) {
  gpm_say("out of memory for the table; --format csv needs none");
  exit(GPM_EXIT_USAGE);
}

struct libscols_table *gpm_table_empty(void) {
  struct libscols_table *table = scols_new_table();
  if (!table) gpm_table_failed();
  scols_table_enable_colors(table, gpm_terminal_has_colours());
  scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
  scols_table_set_column_separator(table, "  ");
  return table;
}

void gpm_table_column(struct libscols_table *table, const char *title, bool number, bool last) {
  int flags = number ? SCOLS_FL_RIGHT : 0;
  if (!scols_table_new_column(table, title, last ? 0.4 : 0.01, flags)) gpm_table_failed();
}

struct libscols_table *gpm_table_new(const struct gpm_choice *choice, bool tree) {
  struct libscols_table *table = gpm_table_empty();
  for (unsigned i = 0; i < choice->count; i++) {
    const struct gpm_column *column = &gpm_columns[choice->column[i]];
    bool text = column->unit == GPM_UNIT_TEXT, last = i + 1 == choice->count;
    int flags = !text ? SCOLS_FL_RIGHT : tree && last ? SCOLS_FL_TREE : 0;
    if (!scols_table_new_column(table, column->title, text ? 0.4 : 0.01, flags)) gpm_table_failed();
  }
  return table;
}

struct libscols_line *gpm_table_add(struct libscols_table *table, struct libscols_line *above,
                                    const struct gpm_choice *choice, const struct gpm_rows *rows,
                                    const struct gpm_row *row, const char *location,
                                    const char *note, unsigned style) {
  struct libscols_line *line = scols_table_new_line(table, above);
  if (!line) gpm_table_failed();
  unsigned shows_location = choice->count - 1; /* the column that shows `location` */
  for (unsigned i = 0; i < choice->count; i++)
    if (choice->column[i] == GPM_TEXT_location) shows_location = i;
  for (unsigned i = 0; i < choice->count; i++) {
    unsigned column = choice->column[i];
    bool given = location && i == shows_location;
    char *text = given ? gpm_memory_text(location) : gpm_columns_cell(rows, row, column, style);
    if (note && column == GPM_TEXT_location) {
      char *longer = gpm_memory_format("%s  [%s]", text, note);
      free(text);
      text = longer;
    }
    if (scols_line_refer_data(line, i, text)) gpm_table_failed();
    bool red =
        (column == GPM_FIGURE_leaked || column == GPM_FIGURE_leaked_blocks) && row->value[column];
    struct libscols_cell *cell = scols_line_get_cell(line, i);
    if (cell && red) scols_cell_set_color(cell, "red");
  }
  return line;
}

void gpm_table_add_text(struct libscols_table *table, const struct gpm_choice *choice,
                        const char *text) {
  struct libscols_line *line = scols_table_new_line(table, NULL);
  if (!line || scols_line_set_data(line, choice->count - 1, text)) gpm_table_failed();
}

/* The column at which the last one begins, whose title is aligned to the left; 0: not known. */
static uint32_t last_column(struct libscols_table *table, const char *header) {
  size_t columns = scols_table_get_ncols(table);
  struct libscols_column *last = columns ? scols_table_get_column(table, columns - 1) : NULL;
  const char *title = last ? scols_cell_get_data(scols_column_get_header(last)) : NULL;
  if (!title || scols_column_is_right(last)) return 0;
  const char *at = NULL;
  for (const char *next = header; *title && (next = strstr(next, title)); next++) at = next;
  if (!at) return 0;
  char *before = gpm_memory_format("%.*s", (int)(at - header), header);
  uint32_t width = gpm_fit_columns(before);
  free(before);
  return width;
}

enum { LEAST_ROOM = 20 }; /* columns, in which a location can still be recognized */

static void print_fitted(const char *line, uint32_t begin) {
  uint32_t room = gpm_terminal_room();
  size_t skipped = gpm_fit_bytes(line, begin);
  char *last = gpm_fit_location(line + skipped, room - begin);
  printf("%.*s%s\n", (int)skipped, line, last);
  free(last);
}

static void print_lines(struct libscols_table *table, bool fitted) {
  char *text = NULL;
  if (scols_print_table_to_string(table, &text)) gpm_table_failed();
  char *rest = text, *header = strsep(&rest, "\n");
  uint32_t begin = fitted ? last_column(table, header) : 0, room = gpm_terminal_room();
  bool bold = gpm_terminal_has_colours(), cuts = begin && room >= begin + LEAST_ROOM;
  printf("%s%s%s\n", bold ? "\033[1m" : "", header, bold ? "\033[0m" : "");
  for (const char *line; (line = strsep(&rest, "\n"));) {
    if (!rest && !*line) break; /* behind the last newline */
    if (cuts) print_fitted(line, begin);
    else puts(line);
  }
  free(text);
}

void gpm_table_print(struct libscols_table *table) {
  if (scols_table_get_nlines(table)) print_lines(table, false);
  scols_unref_table(table);
}

void gpm_table_print_fitted(struct libscols_table *table) {
  if (scols_table_get_nlines(table)) print_lines(table, true);
  scols_unref_table(table);
}

void gpm_table_print_unit(bool exact) {
  printf("\n%s", exact ? "Sizes in bytes\n" : "");
}

void gpm_table_print_more(uint32_t all, uint32_t shown, const char *what) {
  if (shown < all)
    printf("... and %u more %s%s (--limit 0 shows all)\n", all - shown, what,
           gpm_text_s(all - shown));
}
