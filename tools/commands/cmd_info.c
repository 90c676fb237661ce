/* cmd_info.c - `gpumemprof info`: how a capture was recorded, and what the run-time options are. */
#include "analysis/conserve.h"
#include "analysis/machine_paths.h"
#include "input/command.h"
#include "listing/samples.h"
#include "output/json.h"
#include "output/summary.h"
#include "over_time/timeline.h"
#include "print/machine_paths_print.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OPTION_OPTIONS = 256, OPTION_SAMPLES, OPTION_PATHS, MOST_MARKS = 20 };

struct info {
  struct gpm_input input;
  bool options;
  bool samples;
  bool paths;
};

const struct argp_option gpm_cmd_info_options[] = {
    {"options", OPTION_OPTIONS, NULL, 0, "list the keys of GPUMEMPROF_OPTIONS", 0},
    {"samples", OPTION_SAMPLES, NULL, 0,
     "list what devices and pools had in use: when each was first seen, where a pool changed, in "
     "each "
     "interval of monitor=, at exit",
     0},
    {"paths", OPTION_PATHS, NULL, 0,
     "compare the call paths with the machine stacks that verify=paths recorded; exit status 1 if "
     "they differ",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct info *o = state->input;
  if (key == OPTION_OPTIONS) o->options = true;
  else if (key == OPTION_SAMPLES) o->samples = true;
  else if (key == ARGP_KEY_END && o->options && o->input.format != GPM_FORMAT_TABLE)
    argp_error(state, "--options is a text: it has no json or csv");
  else if (key == OPTION_PATHS) o->paths = o->input.compares_paths = true;
  else return gpm_input_parse(key, arg, state, &o->input);
  return 0;
}

static uint64_t events_of(const struct gpm_reader *r) {
  struct gpm_conservation sums = gpm_conserve(r);
  free(sums.fault);
  return sums.allocated_blocks + sums.freed_blocks;
}

static void print_options(void) {
  printf("GPUMEMPROF_OPTIONS=key=value:key=value ... of the profiled program; GPUMEMPROF=0 "
         "switches it off.\n\n");
#define GPUMEMPROF_OPTION(key, type, fallback, help)                                               \
  printf("%-10s %-7s %s (default: %s)\n", #key, #type, help, #fallback);
#include "gpumemprof/options.def"
}

static const struct named_records {
  const char *name;
  size_t offset;
} record_types[] = {
#define GPM_RECORDS(field) {#field, offsetof(struct gpm_reader, field)},
#include "contract/records.def"
};
enum { RECORD_TYPES = sizeof record_types / sizeof record_types[0] };

static const struct gpm_records *records_of(const struct gpm_reader *r, unsigned i) {
  return (const void *)((const char *)r + record_types[i].offset);
}

static void print_line(const char *title, const char *text) {
  char *clean = gpm_text_clean(text);
  if (*clean) printf("%-16s %s\n", title, clean);
  free(clean);
}

static void print_rank(const struct gpumemprof_capture_header *h) {
  printf("%-16s %u", "rank", h->rank);
  if (h->ranks) printf(" of %u", h->ranks);
  putchar('\n');
}

static void print_start(const struct gpumemprof_capture_header *h) {
  time_t seconds = (time_t)(h->start_realtime_ns / 1000000000);
  struct tm tm;
  char text[64] = "";
  if (localtime_r(&seconds, &tm)) strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &tm);
  print_line("started", text);
}

static void print_devices(const struct gpm_reader *r, unsigned style) {
  char total[GPM_TEXT_NUMBER], room[GPM_TEXT_NUMBER], peak[GPM_TEXT_NUMBER];
  char uuid[GPM_LOCATIONS_UUID];
  for (uint32_t i = 0; i < r->device_count; i++) {
    const struct gpumemprof_capture_device *d = &r->devices[i];
    char *id = gpm_locations_device(r, i), *name = gpm_text_clean(d->name);
    printf("%-16s %s: %s live, peak %s", id, name, gpm_text_bytes(total, (int64_t)d->total, style),
           gpm_text_bytes(peak, (int64_t)d->peak, style));
    if (d->memory_total)
      printf(", of %s; %s were free when first seen",
             gpm_text_bytes(room, (int64_t)d->memory_total, style),
             gpm_text_bytes(total, (int64_t)d->memory_free, style));
    putchar('\n');
    if (*gpm_locations_uuid(r, i, uuid)) printf("%-16s %s\n", "", uuid);
    free(id);
    free(name);
  }
}

static void print_modules(const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));) {
    char *path = gpm_locations_text(r, m->path),
         *version = gpm_locations_text(r, m->plugin_version);
    printf("%-16s %s (plugin %s, %" PRIu64 " site%s)\n", at.number ? "" : "instrumented", path,
           version, m->sites, gpm_text_s(m->sites));
    free(path);
    free(version);
  }
}

