/* cmd_timeline.c - `gpumemprof timeline`: live bytes of each device over the run. */
#include "input/command.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/summary.h"
#include "over_time/timeline.h"
#include "rows/locations.h"
#include "support/text.h"
#include "terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_WIDTH = 256, OPTION_HEIGHT, OPTION_AXIS };
enum { MOST_WIDTH = GPM_TIMELINE_MOST_WIDTH, MOST_HEIGHT = 200, SCALE = 14, LEAST_WIDTH = 20 };

struct timeline {
  struct gpm_input input;
  uint32_t width, height; /* 0: by the terminal; 10 */
  bool by_clock;
};

const struct argp_option gpm_cmd_timeline_options[] = {
    {"axis", OPTION_AXIS, "AXIS", 0, "time (default), or clock: the allocation clock", 0},
    {"width", OPTION_WIDTH, "N", 0,
     "columns of the chart (default: the width of the terminal, or 80)", 0},
    {"height", OPTION_HEIGHT, "N", 0, "rows of the chart for each device (default 10)", 0},
    {0},
};

static uint32_t number_of(const char *what, const char *arg, uint32_t most,
                          struct argp_state *state) {
  uint32_t number;
  if (!gpm_text_parse_count(arg, most, &number) || !number)
    argp_error(state, "--%s wants a number from 1 to %u, not `%s`", what, most, arg);
  return number;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const axes[] = {"time", "clock", NULL};
  struct timeline *o = state->input;
  switch (key) {
  case OPTION_AXIS:
    o->by_clock = gpm_say_choice("axis", arg, axes) == 1;
    return 0;
  case OPTION_WIDTH:
    o->width = number_of("width", arg, MOST_WIDTH, state);
    return 0;
  case ARGP_KEY_END:
    if (gpm_patterns_have_sizes(&o->input.patterns))
      argp_error(state, "a timeline has blocks of all sizes: " GPM_PATTERNS_SIZES_ARE_FOR);
    return 0;
  case OPTION_HEIGHT:
    o->height = number_of("height", arg, MOST_HEIGHT, state);
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* Where nobody looks at it, captures of all terminals have the same columns. */
static uint32_t width_of(const struct timeline *o) {
  if (o->width) return o->width;
  uint32_t width = o->input.format == GPM_FORMAT_TABLE ? gpm_terminal_width() : 80;
  if (width > MOST_WIDTH) width = MOST_WIDTH;
  return width > SCALE + LEAST_WIDTH ? width - SCALE : LEAST_WIDTH;
}

static void put_column(json_t *into, const struct gpm_timeline *t,
                       const struct gpm_timeline_device *d, uint32_t k) {
  const struct gpm_timeline_column *c = &d->column[k];
  gpm_json_put(into, timeline_column, begin, json_integer((json_int_t)gpm_timeline_begin(t, k)));
  gpm_json_put(into, timeline_column, end, json_integer((json_int_t)gpm_timeline_begin(t, k + 1)));
  gpm_json_put(into, timeline_column, min, json_integer((json_int_t)c->min));
  gpm_json_put(into, timeline_column, max, json_integer((json_int_t)c->max));
  gpm_json_put(into, timeline_column, last, json_integer((json_int_t)c->last));
}

static void print_csv(const struct gpm_timeline *t) {
  gpm_csv_begin("timeline_row", NULL);
  for (uint32_t i = 0; i < t->count; i++)
    for (uint32_t k = 0; k < t->width; k++) {
      json_t *row = json_object();
      gpm_json_put(row, timeline_row, device,
                   gpm_json_device_id(t->profile->reader, t->device[i].device));
      put_column(row, t, &t->device[i], k);
      gpm_csv_item(row);
    }
  gpm_csv_end();
}

static json_t *json_device(const struct gpm_timeline *t, const struct gpm_timeline_device *d) {
  json_t *one = json_object(), *columns = json_array();
  gpm_json_put(one, timeline_device, device, gpm_json_device_id(t->profile->reader, d->device));
  gpm_json_put(one, timeline_device, max, json_integer((json_int_t)d->max));
  gpm_json_put(one, timeline_device, max_at, json_integer((json_int_t)d->max_at));
  gpm_json_put(one, timeline_device, samples,
               t->by_samples ? json_integer((json_int_t)d->samples) : json_null());
  for (uint32_t k = 0; k < t->width; k++) {
    json_t *column = json_object();
    put_column(column, t, d, k);
    json_array_append_new(columns, column);
  }
  gpm_json_put(one, timeline_device, columns, columns);
  return one;
}

/* Null: the device is not drawn. */
static json_t *json_moment(const struct gpm_timeline *t, uint64_t clock, uint64_t ticks) {
  if (!gpm_timeline_has(t, gpm_timeline_at(t, clock, ticks))) return NULL;
  json_t *one = json_object();
  gpm_json_put(one, moment, clock, json_integer((json_int_t)clock));
  gpm_json_put(one, moment, time_ns,
               json_integer((json_int_t)gpm_reader_time_ns(t->profile->reader, ticks)));
  return one;
}

static void print_moment(json_t *moment, bool *first) {
  if (!moment) return;
  gpm_json_item(moment, *first);
  *first = false;
}

static void print_json(const struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  gpm_json_head(t->profile);
  gpm_json_field(timeline, axis, json_string(t->by_clock ? "clock" : "time_ns"));
  gpm_json_field(timeline, from, json_string(t->by_samples ? "samples" : "events"));
  gpm_json_list(timeline, timeline);
  for (uint32_t i = 0; i < t->count; i++) gpm_json_item(json_device(t, &t->device[i]), !i);
  gpm_json_next(timeline, steps);
  bool first = true;
  struct gpm_cursor at = {.records = &r->steps};
  for (const struct gpumemprof_capture_step *s; (s = gpm_cursor_next(&at));)
    print_moment(json_moment(t, s->clock, s->ticks), &first);
  gpm_json_next(timeline, marks);
  first = true;
  at = (struct gpm_cursor){.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&at));) {
    json_t *one = json_moment(t, m->clock, m->ticks);
    if (one) gpm_json_put(one, timeline_mark, name, gpm_json_text(gpm_reader_string(r, m->name)));
    print_moment(one, &first);
  }
  gpm_json_next(timeline, ooms);
  first = true;
  at = (struct gpm_cursor){.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));) {
    json_t *one = json_moment(t, o->clock, o->ticks);
    if (one) gpm_json_put(one, timeline_oom, requested, json_integer((json_int_t)o->requested));
    print_moment(one, &first);
  }
  gpm_json_end(t->profile);
}

