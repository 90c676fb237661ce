/* events_print.c - see events_print.h. */
#include "listing/events_print.h"

#include "output/json.h"
#include "output/operands_json.h"
#include "rows/locations.h"
#include "rows/operands.h"
#include "rows/use_text.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void gpm_events_print_head(const struct gpm_events_printed *o) {
  if (!o->table) return gpm_json_begin(o->profile, events, events);
  if (gpm_reader_has_part_of_history(o->profile->reader))
    printf("(the history is of a part of the run: the program switched it with "
           "gpumemprof_history)\n");
  uint64_t lost = o->profile->reader->header.counters[GPUMEMPROF_COUNTER_events_overwritten];
  if (lost) printf("(the ring held the latest events; %" PRIu64 " before them are gone)\n", lost);
  printf("%10s %10s %6s  %-11s %12s  %-16s %s\n", "clock", "time", "thread", "event", "bytes",
         "block", "location");
}

static const char *const names[] = {"allocated", "freed", "free failed", "scope ended", "failed"};

static void print_line(struct gpm_events_printed *o, const struct gpm_event *e,
                       const struct gpm_life *life) {
  char bytes[GPM_TEXT_NUMBER] = "", block[GPM_TEXT_NUMBER] = "", time[GPM_TEXT_NUMBER];
  const struct gpm_reader *r = o->profile->reader;
  uint32_t node = gpm_event_node(r, e);
  if (!o->location[node]) o->location[node] = gpm_locations_node(o->profile, node);
  if (life || e->kind == GPM_EVENT_FAILED)
    gpm_text_bytes(bytes, (int64_t)(life ? life->bytes : e->bytes), o->style);
  if (e->address)
    snprintf(block, sizeof block, "%" PRIx64 "_%" PRIu32, gpm_event_address(e),
             life ? life->generation : 0);
  char *operands = e->operands == GPUMEMPROF_NONE
                       ? gpm_memory_text("")
                       : gpm_operands_of_call(r, e->operands, e->operand);
  printf("%10" PRIu64 " %10s %6" PRIu32 "  %-11s %12s  %-16s %s%s%s\n", e->clock,
         gpm_text_duration(time, gpm_reader_time_ns(r, e->ticks)), e->thread, names[e->kind], bytes,
         block, o->location[node], *operands ? "  " : "", operands);
  free(operands);
}

static void print_json(struct gpm_events_printed *o, const struct gpm_event *e,
                       const struct gpm_life *life) {
  const struct gpm_reader *r = o->profile->reader;
  json_t *one = json_object();
  gpm_json_put(one, event, clock, json_integer((json_int_t)e->clock));
  gpm_json_put(one, event, time_ns, json_integer((json_int_t)gpm_reader_time_ns(r, e->ticks)));
  gpm_json_put(one, event, thread, json_integer(e->thread));
  gpm_json_put(one, event, event, json_string(names[e->kind]));
  if (e->address) gpm_json_put(one, event, address, json_integer((json_int_t)gpm_event_address(e)));
  if (life) gpm_json_put(one, event, life, json_integer(life->generation));
  if (life || e->kind == GPM_EVENT_FAILED)
    gpm_json_put(one, event, bytes, json_integer((json_int_t)(life ? life->bytes : e->bytes)));
  if (e->kind == GPM_EVENT_ALLOCATED) {
    const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, e->id);
    gpm_json_put(one, event, requested, json_integer((json_int_t)(e->bytes - e->padding)));
    gpm_json_put(one, event, device, gpm_json_device_id(r, c->device));
    gpm_json_put(one, event, kind, json_string(gpm_locations_kind(c->kind)));
    if (c->stream) {
      const struct gpumemprof_capture_stream *s = gpm_reader_record(&r->streams, c->stream - 1);
      gpm_json_put(one, event, stream, json_integer((json_int_t)s->handle));
    }
  }
  if (e->kind == GPM_EVENT_FAILED) gpm_json_put(one, event, oom, json_boolean(e->out_of_memory));
  json_t *location = gpm_json_location(o->profile, gpm_event_node(r, e));
  json_object_update_missing(one, location);
  json_decref(location);
  if (e->operands != GPUMEMPROF_NONE)
    gpm_json_put(one, event, operands, gpm_operands_of_call_json(r, e->operands, e->operand));
  gpm_json_item(one, !o->printed++);
}

