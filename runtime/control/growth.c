/* growth.c - steps after which more is live than after the one before (gpumemprof_on_growth).
 *
 *   step      1        2          3        4
 *   live    ..../''''\../'''''\____/''''\__...
 *               |      |        |
 *               before > live: nothing    a callback once live > before + bytes
 *
 * schedule.c reports every boundary, under its lock, and has the program called after the lock is
 * released. Live bytes are those of all GPUs, as in the records of steps. A forked child starts
 * without a previous boundary.
 */
#include "base/program_calls.h"
#include "control/schedule.h"
#include "threads/threads.h"

#include <errno.h>

static struct { /* under schedule_lock */
  void (*callback)(const struct gpumemprof_growth *growth, void *data);
  void *data;
  uint64_t bytes;
} growth_request;
static struct { /* at the latest boundary; under schedule_lock */
  bool was_one;
  uint64_t live, clock;
} boundary_before;

void gpm_growth_start(void) {
  boundary_before.was_one = false;
}

bool gpm_growth_step(uint64_t step, uint64_t live, uint64_t clock,
                     struct gpumemprof_growth *growth) {
  bool grew = boundary_before.was_one && growth_request.callback && live > boundary_before.live &&
              live - boundary_before.live > growth_request.bytes;
  if (grew)
    *growth = (struct gpumemprof_growth){.size = sizeof *growth,
                                         .step = step,
                                         .before = boundary_before.live,
                                         .live = live,
                                         .from = boundary_before.clock,
                                         .to = clock};
  boundary_before.was_one = true;
  boundary_before.live = live;
  boundary_before.clock = clock;
  return grew;
}

void gpm_growth_report(const struct gpumemprof_growth *growth) {
  gpm_schedule_hold();
  void (*callback)(const struct gpumemprof_growth *, void *) = growth_request.callback;
  void *data = growth_request.data;
  gpm_schedule_release();
  if (callback) callback(growth, data);
}

void gpm_growth_ask(uint64_t bytes, void (*callback)(const struct gpumemprof_growth *, void *),
                    void *data) {
  gpm_schedule_hold();
  growth_request.callback = callback;
  growth_request.data = data;
  growth_request.bytes = bytes;
  gpm_schedule_release();
}

int __gpumemprof_on_growth(uint64_t bytes,
                           void (*callback)(const struct gpumemprof_growth *growth, void *data),
                           void *data) {
  int saved = errno;
  if (!gpm_thread_is_outside()) return GPUMEMPROF_ERROR_OFF;
  gpm_growth_ask(bytes, callback, data);
  errno = saved;
  return 0;
}
