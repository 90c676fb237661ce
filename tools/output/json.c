/* json.c - see json.h. */
#include "output/json.h"

#include "analysis/conserve.h"
#include "analysis/in_use.h"
#include "analysis/unaccounted.h"
#include "contract/documents.h"
#include "model/apart_cells.h"
#include "model/sizes.h"
#include "output/csv.h"
#include "output/operands_json.h"
#include "output/summary.h"
#include "output/unaccounted_print.h"
#include "rows/operands.h"
#include "rows/places.h"
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
  const char *apart = gpm_places_apart(ordinal);
  return apart ? json_string(apart) : json_integer(ordinal);
}

json_t *gpm_json_place(const struct gpm_profile *p, uint32_t node) {
  json_t *place = json_object();
  uint32_t site = p->site[node];
  if (site == GPUMEMPROF_NONE)
    site = p->scope[node] == GPUMEMPROF_NONE ? site : p->site[p->scope[node]];
  const struct gpumemprof_capture_site none = {0};
  const struct gpumemprof_capture_site *s =
      site == GPUMEMPROF_NONE ? &none : gpm_reader_site(p->reader, site);
  gpm_json_put(place, place, file, text_or_null(p->reader, s->file));
  gpm_json_put(place, place, line, json_integer(s->line));
  gpm_json_put(place, place, function, text_or_null(p->reader, s->function));
  gpm_json_put(place, place, variable, text_or_null(p->reader, s->variable));
  gpm_json_put(place, place, size_expr, text_or_null(p->reader, s->size_expr));
  gpm_json_put(place, place, type, text_or_null(p->reader, s->type));
  return place;
}

json_t *gpm_json_path(const struct gpm_profile *p, uint32_t node) {
  return gpm_json_inner_path(p, node, SIZE_MAX);
}

