/* top_body.c - the rows of `gpumemprof top`: lines, scopes, call paths, columns to sort by, help.
 *
 * Each view is a count and a function that draws one row. A row is wider than the screen where
 * names are long: it is scrolled as a whole, with the titles.
 */
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/terminal.h"
#include "top/top_ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_WIDTH = 15 }; /* of bytes with all digits, and a sign */

/* ---- what is in a view -------------------------------------------------------------------------
 */

static uint32_t count_help(void) {
  uint32_t keys = 0;
  while (gpm_top_help[keys].keys) keys++;
  return keys + GPM_TOP_COLUMNS;
}

void gpm_top_body_free(struct gpm_top_ui *ui) {
  free(ui->lines);
  free(ui->scopes);
  free(ui->paths);
  ui->lines = NULL;
  ui->scopes = NULL;
  ui->paths = NULL;
  ui->count = 0;
}

void gpm_top_body_make(struct gpm_top_ui *ui) {
  gpm_top_body_free(ui);
  switch (ui->view) {
  case GPM_TOP_LINES:
    ui->lines = gpm_top_sort(ui->top, &ui->order, &ui->count);
    for (uint32_t i = 0; ui->line != GPUMEMPROF_NONE && i < ui->count; i++)
      if (ui->lines[i] == ui->line) ui->at = i;
    break;
  case GPM_TOP_SCOPES:
    ui->scopes = gpm_top_scopes(ui->top, &ui->count);
    break;
  case GPM_TOP_PATHS:
    ui->paths = gpm_top_paths(ui->top, ui->line, &ui->count);
    break;
  case GPM_TOP_SORTS:
    ui->count = GPM_TOP_COLUMNS;
    break;
  case GPM_TOP_HELP:
    ui->count = count_help();
    break;
  }
  if (ui->at >= ui->count) ui->at = ui->count ? ui->count - 1 : 0;
}

/* ---- a row -------------------------------------------------------------------------------------
 */

struct pen {
  uint32_t row, at, shift; /* at: column of the whole row */
  bool selected;
};

static void put(struct pen *pen, uint32_t width, bool right, const char *text,
                enum gpm_screen_style style) {
  char *cell = right ? gpm_memory_format("%*s ", (int)width, text)
                     : gpm_memory_format("%-*s ", (int)width, text);
  uint32_t skip = pen->shift > pen->at ? pen->shift - pen->at : 0;
  uint32_t column = pen->at > pen->shift ? pen->at - pen->shift : 0;
  gpm_screen_put_from(pen->row, column, skip, cell, pen->selected ? GPM_STYLE_SELECTED : style);
  pen->at += (uint32_t)strlen(cell);
  free(cell);
}

static void put_bytes(struct pen *pen, uint32_t width, int64_t bytes, unsigned sign, bool exact,
                      enum gpm_screen_style style) {
  char number[GPM_TEXT_NUMBER];
  if (exact) gpm_text_bytes(number, bytes, GPM_TEXT_EXACT | sign);
  else gpm_text_short_bytes(number, bytes, sign);
  put(pen, exact ? EXACT_WIDTH : width, true, number, style);
}

static enum gpm_screen_style style_of(const struct gpm_top_ui *ui, uint32_t line,
                                      enum gpm_top_column column) {
  const struct gpm_top_change *c = &ui->top->model.line[line];
  int64_t by = column == GPM_TOP_growth ? c->growth : column == GPM_TOP_change ? c->change : 0;
  if (by) return by > 0 ? GPM_STYLE_RISES : GPM_STYLE_FALLS;
  return column == GPM_TOP_live ? GPM_STYLE_BOLD : GPM_STYLE_PLAIN;
}

static uint32_t width_of(const struct gpm_top_ui *ui, enum gpm_top_column column) {
  uint32_t width = gpm_top_columns[column].width;
  bool bytes = column != GPM_TOP_share && column != GPM_TOP_allocations && column != GPM_TOP_blocks;
  return ui->exact && width && bytes ? EXACT_WIDTH : width;
}

