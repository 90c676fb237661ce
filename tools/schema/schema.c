/* schema.c - makes the JSON Schema of what a command writes from the tables of contract/, and from
 * the tables whose names are fields or words: columns, counters, kinds and so on. Called by
 * cmd_schema.c.
 *
 *   GPM_FIELD(leak, bytes, "integer or null", "bytes", "", "not freed by the end")
 *      -> "bytes": {"type": ["integer", "null"], "description": "not freed by the end (bytes)"}
 *
 * The schema lists the words of a field as examples and not as an enumeration, and allows objects
 * to have more fields: later versions of the tool add words and fields, and their output has to
 * validate with the schema of today. test/tools/schema.py allows neither.
 */
#include "schema/schema.h"

#include "advice/line_changes.h"
#include "analysis/oom.h"
#include "check/check_limits.h"
#include "comparison/compare.h"
#include "contract/documents.h"
#include "output/summary.h"
#include "rows/columns.h"
#include "rows/locations.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct schema {
  json_t *objects; /* $defs, in the order in which they are needed */
};

/* ---- words of the code -------------------------------------------------------------------------
 */

static const char *state_word(unsigned i) {
  return i <= GPM_STATE_ELSEWHERE ? gpm_state_name(i) : NULL;
}
static const char *kind_word(unsigned i) {
  return i < GPUMEMPROF_KIND_COUNT ? gpm_locations_kind(i) : NULL;
}
static const char *by_word(unsigned i) {
  return i < GPM_BY_COUNT ? gpm_rows_by(i) : NULL;
}
static const char *status_word(unsigned i) {
  return i <= GPM_STATUS_SAME ? gpm_status_names[i] : NULL;
}
static const char *verdict_word(unsigned i) {
  return i <= GPM_VERDICT_UNDECIDED ? gpm_verdict_names[i] : NULL;
}
static const char *rule_word(unsigned i) {
  return i < GPM_RULES ? gpm_rule_texts[i].id : NULL;
}
static const char *advice_rule_word(unsigned i) {
  return i < GPM_ADVICE_RULES ? gpm_advice_texts[i].id : NULL;
}
static const char *remedy_word(unsigned i) {
  return i <= GPUMEMPROF_OOM_HELD_ELSEWHERE ? gpm_oom_remedy_name(i) : NULL;
}
static const char *column_word(unsigned i) {
  return i < GPM_FIGURE_COUNT ? gpm_columns[i].key : NULL;
}
static const char *device_word(unsigned i) {
  static const int ordinals[] = {GPUMEMPROF_HOST, GPUMEMPROF_IMPORTED, GPUMEMPROF_CUSTOM};
  return i < sizeof ordinals / sizeof *ordinals ? gpm_locations_not_gpu(ordinals[i]) : NULL;
}

static const struct {
  const char *type;
  const char *(*word)(unsigned i);
} word_sets[] = {{"state", state_word},     {"kind", kind_word},
                 {"by", by_word},           {"status", status_word},
                 {"verdict", verdict_word}, {"rule", rule_word},
                 {"remedy", remedy_word},   {"advice_rule", advice_rule_word},
                 {"column", column_word}};
enum { WORD_SETS = sizeof word_sets / sizeof *word_sets };

/* Each word is listed once, because two states have the same word. */
static json_t *words_of(const char *(*word)(unsigned i)) {
  json_t *list = json_array(), *seen = json_object();
  for (unsigned i = 0; word(i); i++)
    if (!json_object_get(seen, word(i))) {
      json_object_set_new(seen, word(i), json_true());
      json_array_append_new(list, json_string(word(i)));
    }
  json_decref(seen);
  return list;
}

/* ---- types -------------------------------------------------------------------------------------
 */

static json_t *type_of(const char *name) {
  return json_pack("{ss}", "type", name);
}

static void need_object(struct schema *s, const char *object);

static json_t *reference(struct schema *s, const char *object) {
  need_object(s, object);
  char *to = gpm_memory_format("#/$defs/%s", object);
  json_t *json = json_pack("{ss}", "$ref", to);
  free(to);
  return json;
}

static json_t *some_words(json_t *words) {
  return json_pack("{ss so}", "type", "string", "examples", words);
}

