/* cmd_events.c - `gpumemprof events`: what happened, one event after the other. */
#include "events/listeners.h"
#include "events/replay.h"
#include "input/command.h"
#include "listing/events_print.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/summary.h"
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
  struct gpm_events_printed printed;
  const struct gpm_profile *profile;
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
  if (k->mark) gpm_events_print_mark(&o->printed, k->mark);
  else gpm_events_print_event(&o->printed, &k->event, k->has_life ? &k->life : NULL);
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
  gpm_events_print_make(&o->printed, o->profile);
  o->kept = gpm_memory_array(o->last, sizeof *o->kept);
  o->marks = (struct gpm_cursor){.records = &reader->marks};
  o->mark = o->replaying ? NULL : gpm_cursor_next(&o->marks);
  if (o->replaying) gpm_progress("reading the events");
  else gpm_events_print_head(&o->printed);
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
  if (o->printed.location && !o->replaying) print_rest(o, is_whole);
  if (!is_whole) {
    gpm_say("%s", error);
    status = GPM_EXIT_USAGE;
  } else if (o->replaying) status = print_result(o, reader, gpm_replay_compare(o->replay));
  gpm_events_print_free(&o->printed);
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
    o.printed.table = o.input.format == GPM_FORMAT_TABLE;
    o.printed.style = o.input.exact ? GPM_TEXT_EXACT : 0;
    gpm_progress(NULL);
    status = run(&o, reader);
    gpm_profile_free(profile);
  }
  gpm_reader_close(reader);
  gpm_patterns_free(&o.input.patterns);
  return status;
}
