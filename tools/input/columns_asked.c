/* columns_asked.c - see columns_asked.h. */
#include "input/columns_asked.h"

#include "input/fields.h"
#include "support/say.h"

#include <stdio.h>
#include <string.h>

struct gpm_choice gpm_asked_columns(const char *list) {
  struct gpm_choice choice = {.count = 0};
  gpm_say_refuse(gpm_columns_parse(list, &choice));
  return choice;
}

struct gpm_choice gpm_asked_columns_of_several(const char *list) {
  struct gpm_choice choice = {.count = 0};
  gpm_say_refuse(gpm_columns_parse_several(list, &choice));
  return choice;
}

unsigned gpm_asked_column_of_several(const char *key) {
  unsigned column = 0;
  gpm_say_refuse(gpm_columns_find_several(key, &column));
  return column;
}

unsigned gpm_asked_column(const char *what, const char *key) {
  unsigned column = 0;
  gpm_say_refuse(gpm_columns_find(what, key, &column));
  return column;
}

bool gpm_asked_help(const char *columns) {
  return columns && !strcmp(columns, "help");
}

bool gpm_asked_has_column(const struct gpm_command *command, unsigned column) {
  bool several = !strcmp(command->name, "merge") || !strcmp(command->name, "diff");
  return !several || gpm_columns_are_of_several(column);
}

static void print_column(const char *key, const char *title, int width, const char *definition) {
  printf("%-17s %-*s %s\n", key, width, title, definition);
}

bool gpm_asked_print_help(const struct gpm_input *input) {
  if (!gpm_asked_help(input->columns)) return false;
  const struct gpm_command *command = input->command;
  bool fields = gpm_fields_are_of(command);
  for (const struct gpm_field *f = gpm_fields; fields && f < gpm_fields + GPM_FIELD_COUNT; f++)
    if (!strcmp(f->command, command->name)) print_column(f->key, f->title, 20, f->definition);
  for (unsigned i = 0; !fields && i < GPM_COLUMN_COUNT; i++)
    if (gpm_asked_has_column(command, i))
      print_column(gpm_columns[i].key, gpm_columns[i].title, 16, gpm_columns[i].definition);
  return true;
}

unsigned gpm_asked_list(const char *list, const char *what, const char *const *keys,
                        unsigned *column) {
  unsigned count = 0;
  gpm_say_refuse(gpm_columns_list(list, what, keys, column, &count));
  return count;
}
