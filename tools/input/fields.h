/* fields.h - parses `--columns` and `--sort` of commands whose rows are not those of a report
 * (fields.def). Commands with rows of a report use columns.h. */
#ifndef GPM_TOOLS_FIELDS_H
#define GPM_TOOLS_FIELDS_H

#include "input/command.h"
#include "rows/columns.h"

/* GPM_FIELD_matrix_bytes, ... */
enum gpm_field_id {
#define GPM_FIELD(command, key, title, unit, definition) GPM_FIELD_##command##_##key,
#include "input/fields.def"
  GPM_FIELD_COUNT
};
struct gpm_field {
  const char *command, *key, *title, *definition;
  enum gpm_unit unit;
};
extern const struct gpm_field gpm_fields[GPM_FIELD_COUNT];
bool gpm_fields_is_text(enum gpm_field_id field);

/* Returns whether the command has such rows. */
bool gpm_fields_are_of(const struct gpm_command *command);

/* The fields that --columns names, in that order. */
struct gpm_fields {
  enum gpm_field_id field[GPM_FIELD_COUNT];
  unsigned count; /* 0: --columns is not given */
};
/* Parses --columns. Returns false after printing its help. Ends the tool with status 2 after an
 * error message if a name is wrong. */
bool gpm_fields_choose(struct gpm_fields *fields, const struct gpm_input *input);
/* Returns the field that --sort names, or else the default of the command. Ends the tool with
 * status 2 if the name is wrong. */
enum gpm_field_id gpm_fields_sort(const struct gpm_input *input);

#endif
