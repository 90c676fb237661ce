/* table.c - see table.h. Lines are never truncated or wrapped to the width of a terminal: only
 * the last column, the location, is long, and the terminal wraps it better than a narrow column
 * would. */
#include "output/table.h"

#include "support/say.h"
#include "support/text.h"
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
    else if (cell && column < GPM_FIGURE_COUNT && gpm_columns[column].unit == GPM_UNIT_SIGNED &&
             row->value[column] < 0)
      scols_cell_set_color(cell, "cyan");
  }
  return line;
}

void gpm_table_add_text(struct libscols_table *table, const struct gpm_choice *choice,
                        const char *text) {
  struct libscols_line *line = scols_table_new_line(table, NULL);
  if (!line || scols_line_set_data(line, choice->count - 1, text)) gpm_table_failed();
}

void gpm_table_print(struct libscols_table *table) {
  if (scols_table_get_nlines(table)) scols_print_table(table);
  scols_unref_table(table);
}

void gpm_table_print_unit(bool exact) {
  printf("\n%s\n", exact ? "Sizes in bytes" : "Sizes in MiB unless a unit is given");
}

void gpm_table_print_more(uint32_t all, uint32_t shown, const char *what) {
  if (shown < all)
    printf("... and %u more %s%s (--limit 0 shows all)\n", all - shown, what,
           gpm_text_s(all - shown));
}
