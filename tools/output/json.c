/* json.c - figures, locations, call paths and rows as JSON (json.h). json_document.c has what is
 * around them. */
#include "output/json.h"

#include "model/sizes.h"
#include "model/split_cells.h"
#include "output/operands_json.h"
#include "rows/locations.h"
#include "rows/operands.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

json_t *gpm_json_text(const char *text) {
  char *clean = gpm_text_clean(text);
  json_t *json = json_string(clean);
  free(clean);
  return json;
}

/* Returns a text of the capture, or null if there is none. */
static json_t *text_or_null(const struct gpm_reader *r, uint32_t offset) {
  const char *text = gpm_reader_string(r, offset);
  return *text ? gpm_json_text(text) : json_null();
}

json_t *gpm_json_figure(const struct gpm_row *row, enum gpm_figure figure) {
  if (!gpm_row_knows(row, figure)) return json_null();
  if (gpm_columns[figure].unit == GPM_UNIT_PERCENT)
    return json_real((double)row->value[figure] / 100);
  return json_integer(row->value[figure]);
}

json_t *gpm_json_device_id(const struct gpm_reader *r, uint32_t device) {
  int ordinal = r->devices[device].ordinal;
  const char *not_gpu = gpm_locations_not_gpu(ordinal);
  return not_gpu ? json_string(not_gpu) : json_integer(ordinal);
}

/* A site that is not known has empty texts and no line. */
static const struct gpumemprof_capture_site *site_of(const struct gpm_reader *r, uint32_t site) {
  static const struct gpumemprof_capture_site none = {0};
  return site == GPUMEMPROF_NONE ? &none : gpm_reader_site(r, site);
}

static json_t *step_of(const struct gpm_profile *p, uint32_t node) {
  json_t *step = json_object();
  const struct gpumemprof_capture_site *s = site_of(p->reader, p->site[node]);
  gpm_json_put(step, step, file, text_or_null(p->reader, s->file));
  gpm_json_put(step, step, line, json_integer(s->line));
  gpm_json_put(step, step, function, text_or_null(p->reader, s->function));
  if (p->kind[node] == GPUMEMPROF_SITE_BLOCK)
    gpm_json_put(step, step, block, text_or_null(p->reader, s->name));
  return step;
}

json_t *gpm_json_site(const struct gpm_reader *r, uint32_t site) {
  json_t *location = json_object();
  const struct gpumemprof_capture_site *s = site_of(r, site);
  gpm_json_put(location, location, file, text_or_null(r, s->file));
  gpm_json_put(location, location, line, json_integer(s->line));
  gpm_json_put(location, location, function, text_or_null(r, s->function));
  gpm_json_put(location, location, variable, text_or_null(r, s->variable));
  gpm_json_put(location, location, size_expr, text_or_null(r, s->size_expr));
  gpm_json_put(location, location, type, text_or_null(r, s->type));
  return location;
}

json_t *gpm_json_location(const struct gpm_profile *p, uint32_t node) {
  uint32_t site = p->site[node];
  if (site == GPUMEMPROF_NONE)
    site = p->scope[node] == GPUMEMPROF_NONE ? site : p->site[p->scope[node]];
  return gpm_json_site(p->reader, site);
}

json_t *gpm_json_path(const struct gpm_profile *p, uint32_t node) {
  return gpm_json_inner_path(p, node, SIZE_MAX);
}

json_t *gpm_json_inner_path(const struct gpm_profile *p, uint32_t node, size_t most) {
  json_t *path = json_array();
  for (uint32_t n = node; n && json_array_size(path) < most; n = p->tree.node[n].parent) {
    bool block = p->kind[n] == GPUMEMPROF_SITE_BLOCK;
    if (!block && gpm_profile_is_scope(p, n)) continue; /* the locations of calls name the scope */
    json_array_append_new(path, step_of(p, n));         /* innermost first; reversed below */
  }
  for (size_t i = 0, j = json_array_size(path); j-- > i; i++) {
    json_t *first = json_incref(json_array_get(path, i)),
           *last = json_incref(json_array_get(path, j));
    json_array_set_new(path, i, last);
    json_array_set_new(path, j, first);
  }
  return path;
}

static json_t *foreign(const struct gpm_rows *rows, const struct gpm_row *row) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < row->foreign_count; i++) {
    const struct gpm_foreign *f = &rows->foreign[row->foreign + i];
    json_t *one = gpm_json_location(rows->profile, f->allocated);
    gpm_json_put(one, freed_for, bytes, json_integer((json_int_t)f->bytes));
    if (f->caller != f->allocated)
      gpm_json_put(one, freed_for, called_from, gpm_json_location(rows->profile, f->caller));
    json_array_append_new(list, one);
  }
  return list;
}

json_t *gpm_json_operands(const struct gpm_rows *rows, const struct gpm_row *row) {
  return row->site == GPUMEMPROF_NONE ? json_null()
                                      : gpm_operands_json(rows->profile->reader, row->site);
}

static json_t *text_column(const struct gpm_rows *rows, const struct gpm_row *row,
                           unsigned column) {
  if (column == GPM_TEXT_operands) return gpm_json_operands(rows, row);
  char *text = gpm_columns_text(rows, row, column);
  json_t *json = column == GPM_TEXT_line ? json_integer(atoll(text))
                 : *text                 ? json_string(text)
                                         : json_null();
  free(text);
  return json;
}

/* Returns a bound of a class of sizes, or null for a size that no block can have. */
static json_t *power(bool any, uint32_t bits) {
  if (!any) return json_integer(0);
  return bits < 63 ? json_integer((json_int_t)1 << bits) : json_null();
}

