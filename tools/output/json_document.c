/* json_document.c - the document around the rows: its head with the devices, lists and fields, and
 * the sums at its end (json.h). Commands, the page and the parts of output/ that write JSON call
 * it. It also decides where all of this goes: to standard output or a file, and as JSON or as CSV,
 * which has the items of the lists and nothing around them.
 */
#include "output/json.h"

#include "analysis/conserve.h"
#include "analysis/in_use.h"
#include "contract/documents.h"
#include "model/patterns.h"
#include "model/split_cells.h"
#include "output/csv.h"
#include "output/unaccounted_print.h"
#include "rows/locations.h"

#include <stdlib.h>

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

static void print(json_t *json) {
  json_dumpf(json, out(), JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
  json_decref(json);
}

static json_t *in_use(const struct gpm_reader *r, uint32_t i) {
  struct gpm_in_use u;
  if (gpm_split_is_part(r) || !gpm_in_use(r, i, &u)) return json_null();
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
  char uuid[GPM_LOCATIONS_UUID];
  json_t *json = json_object();
  gpm_json_put(json, used_device, device, gpm_json_device_id(r, i));
  gpm_json_put(json, used_device, name, gpm_json_text(d->name));
  gpm_json_put(json, used_device, uuid,
               *gpm_locations_uuid(r, i, uuid) ? json_string(uuid) : json_null());
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

static json_t *moment(const struct gpm_moment *m) {
  return m->given ? gpm_json_text(m->given) : json_null();
}

/* What is selected: of the events, where figures are those of the whole run. */
static json_t *part_of_events(const struct gpm_window *window) {
  json_t *json = json_object();
  gpm_json_put(json, part, from, moment(&window->from));
  gpm_json_put(json, part, to, moment(&window->to));
  return json;
}

static json_t *part_of_run(const struct gpm_split *a) {
  json_t *json = part_of_events(&a->window);
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
  if (gpm_split_is_part(r)) {
    fprintf(out(), ", \"%s\": ", GPM_JSON_NAME(head, part));
    print(part_of_run(r->split));
  }
  fprintf(out(), ", \"%s\": ", GPM_JSON_NAME(head, devices));
  json_t *devices = json_array();
  for (uint32_t i = 0; i < r->device_count; i++)
    json_array_append_new(devices, device(r, r->device_order[i]));
  print(devices);
}

/* The fields of sums, of which the contract has the same six in several objects. */
#define PUT_SUM(json, object, sums, field)                                                         \
  gpm_json_put(json, object, field, json_integer((json_int_t)(sums)->field))
#define PUT_SUMS(json, object, sums)                                                               \
  do {                                                                                             \
    PUT_SUM(json, object, sums, allocated);                                                        \
    PUT_SUM(json, object, sums, freed);                                                            \
    PUT_SUM(json, object, sums, live);                                                             \
    PUT_SUM(json, object, sums, allocated_blocks);                                                 \
    PUT_SUM(json, object, sums, freed_blocks);                                                     \
    PUT_SUM(json, object, sums, live_blocks);                                                      \
  } while (0)

json_t *gpm_json_filter(const struct gpm_patterns *patterns, const struct gpm_conservation *left) {
  char *text = gpm_patterns_text(patterns);
  json_t *json = json_object();
  gpm_json_put(json, filter, text, gpm_json_text(text));
  free(text);
  if (left) PUT_SUMS(json, filter, left);
  return json;
}

json_t *gpm_json_filter_of(const struct gpm_profile *p) {
  struct gpm_conservation left = gpm_summary_left(p);
  bool known = gpm_patterns_are_decided(p->patterns, p->reader);
  return gpm_json_filter(p->patterns, known ? &left : NULL);
}

void gpm_json_head(const struct gpm_profile *p) {
  gpm_json_version();
  if (!as_csv) fprintf(out(), ", ");
  gpm_json_about(p->reader);
  if (p->window) gpm_json_field(head, part, part_of_events(p->window));
  if (p->patterns) gpm_json_field(head, filter, gpm_json_filter_of(p));
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
  if (as_csv) gpm_csv_begin(gpm_entry_item_of(field), NULL);
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
    json_t *one = gpm_json_location(p, (uint32_t)at.number);
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
  if (gpm_split_is_part(p->reader)) {
    gpm_json_put(sums, conservation, live_before, json_integer((json_int_t)c.older));
    gpm_json_put(sums, conservation, live_blocks_before, json_integer((json_int_t)c.older_blocks));
  }
  PUT_SUMS(sums, conservation, &c);
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