static void print_monitor(const struct gpm_reader *r) {
  char every[GPM_TEXT_NUMBER];
  uint64_t ns = r->header.monitor_ns;
  if (ns)
    printf("%-16s %" PRIu64 " sample%s, every %s\n", "monitor", gpm_timeline_monitor_samples(r),
           gpm_text_s(gpm_timeline_monitor_samples(r)), gpm_text_duration(every, ns));
}

static void print_marks(const struct gpm_reader *r) {
  char time[GPM_TEXT_NUMBER];
  struct gpm_cursor at = {.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&at));) {
    if (at.number == MOST_MARKS) {
      printf("%-16s ... and %" PRIu64 " more (--format json has all)\n", "",
             r->marks.count - at.number);
      return;
    }
    char *name = gpm_locations_text(r, m->name);
    printf("%-16s %s: after %s, clock %" PRIu64 "\n", at.number ? "" : "marks",
           *name ? name : "(no name)", gpm_text_duration(time, gpm_reader_time_ns(r, m->ticks)),
           m->clock);
    free(name);
  }
}

/* They match, because a capture with wrong checksums is not opened. */
static const char *checksums_of(const struct gpumemprof_capture_header *h) {
  if (!h->figures_checksum) return "none: the program did not end by exit(), or ran on after it";
  return h->events_checksum ? "match" : "match, none of its events";
}

static void print_counters(const struct gpumemprof_capture_header *h) {
  for (unsigned i = 0; gpm_counters[i].name; i++) {
    if (!h->counters[i]) continue;
    char *counted = gpm_text_counted(h->counters[i], gpm_counters[i].text);
    printf("%-16s %s%s\n", "", counted,
           gpm_counters[i].class == GPM_COUNTER_LOSS ? " (a loss: figures are incomplete)" : "");
    free(counted);
  }
}

static void print_records(const struct gpm_reader *r, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  for (unsigned i = 0; i < RECORD_TYPES; i++) {
    char *counted =
        gpm_text_counted(records_of(r, i)->count, i ? record_types[i].name : "bytes of text");
    printf("%-16s %s, %s\n", "", counted,
           gpm_text_bytes(number, (int64_t)records_of(r, i)->room, style));
    free(counted);
  }
}