static void draw_line(const struct gpm_top_ui *ui, struct pen *pen, uint32_t number) {
  uint32_t line = ui->lines[number];
  for (unsigned c = 0; c < GPM_TOP_place; c++) {
    char *cell = gpm_top_cell(ui->top, line, c, ui->exact);
    put(pen, width_of(ui, c), true, cell, style_of(ui, line, c));
    free(cell);
  }
  const char *mark = gpm_terminal_is_utf8() ? "▲" : "^";
  bool grows = gpm_top_is_growing(&ui->top->model.line[line]);
  put(pen, 0, false, grows ? mark : " ", GPM_STYLE_RISES);
  if (grows) pen->at = pen->at - (uint32_t)strlen(mark) + 1; /* one column wide */
  put(pen, 0, false, gpm_top_place(ui->top, line), GPM_STYLE_PLAIN);
}

static void draw_scope(const struct gpm_top_ui *ui, struct pen *pen, uint32_t number) {
  const struct gpm_top_scope *s = &ui->scopes[number];
  char thread[16];
  char *where = gpm_locations_node(ui->top->profile, s->node),
       *from = gpm_locations_callers(ui->top->profile, s->node);
  const char *last = strrchr(from, '>'); /* the nearest call */
  snprintf(thread, sizeof thread, "%u", s->thread);
  put(pen, 6, true, s->depth ? "" : thread, GPM_STYLE_BOLD);
  put_bytes(pen, 8, s->net, GPM_TEXT_SIGN, ui->exact, GPM_STYLE_PLAIN);
  put_bytes(pen, 8, s->own_peak, 0, ui->exact, GPM_STYLE_PLAIN);
  char *text = gpm_memory_format("%*s%s%s%s%s%s", (int)(s->depth < 40 ? s->depth * 2 : 80), "",
                                 where, *from ? "  from " : "", last ? last + 2 : from,
                                 s->shared ? "  [others work for it]" : "",
                                 s->attached ? "  [work of another thread]" : "");
  put(pen, 0, false, text, GPM_STYLE_PLAIN);
  free(text);
  free(where);
  free(from);
}

static void draw_path(const struct gpm_top_ui *ui, struct pen *pen, uint32_t number) {
  const struct gpm_top_path *p = &ui->paths[number];
  char text[GPM_TEXT_NUMBER];
  put_bytes(pen, 6, (int64_t)p->live, 0, ui->exact, GPM_STYLE_BOLD);
  snprintf(text, sizeof text, "%.1f", (double)gpm_top_share(ui->top, p->at_peak) / 100);
  put(pen, 5, true, text, GPM_STYLE_PLAIN);
  put(pen, 6, true, gpm_text_short_count(text, (double)p->blocks), GPM_STYLE_PLAIN);
  put_bytes(pen, 6, (int64_t)p->allocated, 0, ui->exact, GPM_STYLE_PLAIN);
  char *path = gpm_locations_path(ui->top->profile, p->node);
  put(pen, 0, false, path, GPM_STYLE_PLAIN);
  free(path);
}

static void draw_sort(const struct gpm_top_ui *ui, struct pen *pen, uint32_t number) {
  char key[2] = {gpm_top_columns[number].key, 0};
  put(pen, 3, true, key, GPM_STYLE_BOLD);
  put(pen, 8, false, gpm_top_title(ui->top, number), GPM_STYLE_PLAIN);
  put(pen, 0, false, gpm_top_columns[number].definition, GPM_STYLE_PLAIN);
}

static void draw_help(const struct gpm_top_ui *ui, struct pen *pen, uint32_t number) {
  if (number < GPM_TOP_COLUMNS) return draw_sort(ui, pen, number);
  const struct gpm_top_help *h = &gpm_top_help[number - GPM_TOP_COLUMNS];
  put(pen, 16, true, h->keys, GPM_STYLE_BOLD);
  put(pen, 0, false, h->text, GPM_STYLE_PLAIN);
}

