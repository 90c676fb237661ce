/* schema.h - the JSON Schema of what a command writes, made of the tables of contract/. */
#ifndef GPM_TOOLS_SCHEMA_SCHEMA_H
#define GPM_TOOLS_SCHEMA_SCHEMA_H

#include <jansson.h>

/* Null: the command writes no JSON. */
json_t *gpm_schema(const char *command);
/* The same for people: objects and their fields, one a line. */
void gpm_schema_print_fields(const char *command);

#endif