static void print_text(const struct gpm_reader *r, unsigned style) {
  const struct gpumemprof_capture_header *h = &r->header;
  char number[GPM_TEXT_NUMBER];
  print_line("capture", r->path);
  print_line("state", gpm_state_name(gpm_reader_state(r)));
  if (h->flags & GPUMEMPROF_CAPTURE_STOPPED) print_line("stopped because", h->stop_reason);
  if (h->flags & GPUMEMPROF_CAPTURE_DUMP) print_line("copied for", h->dump_reason);
  print_line("program", h->executable);
  print_line("command line", h->command_line);
  print_line("folder", h->directory);
  printf("%-16s %" PRIu64 "\n", "process", h->pid);
  print_line("host", h->host);
  if (h->flags & GPUMEMPROF_CAPTURE_RANKED) print_rank(h);
  print_start(h);
  printf("%-16s %s\n", "recorded for",
         gpm_text_duration(number, gpm_reader_time_ns(r, h->last_ticks)));
  printf("%-16s %u.%u (this tool reads %d.x), runtime %s\n", "format", h->major, h->minor,
         GPUMEMPROF_CAPTURE_MAJOR, h->runtime_version);
  print_line("checksums", checksums_of(h));
  if (h->resets)
    printf("%-16s the reset after %s (%" PRIu64 " in all)\n", "figures since",
           gpm_text_duration(number, gpm_reader_time_ns(r, h->reset_ticks)), h->resets);
  if (h->steps)
    printf("%-16s %" PRIu64 ", %" PRIu64 " cycle%s of schedule= ended\n", "steps", h->steps,
           h->cycles, h->cycles == 1 ? "" : "s");
  print_devices(r, style);
  print_modules(r);
  print_monitor(r);
  if (gpm_reader_has_part_of_history(r)) print_line("history", "of a part of the run");
  print_marks(r);
  printf("%-16s %" PRIu64 " %s\n", "events", events_of(r),
         events_of(r) == 1 ? "allocation or free" : "allocations and frees");
  print_counters(h);
  printf("%-16s %s in %" PRIu64 " chunk%s", "size", gpm_text_bytes(number, (int64_t)h->used, style),
         r->chunk_count, gpm_text_s(r->chunk_count));
  if (r->skipped_chunks)
    printf(", %" PRIu64 " of them of types newer than this tool", r->skipped_chunks);
  putchar('\n');
  print_records(r, style);
}

static json_t *marks_of(const struct gpm_reader *r) {
  json_t *marks = json_array();
  struct gpm_cursor at = {.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&at));) {
    json_t *one = json_object();
    gpm_json_put(one, mark, name, gpm_json_text(gpm_reader_string(r, m->name)));
    gpm_json_put(one, mark, clock, json_integer((json_int_t)m->clock));
    gpm_json_put(one, mark, time_ns, json_integer((json_int_t)gpm_reader_time_ns(r, m->ticks)));
    gpm_json_put(one, mark, thread, json_integer(m->thread));
    json_array_append_new(marks, one);
  }
  return marks;
}

static const char *history_of(const struct gpm_reader *r) {
  return !r->event_chunks                                                 ? "none"
         : gpm_reader_has_part_of_history(r)                              ? "part"
         : r->header.counters[GPUMEMPROF_COUNTER_events_overwritten] != 0 ? "latest"
                                                                          : "whole";
}

static json_t *monitor_of(const struct gpm_reader *r) {
  json_t *json = json_object();
  gpm_json_put(json, monitor, interval_ns, json_integer((json_int_t)r->header.monitor_ns));
  gpm_json_put(json, monitor, samples, json_integer((json_int_t)gpm_timeline_monitor_samples(r)));
  return json;
}

