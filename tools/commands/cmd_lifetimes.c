/* cmd_lifetimes.c - `gpumemprof lifetimes`: how large blocks are and how long they live, by line.
 *
 * Rows of a report with columns of their own (lifetimes.h), printed as a report is. Figures that
 * only events have are columns of the table if the capture has events.
 */
#include "input/columns_asked.h"
#include "over_time/lifetimes.h"
#include "print/report.h"
#include "support/text.h"
#include "terminal/fit.h"
#include "terminal/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct argp_option gpm_cmd_lifetimes_options[] = {
    {"by", 'B', "ROWS", 0, "line (default), function, file or path", 0},
    {"explain", 'e', NULL, 0, "explain each column below the table", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const by[] = {"line", "function", "file", "path", NULL};
  static const enum gpm_by rows[] = {GPM_BY_LINE, GPM_BY_FUNCTION, GPM_BY_FILE, GPM_BY_PATH};
  struct gpm_report *o = state->input;
  switch (key) {
  case 'B':
    o->by = rows[gpm_say_choice("kind of rows in lifetimes", arg, by)];
    return 0;
  case 'e':
    o->explain = true;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* ---- columns that the terminal has room for ----------------------------------------------------
 */

enum { ROOM_FOR_LOCATION = 36 };

/* What a column usually takes, with the space before it. */
static uint32_t width_of(unsigned column) {
  static const uint32_t values[] = {[GPM_UNIT_BYTES] = 10, [GPM_UNIT_TIME] = 8};
  uint32_t title = gpm_fit_columns(gpm_columns[column].title), value = 6;
  enum gpm_unit unit = gpm_columns[column].unit;
  if (unit < sizeof values / sizeof *values && values[unit]) value = values[unit];
  return 2 + (title > value ? title : value);
}

static bool fits(const struct gpm_choice *choice, uint32_t room) {
  uint32_t width = ROOM_FOR_LOCATION;
  for (unsigned i = 0; i < choice->count; i++)
    if (choice->column[i] != GPM_TEXT_location) width += width_of(choice->column[i]);
  return width <= room;
}

static void leave_out(struct gpm_choice *choice, unsigned column) {
  unsigned kept = 0;
  for (unsigned i = 0; i < choice->count; i++)
    if (choice->column[i] != column) choice->column[kept++] = choice->column[i];
  choice->count = kept;
}

/* Leaves out what says least, until a location has room beside the rest. Returns how many columns
 * were left out. A file gets all of them. */
static unsigned fit(struct gpm_choice *choice, uint32_t room) {
  static const unsigned least_first[] = {
      GPM_FIGURE_youngest_clock, GPM_FIGURE_oldest_clock, GPM_FIGURE_lifetime_clock,
      GPM_FIGURE_kept_blocks,    GPM_FIGURE_min_size,     GPM_FIGURE_temporary_percent,
      GPM_FIGURE_max_size,       GPM_FIGURE_kept_bytes,   GPM_FIGURE_leaked_blocks,
      GPM_FIGURE_mean_size,      GPM_FIGURE_short_blocks};
  unsigned all = choice->count;
  for (size_t i = 0; i < sizeof least_first / sizeof *least_first; i++)
    if (room && !fits(choice, room)) leave_out(choice, least_first[i]);
  return all - choice->count;
}

static void print_unknown(const struct gpm_reader *r, enum gpm_lifetimes_source source) {
  if (source == GPM_LIFETIMES_BY_PART)
    printf("- : the events do not account for everything that was allocated or freed there\n");
  if (source != GPM_LIFETIMES_BY_SUMS) return;
  printf("lowest and highest ages, short-lived and kept blocks are known only from events: %s\n",
         r->header.resets  ? "record without a reset, with GPUMEMPROF_OPTIONS=history=all"
         : r->event_chunks ? "record all of them with GPUMEMPROF_OPTIONS=history=all"
                           : "record it with GPUMEMPROF_OPTIONS=history=all");
}

int gpm_cmd_lifetimes_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_report o = {.by = GPM_BY_LINE, .sort = GPM_FIGURE_self_alloc};
  if (!gpm_report_begin(&o, command, argc, argv, parse)) return GPM_EXIT_OK;
  if (o.input.columns) {
    bool named;
    char *list = gpm_asked_of_rows(o.input.columns, o.by, &named);
    o.choice = gpm_asked_columns(list);
    free(list);
  }
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  struct gpm_reader *reader = o.input.reader;
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, o.by);
  enum gpm_lifetimes_source source = gpm_lifetimes_add(&rows, reader);
  bool table = o.input.format == GPM_FORMAT_TABLE;
  if (!o.input.columns) o.choice = gpm_lifetimes_choice(table, source);
  bool narrow = table && !o.input.columns && !o.input.verbose;
  unsigned left_out = narrow ? fit(&o.choice, gpm_terminal_room()) : 0;
  struct gpm_order order;
  gpm_lifetimes_order(&order, &rows, o.sort);
  gpm_report_hide_small(&o, &rows, &order);
  gpm_report_leave_out(&o, &rows, &order);
  gpm_progress(NULL);
  gpm_report_print(&o, &rows, &order, gpm_input_shown(&o.input, order.count));
  if (table && order.count && left_out)
    printf("... and %u more column%s (--verbose shows all)\n", left_out, gpm_text_s(left_out));
  if (table && order.count) print_unknown(reader, source);
  gpm_order_free(&order);
  gpm_rows_free(&rows);
  return gpm_input_close(&o.input, profile);
}