static void put_stream(json_t *json, const struct gpm_reader *r, uint32_t stream) {
  bool any = stream < r->streams.count;
  const struct gpumemprof_capture_stream *s = any ? gpm_reader_record(&r->streams, stream) : NULL;
  gpm_json_put(json, row_key, stream, any ? json_integer((json_int_t)s->handle) : json_null());
  gpm_json_put(json, row_key, device, any ? gpm_json_device_id(r, s->device) : json_null());
}

static void put_size(json_t *json, uint32_t size) {
  bool several = size >= GPM_SIZES_SEVERAL;
  gpm_json_put(json, row_key, size_from, several ? json_null() : power(size, size - 1));
  gpm_json_put(json, row_key, size_below, several ? json_null() : power(1, size));
}

static json_t *thread(const struct gpm_reader *r, uint32_t thread) {
  bool known = r->split && thread < r->split->thread_count;
  return known ? json_integer(r->split->thread[thread]) : json_null();
}

json_t *gpm_json_row_key(const struct gpm_rows *rows, const struct gpm_row *row) {
  const struct gpm_reader *r = rows->profile->reader;
  json_t *json = json_object();
  switch (rows->by) {
  case GPM_BY_KIND:
    gpm_json_put(json, row_key, kind, json_string(gpm_locations_kind(row->key)));
    break;
  case GPM_BY_DEVICE:
    gpm_json_put(json, row_key, device, gpm_json_device_id(r, row->key));
    gpm_json_put(json, row_key, name, gpm_json_text(r->devices[row->key].name));
    break;
  case GPM_BY_STREAM:
    put_stream(json, r, row->key);
    break;
  case GPM_BY_PATH:
    gpm_json_put(json, row_key, path, gpm_json_path(rows->profile, row->key));
    break;
  case GPM_BY_LABEL:
    gpm_json_put(json, row_key, label,
                 gpm_json_text(gpm_reader_string(r, gpm_locations_name(rows, row))));
    break;
  case GPM_BY_VARIABLE:
    gpm_json_put(json, row_key, variable, text_or_null(r, gpm_locations_name(rows, row)));
    break;
  case GPM_BY_TYPE:
    gpm_json_put(json, row_key, type, text_or_null(r, gpm_locations_name(rows, row)));
    break;
  case GPM_BY_FILE:
    gpm_json_put(json, row_key, file, text_or_null(r, gpm_locations_key(rows, row).file));
    break;
  case GPM_BY_SIZE:
    put_size(json, row->key);
    break;
  case GPM_BY_THREAD:
    gpm_json_put(json, row_key, thread, thread(r, row->key));
    break;
  default: /* its columns say what it is */
    break;
  }
  return json;
}

static bool is_chosen(const struct gpm_choice *choice, const char *key) {
  for (unsigned i = 0; i < choice->count; i++)
    if (!strcmp(gpm_columns[choice->column[i]].key, key)) return true;
  return false;
}

static json_t *column_json(const struct gpm_rows *rows, const struct gpm_row *row,
                           unsigned column) {
  if (column < GPM_FIGURE_COUNT) return gpm_json_figure(row, (enum gpm_figure)column);
  bool has = column == GPM_TEXT_location || gpm_columns_have_locations(rows->by);
  return has ? text_column(rows, row, column) : json_null();
}

/* The fields that say what the row is come first, unless they were chosen as columns. */
json_t *gpm_json_row(const struct gpm_rows *rows, const struct gpm_row *row,
                     const struct gpm_choice *choice) {
  json_t *json = json_object(), *of_key = gpm_json_row_key(rows, row), *value;
  const char *name;
  bool among = false; /* a chosen column is one of these fields */
  json_object_foreach(of_key, name, value) {
    if (is_chosen(choice, name)) among = true;
    else json_object_set(json, name, value);
  }
  for (unsigned i = 0; i < choice->count; i++) {
    name = gpm_columns[choice->column[i]].key;
    value = among ? json_object_get(of_key, name) : NULL;
    if (value) json_object_set(json, name, value);
    else json_object_set_new(json, name, column_json(rows, row, choice->column[i]));
  }
  json_decref(of_key);
  if (row->machine && gpm_columns_have_calls(choice->column, choice->count))
    gpm_json_put(json, machine_row, at_least, json_true());
  if (row->foreign_count) gpm_json_put(json, row, frees_of, foreign(rows, row));
  return json;
}

json_t *gpm_json_responsible(const struct gpm_rows *rows, const struct gpm_row *row) {
  if (row->responsible == GPUMEMPROF_NONE) return NULL;
  return row->responsible == GPM_SEVERAL_CALLS ? json_null()
                                               : step_of(rows->profile, row->responsible);
}

const char *const *gpm_json_row_names(enum gpm_by by) {
  static const char *const names[GPM_BY_COUNT][3] = {
      [GPM_BY_KIND] = {GPM_JSON_NAME(row_key, kind)},
      [GPM_BY_DEVICE] = {GPM_JSON_NAME(row_key, device), GPM_JSON_NAME(row_key, name)},
      [GPM_BY_STREAM] = {GPM_JSON_NAME(row_key, stream), GPM_JSON_NAME(row_key, device)},
      [GPM_BY_LABEL] = {GPM_JSON_NAME(row_key, label)},
      [GPM_BY_VARIABLE] = {GPM_JSON_NAME(row_key, variable)},
      [GPM_BY_TYPE] = {GPM_JSON_NAME(row_key, type)},
      [GPM_BY_FILE] = {GPM_JSON_NAME(row_key, file)},
      [GPM_BY_SIZE] = {GPM_JSON_NAME(row_key, size_from), GPM_JSON_NAME(row_key, size_below)},
      [GPM_BY_THREAD] = {GPM_JSON_NAME(row_key, thread)},
  };
  return names[by];
}