/* Returns the schema of a type without `or`. */
static json_t *single(struct schema *s, const char *type) {
  for (unsigned i = 0; i < WORD_SETS; i++)
    if (!strcmp(type, word_sets[i].type)) return some_words(words_of(word_sets[i].word));
  if (!strncmp(type, "list of ", 8))
    return json_pack("{ss so}", "type", "array", "items", single(s, type + 8));
  if (!strcmp(type, "version"))
    return json_pack("{ss si}", "type", "integer", "const", GPM_JSON_VERSION);
  if (!strcmp(type, "device"))
    return json_pack("{s[ss] so}", "type", "integer", "string", "examples", words_of(device_word));
  const char *object = gpm_entry_object_of(type);
  return object ? reference(s, object) : type_of(type);
}

/* Returns the schema of a type such as 'a' or 'b'. */
static json_t *quoted(const char *type) {
  json_t *words = json_array();
  for (const char *at = type; (at = strchr(at, '\'')); at++) {
    const char *end = strchr(++at, '\'');
    json_array_append_new(words, json_stringn(at, (size_t)(end - at)));
    at = end;
  }
  return some_words(words);
}

/* Joins two types into one schema such as {"type": ["integer", "null"]}, or into `anyOf` if one of
 * them is a list or an object. */
static json_t *joined(json_t *first, json_t *second) {
  json_t *types = json_object_get(first, "type"), *other = json_object_get(second, "type");
  json_t *json;
  if (types && other && !json_object_get(first, "items")) {
    json_t *all = json_is_array(types) ? json_copy(types) : json_pack("[O]", types);
    json_array_append(all, other);
    json = json_copy(first);
    json_object_set_new(json, "type", all);
  } else json = json_pack("{s[OO]}", "anyOf", first, second);
  json_decref(first);
  json_decref(second);
  return json;
}

static json_t *any_type(struct schema *s, const char *type) {
  if (*type == '\'') return quoted(type);
  const char *or = strstr(type, " or ");
  if (!or) return single(s, type);
  char *before = gpm_memory_format("%.*s", (int)(or - type), type);
  json_t *json = joined(single(s, before), single(s, or + 4));
  free(before);
  return json;
}

/* ---- fields ------------------------------------------------------------------------------------
 */

struct object {
  struct schema *schema;
  const struct gpm_entry *of; /* the object whose fields are added */
  bool chosen;                /* --columns may leave its fields out */
  json_t *properties, *required;
};

static void add(struct object *o, const char *name, const char *type, const char *unit,
                const char *when, const char *meaning) {
  json_t *field = any_type(o->schema, type);
  bool only_json = o->of && gpm_entry_is_only_in_json(o->of, name);
  char *text =
      gpm_memory_format("%s%s%s%s%s%s%s", meaning, *unit ? " (" : "", unit, *unit ? ")" : "",
                        *when ? "; there if " : "", when, only_json ? "; not in CSV" : "");
  json_object_set_new(field, "description", json_string(text));
  free(text);
  json_object_set_new(o->properties, name, field);
  if (!*when && !o->chosen) json_array_append_new(o->required, json_string(name));
}

static const char *const units[] = {[GPM_UNIT_BYTES] = "bytes", [GPM_UNIT_SIGNED] = "bytes",
                                    [GPM_UNIT_COUNT] = "",      [GPM_UNIT_PERCENT] = "%",
                                    [GPM_UNIT_TIME] = "ns",     [GPM_UNIT_TEXT] = ""};

/* Returns the type of a column for which none is given. */
static const char *column_type(unsigned column) {
  if (column == GPM_TEXT_operands) return "list of operand_range or null";
  if (column == GPM_TEXT_line) return "integer or null";
  if (column >= GPM_FIGURE_COUNT) return "string or null";
  return gpm_columns[column].unit == GPM_UNIT_PERCENT ? "number or null" : "integer or null";
}

static void add_column(struct object *o, unsigned column, const char *type, const char *when) {
  const struct gpm_column *c = &gpm_columns[column];
  char *nullable = type ? gpm_memory_format("%s or null", type) : NULL;
  if (!json_object_get(o->properties, c->key)) /* row_key may have added it */
    add(o, c->key, type ? nullable : column_type(column), units[c->unit], when, c->definition);
  free(nullable);
}

static void add_columns(struct object *o, unsigned count, const char *type) {
  for (unsigned i = 0; i < count; i++) add_column(o, i, type, "it is among the columns shown");
}

static void add_words(struct object *o, const char *words) {
  for (unsigned i = 0; i < GPM_COLUMN_COUNT; i++) {
    const char *at = strstr(words, gpm_columns[i].key);
    size_t length = strlen(gpm_columns[i].key);
    if (at && at[-1] == ' ' && (!at[length] || at[length] == ' ')) add_column(o, i, NULL, "");
  }
}

