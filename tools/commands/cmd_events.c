/* cmd_events.c - `gpumemprof events`: what happened, one event after the other. */
#include "events/listeners.h"
#include "events/replay.h"
#include "input/command.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/operands_json.h"
#include "output/summary.h"
#include "rows/locations.h"
#include "rows/operands.h"
#include "rows/use_text.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_REPLAY = 256, OPTION_LAST };
#define MOST_KEPT 1000000

/* An event or a mark that may be one of the last. */
struct kept {
  const struct gpumemprof_capture_mark *mark; /* null: an event */
  struct gpm_event event;
  struct gpm_life life;
  bool has_life;
  uint64_t *value; /* of a use that is kept for --last */
};

struct events {
  struct gpm_input input;
  bool replaying;
  uint32_t last;  /* 0: all */
  uint32_t shown; /* events, uses and marks that are printed, without --last */
  uint64_t count; /* events that were replayed or selected */
  uint64_t items; /* wanted events and marks so far */
  struct gpm_replay *replay;
  struct kept *kept;
  uint64_t printed;
  const struct gpm_profile *profile;
  char **location; /* locations by call path; null: not made yet */
  struct gpm_cursor marks;
  const struct gpumemprof_capture_mark *mark; /* the next, or null */
};

const struct argp_option gpm_cmd_events_options[] = {
    {"replay", OPTION_REPLAY, NULL, 0,
     "compute every figure of the capture again from its events and compare; print no events", 0},
    {"last", OPTION_LAST, "N", 0, "only the last N events, including marks of the program", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct events *o = state->input;
  switch (key) {
  case OPTION_REPLAY:
    o->replaying = true;
    return 0;
  case OPTION_LAST:
    if (!gpm_text_parse_count(arg, MOST_KEPT, &o->last) || !o->last)
      argp_error(state, "--last wants a number from 1 to %d, not `%s`", MOST_KEPT, arg);
    return 0;
  case ARGP_KEY_END:
    if (o->replaying && o->input.format == GPM_FORMAT_CSV)
      argp_error(state, "--replay has no csv: its result is no list; use --format json");
    if (o->replaying && (o->last || gpm_window_is_given(&o->input.split.window)))
      argp_error(state, "--replay is of all events: not with --from, --to or --last");
    if (o->replaying && (o->input.device || o->input.kind || o->input.patterns.count))
      argp_error(state, "--replay is of all events: not with --device, --kind or --filter");
    if (o->replaying && (o->input.limit.given || o->input.short_names))
      argp_error(state, "--replay prints no events: not with --limit or --names");
    if (o->replaying)
      gpm_input_show_wrappers(&o->input, state, "--replay compares what was recorded");
    if (o->last && o->input.limit.given)
      argp_error(state, "--limit is for the first events, --last for the last: not both");
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

static const char *const names[] = {"allocated", "freed", "free failed", "scope ended", "failed"};

static void print_line(struct events *o, const struct gpm_event *e, const struct gpm_life *life) {
  char bytes[GPM_TEXT_NUMBER] = "", block[GPM_TEXT_NUMBER] = "", time[GPM_TEXT_NUMBER];
  const struct gpm_reader *r = o->profile->reader;
  uint32_t node = gpm_event_node(r, e);
  if (!o->location[node]) o->location[node] = gpm_locations_node(o->profile, node);
  if (life || e->kind == GPM_EVENT_FAILED)
    gpm_text_bytes(bytes, (int64_t)(life ? life->bytes : e->bytes),
                   o->input.exact ? GPM_TEXT_EXACT : 0);
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

static void print_json(const struct events *o, const struct gpm_event *e,
                       const struct gpm_life *life, bool first) {
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
  gpm_json_item(one, first);
}

static void print_mark(struct events *o, const struct gpumemprof_capture_mark *m) {
  const struct gpm_reader *r = o->profile->reader;
  char time[GPM_TEXT_NUMBER];
  uint64_t ns = gpm_reader_time_ns(r, m->ticks);
  if (o->input.format != GPM_FORMAT_TABLE) {
    json_t *one = json_object();
    gpm_json_put(one, event, clock, json_integer((json_int_t)m->clock));
    gpm_json_put(one, event, time_ns, json_integer((json_int_t)ns));
    gpm_json_put(one, event, thread, json_integer(m->thread));
    gpm_json_put(one, event, event, json_string("mark"));
    gpm_json_put(one, event, name, gpm_json_text(gpm_reader_string(r, m->name)));
    gpm_json_item(one, !o->printed);
    return;
  }
  char *name = gpm_locations_text(r, m->name);
  printf("%10" PRIu64 " %10s %6" PRIu32 "  %-11s %12s  %-16s %s\n", m->clock,
         gpm_text_duration(time, ns), m->thread, "mark", "", "", name);
  free(name);
}

/* A use of memory, in the columns of an event. */
static void print_use(struct events *o, const struct gpm_event *e) {
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

static void print_use_json(const struct events *o, const struct gpm_event *e, bool first) {
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
  gpm_json_item(one, first);
}

static void print_head(const struct events *o) {
  if (o->input.format != GPM_FORMAT_TABLE) return gpm_json_begin(o->profile, events, events);
  if (gpm_reader_has_part_of_history(o->profile->reader))
    printf("(the history is of a part of the run: the program switched it with "
           "gpumemprof_history)\n");
  uint64_t lost = o->profile->reader->header.counters[GPUMEMPROF_COUNTER_events_overwritten];
  if (lost) printf("(the ring held the latest events; %" PRIu64 " before them are gone)\n", lost);
  printf("%10s %10s %6s  %-11s %12s  %-16s %s\n", "clock", "time", "thread", "event", "bytes",
         "block", "location");
}

/* All that the text format says in sentences. */
static void print_result_json(const struct gpm_profile *p, const struct gpm_replay_result *result,
                              uint64_t count) {
  gpm_json_head(p);
  gpm_json_field(replay, events, json_integer((json_int_t)count));
  gpm_json_field(replay, agrees, json_boolean(!result->differences));
  gpm_json_field(replay, differences, json_integer((json_int_t)result->differences));
  gpm_json_field(replay, first_difference,
                 result->differences ? gpm_json_text(result->first) : json_null());
  gpm_json_field(replay, own_peaks_compared, json_boolean(result->scopes));
  gpm_json_field(replay, went_on_while_copied, json_boolean(result->went_on));
  gpm_json_field(replay, events_under_way, json_integer((json_int_t)result->ahead));
  gpm_json_close();
}

/* When the events were under way that are in the figures alone. */
static const char *moment_of(enum gpm_state state) {
  switch (state) {
  case GPM_STATE_COMPLETE:
    return "when the program exited";
  case GPM_STATE_STOPPED:
    return "when recording stopped";
  case GPM_STATE_RUNNING:
    return "when it was read";
  case GPM_STATE_ELSEWHERE:
    return "at its last moment";
  default:
    return "when the program was killed";
  }
}

static int print_result(const struct events *o, const struct gpm_reader *r,
                        struct gpm_replay_result result) {
  uint64_t count = o->count;
  bool json = o->input.format == GPM_FORMAT_JSON, differs = result.differences != 0;
  if (json) print_result_json(o->profile, &result, count);
  if (differs) {
    gpm_say("%s: %" PRIu64 " figure%s what its %" PRIu64 " event%s; the first: %s", r->path,
            result.differences, result.differences == 1 ? " differs from" : "s differ from", count,
            count == 1 ? " makes" : "s make", result.first);
    free(result.first);
  }
  if (differs || json) return differs ? GPM_EXIT_FINDING : GPM_EXIT_OK;
  printf("%" PRIu64 " event%s replayed: every figure agrees%s", count, gpm_text_s(count),
         result.scopes ? ""
                       : " (but for own peaks, which were not compared: threads worked for each "
                         "other's scopes)");
  if (result.went_on) printf(", but for what threads did while it was copied");
  if (result.ahead)
    printf(", as far as it had got: %" PRIu64 " more %s under way %s", result.ahead,
           result.ahead == 1 ? "was" : "were", moment_of(gpm_reader_state(r)));
  putchar('\n');
  return GPM_EXIT_OK;
}

/* Ends of scopes have no tick of the clock, so a mark of the same clock may be before or after one;
 * but the outermost scope of a thread ends after the marks that the thread set in it. */
static bool is_set_in(const struct gpm_profile *p, const struct gpumemprof_capture_mark *mark,
                      const struct gpm_event *e) {
  if (!mark || e->kind != GPM_EVENT_SCOPE_ENDED) return false;
  bool is_outermost = e->id && p->scope[p->tree.node[e->id].parent] == GPUMEMPROF_NONE;
  return is_outermost && mark->thread == e->thread && mark->clock == e->clock;
}

static void print_item(struct events *o, const struct kept *k) {
  const struct gpm_life *life = k->has_life ? &k->life : NULL;
  bool is_use = !k->mark && k->event.kind == GPM_EVENT_USED;
  if (k->mark) print_mark(o, k->mark);
  else if (is_use && o->input.format != GPM_FORMAT_TABLE) print_use_json(o, &k->event, !o->printed);
  else if (is_use) print_use(o, &k->event);
  else if (o->input.format != GPM_FORMAT_TABLE) print_json(o, &k->event, life, !o->printed);
  else print_line(o, &k->event, life);
  o->printed++;
}

/* The values of a use are copied, because they are valid only until the next event. */
static void keep(const struct events *o, struct kept *to, const struct kept *k) {
  free(to->value);
  *to = *k;
  if (k->mark || k->event.kind != GPM_EVENT_USED) return;
  uint16_t count = gpm_use_text_record(o->profile->reader, k->event.id)->values;
  to->value = gpm_memory_array(count, sizeof *to->value);
  if (count) memcpy(to->value, k->event.value, count * sizeof *to->value);
  to->event.value = to->value;
}

/* Takes the next event or mark. For --last it is only stored. */
static void take(struct events *o, const struct kept *k) {
  uint64_t number = o->items++;
  if (o->last) keep(o, &o->kept[number % o->last], k);
  else if (number < o->shown) print_item(o, k);
}

/* Takes the requested marks before an event with this clock. */
static void take_marks(struct events *o, uint64_t clock) {
  const struct gpm_window *w = &o->input.split.window;
  for (; o->mark && o->mark->clock < clock; o->mark = gpm_cursor_next(&o->marks)) {
    uint64_t ns = gpm_reader_time_ns(o->profile->reader, o->mark->ticks);
    if (!gpm_window_is_before(w, o->mark->clock, ns) &&
        !gpm_window_is_behind(w, o->mark->clock, ns))
      take(o, &(struct kept){.mark = o->mark});
  }
}

static void take_event(struct events *o, const struct gpm_event *e, const struct gpm_life *life) {
  take_marks(o, e->clock + is_set_in(o->profile, o->mark, e));
  o->count++;
  struct kept k = {.event = *e, .has_life = life != NULL};
  if (life) k.life = *life;
  take(o, &k);
}

static void print_last(struct events *o) {
  uint64_t first = o->items > o->last ? o->items - o->last : 0;
  for (uint64_t i = first; o->last && i < o->items; i++) print_item(o, &o->kept[i % o->last]);
}

/* Whether the event is about memory that the options select. */
static bool is_wanted(const struct events *o, const struct gpm_life *life) {
  const struct gpm_filter *f = &o->input.filter;
  if (f->device == GPM_ALL_DEVICES && f->kind == GPM_ALL_KINDS && !f->patterns) return true;
  return life && o->profile->cell_shown[life->cell] &&
         gpm_patterns_take(&o->input.patterns, life->bytes);
}

static void begin(void *self) {
  struct events *o = self;
  const struct gpm_reader *reader = o->profile->reader;
  o->shown = gpm_input_shown(&o->input, UINT32_MAX);
  o->location = gpm_memory_array(o->profile->node_count, sizeof(char *));
  o->kept = gpm_memory_array(o->last, sizeof *o->kept);
  o->marks = (struct gpm_cursor){.records = &reader->marks};
  o->mark = o->replaying ? NULL : gpm_cursor_next(&o->marks);
  if (o->replaying) gpm_progress("reading the events");
  else print_head(o);
}

static bool replay_event(void *self, const struct gpm_event *e) {
  struct events *o = self;
  gpm_replay_event(o->replay, e);
  o->count++;
  return true;
}

static bool print_event_read(void *self, const struct gpm_event *e) {
  struct events *o = self;
  const struct gpm_window *w = &o->input.split.window;
  uint64_t time = gpm_reader_time_ns(o->profile->reader, e->ticks);
  if (gpm_window_is_behind(w, e->clock, time)) return false;
  const struct gpm_life *life = gpm_replay_event(o->replay, e);
  if (gpm_window_is_before(w, e->clock, time) || !is_wanted(o, life)) return true;
  take_event(o, e, life);
  return true;
}

static bool print_use_read(void *self, const struct gpm_event *e) {
  struct events *o = self;
  const struct gpm_window *w = &o->input.split.window;
  uint64_t time = gpm_reader_time_ns(o->profile->reader, e->ticks);
  if (gpm_window_is_behind(w, e->clock, time)) return false;
  if (!gpm_window_is_before(w, e->clock, time) && is_wanted(o, NULL)) take_event(o, e, NULL);
  return true;
}

/* What follows the events that were printed. is_whole: none of them is damaged. */
static void print_rest(struct events *o, bool is_whole) {
  take_marks(o, UINT64_MAX);
  if (is_whole) print_last(o);
  if (!o->last && o->items > o->shown && o->input.format == GPM_FORMAT_TABLE)
    printf("... and %" PRIu64 " more (--limit 0 shows all)\n", o->items - o->shown);
  if (o->input.format != GPM_FORMAT_TABLE) gpm_json_end(o->profile);
  else if (!o->count && !o->profile->all_cells_shown)
    gpm_nothing_print(o->profile, "nothing was allocated or freed");
}

static int run(struct events *o, struct gpm_reader *reader) {
  char error[512];
  struct gpm_listener listener = {.self = o,
                                  .begin = begin,
                                  .event = o->replaying ? replay_event : print_event_read,
                                  .used = o->replaying ? NULL : print_use_read};
  o->replay = gpm_replay_new(o->profile);
  int status = GPM_EXIT_OK;
  bool is_whole = gpm_listeners_read(reader, &listener, 1, error, sizeof error);
  gpm_progress(NULL);
  if (o->location && !o->replaying) print_rest(o, is_whole);
  if (!is_whole) {
    gpm_say("%s", error);
    status = GPM_EXIT_USAGE;
  } else if (o->replaying) status = print_result(o, reader, gpm_replay_compare(o->replay));
  for (uint32_t i = 0; o->location && i < o->profile->node_count; i++) free(o->location[i]);
  free(o->location);
  for (uint32_t i = 0; o->kept && i < o->last; i++) free(o->kept[i].value);
  free(o->kept);
  gpm_replay_free(o->replay);
  return status;
}

/* Whether figures can be computed from the events; false after it said why they cannot. */
static bool can_replay(const struct gpm_reader *reader) {
  if (reader->header.counters[GPUMEMPROF_COUNTER_events_overwritten])
    gpm_say("%s holds the latest events only (history=ring): figures cannot be made from them; "
            "record it with history=all",
            reader->path);
  else if (reader->header.resets)
    gpm_say("%s: the program reset its figures (gpumemprof_reset), so they cannot be made from "
            "its events; record it without resets",
            reader->path);
  else if (gpm_reader_has_part_of_history(reader))
    gpm_say(
        "%s holds the events of a part of the run (the program switched them with "
        "gpumemprof_history): figures cannot be made from them; record it with history=all from "
        "its start",
        reader->path);
  else return true;
  return false;
}

int gpm_cmd_events_run(const struct gpm_command *command, int argc, char **argv) {
  struct events o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  int status = GPM_EXIT_USAGE;
  bool any = reader->event_chunks != 0; /* without events, the walk says so */
  if (!any ||
      ((!o.replaying || can_replay(reader)) && gpm_window_find(&o.input.split.window, reader))) {
    if (gpm_window_is_given(&o.input.split.window)) o.input.filter.window = &o.input.split.window;
    struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
    o.profile = profile;
    gpm_progress(NULL);
    status = run(&o, reader);
    gpm_profile_free(profile);
  }
  gpm_reader_close(reader);
  gpm_patterns_free(&o.input.patterns);
  return status;
}
