/* json.c - see json.h. */
#include "output/json.h"

#include "analysis/conserve.h"
#include "analysis/in_use.h"
#include "analysis/unaccounted.h"
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

/* Text of the capture, or null where there is none. */
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
  json_object_set_new(place, "file", text_or_null(p->reader, s->file));
  json_object_set_new(place, "line", json_integer(s->line));
  json_object_set_new(place, "function", text_or_null(p->reader, s->function));
  json_object_set_new(place, "variable", text_or_null(p->reader, s->variable));
  json_object_set_new(place, "size_expr", text_or_null(p->reader, s->size_expr));
  json_object_set_new(place, "type", text_or_null(p->reader, s->type));
  return place;
}

json_t *gpm_json_path(const struct gpm_profile *p, uint32_t node) {
  return gpm_json_inner_path(p, node, SIZE_MAX);
}

json_t *gpm_json_inner_path(const struct gpm_profile *p, uint32_t node, size_t most) {
  json_t *path = json_array();
  for (uint32_t n = node; n && json_array_size(path) < most; n = p->tree.node[n].parent) {
    bool block = p->kind[n] == GPUMEMPROF_SITE_BLOCK;
    if (!block && gpm_profile_is_scope(p, n)) continue; /* its lines say so */
    json_t *step = json_object();
    uint32_t site = p->site[n];
    const struct gpumemprof_capture_site none = {0};
    const struct gpumemprof_capture_site *s =
        site == GPUMEMPROF_NONE ? &none : gpm_reader_site(p->reader, site);
    json_object_set_new(step, "file", text_or_null(p->reader, s->file));
    json_object_set_new(step, "line", json_integer(s->line));
    json_object_set_new(step, "function", text_or_null(p->reader, s->function));
    if (block) json_object_set_new(step, "block", text_or_null(p->reader, s->name));
    json_array_append_new(path, step); /* innermost first: turned round below */
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
    json_object_set_new(one, "bytes", json_integer((json_int_t)f->bytes));
    if (f->caller != f->allocated)
      json_object_set_new(one, "called_from", gpm_json_place(rows->profile, f->caller));
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

/* A bound of a class of sizes, or null for one that no block can have. */
static json_t *power(bool any, uint32_t bits) {
  if (!any) return json_integer(0);
  return bits < 63 ? json_integer((json_int_t)1 << bits) : json_null();
}

json_t *gpm_json_row(const struct gpm_rows *rows, const struct gpm_row *row,
                     const struct gpm_choice *choice) {
  const struct gpm_reader *r = rows->profile->reader;
  json_t *json = json_object();
  if (rows->by == GPM_BY_KIND)
    json_object_set_new(json, "kind", json_string(gpm_places_kind(row->key)));
  if (rows->by == GPM_BY_DEVICE) {
    json_object_set_new(json, "device", gpm_json_device_id(r, row->key));
    json_object_set_new(json, "name", gpm_json_text(r->devices[row->key].name));
  }
  if (rows->by == GPM_BY_STREAM) {
    bool any = row->key < r->streams.count;
    const struct gpumemprof_capture_stream *s =
        any ? gpm_reader_record(&r->streams, row->key) : NULL;
    json_object_set_new(json, "stream", any ? json_integer((json_int_t)s->handle) : json_null());
    json_object_set_new(json, "device", any ? gpm_json_device_id(r, s->device) : json_null());
  }
  if (rows->by == GPM_BY_PATH)
    json_object_set_new(json, "path", gpm_json_path(rows->profile, row->key));
  if (rows->by == GPM_BY_LABEL)
    json_object_set_new(json, "label",
                        gpm_json_text(gpm_reader_string(r, gpm_places_name(rows, row))));
  else if (gpm_by_is_text(rows->by))
    json_object_set_new(json, gpm_rows_by(rows->by), text_or_null(r, gpm_places_name(rows, row)));
  if (rows->by == GPM_BY_FILE)
    json_object_set_new(json, "file", text_or_null(r, gpm_places_key(rows, row).file));
  if (rows->by == GPM_BY_SIZE) {
    bool several = row->key >= GPM_SIZES_SEVERAL;
    json_object_set_new(json, "size_from", several ? json_null() : power(row->key, row->key - 1));
    json_object_set_new(json, "size_below", several ? json_null() : power(1, row->key));
  }
  if (rows->by == GPM_BY_THREAD)
    json_object_set_new(json, "thread",
                        r->apart && row->key < r->apart->thread_count
                            ? json_integer(r->apart->thread[row->key])
                            : json_null());
  bool places = !gpm_by_is_flat(rows->by) && rows->by != GPM_BY_FILE;
  for (unsigned i = 0; i < choice->count; i++) {
    unsigned column = choice->column[i];
    if (column < GPM_FIGURE_COUNT)
      json_object_set_new(json, gpm_columns[column].key,
                          gpm_json_figure(row, (enum gpm_figure)column));
    else if (places || column == GPM_TEXT_location)
      json_object_set_new(json, gpm_columns[column].key, text_column(rows, row, column));
  }
  if (row->foreign_count) json_object_set_new(json, "frees_of", foreign(rows, row));
  return json;
}

/* Nothing but items is printed then. */
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
  json_object_set_new(json, "when", json_string(u.when));
  json_object_set_new(json, "used", json_integer((json_int_t)u.used));
  json_object_set_new(json, "recorded", json_integer((json_int_t)u.recorded));
  json_object_set_new(json, "pool_slack", json_integer((json_int_t)u.pool_slack));
  json_object_set_new(json, "rounding", json_integer((json_int_t)u.rounding));
  json_object_set_new(json, "unaccounted", json_integer((json_int_t)u.unaccounted));
  json_object_set_new(json, "managed", json_integer((json_int_t)u.managed));
  json_object_set_new(json, "managed_here", json_integer((json_int_t)u.managed_here));
  json_object_set_new(json, "managed_elsewhere", json_integer((json_int_t)u.managed_elsewhere));
  return json;
}

static json_t *device(const struct gpm_reader *r, uint32_t i) {
  const struct gpumemprof_capture_device *d = &r->devices[i];
  char uuid[GPM_PLACES_UUID];
  json_t *json = json_object();
  json_object_set_new(json, "device", gpm_json_device_id(r, i));
  json_object_set_new(json, "name", gpm_json_text(d->name));
  json_object_set_new(json, "uuid", *gpm_places_uuid(r, i, uuid) ? json_string(uuid) : json_null());
  json_object_set_new(json, "memory_total",
                      d->memory_total ? json_integer((json_int_t)d->memory_total) : json_null());
  json_object_set_new(json, "peak", json_integer((json_int_t)d->peak));
  json_object_set_new(json, "peak_time_ns",
                      json_integer((json_int_t)gpm_reader_time_ns(r, d->peak_ticks)));
  json_object_set_new(json, "peak_clock", json_integer((json_int_t)d->peak_clock));
  json_object_set_new(json, "live_at_exit", json_integer((json_int_t)d->total));
  json_object_set_new(json, "in_use", in_use(r, i));
  return json;
}

static json_t *part_of_run(const struct gpm_apart *a) {
  const char *from = a->window.from.given, *to = a->window.to.given;
  json_t *json = json_object();
  json_object_set_new(json, "from", from ? gpm_json_text(from) : json_null());
  json_object_set_new(json, "to", to ? gpm_json_text(to) : json_null());
  json_object_set_new(json, "first_clock", json_integer((json_int_t)a->first_clock));
  json_object_set_new(json, "last_clock", json_integer((json_int_t)a->last_clock));
  return json;
}

void gpm_json_head(const struct gpm_reader *r) {
  if (as_csv) return;
  fprintf(out(), "{\"state\": \"%s\", ", gpm_state_name(gpm_reader_state(r)));
  if (gpm_reader_has_part_of_history(r)) fprintf(out(), "\"history\": \"part\", ");
  if (gpm_apart_is_part(r)) {
    fprintf(out(), "\"part\": ");
    print(part_of_run(r->apart));
    fprintf(out(), ", ");
  }
  fprintf(out(), "\"devices\": ");
  json_t *devices = json_array();
  for (uint32_t i = 0; i < r->device_count; i++)
    json_array_append_new(devices, device(r, r->device_order[i]));
  print(devices);
}

void gpm_json_field(const char *name, json_t *value) {
  if (as_csv) return json_decref(value);
  fprintf(out(), ",\n\"%s\": ", name);
  print(value);
}

void gpm_json_list(const char *name) {
  if (!as_csv) fprintf(out(), ",\n\"%s\": [", name);
}

void gpm_json_begin(const struct gpm_reader *r, const char *name) {
  gpm_json_head(r);
  gpm_json_list(name);
}

void gpm_json_next(const char *name) {
  if (as_csv) {
    gpm_csv_end();
    putchar('\n');
    return;
  }
  fprintf(out(), "\n],\n\"%s\": [", name);
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
    json_object_set_new(one, "path", gpm_json_path(p, (uint32_t)at.number));
    json_object_set_new(one, "calls", json_integer((json_int_t)n->failed_calls));
    json_object_set_new(one, "bytes", json_integer((json_int_t)n->failed_bytes));
    json_object_set_new(one, "oom", json_integer((json_int_t)n->oom_calls));
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
    json_object_set_new(sums, "live_before", json_integer((json_int_t)c.older));
    json_object_set_new(sums, "live_blocks_before", json_integer((json_int_t)c.older_blocks));
  }
  json_object_set_new(sums, "allocated", json_integer((json_int_t)c.allocated));
  json_object_set_new(sums, "freed", json_integer((json_int_t)c.freed));
  json_object_set_new(sums, "live", json_integer((json_int_t)c.live));
  json_object_set_new(sums, "allocated_blocks", json_integer((json_int_t)c.allocated_blocks));
  json_object_set_new(sums, "freed_blocks", json_integer((json_int_t)c.freed_blocks));
  json_object_set_new(sums, "live_blocks", json_integer((json_int_t)c.live_blocks));
  json_object_set_new(sums, "ok", json_boolean(c.ok));
  if (c.fault) json_object_set_new(sums, "fault", json_string(c.fault));
  free(c.fault);
  fprintf(out(), ",\n\"conservation\": ");
  print(sums);
  fprintf(out(), ",\n\"losses\": ");
  print(gpm_json_counters(p->reader, GPM_COUNTER_LOSS));
  fprintf(out(), ",\n\"limits_reached\": ");
  print(gpm_json_counters(p->reader, GPM_COUNTER_LIMIT));
  fprintf(out(), ",\n\"not_checked\": ");
  print(gpm_json_counters(p->reader, GPM_COUNTER_UNCHECKED));
  fprintf(out(), ",\n\"failed\": ");
  print(failures(p));
  fprintf(out(), ",\n\"unaccounted_calls\": ");
  print(gpm_unaccounted_json(p));
}

void gpm_json_end(const struct gpm_profile *p) {
  if (as_csv) return gpm_csv_end();
  fprintf(out(), "\n]");
  gpm_json_sums(p);
  fprintf(out(), "}\n");
}
