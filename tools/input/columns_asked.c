/* columns_asked.c - see columns_asked.h. */
#include "input/columns_asked.h"

#include "input/fields.h"
#include "support/memory.h"
#include "support/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpm_choice gpm_asked_columns(const char *list) {
  struct gpm_choice choice = {.count = 0};
  gpm_say_refuse(gpm_columns_parse(list, &choice));
  return choice;
}

struct gpm_choice gpm_asked_columns_of_several(const char *list, enum gpm_by by) {
  bool named;
  struct gpm_choice choice = {.count = 0};
  char *of_rows = gpm_asked_of_rows(list, by, &named);
  gpm_say_refuse(gpm_columns_parse_several(of_rows, &choice));
  free(of_rows);
  return choice;
}

unsigned gpm_asked_column_of_several(const char *key, enum gpm_by by) {
  bool named;
  unsigned column = 0;
  char *of_rows = gpm_asked_of_rows(key, by, &named);
  gpm_say_refuse(gpm_columns_find_several(of_rows, &column));
  free(of_rows);
  return column;
}

unsigned gpm_asked_column(const char *what, const char *key) {
  unsigned column = 0;
  gpm_say_refuse(gpm_columns_find(what, key, &column));
  return column;
}

/* The kind of rows that the word names, if it is no column as well; else GPM_BY_COUNT. */
static enum gpm_by rows_named(const char *word) {
  for (unsigned i = 0; i < GPM_COLUMN_COUNT; i++)
    if (!strcmp(gpm_columns[i].key, word)) return GPM_BY_COUNT;
  enum gpm_by by = 0;
  while (by < GPM_BY_COUNT && strcmp(gpm_rows_by(by), word) != 0) by++;
  return by;
}

char *gpm_asked_of_rows(const char *list, enum gpm_by by, bool *named) {
  char *copy = gpm_memory_text(list), *rest = copy, *text = gpm_memory_text("");
  *named = false;
  for (const char *word; (word = strsep(&rest, ","));) {
    enum gpm_by is = rows_named(word);
    if (is != GPM_BY_COUNT && is != by) {
      gpm_say("rows by %s have no column `%s`: `report --by %s` has a row for each",
              gpm_rows_by(by), word, word);
      exit(GPM_EXIT_USAGE);
    }
    *named |= is == by;
    char *longer =
        gpm_memory_format("%s%s%s", text, word == copy ? "" : ",", is == by ? "location" : word);
    free(text);
    text = longer;
  }
  free(copy);
  return text;
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
