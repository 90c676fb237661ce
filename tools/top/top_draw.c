/* top_draw.c - draws the lines above and below the rows of `gpumemprof top`: the program, its
 * devices as bars, rates, the history of live bytes, and the keys. */
#include "output/summary.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/terminal.h"
#include "top/top_ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_BODY = 4 };     /* rows that the head leaves free, including the titles */
enum { BESIDE_HISTORY = 44 }; /* columns */

static const char *bytes(const struct gpm_top_ui *ui, char out[GPM_TEXT_NUMBER], uint64_t value) {
  if (ui->exact) return gpm_text_bytes(out, (int64_t)value, GPM_TEXT_EXACT);
  return gpm_text_short_bytes(out, (int64_t)value, 0);
}

/* ---- the program -------------------------------------------------------------------------------
 */

static char *state_text(const struct gpm_top_ui *ui) {
  const struct gpm_top *t = ui->top;
  enum gpm_state state = gpm_reader_state(t->reader);
  unsigned long long s = gpm_top_age_ns(t) / 1000000000u;
  const char *what = t->over ? "ended" : gpm_state_name(state);
  if (state == GPM_STATE_ELSEWHERE) what = "on another host";
  return gpm_memory_format("%s %llu:%02llu:%02llu%s", what, s / 3600, s / 60 % 60, s % 60,
                           ui->paused ? ", top is paused" : "");
}

static void draw_program(const struct gpm_top_ui *ui, uint32_t columns) {
  const struct gpumemprof_capture_header *h = &ui->top->reader->header;
  char *program = gpm_text_clean(h->command_line[0] ? h->command_line : h->executable);
  char *state = state_text(ui), *id = gpm_memory_format("pid %" PRIu64 "  ", h->pid);
  uint32_t at = gpm_screen_put(0, 0, id, GPM_STYLE_PLAIN);
  bool runs = gpm_top_runs(ui->top);
  at = gpm_screen_put(0, at, state, runs ? GPM_STYLE_LIVE : GPM_STYLE_WARNING);
  if (at + 2 < columns) gpm_screen_put(0, at + 2, program, GPM_STYLE_BOLD);
  free(program);
  free(state);
  free(id);
}

/* ---- devices -----------------------------------------------------------------------------------
 */

/* "1.50G peak 2.10G of 24.0G", or "1.50G/24.0G" where the long text would hide the bar. To be
 * freed. */
static char *device_text(const struct gpm_top_ui *ui, const struct gpumemprof_capture_device *d,
                         uint32_t room) {
  char live[GPM_TEXT_NUMBER], peak[GPM_TEXT_NUMBER], total[GPM_TEXT_NUMBER] = "";
  bytes(ui, live, d->total);
  bytes(ui, peak, d->peak);
  if (d->memory_total) bytes(ui, total, d->memory_total);
  char *text = gpm_memory_format("%s peak %s%s%s", live, peak, *total ? " of " : "", total);
  if (strlen(text) * 2 <= room) return text;
  free(text);
  return gpm_memory_format("%s%s%s", live, *total ? "/" : "", total);
}

/* GPU 0 [|||||||||||:::::        1.50G peak 2.10G of 24.0G] */
static void draw_device(const struct gpm_top_ui *ui, uint32_t device, uint32_t row, uint32_t column,
                        uint32_t width) {
  const struct gpumemprof_capture_device *d = &ui->top->reader->devices[device];
  uint32_t left = column + 9, inner = width > 11 ? width - 11 : 0;
  char *name = gpm_locations_device(ui->top->reader, device), *text = device_text(ui, d, inner);
  uint32_t length = (uint32_t)strlen(text);
  uint64_t whole = d->memory_total ? d->memory_total : d->peak;
  double scale = whole ? (double)inner / (double)whole : 0;
  uint32_t full = (uint32_t)((double)d->total * scale + 0.5);
  uint32_t high = (uint32_t)((double)d->peak * scale + 0.5);
  if (d->total && !full) full = 1; /* what is there is never nothing */
  gpm_screen_put(row, column, name, GPM_STYLE_FAINT);
  gpm_screen_put(row, left - 1, "[", GPM_STYLE_BOLD);
  for (uint32_t i = 0; i < inner; i++) {
    char one[2] = {i < full ? '|' : i < high ? ':' : ' ', 0};
    if (length <= inner && i >= inner - length) one[0] = text[i - (inner - length)];
    gpm_screen_put(row, left + i, one,
                   i < full   ? GPM_STYLE_LIVE
                   : i < high ? GPM_STYLE_PEAK
                              : GPM_STYLE_PLAIN);
  }
  gpm_screen_put(row, left + inner, "]", GPM_STYLE_BOLD);
  free(text);
  free(name);
}

