/* cmd_top.c - `gpumemprof top`: a running program on the screen, or one refresh of it printed.
 *
 * Reading order: top_find.c (which capture), top_refresh.c (a refresh), top_model.c (changes since
 * the previous one), top_order.c (which lines), then top_ui.c (the screen) or top_print.c.
 */
#include "input/command.h"
#include "model/shared_folder.h"
#include "support/memory.h"
#include "support/text.h"
#include "top/top_find.h"
#include "top/top_print.h"
#include "top/top_ui.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { OPTION_ONCE = 256, OPTION_OLD };

struct top {
  struct gpm_input input;
  struct gpm_top_order order;
  uint64_t interval_ns, old_ns;
  bool once, interval_given;
};

const struct argp_option gpm_cmd_top_options[] = {
    {"interval", 'i', "TIME", 0,
     "time between refreshes: 0.5s, 2s, 1min; at least 100ms (default 1s)", 0},
    {"old", OPTION_OLD, "TIME", 0, "how long bytes have to be live to count in OLD (default 60s)",
     0},
    {"once", OPTION_ONCE, NULL, 0,
     "print one refresh and end; with --interval, print what changed between two", 0},
    {0},
};

static uint64_t parse_time(const char *name, const char *arg, uint64_t least,
                           struct argp_state *state) {
  uint64_t ns;
  if (!gpm_text_parse_duration(arg, &ns) || ns < least || ns > (uint64_t)INT64_MAX / 2)
    argp_error(state, "--%s wants a time like 0.5s, 2s or 1min, %s at least, not `%s`", name,
               least < 1000000000u ? "100ms" : "1s", arg);
  return ns;
}

static enum gpm_top_column parse_column(const char *word) {
  static const char *const names[] = {
#define GPM_TOP_COLUMN(name, title, width, key, definition) #name,
#include "top/top_columns.def"
      NULL};
  return (enum gpm_top_column)gpm_say_choice("column", word, names);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct top *o = state->input;
  switch (key) {
  case 'i':
    o->interval_ns = parse_time("interval", arg, 100000000u, state);
    o->interval_given = true;
    return 0;
  case OPTION_OLD:
    o->old_ns = parse_time("old", arg, 1000000000u, state);
    return 0;
  case OPTION_ONCE:
    o->once = true;
    return 0;
  case ARGP_KEY_ARG:
    if (o->input.path)
      argp_error(state, "one program at a time, please: `%s` is one too many", arg);
    o->input.path = arg;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* False after it said why there is none. */
static bool take_sample(struct gpm_top *t) {
  if (gpm_top_refresh(t)) return true;
  char *clean = gpm_text_clean(t->problem);
  gpm_say("%s", clean);
  free(clean);
  return false;
}

static bool print(const struct top *o, struct gpm_top *t) {
  if (o->interval_given && gpm_top_runs(t)) {
    struct timespec time = {(time_t)(o->interval_ns / 1000000000u),
                            (long)(o->interval_ns % 1000000000u)};
    while (nanosleep(&time, &time)) continue;
    if (!take_sample(t)) return false;
  }
  if (o->input.format == GPM_FORMAT_TABLE)
    gpm_say_host()->shared = gpm_shared_folder_of(t->reader, NULL);
  gpm_top_print(t, &o->order, &o->input);
  return true;
}

int gpm_cmd_top_run(const struct gpm_command *command, int argc, char **argv) {
  struct top o = {.interval_ns = 1000000000u, .old_ns = 60000000000u, .order = {.filter = ""}};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (o.input.sort) o.order.sort = parse_column(o.input.sort);
  bool screen = !o.once && o.input.format == GPM_FORMAT_TABLE && isatty(STDIN_FILENO) &&
                isatty(STDOUT_FILENO);
  struct gpm_top top = {.path = gpm_top_find(o.input.path),
                        .short_names = o.input.short_names,
                        .wrappers = o.input.named,
                        .whole = !screen,
                        .model.old_ns = o.old_ns};
  top.wrappers.hide = gpm_input_hides_wrappers(&o.input);
  bool shown = top.path && take_sample(&top);
  if (shown)
    shown = screen ? gpm_top_show(&top, &o.order, o.interval_ns, o.input.exact) : print(&o, &top);
  gpm_top_free(&top);
  return shown ? GPM_EXIT_OK : GPM_EXIT_USAGE;
}