static void add_totals(struct object *o, const char *type) {
  for (unsigned i = 0; i < GPM_TOTALS; i++) {
    const struct gpm_column *c = &gpm_columns[gpm_total_figures[i]];
    add(o, c->key, type, units[c->unit], "", c->definition);
  }
}

static void add_kinds(struct object *o, const char *type) {
  static const char *const texts[] = {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) text,
#include "gpumemprof/kinds.def"
  };
  for (unsigned i = 0; i < GPUMEMPROF_KIND_COUNT; i++)
    add(o, gpm_locations_kind(i), type, "", "some was live", texts[i]);
}

static void add_counters(struct object *o, const char *class) {
  static const char *const classes[] = {[GPM_COUNTER_LOSS] = "loss",
                                        [GPM_COUNTER_LIMIT] = "limit",
                                        [GPM_COUNTER_UNCHECKED] = "unchecked"};
  for (unsigned i = 0; gpm_counters[i].name; i++) {
    const char *its = classes[gpm_counters[i].class];
    if (!strcmp(class, "all") || (its && !strcmp(class, its)))
      add(o, gpm_counters[i].name, "integer", "", "", gpm_counters[i].text);
  }
}

static void add_records(struct object *o) {
#define GPM_RECORDS(field) add(o, #field, "integer", "", "", "number of them");
#include "contract/records.def"
}

static void add_fields(struct object *o, const struct gpm_entry *of);

static void add_taken(struct object *o, const char *what) {
  if (!strncmp(what, "columns ", 8)) add_words(o, what + 7);
  else if (!strcmp(what, "columns")) add_columns(o, GPM_COLUMN_COUNT, NULL);
  else if (!strcmp(what, "figures")) add_columns(o, GPM_FIGURE_LIFETIMES, NULL);
  else if (!strncmp(what, "figures ", 8)) add_columns(o, GPM_FIGURE_LIFETIMES, what + 8);
  else if (!strncmp(what, "totals ", 7)) add_totals(o, what + 7);
  else if (!strncmp(what, "kinds ", 6)) add_kinds(o, what + 6);
  else if (!strncmp(what, "counters ", 9)) add_counters(o, what + 9);
  else if (!strcmp(what, "records")) add_records(o);
  else add_fields(o, gpm_entry_of_object(what));
}

static void add_fields(struct object *o, const struct gpm_entry *of) {
  const struct gpm_entry *outer = o->of;
  o->of = of;
  for (const struct gpm_entry *e = of + 1; !strcmp(e->object, of->object); e++) {
    if (e->kind == GPM_ENTRY_TAKES) add_taken(o, e->type);
    if (e->kind == GPM_ENTRY_FIELD) add(o, e->name, e->type, e->unit, e->when, e->meaning);
  }
  o->of = outer;
}

static void need_object(struct schema *s, const char *object) {
  if (json_object_get(s->objects, object)) return;
  const struct gpm_entry *of = gpm_entry_of_object(object);
  struct object o = {s, of, gpm_entry_is_chosen(of), json_object(), json_array()};
  json_t *json = json_pack("{ss ss so so}", "type", "object", "description", of->meaning,
                           "properties", o.properties, "required", o.required);
  json_object_set_new(s->objects, object, json); /* before its fields, which may refer to it */
  add_fields(&o, of);
}

/* ---- documents ---------------------------------------------------------------------------------
 */

json_t *gpm_schema(const char *command) {
  struct schema s = {json_object()};
  json_t *any = json_array();
  for (const struct gpm_document *d = gpm_documents; d->command; d++)
    if (!strcmp(d->command, command)) {
      json_array_append_new(any, reference(&s, d->object));
      if (gpm_entry_of_object(d->row)) need_object(&s, d->row); /* those of peak are no items */
    }
  char *id = gpm_memory_format("urn:gpumemprof:schema:%s:%d", command, GPM_JSON_VERSION);
  char *title = gpm_memory_format("gpumemprof %s --format json", command);
  json_t *json = NULL;
  if (json_array_size(any))
    json = json_pack("{ss ss ss sO sO}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                     "$id", id, "title", title, "anyOf", any, "$defs", s.objects);
  free(id);
  free(title);
  json_decref(any);
  json_decref(s.objects);
  return json;
}
