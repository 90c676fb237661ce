/* cmd_schema.c - `gpumemprof schema COMMAND`: what the JSON of a command holds, as a JSON Schema
 * for programs or as a list of fields for people. schema.h makes both from the tables of contract/.
 */
#include "contract/documents.h"
#include "input/command.h"
#include "schema/schema.h"
#include "support/say.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_FIELDS = 256 };

struct schema {
  const char *command;
  bool fields;
};

const struct argp_option gpm_cmd_schema_options[] = {
    {"fields", OPTION_FIELDS, NULL, 0,
     "a list to read: fields, types, units, meanings, columns of CSV", 0},
    {0},
};

/* The commands that write JSON, each once; the list ends with a null. */
static const char *const *commands(void) {
  static const char *names[64];
  size_t count = 0;
  for (const struct gpm_command *c = gpm_commands; c->name; c++)
    for (const struct gpm_document *d = gpm_documents; d->command; d++)
      if (!strcmp(d->command, c->name)) {
        names[count++] = c->name;
        break;
      }
  names[count] = NULL;
  return names;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct schema *o = state->input;
  switch (key) {
  case OPTION_FIELDS:
    o->fields = true;
    return 0;
  case ARGP_KEY_ARG:
    if (o->command) argp_error(state, "one command, please: `%s` is one too many", arg);
    o->command = commands()[gpm_say_choice("command that writes JSON", arg, commands())];
    return 0;
  case ARGP_KEY_END:
    if (!o->command) argp_error(state, "of which command? `gpumemprof schema report`");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int gpm_cmd_schema_run(const struct gpm_command *command, int argc, char **argv) {
  struct schema o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (o.fields) gpm_schema_print_fields(o.command);
  else {
    json_t *schema = gpm_schema(o.command);
    json_dumpf(schema, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(schema);
  }
  return GPM_EXIT_OK;
}
