/* operands_json.c - see operands_json.h. */
#include "output/operands_json.h"

#include "output/json.h"

/* Returns an integer, or a text if the value does not fit JSON's integers. */
static json_t *json_number(const struct gpumemprof_capture_operands *o, unsigned i,
                           uint64_t value) {
  char text[GPM_OPERANDS_NUMBER];
  if (o->is_signed >> i & 1 || value <= INT64_MAX) return json_integer((json_int_t)value);
  return json_string(gpm_operands_number(text, o, i, value));
}

json_t *gpm_operands_json(const struct gpm_reader *r, uint32_t site) {
  json_t *list = json_array();
  struct gpm_cursor at = {.records = &r->operands};
  for (const struct gpumemprof_capture_operands *o; (o = gpm_operands_next(&at, site));)
    for (unsigned i = 0; i < o->count; i++) {
      json_t *one = json_object();
      gpm_json_put(one, operand_range, name, gpm_json_text(gpm_reader_string(r, o->name[i])));
      gpm_json_put(one, operand_range, min, json_number(o, i, o->min[i]));
      gpm_json_put(one, operand_range, max, json_number(o, i, o->max[i]));
      gpm_json_put(one, operand_range, latest, json_number(o, i, o->latest[i]));
      gpm_json_put(one, operand_range, at_largest, json_number(o, i, o->largest[i]));
      json_array_append_new(list, one);
    }
  if (json_array_size(list)) return list;
  json_decref(list);
  return json_null();
}

json_t *gpm_operands_of_call_json(const struct gpm_reader *r, uint32_t record,
                                  const uint64_t values[GPUMEMPROF_OPERANDS]) {
  const struct gpumemprof_capture_operands *o = gpm_reader_record(&r->operands, record);
  json_t *list = json_array();
  for (unsigned i = 0; i < o->count; i++) {
    json_t *one = json_object();
    gpm_json_put(one, operand, name, gpm_json_text(gpm_reader_string(r, o->name[i])));
    gpm_json_put(one, operand, value, json_number(o, i, values[i]));
    json_array_append_new(list, one);
  }
  return list;
}
