/* top_ui.h - the screen of `gpumemprof top`: what it shows now, drawn from it (top_draw.c,
 * top_body.c) and changed by keys (top_keys.c); top_ui.c is the loop around them.
 *
 *   +--------------------------------------------------+
 *   | program, devices, rates, history    (top_draw.c) |
 *   | titles of the columns                            |
 *   | rows: lines, scopes, paths, help    (top_body.c) |  `at`: selected row, `first`: top row
 *   | keys, or what is typed              (top_draw.c) |
 *   +--------------------------------------------------+
 */
#ifndef GPM_TOOLS_TOP_UI_H
#define GPM_TOOLS_TOP_UI_H

#include "terminal/screen.h"
#include "top/top_order.h"

enum gpm_top_view {
  GPM_TOP_LINES,
  GPM_TOP_SCOPES, /* of each thread */
  GPM_TOP_PATHS,  /* call paths of a line */
  GPM_TOP_SORTS,  /* columns to sort by */
  GPM_TOP_HELP
};
enum gpm_top_prompt { GPM_TOP_NO_PROMPT, GPM_TOP_FILTERS, GPM_TOP_SEARCHES, GPM_TOP_INTERVAL };
enum { GPM_TOP_TYPED = 100 }; /* bytes of what is typed */

struct gpm_top_ui {
  struct gpm_top *top;
  struct gpm_top_order order; /* its filter is `filter` */
  enum gpm_top_view view;
  bool exact, paused, refreshes_now;
  bool folders; /* files are shown with their folders */
  bool left;    /* the user has left the screen */
  uint64_t interval_ns;
  enum gpm_top_prompt prompt;
  char typed[GPM_TOP_TYPED], filter[GPM_TOP_TYPED], search[GPM_TOP_TYPED];
  char *advice;      /* what lowers the peak most, once the program has ended; or null */
  char message[160]; /* about the latest key, shown until the next one */
  uint32_t at, first, shift;
  uint32_t height; /* rows that were shown last */
  uint32_t line;   /* the selected line, or the one whose paths are shown; NONE: the top one */
  /* top_body.c: the rows of the view */
  uint32_t count;
  uint32_t *lines;
  struct gpm_top_scope *scopes;
  struct gpm_top_path *paths;
};

/* Shows the screen until the user leaves it. The caller has made the first refresh. False: the
 * screen is not available, which was said. */
bool gpm_top_show(struct gpm_top *top, const struct gpm_top_order *order, uint64_t interval_ns,
                  bool exact);

/* top_body.c: makes the rows of the view, and keeps the selected line selected. */
void gpm_top_body_make(struct gpm_top_ui *ui);
void gpm_top_body_free(struct gpm_top_ui *ui);
/* Draws titles and rows, beginning at a row of the screen. */
void gpm_top_body_draw(struct gpm_top_ui *ui, uint32_t row, uint32_t rows);

/* top_draw.c: draws the whole screen. */
void gpm_top_draw(struct gpm_top_ui *ui);

/* top_keys.c */
void gpm_top_key(struct gpm_top_ui *ui, int key);
struct gpm_top_help {
  const char *keys, *text;
};
extern const struct gpm_top_help gpm_top_help[]; /* ended by an entry without keys */

#endif
