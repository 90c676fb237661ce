/* screen.c - see screen.h. Built without ncurses, it says what is missing.
 *
 * newterm(3) and not initscr(3), which ends the process where TERM is unknown. Signals are recorded
 * and end the loop that reads keys, so that the terminal is restored first; ncurses handles Ctrl-Z.
 */
#include "terminal/screen.h"

#include "terminal/terminal.h"
#include <stdio.h>

#ifndef GPM_HAVE_NCURSES

bool gpm_screen_open(char *error, size_t error_size) {
  snprintf(error, error_size,
           "this gpumemprof was built without ncurses, which the screen needs; --once prints the "
           "same as a table, and building it again with libncurses-dev there brings the screen");
  return false;
}
void gpm_screen_close(void) {}
void gpm_screen_begin(uint32_t *rows, uint32_t *columns) {
  *rows = *columns = 0;
}
uint32_t gpm_screen_put(uint32_t row, uint32_t column, const char *text,
                        enum gpm_screen_style style) {
  return gpm_screen_put_from(row, column, 0, text, style);
}
uint32_t gpm_screen_put_from(uint32_t row, uint32_t column, uint32_t skip, const char *text,
                             enum gpm_screen_style style) {
  (void)row, (void)skip, (void)text, (void)style;
  return column;
}
void gpm_screen_fill(uint32_t row, uint32_t column, enum gpm_screen_style style) {
  (void)row, (void)column, (void)style;
}
void gpm_screen_cursor(uint32_t row, uint32_t column) {
  (void)row, (void)column;
}
void gpm_screen_end(void) {}
int gpm_screen_key(uint64_t wait_ns) {
  (void)wait_ns;
  return GPM_KEY_END_OF_INPUT;
}

#else

#include <curses.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>
#undef columns /* term.h has macros of such names */

static SCREEN *screen;
static volatile sig_atomic_t ended_by; /* a signal */
static attr_t attributes[GPM_STYLE_COUNT];
static bool utf8;

/* ---- the terminal ------------------------------------------------------------------------------
 */

static void note(int number) {
  ended_by = number;
}

static void watch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = note}, was;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!sigaction(numbers[i], NULL, &was) && was.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
}

/* A colour is never the only sign of what it means: a character, a word or a position says the
 * same. */
static void choose_styles(void) {
  static const struct {
    attr_t plain;
    short ink, ground; /* -1: the terminal's own */
    attr_t with;
  } styles[GPM_STYLE_COUNT] = {
      [GPM_STYLE_PLAIN] = {A_NORMAL, -1, -1, A_NORMAL},
      [GPM_STYLE_BOLD] = {A_BOLD, -1, -1, A_BOLD},
      [GPM_STYLE_FAINT] = {A_NORMAL, COLOR_CYAN, -1, A_NORMAL},
      [GPM_STYLE_TITLE] = {A_REVERSE, COLOR_BLACK, COLOR_GREEN, A_NORMAL},
      [GPM_STYLE_SORTED] = {A_REVERSE | A_BOLD, COLOR_BLACK, COLOR_CYAN, A_NORMAL},
      [GPM_STYLE_SELECTED] = {A_REVERSE, COLOR_BLACK, COLOR_CYAN, A_NORMAL},
      [GPM_STYLE_LIVE] = {A_BOLD, COLOR_GREEN, -1, A_NORMAL},
      [GPM_STYLE_PEAK] = {A_NORMAL, COLOR_YELLOW, -1, A_NORMAL},
      [GPM_STYLE_RISES] = {A_BOLD, COLOR_RED, -1, A_BOLD},
      [GPM_STYLE_FALLS] = {A_NORMAL, COLOR_GREEN, -1, A_NORMAL},
      [GPM_STYLE_WARNING] = {A_BOLD, COLOR_RED, -1, A_BOLD},
      [GPM_STYLE_KEY] = {A_REVERSE, COLOR_BLACK, COLOR_CYAN, A_NORMAL},
  };
  bool colours = gpm_terminal_has_colours() && has_colors() && start_color() == OK &&
                 use_default_colors() == OK;
  for (short i = 0; i < GPM_STYLE_COUNT; i++) {
    attributes[i] = styles[i].plain;
    if (!colours) continue;
    init_pair((short)(i + 1), styles[i].ink, styles[i].ground);
    attributes[i] = styles[i].with | (attr_t)COLOR_PAIR(i + 1);
  }
}

/* Checked before newterm(3), which leaks memory if it fails. */
static bool has_screen(void) {
  int known;
  if (setupterm(NULL, STDOUT_FILENO, &known) != OK) return false;
  const char *moves = tigetstr("cup");
  bool has = moves && moves != (char *)-1;
  del_curterm(cur_term);
  return has;
}

