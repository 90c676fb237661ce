/* schema.h - makes the JSON Schema of what a command writes from the tables of contract/. */
#ifndef GPM_TOOLS_SCHEMA_SCHEMA_H
#define GPM_TOOLS_SCHEMA_SCHEMA_H

#include <jansson.h>

/* Returns the schema, or null if the command writes no JSON. */
json_t *gpm_schema(const char *command);
/* Prints the objects and their fields as text, one field on each line. */
void gpm_schema_print_fields(const char *command);

#endif
