/* samples.c - see samples.h. Each sample is a line or an object, and is printed as it is read,
 * because there may be a million. */
#include "listing/samples.h"

#include "output/json.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *why_of(const struct gpumemprof_capture_sample *s) {
  static const char *const names[] = {"", "first", "change", "exit", "monitor"};
  return s->why < sizeof names / sizeof *names ? names[s->why] : "";
}

static void print_bytes(uint64_t bytes, bool known, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  printf(" %12s", known ? gpm_text_bytes(number, (int64_t)bytes, style) : "-");
}

static void print_row(const struct gpm_reader *r, const struct gpumemprof_capture_sample *s,
                      unsigned style) {
  char time[GPM_TEXT_NUMBER], *device = gpm_locations_device(r, s->device);
  bool whole = s->pool == GPUMEMPROF_NONE;
  printf("%10s %10" PRIu64 "  %-7s", gpm_text_duration(time, gpm_reader_time_ns(r, s->ticks)),
         s->clock, why_of(s));
  print_bytes(s->used, true, style);
  print_bytes(s->total, true, style);
  print_bytes(s->ledger, true, style);
  print_bytes(s->pools, whole, style);
  print_bytes(s->rss, s->rss != 0, style);
  printf("  %s", device);
  if (!whole) printf(" pool %" PRIu32, s->pool);
  putchar('\n');
  free(device);
}

static json_t *bytes_or_null(uint64_t bytes, bool known) {
  return known ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *json_of(const struct gpm_reader *r, const struct gpumemprof_capture_sample *s) {
  bool whole = s->pool == GPUMEMPROF_NONE;
  json_t *one = json_object();
  gpm_json_put(one, sample, time_ns, json_integer((json_int_t)gpm_reader_time_ns(r, s->ticks)));
  gpm_json_put(one, sample, clock, json_integer((json_int_t)s->clock));
  gpm_json_put(one, sample, why, json_string(why_of(s)));
  gpm_json_put(one, sample, device, gpm_json_device_id(r, s->device));
  gpm_json_put(one, sample, pool, bytes_or_null(s->pool, !whole));
  gpm_json_put(one, sample, used, json_integer((json_int_t)s->used));
  gpm_json_put(one, sample, total, json_integer((json_int_t)s->total));
  gpm_json_put(one, sample, ledger, json_integer((json_int_t)s->ledger));
  gpm_json_put(one, sample, pools, bytes_or_null(s->pools, whole));
  gpm_json_put(one, sample, rss, bytes_or_null(s->rss, s->rss != 0));
  return one;
}

static void print_table(const struct gpm_reader *r, unsigned style) {
  printf("%10s %10s  %-7s %12s %12s %12s %12s %12s  %s\n", "time", "clock", "why", "used", "total",
         "ledger", "pools", "rss", "device");
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));)
    print_row(r, s, style);
}

static void print_json(const struct gpm_reader *r) {
  gpm_json_version();
  gpm_json_list(samples, samples);
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));)
    gpm_json_item(json_of(r, s), !at.number);
  gpm_json_list_end();
  gpm_json_close();
}

void gpm_samples_print(const struct gpm_reader *r, enum gpm_format format, unsigned style) {
  if (format == GPM_FORMAT_TABLE) print_table(r, style);
  else print_json(r);
}