static void print_json(const struct gpm_reader *r) {
  const struct gpumemprof_capture_header *h = &r->header;
  json_t *info = json_object(), *counters = json_object(), *records = json_object(),
         *modules = json_array();
  gpm_json_put(info, info, version, json_integer(GPM_JSON_VERSION));
  gpm_json_put(info, info, capture, gpm_json_text(r->path));
  gpm_json_put(info, info, checksums, json_boolean(h->figures_checksum != 0));
  gpm_json_put(info, info, state, json_string(gpm_state_name(gpm_reader_state(r))));
  gpm_json_put(info, info, stop_reason,
               *h->stop_reason ? gpm_json_text(h->stop_reason) : json_null());
  bool copy = h->flags & GPUMEMPROF_CAPTURE_DUMP;
  gpm_json_put(info, info, dump_reason, copy ? gpm_json_text(h->dump_reason) : json_null());
  gpm_json_put(info, info, program, gpm_json_text(h->executable));
  gpm_json_put(info, info, command_line, gpm_json_text(h->command_line));
  gpm_json_put(info, info, directory, gpm_json_text(h->directory));
  gpm_json_put(info, info, host, gpm_json_text(h->host));
  gpm_json_put(info, info, pid, json_integer((json_int_t)h->pid));
  bool ranked = h->flags & GPUMEMPROF_CAPTURE_RANKED;
  gpm_json_put(info, info, rank, ranked ? json_integer(h->rank) : json_null());
  gpm_json_put(info, info, ranks, h->ranks ? json_integer(h->ranks) : json_null());
  gpm_json_put(info, info, start_realtime_ns, json_integer((json_int_t)h->start_realtime_ns));
  gpm_json_put(info, info, duration_ns,
               json_integer((json_int_t)gpm_reader_time_ns(r, h->last_ticks)));
  gpm_json_put(info, info, steps, json_integer((json_int_t)h->steps));
  gpm_json_put(info, info, cycles, json_integer((json_int_t)h->cycles));
  gpm_json_put(info, info, resets, json_integer((json_int_t)h->resets));
  gpm_json_put(info, info, reset_ns,
               h->resets ? json_integer((json_int_t)gpm_reader_time_ns(r, h->reset_ticks))
                         : json_null());
  gpm_json_put(info, info, format, json_pack("[ii]", h->major, h->minor));
  gpm_json_put(info, info, runtime_version, gpm_json_text(h->runtime_version));
  gpm_json_put(info, info, monitor, monitor_of(r));
  gpm_json_put(info, info, events, json_integer((json_int_t)events_of(r)));
  for (unsigned i = 0; gpm_counters[i].name; i++)
    json_object_set_new(counters, gpm_counters[i].name, json_integer((json_int_t)h->counters[i]));
  gpm_json_put(info, info, counters, counters);
  for (unsigned i = 0; i < RECORD_TYPES; i++)
    json_object_set_new(records, record_types[i].name,
                        json_integer((json_int_t)records_of(r, i)->count));
  gpm_json_put(info, info, records, records);
  gpm_json_put(info, info, chunks, json_integer((json_int_t)r->chunk_count));
  struct gpm_cursor at = {.records = &r->modules};
  for (const struct gpumemprof_capture_module *m; (m = gpm_cursor_next(&at));) {
    json_t *one = json_object();
    gpm_json_put(one, module, path, gpm_json_text(gpm_reader_string(r, m->path)));
    gpm_json_put(one, module, plugin_version,
                 gpm_json_text(gpm_reader_string(r, m->plugin_version)));
    gpm_json_put(one, module, sites, json_integer((json_int_t)m->sites));
    json_array_append_new(modules, one);
  }
  gpm_json_put(info, info, modules, modules);
  gpm_json_put(info, info, history, json_string(history_of(r)));
  gpm_json_put(info, info, marks, marks_of(r));
  json_dumpf(info, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(info);
}

int gpm_cmd_info_run(const struct gpm_command *command, int argc, char **argv) {
  struct info o = {.options = false};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (o.options) {
    print_options();
    return GPM_EXIT_OK;
  }
  if (!o.samples) o.input.no_csv = "info has no csv, but for --samples; use --format json";
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  gpm_progress(NULL);
  int status = GPM_EXIT_OK;
  if (o.paths)
    status = gpm_machine_paths_print(reader, o.input.format) ? GPM_EXIT_OK : GPM_EXIT_FINDING;
  else if (o.samples) gpm_samples_print(reader, o.input.format, o.input.exact ? GPM_TEXT_EXACT : 0);
  else if (o.input.format == GPM_FORMAT_JSON) print_json(reader);
  else print_text(reader, o.input.exact ? GPM_TEXT_EXACT : 0);
  gpm_reader_close(reader);
  return status;
}