/* Draws as many devices as leave room for the rows, and counts the others. Returns the row after
 * them. */
static uint32_t draw_devices(const struct gpm_top_ui *ui, uint32_t row, uint32_t rows,
                             uint32_t columns) {
  const struct gpm_reader *r = ui->top->reader;
  uint32_t *shown = gpm_memory_array(r->device_count, sizeof *shown), count = 0;
  for (uint32_t i = 0; i < r->device_count; i++) {
    const struct gpumemprof_capture_device *d = &r->devices[r->device_order[i]];
    if (d->ordinal >= 0 || d->peak) shown[count++] = r->device_order[i];
  }
  uint32_t across = count > 3 && columns >= 80 ? 2 : 1, width = columns / across;
  uint32_t room = rows > 3 + FEWEST_BODY + 2 ? (rows - 3 - FEWEST_BODY) / 2 : 1, used = 0;
  uint32_t most = (count + across - 1) / across <= room ? count : (room - 1) * across;
  for (uint32_t i = 0; i < most; i++) {
    used = i / across + 1;
    draw_device(ui, shown[i], row + i / across, i % across * width, width - (across > 1));
  }
  if (most < count) {
    char *more =
        gpm_memory_format("... and %u more devices (a higher terminal shows them)", count - most);
    gpm_screen_put(row + used++, 0, more, GPM_STYLE_FAINT);
    free(more);
  }
  free(shown);
  return row + used;
}

/* ---- rates and history -------------------------------------------------------------------------
 */

static void draw_rates(const struct gpm_top_ui *ui, uint32_t row) {
  const struct gpm_top_model *m = &ui->top->model;
  char a[GPM_TEXT_NUMBER], f[GPM_TEXT_NUMBER], b[GPM_TEXT_NUMBER], g[GPM_TEXT_NUMBER],
      n[GPM_TEXT_NUMBER], took[GPM_TEXT_NUMBER];
  char *rates = m->has_rates
                    ? gpm_memory_format("alloc/s %s  free/s %s  bytes/s +%s -%s",
                                        gpm_text_short_count(a, m->all.allocations),
                                        gpm_text_short_count(f, m->all.frees),
                                        bytes(ui, b, (uint64_t)gpm_text_whole(m->all.bytes)),
                                        bytes(ui, g, (uint64_t)gpm_text_whole(m->all.freed)))
                    : gpm_memory_text(m->refreshes < 2
                                          ? "alloc/s -  free/s -  bytes/s -"
                                          : "alloc/s -  free/s -  bytes/s - (figures were reset)");
  char *text = gpm_memory_format(
      "%s  blocks %s  %s %s", rates, gpm_text_short_count(n, (double)m->all.now.blocks),
      ui->top->is_new ? "reopen" : "refresh", gpm_text_duration(took, ui->top->took_ns));
  gpm_screen_put(row, 0, text, GPM_STYLE_PLAIN);
  free(text);
  free(rates);
}

/* Draws one column for each refresh, the latest at the right. The scale is from 0 to the highest
 * value shown. */
static void draw_history(const struct gpm_top_ui *ui, uint32_t row, uint32_t columns) {
  const struct gpm_top_model *m = &ui->top->model;
  uint64_t live, most = 0;
  char number[GPM_TEXT_NUMBER];
  uint32_t room = columns > BESIDE_HISTORY ? columns - BESIDE_HISTORY : 0;
  for (uint32_t i = 0; i < room && gpm_top_model_history(m, i, &live); i++)
    if (live > most) most = live;
  uint32_t at = gpm_screen_put(row, 0, "live ", GPM_STYLE_FAINT);
  uint32_t shown = room < m->refreshes ? room : (uint32_t)m->refreshes;
  if (shown > GPM_TOP_HISTORY) shown = GPM_TOP_HISTORY;
  for (uint32_t i = shown; i-- > 0;) {
    if (!gpm_top_model_history(m, i, &live)) break;
    unsigned eighths = most ? (unsigned)((double)live / (double)most * 8 + 0.5) : 0;
    if (live && !eighths) eighths = 1;
    at = gpm_screen_put(row, at, gpm_terminal_eighths(eighths, true), GPM_STYLE_LIVE);
  }
  char *scale =
      gpm_memory_format("  highest %s; sorted by %s%s", bytes(ui, number, most),
                        gpm_top_title(ui->top, ui->order.sort), ui->order.inverted ? " up" : "");
  gpm_screen_put(row, at, scale, GPM_STYLE_FAINT);
  free(scale);
}

