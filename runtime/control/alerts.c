/* alerts.c - the options warn=, critical= and growth=: messages on standard error about what a
 * program could ask for by callbacks, for programs whose source is not changed.
 *
 *   GPU 0 has 20.01 GiB live, more than critical=20GiB: 2.00 GiB allocated at train.cu:12 step
 *   step 12 left 10.50 MiB more than the step before (30.00 MiB live): 8.00 MiB allocated at ...
 *
 * They are callbacks like those of any program, registered with the first thread, so thresholds.c
 * and growth.c do not treat them specially.
 */
#include "control/alerts.h"
#include "base/state.h"
#include "base/text.h"
#include "capture/words.h"
#include "control/observers.h"
#include "control/schedule.h"
#include "options/options.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include <errno.h>

static void say_crossing(const struct gpumemprof_crossing *c, void *data) {
  (void)data;
  bool critical = c->level == GPUMEMPROF_CRITICAL;
  struct gpm_words w = {.length = 0};
  gpm_words_add(&w, "GPU ");
  gpm_words_number(&w, (uint64_t)c->device);
  gpm_words_add(&w, " has ");
  gpm_words_bytes(&w, c->total);
  gpm_words_add(&w, critical ? " live, more than critical=" : " live, more than warn=");
  gpm_words_add(&w, critical ? gpm_options.critical : gpm_options.warn);
  gpm_words_add(&w, ": ");
  gpm_words_bytes(&w, c->bytes);
  gpm_words_add(&w, " allocated at ");
  gpm_words_at(&w, c->file, c->line, c->function);
  gpm_text_say(w.text, NULL);
}

static void keep_largest(const struct gpumemprof_block *block, void *data) {
  struct gpumemprof_block *largest = data;
  if (block->device >= 0 && block->bytes > largest->bytes) *largest = *block;
}

static void say_growth(const struct gpumemprof_growth *g, void *data) {
  (void)data;
  struct gpm_words w = {.length = 0};
  struct gpumemprof_block largest = {.bytes = 0};
  __gpumemprof_leaks(g->from, g->to, keep_largest, &largest);
  gpm_words_add(&w, "step ");
  gpm_words_number(&w, g->step);
  gpm_words_add(&w, " left ");
  gpm_words_bytes(&w, g->live - g->before);
  gpm_words_add(&w, " more than the step before (");
  gpm_words_bytes(&w, g->live);
  gpm_words_add(&w, " live)");
  if (largest.bytes) {
    gpm_words_add(&w, ": ");
    gpm_words_bytes(&w, largest.bytes);
    gpm_words_add(&w, " allocated at ");
    gpm_words_at(&w, largest.file, largest.line, largest.function);
  }
  gpm_text_say(w.text, NULL);
}

void gpm_alerts_begin(struct gpm_thread *thread) {
  static _Atomic bool begun;
  const struct gpm_options *o = &gpm_options;
  if (!o->warn[0] && !o->critical[0] && !o->growth[0]) return;
  if (!thread || !gpm_recording() || atomic_exchange(&begun, true)) return;
  int saved = errno;
  if (o->warn[0] || o->critical[0]) {
    struct gpm_observer content = {.threshold = {.size = sizeof content.threshold,
                                                 .device = GPUMEMPROF_EVERY_DEVICE,
                                                 .warn_bytes = o->warn_at.bytes,
                                                 .critical_bytes = o->critical_at.bytes,
                                                 .warn_percent = o->warn_at.percent,
                                                 .critical_percent = o->critical_at.percent,
                                                 .callback = say_crossing}};
    gpm_observers_add(GPM_OBSERVING_THRESHOLDS, &content);
  }
  if (o->growth[0]) gpm_growth_ask(o->growth_bytes, say_growth, NULL);
  errno = saved;
}
