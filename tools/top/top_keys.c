/* top_keys.c - what the keys of `gpumemprof top` do. They are those of htop where htop has the same
 * function.
 *
 * Called by top_ui.c with one key at a time. A key only changes struct gpm_top_ui; the next drawing
 * shows the change.
 */
#include "support/memory.h"
#include "support/text.h"
#include "top/top_ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gpm_top_help gpm_top_help[] = {
    {"Up Down", "another row; also PgUp, PgDn, Home, End"},
    {"Left Right", "scroll long rows"},
    {"Enter", "the call paths of the line; Esc goes back"},
    {"F1 h ?", "this help"},
    {"F2 e", "bytes with all digits, or short: 1.50G (K, M, G, T: KiB, MiB, GiB, TiB)"},
    {"p", "files with their folders, or by their names alone"},
    {"F3 /", "search: goes to the next line that holds a text, in any case; n again"},
    {"F4 \\", "filter: only lines whose location holds a text, in any case"},
    {"F5 t", "each thread's open scopes, with net and own peak so far; again: lines"},
    {"F6", "sort: choose a column"},
    {"> <", "sort by the next column, by the one before"},
    {"I", "turn the order round"},
    {"d s", "seconds between refreshes"},
    {"r", "refresh now"},
    {"Space", "pause: no refreshes until it is pressed again"},
    {"q F10 Ctrl-C", "leave"},
    {NULL, NULL},
};

/* ---- rows --------------------------------------------------------------------------------------
 */

/* The line under the bar is followed when its position in the order changes; the top row is not. */
static void select_row(struct gpm_top_ui *ui, uint32_t row) {
  ui->at = row < ui->count ? row : ui->count ? ui->count - 1 : 0;
  if (ui->view == GPM_TOP_LINES)
    ui->line = ui->at && ui->count ? ui->lines[ui->at] : GPUMEMPROF_NONE;
}

static void open_view(struct gpm_top_ui *ui, enum gpm_top_view view) {
  ui->view = view;
  ui->at = ui->first = ui->shift = 0;
  if (view == GPM_TOP_SORTS) ui->at = ui->order.sort;
}

static void show_paths(struct gpm_top_ui *ui) {
  if (!ui->count) return;
  ui->line = ui->lines[ui->at];
  open_view(ui, GPM_TOP_PATHS);
}

static void enter(struct gpm_top_ui *ui) {
  switch (ui->view) {
  case GPM_TOP_LINES:
    return show_paths(ui);
  case GPM_TOP_SORTS:
    ui->order.sort = (enum gpm_top_column)ui->at;
    ui->line = GPUMEMPROF_NONE;
    return open_view(ui, GPM_TOP_LINES);
  default:
    return open_view(ui, GPM_TOP_LINES);
  }
}

static bool move(struct gpm_top_ui *ui, int key) {
  uint32_t page = ui->height > 1 ? ui->height - 1 : 1;
  switch (key) {
  case GPM_KEY_UP:
    select_row(ui, ui->at ? ui->at - 1 : 0);
    return true;
  case GPM_KEY_DOWN:
    select_row(ui, ui->at + 1);
    return true;
  case GPM_KEY_PAGE_UP:
    select_row(ui, ui->at > page ? ui->at - page : 0);
    return true;
  case GPM_KEY_PAGE_DOWN:
    select_row(ui, ui->at + page);
    return true;
  case GPM_KEY_HOME:
    select_row(ui, 0);
    return true;
  case GPM_KEY_END:
    select_row(ui, ui->count);
    return true;
  case GPM_KEY_LEFT:
    ui->shift -= ui->shift < 8 ? ui->shift : 8;
    return true;
  case GPM_KEY_RIGHT:
    if (ui->shift < 4096) ui->shift += 8;
    return true;
  default:
    return false;
  }
}

/* ---- what is typed -----------------------------------------------------------------------------
 */

/* Searches from a row on; the selection does not move if nothing is found. */
static void search(struct gpm_top_ui *ui, uint32_t from) {
  if (!*ui->search || !ui->count) return;
  for (uint32_t i = 0; i < ui->count; i++) {
    uint32_t row = (from + i) % ui->count;
    if (gpm_top_matches(ui->top, ui->lines[row], ui->search)) return select_row(ui, row);
  }
  snprintf(ui->message, sizeof ui->message, "no line holds %.100s", ui->search);
}

static void ask(struct gpm_top_ui *ui, enum gpm_top_prompt prompt) {
  ui->prompt = prompt;
  if (prompt != GPM_TOP_INTERVAL && ui->view != GPM_TOP_LINES) open_view(ui, GPM_TOP_LINES);
  gpm_top_body_make(ui); /* the rows that are searched */
  strcpy(ui->typed, prompt == GPM_TOP_FILTERS    ? ui->filter
                    : prompt == GPM_TOP_SEARCHES ? ui->search
                                                 : "");
}

