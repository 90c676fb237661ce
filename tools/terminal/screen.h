/* screen.h - the terminal as a screen of rows and columns, and its keys: `gpumemprof top`.
 *
 * By ncurses, which nothing else of the tool knows. A picture is drawn as a whole, from
 * gpm_screen_begin to gpm_screen_end; only what differs from the one before goes to the terminal.
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
  GPM_STYLE_SORTED,   /* the title of the column that sorts it */
  GPM_STYLE_SELECTED, /* the row that keys are about */
  GPM_STYLE_LIVE,
  GPM_STYLE_PEAK,
  GPM_STYLE_RISES,
  GPM_STYLE_FALLS,
  GPM_STYLE_WARNING,
  GPM_STYLE_KEY, /* what a key does, beside it */
  GPM_STYLE_COUNT
};

/* Keys without a character; characters are themselves, in UTF-8 byte by byte. */
enum gpm_screen_key {
  GPM_KEY_NONE = 0,           /* the time is over */
  GPM_KEY_END_OF_INPUT = 256, /* no more to come: a signal, or the terminal is gone */
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

/* Takes the terminal of standard input and output. False: `error` says in a sentence why not. */
bool gpm_screen_open(char *error, size_t error_size);
/* Gives it back as it was. Ends the process by the signal that ended the input, if that was to. */
void gpm_screen_close(void);

void gpm_screen_begin(uint32_t *rows, uint32_t *columns);
/* From a column on, as much of the text as fits; which column is behind it. `skip`: columns of the
 * text that are scrolled out to the left. */
uint32_t gpm_screen_put(uint32_t row, uint32_t column, const char *text,
                        enum gpm_screen_style style);
uint32_t gpm_screen_put_from(uint32_t row, uint32_t column, uint32_t skip, const char *text,
                             enum gpm_screen_style style);
/* Blanks from a column to the end of the row. */
void gpm_screen_fill(uint32_t row, uint32_t column, enum gpm_screen_style style);
/* Where the cursor stands; else it is not seen. */
void gpm_screen_cursor(uint32_t row, uint32_t column);
void gpm_screen_end(void);

/* The next key, or GPM_KEY_NONE when so much time has passed. */
int gpm_screen_key(uint64_t wait_ns);

#endif
