/* window.h - `--from MOMENT --to MOMENT`: a part of the run.
 *
 *   1.5s, 200ms     after the start of the program
 *   1234            a tick of the allocation clock, as `gpumemprof events` prints it
 *   step:3          the third boundary of steps, gpumemprof_step()
 *   mark:load       the first moment that the program named so, gpumemprof_mark()
 *
 * Both ends belong to the part; a step or mark lies between two events: a part that ends there ends
 * with the first of them, one that begins there begins with the second.
 */
#ifndef GPM_TOOLS_WINDOW_H
#define GPM_TOOLS_WINDOW_H

#include "capture/reader.h"

enum gpm_moment_kind { GPM_MOMENT_NONE, GPM_MOMENT_CLOCK, GPM_MOMENT_TIME };
struct gpm_moment {
  const char *given;         /* as the user wrote it, or null; the caller's */
  enum gpm_moment_kind kind; /* after gpm_window_find */
  uint64_t value;            /* clock, or ns since the start */
};
struct gpm_window {
  struct gpm_moment from, to;
};

/* Whether the text has the form of a moment; whether the capture has that moment is checked later.
 */
bool gpm_window_is_moment(const char *text);
static inline bool gpm_window_is_given(const struct gpm_window *window) {
  return window->from.given || window->to.given;
}
/* False: the capture lacks a step or mark, or the part ends before it begins, which was reported.
 */
bool gpm_window_find(struct gpm_window *window, const struct gpm_reader *reader);
/* Whether an event is before the window; whether it is after it. */
bool gpm_window_is_before(const struct gpm_window *window, uint64_t clock, uint64_t time_ns);
bool gpm_window_is_behind(const struct gpm_window *window, uint64_t clock, uint64_t time_ns);
/* "from 1.5s to mark:load", "from step:3 on"; to be freed. */
char *gpm_window_text(const struct gpm_window *window);

#endif