void gpm_events_print_mark(struct gpm_events_printed *o, const struct gpumemprof_capture_mark *m) {
  const struct gpm_reader *r = o->profile->reader;
  char time[GPM_TEXT_NUMBER];
  uint64_t ns = gpm_reader_time_ns(r, m->ticks);
  if (!o->table) {
    json_t *one = json_object();
    gpm_json_put(one, event, clock, json_integer((json_int_t)m->clock));
    gpm_json_put(one, event, time_ns, json_integer((json_int_t)ns));
    gpm_json_put(one, event, thread, json_integer(m->thread));
    gpm_json_put(one, event, event, json_string("mark"));
    gpm_json_put(one, event, name, gpm_json_text(gpm_reader_string(r, m->name)));
    gpm_json_item(one, !o->printed++);
    return;
  }
  char *name = gpm_locations_text(r, m->name);
  printf("%10" PRIu64 " %10s %6" PRIu32 "  %-11s %12s  %-16s %s\n", m->clock,
         gpm_text_duration(time, ns), m->thread, "mark", "", "", name);
  free(name);
}

/* A use of memory, in the columns of an event. */
static void print_use(struct gpm_events_printed *o, const struct gpm_event *e) {
  const struct gpm_reader *r = o->profile->reader;
  const struct gpumemprof_capture_use *u = gpm_use_text_record(r, e->id);
  char time[GPM_TEXT_NUMBER], *where = gpm_use_text_location(r, u),
                              *values = gpm_use_text_values(r, e->id, e->value);
  printf("%10" PRIu64 " %10s %6" PRIu32 "  %-11s %12s  %-16s %s%s%s\n", e->clock,
         gpm_text_duration(time, gpm_reader_time_ns(r, e->ticks)), e->thread, gpm_use_text_verb(u),
         "", "", where, *values ? "  " : "", values);
  free(where);
  free(values);
}

static json_t *json_values(const struct gpm_reader *r, const struct gpumemprof_capture_use *u,
                           const uint64_t *value) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < u->values; i++) {
    json_t *one = json_object();
    char *name = gpm_use_text_value_name(r, u, i), number[GPM_TEXT_NUMBER];
    snprintf(number, sizeof number, "%" PRIu64, value[i]);
    gpm_json_put(one, use_value, name, *name ? json_string(name) : json_null());
    gpm_json_put(one, use_value, value,
                 value[i] > INT64_MAX ? json_string(number) : json_integer((json_int_t)value[i]));
    json_array_append_new(list, one);
    free(name);
  }
  return list;
}

static void print_use_json(struct gpm_events_printed *o, const struct gpm_event *e) {
  const struct gpm_reader *r = o->profile->reader;
  const struct gpumemprof_capture_use *u = gpm_use_text_record(r, e->id);
  json_t *one = json_object();
  gpm_json_put(one, event, clock, json_integer((json_int_t)e->clock));
  gpm_json_put(one, event, time_ns, json_integer((json_int_t)gpm_reader_time_ns(r, e->ticks)));
  gpm_json_put(one, event, thread, json_integer(e->thread));
  gpm_json_put(one, event, event, json_string(gpm_use_text_verb(u)));
  gpm_json_put(one, event, stream, json_integer((json_int_t)u->stream));
  json_t *location = gpm_json_site(r, u->site);
  json_object_update_missing(one, location);
  json_decref(location);
  char *kernel = gpm_use_text_kernel(r, u);
  if (*kernel) gpm_json_put(one, event, kernel, json_string(kernel));
  free(kernel);
  gpm_json_put(one, event, values, json_values(r, u, e->value));
  gpm_json_item(one, !o->printed++);
}

void gpm_events_print_event(struct gpm_events_printed *o, const struct gpm_event *e,
                            const struct gpm_life *life) {
  bool is_use = e->kind == GPM_EVENT_USED;
  if (is_use && !o->table) print_use_json(o, e);
  else if (is_use) print_use(o, e);
  else if (!o->table) print_json(o, e, life);
  else print_line(o, e, life);
}

void gpm_events_print_make(struct gpm_events_printed *o, const struct gpm_profile *profile) {
  o->profile = profile;
  o->location = gpm_memory_array(profile->node_count, sizeof(char *));
}

void gpm_events_print_free(struct gpm_events_printed *o) {
  for (uint32_t i = 0; o->location && i < o->profile->node_count; i++) free(o->location[i]);
  free(o->location);
}
