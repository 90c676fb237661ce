/* fields.h - the names of all fields of the tool's JSON: a name that is not in the tables does not
 * compile.
 *
 *   reports.def   GPM_FIELD(leak, bytes, "integer or null", "bytes", "", "what was not freed")
 *      |                 |
 *      |                 `- gpm_json_put(one, leak, bytes, json_integer(n))      its writer
 *      `- documents.c: enum, list of entries - schema.c: JSON Schema, list of fields, CSV header
 *
 * Code that writes a JSON object takes the names from here. `gpumemprof schema` prints its schema
 * from the same tables, so that the output and the documented format cannot differ.
 * test/tools/schema.py checks types and which fields are always present.
 */
#ifndef GPM_TOOLS_CONTRACT_FIELDS_H
#define GPM_TOOLS_CONTRACT_FIELDS_H

#include <jansson.h>

/* The value of `version` in every document. docs/JSON.md says when it changes. */
enum { GPM_JSON_VERSION = 1 };

enum gpm_json_number {
#define GPM_FIELD(object, name, type, unit, when, meaning) GPM_JSON_##object##_HAS_##name,
#include "contract/all.def"
  GPM_JSON_FIELDS
};
#define GPM_JSON_NUMBER(object, name) GPM_JSON_##object##_HAS_##name

/* The name of the field as a string constant. */
#define GPM_JSON_NAME(object, name) (&#name[0 * GPM_JSON_NUMBER(object, name)])

/* Sets the field, and takes ownership of the value. */
#define gpm_json_put(json, object, name, value)                                                    \
  ((void)json_object_set_new(json, GPM_JSON_NAME(object, name), value))

#endif
