/* samples.c - see samples.h. One line or object each, printed as they are read: there may be a
 * million.
 */
#include "print/samples.h"

#include "output/json.h"
#include "rows/places.h"
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
  char time[GPM_TEXT_NUMBER], *device = gpm_places_device(r, s->device);
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

static void print_csv(const struct gpm_reader *r, const struct gpumemprof_capture_sample *s) {
  char *device = gpm_places_device(r, s->device);
  printf("%" PRIu64 ",%" PRIu64 ",%s,%s,", gpm_reader_time_ns(r, s->ticks), s->clock, why_of(s),
         device);
  if (s->pool != GPUMEMPROF_NONE) printf("%" PRIu32, s->pool);
  printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", s->used, s->total, s->ledger);
  if (s->pool == GPUMEMPROF_NONE) printf("%" PRIu64, s->pools);
  putchar(',');
  if (s->rss) printf("%" PRIu64, s->rss);
  putchar('\n');
  free(device);
}

static json_t *bytes_or_null(uint64_t bytes, bool known) {
  return known ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *json_of(const struct gpm_reader *r, const struct gpumemprof_capture_sample *s) {
  bool whole = s->pool == GPUMEMPROF_NONE;
  json_t *one = json_object();
  json_object_set_new(one, "time_ns", json_integer((json_int_t)gpm_reader_time_ns(r, s->ticks)));
  json_object_set_new(one, "clock", json_integer((json_int_t)s->clock));
  json_object_set_new(one, "why", json_string(why_of(s)));
  json_object_set_new(one, "device", gpm_json_device_id(r, s->device));
  json_object_set_new(one, "pool", bytes_or_null(s->pool, !whole));
  json_object_set_new(one, "used", json_integer((json_int_t)s->used));
  json_object_set_new(one, "total", json_integer((json_int_t)s->total));
  json_object_set_new(one, "ledger", json_integer((json_int_t)s->ledger));
  json_object_set_new(one, "pools", bytes_or_null(s->pools, whole));
  json_object_set_new(one, "rss", bytes_or_null(s->rss, s->rss != 0));
  return one;
}

void gpm_samples_print(const struct gpm_reader *r, enum gpm_format format, unsigned style) {
  if (format == GPM_FORMAT_TABLE)
    printf("%10s %10s  %-7s %12s %12s %12s %12s %12s  %s\n", "time", "clock", "why", "used",
           "total", "ledger", "pools", "rss", "device");
  else if (format == GPM_FORMAT_CSV)
    puts("time_ns,clock,why,device,pool,used,total,ledger,pools,rss");
  else printf("[");
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    if (format == GPM_FORMAT_TABLE) print_row(r, s, style);
    else if (format == GPM_FORMAT_CSV) print_csv(r, s);
    else gpm_json_item(json_of(r, s), !at.number);
  }
  if (format == GPM_FORMAT_JSON) puts("\n]");
}
