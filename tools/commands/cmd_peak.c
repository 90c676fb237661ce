/* cmd_peak.c - `gpumemprof peak`: what was live when a device held the most, or a scope needed the
 * most. */
#include "analysis/nothing.h"
#include "answers/answers.h"
#include "events/listeners.h"
#include "input/command.h"
#include "output/holding_print.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/summary.h"
#include "over_time/latest.h"
#include "over_time/scope_peak.h"
#include "print/held_rows.h"
#include "rows/locations.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SCOPE = 256, OPTION_LAST };

struct peak {
  struct gpm_input input;
  struct gpm_held_rows rows;
  uint32_t hidden;   /* by --min, of the list that is printed */
  const char *scope; /* or null: peaks of the devices */
  uint32_t last;
  const struct gpm_profile *profile;
};

const struct argp_option gpm_cmd_peak_options[] = {
    {"scope", OPTION_SCOPE, "NAME", 0,
     "show the highest own peak of this function or block instead (needs history=all)", 0},
    {"last", OPTION_LAST, "N", 0,
     "show the last N allocations before the peak, if the capture has a history (default 5)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct peak *o = state->input;
  switch (key) {
  case OPTION_SCOPE:
    o->scope = arg;
    return 0;
  case OPTION_LAST:
    if (!gpm_text_parse_count(arg, GPM_SCOPE_PEAK_MOST_LAST, &o->last))
      argp_error(state, "--last wants a number up to %d, not `%s`", GPM_SCOPE_PEAK_MOST_LAST, arg);
    return 0;
  case ARGP_KEY_END:
    if (o->scope && (gpm_window_is_given(&o->input.split.window) ||
                     gpm_patterns_have_sizes(&o->input.patterns)))
      argp_error(state, "--scope is about the whole run: not with --from, --to or --filter size");
    if (o->scope)
      gpm_input_show_wrappers(&o->input, state, "--scope may name a wrapper and shows them");
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

static unsigned style_of(const struct peak *o) {
  return o->input.exact ? GPM_TEXT_EXACT : 0;
}

static void begin(const struct peak *o) {
  if (o->input.format == GPM_FORMAT_CSV)
    gpm_fields_as_csv(&o->rows.fields, o->scope ? "scope_peak_row" : "peak_row");
  if (o->input.format != GPM_FORMAT_TABLE) gpm_json_begin(o->profile, peak, peaks);
  else {
    gpm_summary_print_before_answer(o->profile, style_of(o), o->input.verbose);
    gpm_summary_print_filter(o->profile, style_of(o));
  }
}

/* ---- what came before a moment -----------------------------------------------------------------
 */

/* Counts the allocations of a device up to its peak. */
struct before {
  uint32_t device;
  uint64_t clock;
  struct gpm_latest latest;
};

struct befores {
  const struct peak *o;
  const struct gpm_reader *reader;
  struct before *before; /* by index in the order of devices */
  uint64_t clock;        /* no event after this tick is before a peak */
};

static bool is_shown(const struct befores *b, const struct gpm_event *e) {
  return e->kind == GPM_EVENT_ALLOCATED && b->o->profile->cell_shown[e->id] &&
         gpm_patterns_take(&b->o->input.patterns, e->bytes) &&
         !(gpm_split_is_part(b->reader) && e->clock < b->reader->split->first_clock);
}

static bool add_event(void *self, const struct gpm_event *e) {
  const struct befores *b = self;
  if (e->clock > b->clock) return false;
  if (!is_shown(b, e)) return true;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&b->reader->cells, e->id);
  for (uint32_t i = 0; i < b->reader->device_count; i++) {
    struct before *before = &b->before[i];
    if (before->device == c->device && e->clock <= before->clock)
      gpm_latest_add(&before->latest, e);
  }
  return true;
}

static bool is_of(const struct peak *o, uint32_t device) {
  return (o->input.filter.device == GPM_ALL_DEVICES || o->input.filter.device == device) &&
         o->profile->reader->devices[device].peak;
}

/* By index in the order of devices, for the devices that are shown. */
static struct before *find_before(const struct peak *o, struct gpm_reader *r) {
  struct befores b = {.o = o, .reader = r};
  b.before = gpm_memory_array(r->device_count, sizeof *b.before);
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    b.before[i] = (struct before){.device = device, .clock = r->devices[device].peak_clock};
    if (!is_of(o, device)) b.before[i].clock = 0;
    gpm_latest_begin(&b.before[i].latest, is_of(o, device) ? o->last : 0);
    if (b.before[i].clock > b.clock) b.clock = b.before[i].clock;
  }
  char error[512]; /* what came before it is shown */
  struct gpm_listener listener = {.self = &b, .event = add_event};
  gpm_progress("reading the events");
  if (o->last && b.clock) gpm_listeners_read(r, &listener, 1, error, sizeof error);
  gpm_progress(NULL);
  for (uint32_t i = 0; i < r->device_count; i++) gpm_latest_mark(&b.before[i].latest);
  return b.before;
}

enum { EXACT_TO = 63 }; /* ticks by which an event may be later than its time stamp */

static void print_before(const struct peak *o, const struct gpm_latest *b) {
  const struct gpm_profile *p = o->profile;
  const struct gpm_event *e;
  for (uint64_t i = 0; (e = gpm_latest_at(b, i)); i++) {
    char when[GPM_TEXT_NUMBER], bytes[GPM_TEXT_NUMBER];
    char *path = gpm_locations_path(p, p->cell_node[e->id]);
    if (!i) printf("the last allocations before it, the latest at the end:\n");
    gpm_wrapped_print(
        28, "%12s  %10s  %s%s", gpm_text_bytes(bytes, (int64_t)e->bytes, style_of(o)),
        gpm_text_duration(when, gpm_reader_time_ns(p->reader, e->ticks)), path,
        gpm_summary_is_before_reset(p->reader, e->ticks + EXACT_TO) ? "  (before the reset)" : "");
    free(path);
  }
}

static json_t *json_before(const struct peak *o, const struct gpm_latest *b) {
  json_t *list = json_array();
  const struct gpm_event *e;
  for (uint64_t i = 0; (e = gpm_latest_at(b, i)); i++) {
    uint32_t node = o->profile->cell_node[e->id];
    json_t *one = gpm_json_location(o->profile, node);
    gpm_json_put(one, before_peak, bytes, json_integer((json_int_t)e->bytes));
    gpm_json_put(one, before_peak, clock, json_integer((json_int_t)e->clock));
    gpm_json_put(one, before_peak, time_ns,
                 json_integer((json_int_t)gpm_reader_time_ns(o->profile->reader, e->ticks)));
    gpm_json_put(one, before_peak, path, gpm_json_path(o->profile, node));
    json_array_append_new(list, one);
  }
  return list;
}

/* Takes ownership of the JSON. CSV has a row for each line that was live, with the peak that it
 * belongs to. */
static void print_item(const struct peak *o, json_t *peak, bool first) {
  if (o->input.format == GPM_FORMAT_JSON) return gpm_json_item(peak, first);
  json_t *live = json_incref(json_object_get(peak, "live")), *line;
  const char *lists[] = {"live", "before", "path", "reached_by"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) json_object_del(peak, lists[i]);
  size_t i;
  json_array_foreach(live, i, line) {
    gpm_json_put(line, peak_row, peak, json_incref(peak));
    gpm_json_item(json_incref(line), false);
  }
  json_decref(live);
  json_decref(peak);
}

/* ---- devices -----------------------------------------------------------------------------------
 */

static bool is_reached_by(const struct gpm_profile *p, const struct gpumemprof_capture_device *d) {
  return d->peak_node != GPUMEMPROF_NONE && d->peak_node < p->node_count;
}

/* The bytes of the allocation that completed the peak; 0: the capture has no event of it. */
static uint64_t last_size(const struct peak *o, uint32_t device, const struct gpm_latest *before) {
  const struct gpm_event *e, *last = NULL;
  for (uint64_t i = 0; (e = gpm_latest_at(before, i)); i++) last = e;
  return last && last->clock == o->profile->reader->devices[device].peak_clock ? last->bytes : 0;
}

static void print_device(const struct peak *o, uint32_t device, const struct gpm_holding *holding,
                         const struct gpm_latest *before) {
  gpm_answers_print_peak(o->profile, device, last_size(o, device, before), style_of(o));
  gpm_held_rows_print(&o->rows, holding, o->hidden);
  print_before(o, before);
}

static json_t *json_device(const struct peak *o, uint32_t device, const struct gpm_holding *holding,
                           const struct gpm_latest *before) {
  const struct gpm_reader *r = o->profile->reader;
  const struct gpumemprof_capture_device *d = &r->devices[device];
  json_t *one = json_object();
  gpm_json_put(one, device_peak, device, gpm_json_device_id(r, device));
  gpm_json_put(one, device_peak, bytes, json_integer((json_int_t)d->peak));
  gpm_json_put(one, device_peak, clock, json_integer((json_int_t)d->peak_clock));
  gpm_json_put(one, device_peak, time_ns,
               json_integer((json_int_t)gpm_reader_time_ns(r, d->peak_ticks)));
  gpm_json_put(one, device_peak, reached_by,
               is_reached_by(o->profile, d) ? gpm_json_path(o->profile, d->peak_node)
                                            : json_null());
  gpm_json_put(one, device_peak, live, gpm_held_rows_json(&o->rows, holding));
  gpm_json_put(one, device_peak, before, json_before(o, before));
  return one;
}

static void show_devices(struct peak *o, struct gpm_reader *reader) {
  uint32_t shown = 0;
  struct before *before = find_before(o, reader);
  for (uint32_t i = 0; i < reader->device_count; i++) {
    uint32_t device = reader->device_order[i];
    if (is_of(o, device)) {
      struct gpm_holding holding;
      gpm_holding_at_peak(&holding, o->profile, device);
      o->hidden = gpm_held_rows_arrange(&o->rows, &holding);
      if (o->input.format != GPM_FORMAT_TABLE)
        print_item(o, json_device(o, device, &holding, &before[i].latest), !shown);
      else {
        if (shown) putchar('\n');
        print_device(o, device, &holding, &before[i].latest);
      }
      shown++;
      gpm_holding_free(&holding);
    }
    gpm_latest_free(&before[i].latest);
  }
  free(before);
  if (!shown && o->input.format == GPM_FORMAT_TABLE)
    gpm_nothing_print(o->profile, "nothing was allocated");
}

/* ---- scopes ------------------------------------------------------------------------------------
 */

static void print_scope(const struct peak *o, const struct gpm_scope_peak *peak) {
  const struct gpm_holding *holding = &peak->holding;
  const struct gpm_reader *r = o->profile->reader;
  char bytes[GPM_TEXT_NUMBER], when[GPM_TEXT_NUMBER];
  char *where = gpm_locations_node(o->profile, peak->node),
       *path = gpm_locations_path(o->profile, peak->event);
  gpm_wrapped_print(2,
                    "%s needed most, %s on top of what was live at its start, after %s, when this "
                    "allocated: %s",
                    where, gpm_text_bytes(bytes, (int64_t)peak->own_peak, style_of(o)),
                    gpm_text_duration(when, gpm_reader_time_ns(r, peak->ticks)), path);
  free(where);
  free(path);
  gpm_held_rows_print(&o->rows, holding, o->hidden);
  gpm_wrapped_print(2, "in scope: allocated in this call, by its thread. It needed less than that "
                       "where it had freed what was there before");
  print_before(o, &peak->before);
}

static json_t *json_scope(const struct peak *o, const struct gpm_scope_peak *peak) {
  const struct gpm_holding *holding = &peak->holding;
  const struct gpm_profile *p = o->profile;
  json_t *one = json_object();
  gpm_json_put(one, scope_peak, path, gpm_json_path(p, peak->node));
  gpm_json_put(one, scope_peak, own_peak, json_integer((json_int_t)peak->own_peak));
  gpm_json_put(one, scope_peak, clock, json_integer((json_int_t)peak->clock));
  gpm_json_put(one, scope_peak, thread, json_integer(peak->thread));
  gpm_json_put(one, scope_peak, since_clock, json_integer((json_int_t)peak->since));
  gpm_json_put(one, scope_peak, time_ns,
               json_integer((json_int_t)gpm_reader_time_ns(p->reader, peak->ticks)));
  gpm_json_put(one, scope_peak, reached_by, gpm_json_path(p, peak->event));
  gpm_json_put(one, scope_peak, live, gpm_held_rows_json(&o->rows, holding));
  gpm_json_put(one, scope_peak, before, json_before(o, &peak->before));
  return one;
}

static bool show_scope(struct peak *o, struct gpm_reader *reader) {
  struct gpm_scope_peak peak;
  gpm_progress("following the scopes");
  char *wrong = gpm_scope_peak_named(reader, o->profile, o->scope, o->last, &peak);
  gpm_progress(NULL);
  bool fine = !wrong;
  if (wrong) gpm_say("%s", wrong);
  free(wrong);
  if (fine) o->hidden = gpm_held_rows_arrange(&o->rows, &peak.holding);
  if (fine) begin(o);
  if (fine && o->input.format != GPM_FORMAT_TABLE) print_item(o, json_scope(o, &peak), true);
  else if (fine) print_scope(o, &peak);
  gpm_scope_peak_free(&peak);
  return fine;
}

int gpm_cmd_peak_run(const struct gpm_command *command, int argc, char **argv) {
  struct peak o = {.last = 5};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!gpm_held_rows_choose(&o.rows, &o.input, o.scope)) return GPM_EXIT_OK;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  o.profile = profile;
  gpm_progress(NULL);
  bool fine = true;
  if (o.scope) fine = show_scope(&o, o.input.reader);
  else {
    begin(&o);
    show_devices(&o, o.input.reader);
  }
  if (fine && o.input.format != GPM_FORMAT_TABLE) gpm_json_end(profile);
  int status = gpm_input_close(&o.input, profile);
  return fine ? status : GPM_EXIT_USAGE;
}
