/* operands.c - see operands.h. */
#include "model/operands.h"

#include "output/json.h"
#include "rows/places.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER 24 /* room for 64 bits */

static const char *number(char out[NUMBER], const struct gpumemprof_capture_operands *o, unsigned i,
                          uint64_t value) {
  if (o->is_signed >> i & 1) snprintf(out, NUMBER, "%" PRId64, (int64_t)value);
  else snprintf(out, NUMBER, "%" PRIu64, value);
  return out;
}

/* An integer, or text where JSON's have no room for it. */
static json_t *json_number(const struct gpumemprof_capture_operands *o, unsigned i,
                           uint64_t value) {
  char text[NUMBER];
  if (o->is_signed >> i & 1 || value <= INT64_MAX) return json_integer((json_int_t)value);
  return json_string(number(text, o, i, value));
}

/* The next record of a site in which values were told. */
static const struct gpumemprof_capture_operands *next_of(struct gpm_cursor *at, uint32_t site) {
  const struct gpumemprof_capture_operands *o;
  while ((o = gpm_cursor_next(at)))
    if (o->site == site && o->told) return o;
  return NULL;
}

char *gpm_operands_range(const struct gpm_reader *r, uint32_t site) {
  char *text = gpm_memory_text(""), min[NUMBER], max[NUMBER];
  struct gpm_cursor at = {.records = &r->operands};
  for (const struct gpumemprof_capture_operands *o; (o = next_of(&at, site));)
    for (unsigned i = 0; i < o->count; i++) {
      bool same = o->min[i] == o->max[i];
      char *name = gpm_places_text(r, o->name[i]);
      char *longer = gpm_memory_format("%s%s%s %s%s%s", text, *text ? ", " : "", name,
                                       number(min, o, i, o->min[i]), same ? "" : "..",
                                       same ? "" : number(max, o, i, o->max[i]));
      free(name);
      free(text);
      text = longer;
    }
  return text;
}

json_t *gpm_operands_json(const struct gpm_reader *r, uint32_t site) {
  json_t *list = json_array();
  struct gpm_cursor at = {.records = &r->operands};
  for (const struct gpumemprof_capture_operands *o; (o = next_of(&at, site));)
    for (unsigned i = 0; i < o->count; i++) {
      json_t *one = json_object();
      json_object_set_new(one, "name", gpm_json_text(gpm_reader_string(r, o->name[i])));
      json_object_set_new(one, "min", json_number(o, i, o->min[i]));
      json_object_set_new(one, "max", json_number(o, i, o->max[i]));
      json_object_set_new(one, "latest", json_number(o, i, o->latest[i]));
      json_object_set_new(one, "at_largest", json_number(o, i, o->largest[i]));
      json_array_append_new(list, one);
    }
  if (json_array_size(list)) return list;
  json_decref(list);
  return json_null();
}

static const struct gpumemprof_capture_operands *record_of(const struct gpm_reader *r,
                                                           uint32_t record) {
  return gpm_reader_record(&r->operands, record);
}

char *gpm_operands_of_call(const struct gpm_reader *r, uint32_t record,
                           const uint64_t values[GPUMEMPROF_OPERANDS]) {
  const struct gpumemprof_capture_operands *o = record_of(r, record);
  char *text = gpm_memory_text(""), value[NUMBER];
  for (unsigned i = 0; i < o->count; i++) {
    char *name = gpm_places_text(r, o->name[i]);
    char *longer =
        gpm_memory_format("%s%s%s=%s", text, i ? " " : "", name, number(value, o, i, values[i]));
    free(name);
    free(text);
    text = longer;
  }
  return text;
}

json_t *gpm_operands_of_call_json(const struct gpm_reader *r, uint32_t record,
                                  const uint64_t values[GPUMEMPROF_OPERANDS]) {
  const struct gpumemprof_capture_operands *o = record_of(r, record);
  json_t *list = json_array();
  for (unsigned i = 0; i < o->count; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "name", gpm_json_text(gpm_reader_string(r, o->name[i])));
    json_object_set_new(one, "value", json_number(o, i, values[i]));
    json_array_append_new(list, one);
  }
  return list;
}
