/* top_ui.c - the loop of `gpumemprof top`: refreshes when it is due, draws, and waits for keys.
 *
 * Refreshes take at most a tenth of the time: when a capture is so large that a refresh
 * takes longer than a tenth of the interval, refreshes become less frequent. A key takes effect at
 * once, without a refresh.
 */
#include "top/top_ui.h"
#include "advise/advise.h"
#include "input/command.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHARE = 10 };

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time at which the next refresh is due; UINT64_MAX: none is. */
static uint64_t due(const struct gpm_top_ui *ui, uint64_t latest) {
  if (ui->refreshes_now) return 0;
  if (ui->paused || !gpm_top_runs(ui->top)) return UINT64_MAX;
  uint64_t least = ui->top->took_ns * SHARE;
  return latest + (ui->interval_ns > least ? ui->interval_ns : least);
}

/* A run can be judged once it is over. */
static void judge(struct gpm_top_ui *ui, bool *judged) {
  const struct gpm_top *t = ui->top;
  if (*judged || gpm_top_runs(t)) return;
  *judged = true;
  ui->advice = gpm_advise_best(t->reader, t->profile, 0);
}

static void loop(struct gpm_top_ui *ui) {
  uint64_t latest = now_ns();
  bool changed = true, judged = false;
  while (!ui->left) {
    uint64_t now = now_ns(), next = due(ui, latest);
    if (now >= next) {
      ui->refreshes_now = false;
      if (gpm_top_runs(ui->top)) gpm_top_refresh(ui->top);
      latest = now_ns();
      changed = true;
      continue;
    }
    if (changed) {
      judge(ui, &judged);
      gpm_top_body_make(ui);
      gpm_top_draw(ui);
    }
    int key = gpm_screen_key(next - now);
    changed = key != GPM_KEY_NONE;
    if (changed) gpm_top_key(ui, key);
  }
}

bool gpm_top_show(struct gpm_top *top, const struct gpm_top_order *order, uint64_t interval_ns,
                  bool exact) {
  char error[256];
  struct gpm_top_ui ui = {.top = top,
                          .order = *order,
                          .exact = exact,
                          .interval_ns = interval_ns,
                          .line = GPUMEMPROF_NONE};
  strncpy(ui.filter, order->filter, sizeof ui.filter - 1);
  ui.order.filter = ui.filter;
  if (!gpm_screen_open(error, sizeof error)) {
    gpm_say("%s", error);
    return false;
  }
  gpm_top_rename(top, false);
  loop(&ui);
  gpm_top_body_free(&ui);
  free(ui.advice);
  gpm_screen_close();
  return true;
}
