/* fields_print.c - see fields_print.h. */
#include "print/fields_print.h"

#include "output/csv.h"
#include "output/json.h"
#include "output/table.h"
#include "support/text.h"

#include <libsmartcols.h>
#include <string.h>

static void take(json_t *from, json_t *to, const char *key) {
  json_t *value = json_object_get(from, key);
  if (value) json_object_set(to, key, value);
}

void gpm_fields_as_csv(const struct gpm_fields *fields, const char *object) {
  const char *names[GPM_FIELD_COUNT + 1] = {NULL};
  for (unsigned i = 0; i < fields->count; i++) names[i] = gpm_fields[fields->field[i]].key;
  gpm_csv_begin(object, fields->count ? names : NULL);
}

json_t *gpm_fields_take(const struct gpm_fields *fields, json_t *item) {
  static const char *const parts[] = {"file", "line", "function", "variable", "size_expr", "type"};
  if (!fields->count) return item;
  json_t *taken = json_object();
  for (unsigned i = 0; i < fields->count; i++) {
    const char *key = gpm_fields[fields->field[i]].key;
    bool location = !strcmp(key, "location");
    for (size_t k = 0; location && k < sizeof parts / sizeof *parts; k++)
      take(item, taken, parts[k]);
    if (!location) take(item, taken, key);
  }
  json_decref(item);
  return taken;
}

char *gpm_fields_location(const struct gpm_profile *profile, uint32_t node,
                          enum gpm_field_id field) {
  json_t *parts = gpm_json_location(profile, node);
  const json_t *value = json_object_get(parts, gpm_fields[field].key);
  char *text = !value ? NULL
               : json_is_integer(value)
                   ? gpm_memory_format("%lld", json_integer_value(value))
                   : gpm_text_clean(json_is_string(value) ? json_string_value(value) : "");
  json_decref(parts);
  return text;
}

void gpm_fields_print(const struct gpm_fields *fields, uint32_t rows, gpm_fields_cell *cell,
                      void *data) {
  struct libscols_table *table = gpm_table_empty();
  for (unsigned i = 0; i < fields->count; i++) {
    const struct gpm_field *f = &gpm_fields[fields->field[i]];
    gpm_table_column(table, f->title, f->unit != GPM_UNIT_TEXT, i + 1 == fields->count);
  }
  for (uint32_t row = 0; row < rows; row++) {
    struct libscols_line *line = scols_table_new_line(table, NULL);
    for (unsigned i = 0; i < fields->count; i++)
      if (!line || scols_line_refer_data(line, i, cell(data, row, fields->field[i])))
        gpm_table_failed();
  }
  gpm_table_print_fitted(table);
}
