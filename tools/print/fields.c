/* fields.c - see fields.h. */
#include "print/fields.h"
#include "input/columns_asked.h"

#include "output/table.h"
#include "support/memory.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gpm_field gpm_fields[GPM_FIELD_COUNT] = {
#define GPM_FIELD(command, key, title, unit, definition)                                           \
  {#command, #key, title, definition, GPM_UNIT_##unit},
#include "output/fields.def"
};

/* The keys of a command, ended by a null: its fields stand together. Returns the first field. */
static unsigned name_fields(const struct gpm_input *input, bool figures,
                            const char *key[GPM_FIELD_COUNT + 1]) {
  unsigned first = 0, count = 0;
  while (strcmp(gpm_fields[first].command, input->command->name) != 0) first++;
  for (unsigned i = first; i < GPM_FIELD_COUNT; i++) {
    if (strcmp(gpm_fields[i].command, input->command->name) != 0) break;
    if (!figures || gpm_fields[i].unit != GPM_UNIT_TEXT) key[count++] = gpm_fields[i].key;
  }
  key[count] = NULL;
  return first;
}

static void help(const struct gpm_input *input) {
  for (unsigned i = 0; i < GPM_FIELD_COUNT; i++)
    if (!strcmp(gpm_fields[i].command, input->command->name))
      printf("%-17s %-20s %s\n", gpm_fields[i].key, gpm_fields[i].title, gpm_fields[i].definition);
}

bool gpm_fields_choose(struct gpm_fields *fields, const struct gpm_input *input) {
  fields->count = 0;
  if (!input->columns) return true;
  if (!strcmp(input->columns, "help")) return help(input), false;
  const char *keys[GPM_FIELD_COUNT + 1];
  unsigned first = name_fields(input, false, keys), column[GPM_FIELD_COUNT];
  fields->count = gpm_asked_list(input->columns, "column", keys, column);
  for (unsigned i = 0; i < fields->count; i++)
    fields->field[i] = (enum gpm_field_id)(first + column[i]);
  return true;
}

static enum gpm_field_id field_called(const struct gpm_input *input, const char *key) {
  unsigned i = 0;
  while (strcmp(gpm_fields[i].command, input->command->name) != 0 ||
         strcmp(gpm_fields[i].key, key) != 0)
    i++;
  return (enum gpm_field_id)i;
}

enum gpm_field_id gpm_fields_sort(const struct gpm_input *input) {
  const char *keys[GPM_FIELD_COUNT + 1], *key = input->sort ? input->sort : input->command->sort;
  name_fields(input, true, keys);
  return field_called(input, keys[gpm_say_choice("column of figures", key, keys)]);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static void take(json_t *from, json_t *to, const char *key) {
  json_t *value = json_object_get(from, key);
  if (value) json_object_set(to, key, value);
}

json_t *gpm_fields_take(const struct gpm_fields *fields, json_t *item) {
  static const char *const place[] = {"file", "line", "function", "variable", "size_expr", "type"};
  if (!fields->count) return item;
  json_t *taken = json_object();
  for (unsigned i = 0; i < fields->count; i++) {
    const char *key = gpm_fields[fields->field[i]].key;
    bool location = !strcmp(key, "location");
    for (size_t k = 0; location && k < sizeof place / sizeof *place; k++)
      take(item, taken, place[k]);
    if (!location) take(item, taken, key);
  }
  json_decref(item);
  return taken;
}

void gpm_fields_print(const struct gpm_fields *fields, uint32_t rows,
                      char *(*cell)(void *data, uint32_t row, enum gpm_field_id field),
                      void *data) {
  struct libscols_table *table = gpm_table_empty();
  for (unsigned i = 0; i < fields->count; i++) {
    const struct gpm_field *f = &gpm_fields[fields->field[i]];
    gpm_table_column(table, f->title, f->unit != GPM_UNIT_TEXT, i + 1 == fields->count);
  }
  for (uint32_t row = 0; row < rows; row++) {
    struct libscols_line *line = scols_table_new_line(table, NULL);
    for (unsigned i = 0; i < fields->count; i++)
      if (!line || scols_line_refer_data(line, i, cell(data, row, fields->field[i])))
        gpm_table_failed();
  }
  gpm_table_print(table);
}
