/* screen.h - the terminal as a screen of rows and columns, and its keys: `gpumemprof top`.
 *
 * It uses ncurses, which no other part of the tool does. A picture is drawn as a whole, from
 * gpm_screen_begin to gpm_screen_end; only the differences from the previous one are sent to the
 * terminal.
 */
#ifndef GPM_TOOLS_SCREEN_H
#define GPM_TOOLS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpm_screen_style {
  GPM_STYLE_PLAIN,
  GPM_STYLE_BOLD,
  GPM_STYLE_FAINT,
  GPM_STYLE_TITLE,    /* of a table */
  GPM_STYLE_SORTED,   /* the title of the column that the table is sorted by */
  GPM_STYLE_SELECTED, /* the row that keys act on */
  GPM_STYLE_LIVE,
  GPM_STYLE_PEAK,
  GPM_STYLE_RISES,
  GPM_STYLE_FALLS,
  GPM_STYLE_WARNING,
  GPM_STYLE_KEY, /* the description of a key, beside its name */
  GPM_STYLE_COUNT
};

/* Keys that have no character. A character is its own code; of UTF-8 each byte is a key. */
enum gpm_screen_key {
  GPM_KEY_NONE = 0,           /* the timeout has passed */
  GPM_KEY_END_OF_INPUT = 256, /* no more keys: a signal arrived, or the terminal is gone */
  GPM_KEY_RESIZED,
  GPM_KEY_UP,
  GPM_KEY_DOWN,
  GPM_KEY_LEFT,
  GPM_KEY_RIGHT,
  GPM_KEY_PAGE_UP,
  GPM_KEY_PAGE_DOWN,
  GPM_KEY_HOME,
  GPM_KEY_END,
  GPM_KEY_ENTER,
  GPM_KEY_ESCAPE,
  GPM_KEY_BACKSPACE,
  GPM_KEY_F1, /* and so on to ... */
  GPM_KEY_F10 = GPM_KEY_F1 + 9
};

/* Takes control of the terminal of standard input and output. False: `error` says in a sentence why
 * it cannot. */
bool gpm_screen_open(char *error, size_t error_size);
/* Restores the terminal. If a signal other than SIGINT ended the input, it is raised again with its
 * default action. */
void gpm_screen_close(void);

void gpm_screen_begin(uint32_t *rows, uint32_t *columns);
/* Draws as much of the text as fits from a column on, and returns the column after it. `skip`:
 * columns of the text that are scrolled out to the left. */
uint32_t gpm_screen_put(uint32_t row, uint32_t column, const char *text,
                        enum gpm_screen_style style);
uint32_t gpm_screen_put_from(uint32_t row, uint32_t column, uint32_t skip, const char *text,
                             enum gpm_screen_style style);
/* Writes blanks from a column to the end of the row. */
void gpm_screen_fill(uint32_t row, uint32_t column, enum gpm_screen_style style);
/* Shows the cursor at this position; without this call it is hidden. */
void gpm_screen_cursor(uint32_t row, uint32_t column);
void gpm_screen_end(void);

/* The next key, or GPM_KEY_NONE when the timeout has passed. */
int gpm_screen_key(uint64_t wait_ns);

#endif
