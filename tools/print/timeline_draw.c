/* timeline_draw.c - draws a timeline on the terminal.
 *
 *    6.00 MiB |      ░░▅▅▅▅            full: live all the time; shaded: live at some moment of the
 *             |   ▂██████████░░        column; the top of the highest column is the most there was
 *           0 +---------------------
 *                    ^                 the peak
 *       steps    |     |     |         what happened
 */
#include "output/nothing_print.h"
#include "output/summary.h"
#include "over_time/timeline.h"
#include "terminal/terminal.h"

#include "analysis/nothing.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 26 };

static void put(const struct gpm_timeline *t, char *text, uint64_t at, char mark) {
  if (gpm_timeline_has(t, at)) text[gpm_timeline_column(t, at)] = mark;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

/* Returns the height of a bar in eighths of a row, for `height` rows. `up` rounds up, so that a
 * maximum above 0 is always visible. */
static uint64_t eighths_of(uint64_t bytes, uint64_t most, uint32_t height, bool up) {
  uint64_t all = (uint64_t)height * 8;
  unsigned __int128 product = (unsigned __int128)bytes * all;
  return most ? (uint64_t)((product + (up ? most - 1 : 0)) / most) : 0;
}

static uint64_t within(uint64_t eighths, uint64_t base) {
  uint64_t above = eighths > base ? eighths - base : 0;
  return above < 8 ? above : 8;
}

static const char *glyph(const struct gpm_timeline_column *c, uint64_t most, uint32_t height,
                         uint64_t base) {
  uint64_t top = within(eighths_of(c->max, most, height, true), base),
           full = within(eighths_of(c->min, most, height, c->min == c->max), base);
  if (top == full) return gpm_terminal_eighths((unsigned)top, true);
  return gpm_terminal_is_utf8() ? "░" : ":";
}

static void print_scale(const struct gpm_timeline_device *d, uint32_t row, uint32_t height,
                        unsigned style) {
  char number[GPM_TEXT_NUMBER] = "";
  if (!row) gpm_text_bytes(number, (int64_t)d->max, style);
  else if (height > 3 && row == height / 2)
    gpm_text_bytes(number, (int64_t)(d->max / height * (height - row)), style);
  printf("%12s |", number);
}

static void draw_curve(const struct gpm_timeline *t, const struct gpm_timeline_device *d,
                       uint32_t height, unsigned style) {
  for (uint32_t row = 0; row < height; row++) {
    print_scale(d, row, height, style);
    uint64_t base = (uint64_t)(height - 1 - row) * 8;
    uint32_t end = t->width; /* trailing blanks are omitted */
    while (end && *glyph(&d->column[end - 1], d->max, height, base) == ' ') end--;
    for (uint32_t i = 0; i < end; i++) fputs(glyph(&d->column[i], d->max, height, base), stdout);
    putchar('\n');
  }
  printf("%12s +", "0");
  for (uint32_t i = 0; i < t->width; i++) putchar('-');
  putchar('\n');
}

/* ---- what happened -----------------------------------------------------------------------------
 */

/* Prints a line of the marks that were set in `text`. */
static void print_marks(const char *title, char *text, uint32_t width) {
  while (width && text[width - 1] == ' ') width--;
  if (width) printf("%12s  %.*s\n", title, (int)width, text);
}

static void position_text(const struct gpm_timeline *t, uint64_t at, char out[GPM_TEXT_NUMBER]) {
  if (t->by_clock) snprintf(out, GPM_TEXT_NUMBER, "clock %" PRIu64, at);
  else gpm_text_duration(out, at);
}

static void draw_steps(const struct gpm_timeline *t, char *text) {
  memset(text, ' ', t->width);
  struct gpm_cursor at = {.records = &t->profile->reader->steps};
  for (const struct gpumemprof_capture_step *s; (s = gpm_cursor_next(&at));)
    put(t, text, gpm_timeline_at(t, s->clock, s->ticks), '|');
  print_marks("steps", text, t->width);
}

static void draw_ooms(const struct gpm_timeline *t, char *text) {
  memset(text, ' ', t->width);
  struct gpm_cursor at = {.records = &t->profile->reader->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));)
    put(t, text, gpm_timeline_at(t, o->clock, o->ticks), 'x');
  print_marks("out of mem", text, t->width);
}

/* Marks are drawn as letters in alphabetical order, which the lines below explain. */
static void draw_named(const struct gpm_timeline *t, char *text) {
  const struct gpm_reader *r = t->profile->reader;
  memset(text, ' ', t->width);
  struct gpm_cursor at = {.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&at));)
    put(t, text, gpm_timeline_at(t, m->clock, m->ticks),
        at.number < MOST_NAMES ? (char)('a' + at.number) : '*');
  print_marks("marks", text, t->width);
  at = (struct gpm_cursor){.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m;
       (m = gpm_cursor_next(&at)) && at.number < MOST_NAMES;) {
    if (!gpm_timeline_has(t, gpm_timeline_at(t, m->clock, m->ticks))) continue;
    char when[GPM_TEXT_NUMBER], *name = gpm_locations_text(r, m->name);
    position_text(t, gpm_timeline_at(t, m->clock, m->ticks), when);
    printf("%12c  %s, %s\n", (char)('a' + at.number), name, when);
    free(name);
  }
  if (r->marks.count > MOST_NAMES)
    printf("%12s  %" PRIu64 " more\n", "*", r->marks.count - MOST_NAMES);
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void draw_device(const struct gpm_timeline *t, const struct gpm_timeline_device *d,
                        uint32_t height, unsigned style, char *text) {
  char most[GPM_TEXT_NUMBER], when[GPM_TEXT_NUMBER], last[GPM_TEXT_NUMBER];
  char *name = gpm_locations_device(t->profile->reader, d->device);
  position_text(t, d->max_at, when);
  printf("\n%s: at most %s at %s, %s at the end", name,
         gpm_text_bytes(most, (int64_t)d->max, style), when,
         gpm_text_bytes(last, (int64_t)d->live, style));
  if (t->by_samples) printf(" (%" PRIu64 " sample%s)", d->samples, gpm_text_s(d->samples));
  putchar('\n');
  free(name);
  if (!d->max) return;
  draw_curve(t, d, height, style);
  memset(text, ' ', t->width);
  put(t, text, d->max_at, '^');
  print_marks("most", text, t->width);
}

/* Of the allocation clock at the reset only the begin of the program is known to be before it. */
static bool begins_before_reset(const struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  uint64_t reset = gpm_reader_time_ns(r, r->header.reset_ticks);
  return r->header.resets && t->start < (t->by_clock ? 1 : reset);
}

void gpm_timeline_draw(const struct gpm_timeline *t, uint32_t height, unsigned style) {
  char *text = gpm_memory_array((size_t)t->width + 1, 1);
  char begin[GPM_TEXT_NUMBER] = "the start", end[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < t->count; i++) draw_device(t, &t->device[i], height, style, text);
  if (!t->count) gpm_nothing_print(t->profile, "nothing was allocated");
  draw_steps(t, text);
  draw_named(t, text);
  draw_ooms(t, text);
  if (t->start) position_text(t, t->start, begin);
  position_text(t, t->start + (t->length - 1), end);
  if (t->count) printf("%12s  from %s to %s, %u columns\n", "", begin, end, t->width);
  if (t->count && begins_before_reset(t))
    gpm_summary_print_before_reset(t->profile->reader, "the drawing has");
  if (t->by_samples && t->count)
    printf("from samples of the monitor, the peaks and the end: between them more, or less, may "
           "have been live; GPUMEMPROF_OPTIONS=history=all records every change\n");
  free(text);
}
