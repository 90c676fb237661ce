/* fields.h - the names of all fields of the tool's JSON: a name that is not in the tables does not
 * compile.
 *
 *   reports.def   GPM_FIELD(leak, bytes, "integer or null", "bytes", "", "what was not freed")
 *      |                 |
 *      |                 `- gpm_json_put(one, leak, bytes, json_integer(n))      whoever writes it
 *      `- documents.c: enum, list of entries - schema.c: JSON Schema, list of fields, CSV header
 *
 * Whoever writes a JSON object takes the names from here; the tables are also the schema that
 * `gpumemprof schema` prints, so that what is written and what is promised cannot part. Types and
 * what is always there are held by test/tools/schema.py.
 */
#ifndef GPM_TOOLS_CONTRACT_FIELDS_H
#define GPM_TOOLS_CONTRACT_FIELDS_H

#include <jansson.h>

/* What `version` of every document is. docs/JSON.md says what it counts. */
enum { GPM_JSON_VERSION = 1 };

enum gpm_json_number {
#define GPM_FIELD(object, name, type, unit, when, meaning) GPM_JSON_##object##_HAS_##name,
#include "contract/all.def"
  GPM_JSON_FIELDS
};
#define GPM_JSON_NUMBER(object, name) GPM_JSON_##object##_HAS_##name

/* "name": a constant. */
#define GPM_JSON_NAME(object, name) (&#name[0 * GPM_JSON_NUMBER(object, name)])

/* Takes the value. */
#define gpm_json_put(json, object, name, value)                                                    \
  ((void)json_object_set_new(json, GPM_JSON_NAME(object, name), value))

#endif