bool gpm_screen_open(char *error, size_t error_size) {
  const char *name = getenv("TERM");
  screen = has_screen() ? newterm(NULL, stdout, stdin) : NULL;
  if (!screen) {
    snprintf(error, error_size,
             "the terminal `%.64s` (TERM) is not known, or has no screen to draw on; set TERM to "
             "what it is, or use --once",
             name ? name : "");
    return false;
  }
  utf8 = gpm_terminal_is_utf8();
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  choose_styles();
  watch_signals();
  return true;
}

void gpm_screen_close(void) {
  if (!screen) return;
  endwin();
  delscreen(screen);
  screen = NULL;
  if (!ended_by || ended_by == SIGINT) return;
  signal(ended_by, SIG_DFL);
  raise(ended_by);
}

/* ---- pictures ----------------------------------------------------------------------------------
 */

void gpm_screen_begin(uint32_t *rows, uint32_t *columns) {
  erase();
  curs_set(0);
  *rows = LINES > 0 ? (uint32_t)LINES : 0;
  *columns = COLS > 0 ? (uint32_t)COLS : 0;
}

uint32_t gpm_screen_put(uint32_t row, uint32_t column, const char *text,
                        enum gpm_screen_style style) {
  return gpm_screen_put_from(row, column, 0, text, style);
}

/* The columns of the character at s, and its bytes. A character that the locale cannot show is one
 * column wide. */
static uint32_t measure(const char *s, size_t *bytes) {
  wchar_t c;
  mbstate_t state = {0};
  size_t n = mbrtowc(&c, s, MB_LEN_MAX, &state);
  *bytes = n && n <= MB_LEN_MAX ? n : 1;
  int width = n && n <= MB_LEN_MAX ? wcwidth(c) : 1;
  return width < 0 ? 1 : (uint32_t)width;
}

uint32_t gpm_screen_put_from(uint32_t row, uint32_t column, uint32_t skip, const char *text,
                             enum gpm_screen_style style) {
  if (row >= (uint32_t)LINES || column >= (uint32_t)COLS) return column;
  attrset((int)attributes[style]);
  move((int)row, (int)column);
  for (size_t bytes; *text; text += bytes) {
    uint32_t width = 1;
    bytes = 1;
    if (utf8) width = measure(text, &bytes);
    else if (((unsigned char)*text & 0xc0) == 0x80) continue; /* one `?` for all its bytes */
    if (skip) {
      skip -= width < skip ? width : skip;
      continue;
    }
    if (column + width > (uint32_t)COLS) break;
    if (!utf8 && *text & ~0x7f) addch('?');
    else addnstr(text, (int)bytes);
    column += width;
  }
  attrset(A_NORMAL);
  return column;
}

void gpm_screen_fill(uint32_t row, uint32_t column, enum gpm_screen_style style) {
  if (row >= (uint32_t)LINES || column >= (uint32_t)COLS) return;
  attrset((int)attributes[style]);
  mvhline((int)row, (int)column, ' ' | attributes[style], COLS - (int)column);
  attrset(A_NORMAL);
}

void gpm_screen_cursor(uint32_t row, uint32_t column) {
  curs_set(1);
  move((int)row, (int)column);
}

void gpm_screen_end(void) {
  refresh();
}

/* ---- keys --------------------------------------------------------------------------------------
 */

static int translate(int key) {
  static const struct {
    int key, ours;
  } keys[] = {{KEY_RESIZE, GPM_KEY_RESIZED},  {KEY_UP, GPM_KEY_UP},
              {KEY_DOWN, GPM_KEY_DOWN},       {KEY_LEFT, GPM_KEY_LEFT},
              {KEY_RIGHT, GPM_KEY_RIGHT},     {KEY_PPAGE, GPM_KEY_PAGE_UP},
              {KEY_NPAGE, GPM_KEY_PAGE_DOWN}, {KEY_HOME, GPM_KEY_HOME},
              {KEY_END, GPM_KEY_END},         {KEY_ENTER, GPM_KEY_ENTER},
              {'\r', GPM_KEY_ENTER},          {'\n', GPM_KEY_ENTER},
              {27, GPM_KEY_ESCAPE},           {KEY_BACKSPACE, GPM_KEY_BACKSPACE},
              {127, GPM_KEY_BACKSPACE},       {8, GPM_KEY_BACKSPACE}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i].key == key) return keys[i].ours;
  if (key >= KEY_F(1) && key <= KEY_F(10)) return GPM_KEY_F1 + (key - KEY_F(1));
  return key > 0 && key < 256 ? key : GPM_KEY_NONE;
}

/* The terminal is gone; reading it again would return at once instead of waiting. */
static bool is_gone(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, 0) > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int gpm_screen_key(uint64_t wait_ns) {
  uint64_t ms = wait_ns / 1000000u;
  timeout(ms < 200 ? (int)ms
                   : 200); /* so that a signal is noticed soon, whatever curses does with it */
  int key = getch();
  if (ended_by) return GPM_KEY_END_OF_INPUT;
  if (key == ERR) return is_gone() ? GPM_KEY_END_OF_INPUT : GPM_KEY_NONE;
  return translate(key);
}

#endif
