/* fields.h - `--columns` and `--sort` of commands whose rows are not those of a report
 * (fields.def). Commands with rows of a report have columns.h. */
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

/* The command has rows of such columns. */
bool gpm_fields_are_of(const struct gpm_command *command);

/* What --columns names, in that order. */
struct gpm_fields {
  enum gpm_field_id field[GPM_FIELD_COUNT];
  unsigned count; /* 0: it is not given */
};
/* False after it printed the help. Says what is wrong and ends with status 2. */
bool gpm_fields_choose(struct gpm_fields *fields, const struct gpm_input *input);
/* What --sort names, or else the command's usual. The same. */
enum gpm_field_id gpm_fields_sort(const struct gpm_input *input);

#endif
