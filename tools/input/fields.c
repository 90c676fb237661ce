/* fields.c - see fields.h. */
#include "input/fields.h"

#include "input/columns_asked.h"
#include "output/csv.h"
#include "output/table.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

const struct gpm_field gpm_fields[GPM_FIELD_COUNT] = {
#define GPM_FIELD(command, key, title, unit, definition)                                           \
  {#command, #key, title, definition, GPM_UNIT_##unit},
#include "input/fields.def"
};

/* Collects the keys of a command, ended by a null. Returns the first field. The fields of a command
 * are contiguous. */
static unsigned name_fields(const struct gpm_input *input, const char *key[GPM_FIELD_COUNT + 1]) {
  unsigned first = 0, count = 0;
  while (strcmp(gpm_fields[first].command, input->command->name) != 0) first++;
  for (unsigned i = first; i < GPM_FIELD_COUNT; i++) {
    if (strcmp(gpm_fields[i].command, input->command->name) != 0) break;
    key[count++] = gpm_fields[i].key;
  }
  key[count] = NULL;
  return first;
}

bool gpm_fields_are_of(const struct gpm_command *command) {
  for (unsigned i = 0; i < GPM_FIELD_COUNT; i++)
    if (!strcmp(gpm_fields[i].command, command->name)) return true;
  return false;
}

bool gpm_fields_is_text(enum gpm_field_id field) {
  return gpm_fields[field].unit == GPM_UNIT_TEXT;
}

bool gpm_fields_choose(struct gpm_fields *fields, const struct gpm_input *input) {
  fields->count = 0;
  if (!input->columns) return true;
  if (gpm_asked_print_help(input)) return false;
  const char *keys[GPM_FIELD_COUNT + 1];
  unsigned first = name_fields(input, keys), column[GPM_FIELD_COUNT];
  fields->count = gpm_asked_list(input->columns, "column", keys, column);
  for (unsigned i = 0; i < fields->count; i++)
    fields->field[i] = (enum gpm_field_id)(first + column[i]);
  return true;
}

enum gpm_field_id gpm_fields_sort(const struct gpm_input *input) {
  const char *keys[GPM_FIELD_COUNT + 1], *key = input->sort ? input->sort : input->command->sort;
  unsigned first = name_fields(input, keys);
  return (enum gpm_field_id)(first + gpm_say_choice("column", key, keys));
}