/* ---- below the rows ----------------------------------------------------------------------------
 */

static void draw_keys(const struct gpm_top_ui *ui, uint32_t row) {
  static const char *const keys[][2] = {{"F1", "Help"},   {"F2", "Bytes"},  {"F3", "Search"},
                                        {"F4", "Filter"}, {"F5", "Scopes"}, {"F6", "SortBy"},
                                        {"Ent", "Paths"}, {"Spc", "Pause"}, {"F10", "Quit"}};
  uint32_t at = 0;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *what = keys[i][1];
    if (i == 4 && ui->view == GPM_TOP_SCOPES) what = "Lines ";
    if (i == 7 && ui->paused) what = "Go on";
    at = gpm_screen_put(row, at, keys[i][0], GPM_STYLE_PLAIN);
    at = gpm_screen_put(row, at, what, GPM_STYLE_KEY);
    at = gpm_screen_put(row, at, " ", GPM_STYLE_PLAIN);
  }
}

static void draw_prompt(const struct gpm_top_ui *ui, uint32_t row) {
  static const char *const asks[] = {
      [GPM_TOP_FILTERS] = "Filter (Enter keeps it, Esc takes it away): ",
      [GPM_TOP_SEARCHES] = "Search (F3 next, Enter or Esc ends it): ",
      [GPM_TOP_INTERVAL] = "Seconds between refreshes, as 0.5 or 2: "};
  uint32_t at = gpm_screen_put(row, 0, asks[ui->prompt], GPM_STYLE_KEY);
  at = gpm_screen_put(row, at, ui->typed, GPM_STYLE_PLAIN);
  gpm_screen_cursor(row, at);
}

/* What happened to the program, or to the file. */
static char *news(const struct gpm_top_ui *ui) {
  const struct gpm_top *t = ui->top;
  if (*ui->message) return gpm_memory_text(ui->message);
  if (t->problem) { /* it begins with the path, of which the file name is enough here */
    const char *slash = strrchr(t->path, '/');
    bool begins = slash && !strncmp(t->problem, t->path, strlen(t->path));
    char *clean = gpm_text_clean(t->problem + (begins ? slash + 1 - t->path : 0));
    char *text = gpm_memory_format("this is the state before: %s", clean);
    free(clean);
    return text;
  }
  if (gpm_reader_state(t->reader) == GPM_STATE_STOPPED) {
    char *clean = gpm_text_clean(t->reader->header.stop_reason);
    char *text = gpm_memory_format("recording has stopped: %s", clean);
    free(clean);
    return text;
  }
  if (gpm_reader_state(t->reader) == GPM_STATE_COPY)
    return gpm_memory_text("a copy made while the program ran: it does not change");
  if (!gpm_top_runs(t))
    return gpm_memory_text("the program has ended: this is its last state; q leaves");
  if (ui->view == GPM_TOP_LINES && *ui->filter)
    return gpm_memory_format("filter: %s (F4 changes it)", ui->filter);
  return NULL;
}

void gpm_top_draw(struct gpm_top_ui *ui) {
  uint32_t rows, columns;
  gpm_screen_begin(&rows, &columns);
  draw_program(ui, columns);
  uint32_t at = draw_devices(ui, 1, rows, columns);
  draw_rates(ui, at++);
  draw_history(ui, at++, columns);
  char *text = ui->prompt ? NULL : news(ui);
  char *advice = text && ui->advice ? gpm_memory_format("gpumemprof advise: %s", ui->advice) : NULL;
  uint32_t below = advice ? 3 : text ? 2 : 1;
  gpm_top_body_draw(ui, at, rows > at + below ? rows - at - below : 0);
  if (text && rows >= 2) gpm_screen_put(rows - 2, 0, text, GPM_STYLE_WARNING);
  if (advice && rows >= 3) gpm_screen_put(rows - 3, 0, advice, GPM_STYLE_PLAIN);
  if (rows && ui->prompt) draw_prompt(ui, rows - 1);
  else if (rows) draw_keys(ui, rows - 1);
  gpm_screen_end();
  free(text);
  free(advice);
}