int gpm_cmd_timeline_run(const struct gpm_command *command, int argc, char **argv) {
  struct timeline o = {.height = 10};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  struct gpm_window window = o.input.split.window;
  if (!gpm_window_find(&window, reader)) {
    gpm_reader_close(reader);
    return GPM_EXIT_USAGE;
  }
  if (gpm_window_is_given(&window)) o.input.filter.window = &window;
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  struct gpm_timeline t = {.profile = profile,
                           .by_clock = o.by_clock,
                           .of_kind = o.input.filter.kind != GPM_ALL_KINDS,
                           .of_pattern = o.input.patterns.count,
                           .window = window,
                           .width = width_of(&o)};
  unsigned style = o.input.exact ? GPM_TEXT_EXACT : 0;
  bool made = gpm_timeline_make(&t, reader);
  gpm_progress(NULL);
  if (made && o.input.format == GPM_FORMAT_JSON) print_json(&t);
  else if (made && o.input.format == GPM_FORMAT_CSV) print_csv(&t);
  else if (made) {
    gpm_summary_print(profile, style, o.input.verbose);
    gpm_summary_print_losses(reader);
    gpm_summary_print_filter(profile, style);
    gpm_timeline_draw(&t, o.height, style);
  }
  gpm_timeline_free(&t);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  gpm_patterns_free(&o.input.patterns);
  return made ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}