static void take_interval(struct gpm_top_ui *ui) {
  char *text = gpm_memory_format("%s%s", ui->typed,
                                 strspn(ui->typed, "0123456789.") == strlen(ui->typed) ? "s" : "");
  uint64_t ns;
  if (*ui->typed && (!gpm_text_parse_duration(text, &ns) || ns < 100000000u))
    snprintf(ui->message, sizeof ui->message, "`%.60s` is no time of 0.1 or more seconds",
             ui->typed);
  else if (*ui->typed) ui->interval_ns = ns;
  free(text);
}

static void apply(struct gpm_top_ui *ui) {
  if (ui->prompt == GPM_TOP_FILTERS) strcpy(ui->filter, ui->typed);
  if (ui->prompt != GPM_TOP_SEARCHES) return;
  strcpy(ui->search, ui->typed);
  search(ui, ui->at);
}

/* Removes the last character, with all of its bytes. */
static void rub_out(char *text) {
  size_t length = strlen(text);
  while (length && (text[--length] & 0xc0) == 0x80) continue;
  text[length] = 0;
}

static void type(struct gpm_top_ui *ui, int key) {
  size_t length = strlen(ui->typed);
  bool ends = key == GPM_KEY_ENTER || key == GPM_KEY_ESCAPE;
  if (key == GPM_KEY_ENTER && ui->prompt == GPM_TOP_INTERVAL) take_interval(ui);
  if (key == GPM_KEY_ESCAPE && ui->prompt == GPM_TOP_FILTERS) ui->filter[0] = 0;
  if (ends) ui->prompt = GPM_TOP_NO_PROMPT;
  else if (key == GPM_KEY_F1 + 2 && ui->prompt == GPM_TOP_SEARCHES) search(ui, ui->at + 1);
  else if (key == GPM_KEY_BACKSPACE) {
    rub_out(ui->typed);
    apply(ui);
  } else if (key >= ' ' && key < 256 && length + 1 < sizeof ui->typed) {
    ui->typed[length] = (char)key;
    ui->typed[length + 1] = 0;
    apply(ui);
  } else move(ui, key);
}

/* ---- all keys ----------------------------------------------------------------------------------
 */

static void sort_by(struct gpm_top_ui *ui, unsigned column) {
  ui->order.sort = (enum gpm_top_column)(column % GPM_TOP_COLUMNS);
  ui->line = GPUMEMPROF_NONE;
  ui->at = ui->first = 0;
  if (ui->view == GPM_TOP_SORTS) open_view(ui, GPM_TOP_LINES);
}

static bool sort_key(struct gpm_top_ui *ui, int key) {
  if (ui->view != GPM_TOP_LINES && ui->view != GPM_TOP_SORTS) return false;
  for (unsigned c = 0; c < GPM_TOP_COLUMNS; c++)
    if (gpm_top_columns[c].key == key) return sort_by(ui, c), true;
  if (key == '>') return sort_by(ui, ui->order.sort + 1), true;
  if (key == '<') return sort_by(ui, ui->order.sort + GPM_TOP_COLUMNS - 1), true;
  if (key == 'I') ui->order.inverted = !ui->order.inverted;
  return key == 'I';
}

static void toggle_view(struct gpm_top_ui *ui, enum gpm_top_view view) {
  open_view(ui, ui->view == view ? GPM_TOP_LINES : view);
}

void gpm_top_key(struct gpm_top_ui *ui, int key) {
  ui->message[0] = 0;
  if (key == GPM_KEY_END_OF_INPUT || key == GPM_KEY_F10) ui->left = true;
  else if (ui->prompt) type(ui, key);
  else if (move(ui, key) || sort_key(ui, key)) return;
  else switch (key) {
    case 'q':
      ui->left = true;
      return;
    case GPM_KEY_ESCAPE:
      return open_view(ui, GPM_TOP_LINES);
    case GPM_KEY_ENTER:
      return enter(ui);
    case GPM_KEY_F1:
    case 'h':
    case '?':
      return toggle_view(ui, GPM_TOP_HELP);
    case GPM_KEY_F1 + 1:
    case 'e':
      ui->exact = !ui->exact;
      return;
    case 'p':
      ui->folders = !ui->folders;
      return gpm_top_rename(ui->top, ui->folders);
    case GPM_KEY_F1 + 2:
    case '/':
      return ask(ui, GPM_TOP_SEARCHES);
    case GPM_KEY_F1 + 3:
    case '\\':
      return ask(ui, GPM_TOP_FILTERS);
    case GPM_KEY_F1 + 4:
    case 't':
      return toggle_view(ui, GPM_TOP_SCOPES);
    case GPM_KEY_F1 + 5:
      return toggle_view(ui, GPM_TOP_SORTS);
    case 'n':
      if (ui->view == GPM_TOP_LINES) search(ui, ui->at + 1);
      return;
    case 'd':
    case 's':
      return ask(ui, GPM_TOP_INTERVAL);
    case 'r':
      ui->refreshes_now = true;
      return;
    case ' ':
      ui->paused = !ui->paused;
      return;
    }
}