json_t *gpm_json_inner_path(const struct gpm_profile *p, uint32_t node, size_t most) {
  json_t *path = json_array();
  for (uint32_t n = node; n && json_array_size(path) < most; n = p->tree.node[n].parent) {
    bool block = p->kind[n] == GPUMEMPROF_SITE_BLOCK;
    if (!block && gpm_profile_is_scope(p, n)) continue; /* the locations of calls name the scope */
    json_t *step = json_object();
    uint32_t site = p->site[n];
    const struct gpumemprof_capture_site none = {0};
    const struct gpumemprof_capture_site *s =
        site == GPUMEMPROF_NONE ? &none : gpm_reader_site(p->reader, site);
    gpm_json_put(step, step, file, text_or_null(p->reader, s->file));
    gpm_json_put(step, step, line, json_integer(s->line));
    gpm_json_put(step, step, function, text_or_null(p->reader, s->function));
    if (block) gpm_json_put(step, step, block, text_or_null(p->reader, s->name));
    json_array_append_new(path, step); /* innermost first; reversed below */
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
    json_t *one = gpm_json_place(rows->profile, f->allocated);
    gpm_json_put(one, freed_for, bytes, json_integer((json_int_t)f->bytes));
    if (f->caller != f->allocated)
      gpm_json_put(one, freed_for, called_from, gpm_json_place(rows->profile, f->caller));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *text_column(const struct gpm_rows *rows, const struct gpm_row *row,
                           unsigned column) {
  if (column == GPM_TEXT_operands)
    return row->site == GPUMEMPROF_NONE ? json_null()
                                        : gpm_operands_json(rows->profile->reader, row->site);
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
  bool known = r->apart && thread < r->apart->thread_count;
  return known ? json_integer(r->apart->thread[thread]) : json_null();
}

json_t *gpm_json_row_key(const struct gpm_rows *rows, const struct gpm_row *row) {
  const struct gpm_reader *r = rows->profile->reader;
  json_t *json = json_object();
  switch (rows->by) {
  case GPM_BY_KIND:
    gpm_json_put(json, row_key, kind, json_string(gpm_places_kind(row->key)));
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
                 gpm_json_text(gpm_reader_string(r, gpm_places_name(rows, row))));
    break;
  case GPM_BY_VARIABLE:
    gpm_json_put(json, row_key, variable, text_or_null(r, gpm_places_name(rows, row)));
    break;
  case GPM_BY_TYPE:
    gpm_json_put(json, row_key, type, text_or_null(r, gpm_places_name(rows, row)));
    break;
  case GPM_BY_FILE:
    gpm_json_put(json, row_key, file, text_or_null(r, gpm_places_key(rows, row).file));
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
  bool has = column == GPM_TEXT_location || gpm_columns_have_places(rows->by);
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
  if (row->foreign_count) gpm_json_put(json, row, frees_of, foreign(rows, row));
  return json;
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

/* Only the items are printed as CSV; heads and fields are left out. */
static bool as_csv;
static FILE *sink; /* null: stdout */

void gpm_json_to(FILE *file) {
  sink = file;
}

static FILE *out(void) {
  return sink ? sink : stdout;
}

void gpm_json_as_csv(void) {
  as_csv = true;
}

/* ---- around the rows ---------------------------------------------------------------------------
 */

static void print(json_t *json) {
  json_dumpf(json, out(), JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
  json_decref(json);
}

static json_t *in_use(const struct gpm_reader *r, uint32_t i) {
  struct gpm_in_use u;
  if (gpm_apart_is_part(r) || !gpm_in_use(r, i, &u)) return json_null();
  json_t *json = json_object();
  gpm_json_put(json, in_use, when, json_string(u.when));
  gpm_json_put(json, in_use, used, json_integer((json_int_t)u.used));
  gpm_json_put(json, in_use, recorded, json_integer((json_int_t)u.recorded));
  gpm_json_put(json, in_use, pool_slack, json_integer((json_int_t)u.pool_slack));
  gpm_json_put(json, in_use, rounding, json_integer((json_int_t)u.rounding));
  gpm_json_put(json, in_use, unaccounted, json_integer((json_int_t)u.unaccounted));
  gpm_json_put(json, in_use, managed, json_integer((json_int_t)u.managed));
  gpm_json_put(json, in_use, managed_here, json_integer((json_int_t)u.managed_here));
  gpm_json_put(json, in_use, managed_elsewhere, json_integer((json_int_t)u.managed_elsewhere));
  return json;
}

static json_t *device(const struct gpm_reader *r, uint32_t i) {
  const struct gpumemprof_capture_device *d = &r->devices[i];
  char uuid[GPM_PLACES_UUID];
  json_t *json = json_object();
  gpm_json_put(json, used_device, device, gpm_json_device_id(r, i));
  gpm_json_put(json, used_device, name, gpm_json_text(d->name));
  gpm_json_put(json, used_device, uuid,
               *gpm_places_uuid(r, i, uuid) ? json_string(uuid) : json_null());
  gpm_json_put(json, used_device, memory_total,
               d->memory_total ? json_integer((json_int_t)d->memory_total) : json_null());
  gpm_json_put(json, used_device, peak, json_integer((json_int_t)d->peak));
  gpm_json_put(json, used_device, peak_time_ns,
               json_integer((json_int_t)gpm_reader_time_ns(r, d->peak_ticks)));
  gpm_json_put(json, used_device, peak_clock, json_integer((json_int_t)d->peak_clock));
  gpm_json_put(json, used_device, live_at_exit, json_integer((json_int_t)d->total));
  gpm_json_put(json, used_device, in_use, in_use(r, i));
  return json;
}

static json_t *part_of_run(const struct gpm_apart *a) {
  const char *from = a->window.from.given, *to = a->window.to.given;
  json_t *json = json_object();
  gpm_json_put(json, part, from, from ? gpm_json_text(from) : json_null());
  gpm_json_put(json, part, to, to ? gpm_json_text(to) : json_null());
  gpm_json_put(json, part, first_clock, json_integer((json_int_t)a->first_clock));
  gpm_json_put(json, part, last_clock, json_integer((json_int_t)a->last_clock));
  return json;
}

void gpm_json_version(void) {
  if (!as_csv) fprintf(out(), "{\"%s\": %d", GPM_JSON_NAME(head, version), GPM_JSON_VERSION);
}

void gpm_json_close(void) {
  if (!as_csv) fprintf(out(), "}\n");
}

void gpm_json_about(const struct gpm_reader *r) {
  if (as_csv) return;
  fprintf(out(), "\"%s\": \"%s\"", GPM_JSON_NAME(head, state), gpm_state_name(gpm_reader_state(r)));
  if (gpm_reader_has_part_of_history(r))
    fprintf(out(), ", \"%s\": \"part\"", GPM_JSON_NAME(head, history));
  if (gpm_apart_is_part(r)) {
    fprintf(out(), ", \"%s\": ", GPM_JSON_NAME(head, part));
    print(part_of_run(r->apart));
  }
  fprintf(out(), ", \"%s\": ", GPM_JSON_NAME(head, devices));
  json_t *devices = json_array();
  for (uint32_t i = 0; i < r->device_count; i++)
    json_array_append_new(devices, device(r, r->device_order[i]));
  print(devices);
}

void gpm_json_head(const struct gpm_reader *r) {
  gpm_json_version();
  if (!as_csv) fprintf(out(), ", ");
  gpm_json_about(r);
}

void gpm_json_named_field(const char *name, json_t *value) {
  if (as_csv) return json_decref(value);
  fprintf(out(), ",\n\"%s\": ", name);
  print(value);
}

void gpm_json_named_list(const char *name) {
  fprintf(out(), ",\n\"%s\": [", name);
}

void gpm_json_choose(const char *object, const struct gpm_choice *choice) {
  const char *names[GPM_COLUMN_COUNT + 1] = {NULL};
  for (unsigned i = 0; i < choice->count; i++) names[i] = gpm_columns[choice->column[i]].key;
  if (as_csv) gpm_csv_begin(object, names);
}

void gpm_json_list_of(const char *name, enum gpm_json_number field) {
  if (as_csv) gpm_csv_begin(gpm_json_item_object(field), NULL);
  else gpm_json_named_list(name);
}

void gpm_json_list_end(void) {
  if (as_csv) gpm_csv_end();
  else fprintf(out(), "\n]");
}

void gpm_json_item(json_t *item, bool first) {
  if (as_csv) return gpm_csv_item(item);
  fprintf(out(), "%s\n", first ? "" : ",");
  print(item);
}

static json_t *failures(const struct gpm_profile *p) {
  json_t *list = json_array();
  struct gpm_cursor at = {.records = &p->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    if (!n->failed_calls) continue;
    json_t *one = gpm_json_place(p, (uint32_t)at.number);
    gpm_json_put(one, failure, path, gpm_json_path(p, (uint32_t)at.number));
    gpm_json_put(one, failure, calls, json_integer((json_int_t)n->failed_calls));
    gpm_json_put(one, failure, bytes, json_integer((json_int_t)n->failed_bytes));
    gpm_json_put(one, failure, oom, json_integer((json_int_t)n->oom_calls));
    json_array_append_new(list, one);
  }
  return list;
}

json_t *gpm_json_counters(const struct gpm_reader *r, enum gpm_counter_class class) {
  json_t *json = json_object();
  for (unsigned i = 0; gpm_counters[i].name; i++)
    if (gpm_counters[i].class == class)
      json_object_set_new(json, gpm_counters[i].name,
                          json_integer((json_int_t)r->header.counters[i]));
  return json;
}

void gpm_json_sums(const struct gpm_profile *p) {
  struct gpm_conservation c = gpm_conserve(p->reader);
  json_t *sums = json_object();
  if (gpm_apart_is_part(p->reader)) {
    gpm_json_put(sums, conservation, live_before, json_integer((json_int_t)c.older));
    gpm_json_put(sums, conservation, live_blocks_before, json_integer((json_int_t)c.older_blocks));
  }
  gpm_json_put(sums, conservation, allocated, json_integer((json_int_t)c.allocated));
  gpm_json_put(sums, conservation, freed, json_integer((json_int_t)c.freed));
  gpm_json_put(sums, conservation, live, json_integer((json_int_t)c.live));
  gpm_json_put(sums, conservation, allocated_blocks, json_integer((json_int_t)c.allocated_blocks));
  gpm_json_put(sums, conservation, freed_blocks, json_integer((json_int_t)c.freed_blocks));
  gpm_json_put(sums, conservation, live_blocks, json_integer((json_int_t)c.live_blocks));
  gpm_json_put(sums, conservation, ok, json_boolean(c.ok));
  if (c.fault) gpm_json_put(sums, conservation, fault, json_string(c.fault));
  free(c.fault);
  const struct gpm_reader *r = p->reader;
  gpm_json_field(sums, conservation, sums);
  gpm_json_field(sums, losses, gpm_json_counters(r, GPM_COUNTER_LOSS));
  gpm_json_field(sums, limits_reached, gpm_json_counters(r, GPM_COUNTER_LIMIT));
  gpm_json_field(sums, not_checked, gpm_json_counters(r, GPM_COUNTER_UNCHECKED));
  gpm_json_field(sums, failed, failures(p));
  gpm_json_field(sums, unaccounted_calls, gpm_unaccounted_json(p));
}

void gpm_json_end(const struct gpm_profile *p) {
  gpm_json_list_end();
  if (!as_csv) gpm_json_sums(p);
  gpm_json_close();
}
