/* columns_asked.c - see columns_asked.h. */
#include "input/columns_asked.h"

#include "support/say.h"

#include <string.h>

struct gpm_choice gpm_asked_columns(const char *list) {
  struct gpm_choice choice = {.count = 0};
  gpm_say_refuse(gpm_columns_parse(list, &choice));
  return choice;
}

unsigned gpm_asked_figures(const char *list, enum gpm_figure figure[GPM_FIGURE_COUNT]) {
  unsigned count = 0;
  gpm_say_refuse(gpm_columns_figures(list, figure, &count));
  return count;
}

enum gpm_figure gpm_asked_figure(const char *key) {
  enum gpm_figure figure = GPM_FIGURE_COUNT;
  gpm_say_refuse(gpm_columns_find_figure(key, &figure));
  return figure;
}

unsigned gpm_asked_column(const char *what, const char *key) {
  unsigned column = 0;
  gpm_say_refuse(gpm_columns_find(what, key, &column));
  return column;
}

bool gpm_asked_help(const char *columns) {
  return columns && !strcmp(columns, "help");
}

unsigned gpm_asked_list(const char *list, const char *what, const char *const *keys,
                        unsigned *column) {
  unsigned count = 0;
  gpm_say_refuse(gpm_columns_list(list, what, keys, column, &count));
  return count;
}