/* ---- a view ------------------------------------------------------------------------------------
 */

static void draw_titles(const struct gpm_top_ui *ui, struct pen *pen) {
  uint32_t wide = ui->exact ? EXACT_WIDTH : 6;
  switch (ui->view) {
  case GPM_TOP_LINES:
    for (unsigned c = 0; c < GPM_TOP_COLUMNS; c++) {
      bool sorted = c == ui->order.sort, last = c == GPM_TOP_place;
      if (last) put(pen, 1, false, "", GPM_STYLE_TITLE); /* the mark of growing lines */
      put(pen, width_of(ui, c), !last, gpm_top_title(ui->top, c),
          sorted ? GPM_STYLE_SORTED : GPM_STYLE_TITLE);
    }
    return;
  case GPM_TOP_SCOPES:
    put(pen, 6, true, "THREAD", GPM_STYLE_TITLE);
    put(pen, ui->exact ? EXACT_WIDTH : 8, true, "NET", GPM_STYLE_TITLE);
    put(pen, ui->exact ? EXACT_WIDTH : 8, true, "OWN PEAK", GPM_STYLE_TITLE);
    return put(pen, 0, false, "OPEN SCOPE, outermost first", GPM_STYLE_TITLE);
  case GPM_TOP_PATHS:
    put(pen, wide, true, "LIVE", GPM_STYLE_TITLE);
    put(pen, 5, true, "PEAK%", GPM_STYLE_TITLE);
    put(pen, 6, true, "BLOCKS", GPM_STYLE_TITLE);
    put(pen, wide, true, "ALLOC", GPM_STYLE_TITLE);
    put(pen, 0, false, "CALL PATH of", GPM_STYLE_TITLE);
    return put(pen, 0, false, gpm_top_place(ui->top, ui->line), GPM_STYLE_TITLE);
  case GPM_TOP_SORTS:
    return put(pen, 0, false, "SORT BY: Enter takes the column, Esc none", GPM_STYLE_TITLE);
  case GPM_TOP_HELP:
    return put(pen, 0, false, "COLUMNS, each with the key that sorts by it; KEYS", GPM_STYLE_TITLE);
  }
}

static const char *empty_text(const struct gpm_top_ui *ui) {
  if (ui->view == GPM_TOP_SCOPES) return "no scope is open in which memory moved";
  if (*ui->filter) return "no line holds what F4 filters by";
  return "nothing was allocated yet";
}

void gpm_top_body_draw(struct gpm_top_ui *ui, uint32_t row, uint32_t rows) {
  static void (*const draw[])(const struct gpm_top_ui *, struct pen *,
                              uint32_t) = {draw_line, draw_scope, draw_path, draw_sort, draw_help};
  if (!rows) return;
  struct pen pen = {.row = row, .shift = ui->shift};
  gpm_screen_fill(row, 0, GPM_STYLE_TITLE);
  draw_titles(ui, &pen);
  ui->height = rows - 1;
  if (ui->at < ui->first) ui->first = ui->at;
  if (ui->height && ui->at >= ui->first + ui->height) ui->first = ui->at - ui->height + 1;
  if (ui->count <= ui->height) ui->first = 0;
  for (uint32_t i = 0; i < ui->height && ui->first + i < ui->count; i++) {
    pen = (struct pen){row + 1 + i, 0, ui->shift, ui->first + i == ui->at};
    if (pen.selected) gpm_screen_fill(pen.row, 0, GPM_STYLE_SELECTED);
    draw[ui->view](ui, &pen, ui->first + i);
  }
  if (!ui->count && ui->height) gpm_screen_put(row + 1, 0, empty_text(ui), GPM_STYLE_FAINT);
}
