/* schedule.c - steps of the program (gpumemprof_step, step=FUNCTION), and which of them a capture
 * covers (schedule=).
 *
 *   schedule=skip_first:1,wait:1,warmup:1,active:2,repeat:2
 *   step      0     1     2     3     4     5     6     7     8     9
 *             -    wait  warm  act   act  wait  warm   act   act    -
 *                             |reset   |cycle 1       |reset   |cycle 2
 *
 * A step ends where the next begins. Everything is recorded in all phases, so that what is live is
 * always known: a cycle's figures begin with a reset (baseline.c), and at its end a copy of the
 * capture is written (dump.c). Boundaries are records of their own.
 *
 * step=FUNCTION is noticed where shadow_stack.c opens an activation of that function, before the
 * event that it was opened for is charged. That event belongs to the new step.
 *
 * Method: torch.profiler.schedule.
 */
#include "control/schedule.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "control/baseline.h"
#include "control/dump.h"
#include "control/measures.h"
#include "control/observers.h"
#include "options/options.h"
#include "records/devices.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

#define STEPS_MOST (UINT32_C(1) << 20) /* boundaries that are stored */

static struct gpm_lock schedule_lock = GPM_LOCK(schedule); /* protects what follows */
static struct gpm_table step_table;
static void (*cycle_callback)(const struct gpumemprof_cycle *cycle, void *data);
static void *cycle_data;
static _Atomic bool cycles_are_reported; /* a callback is registered */

void gpm_schedule_forked(void) {
  atomic_store(&schedule_lock.held, 0);
}

void gpm_schedule_hold(void) {
  gpm_lock_take(&schedule_lock);
}

void gpm_schedule_release(void) {
  gpm_lock_release(&schedule_lock);
}

void gpm_schedule_start(void) {
  gpm_schedule_forked();
  gpm_growth_start();
  step_table = (struct gpm_table){GPUMEMPROF_CHUNK_STEPS, sizeof(struct gpumemprof_capture_step), 0,
                                  0, NULL};
}

/* ---- which phase a step is in ------------------------------------------------------------------
 */

struct step_position { /* of a step */
  enum gpumemprof_phase phase;
  uint32_t cycle;   /* from 1 */
  bool first, last; /* of the active ones of its cycle */
};

/* step: from 0; what comes before the first call of step=FUNCTION is none. */
static struct step_position position_of_step(uint64_t step) {
  const struct gpm_steps *s = &gpm_options.steps;
  uint64_t length = s->wait + s->warmup + s->active;
  if (!s->active || step < s->skip_first) return (struct step_position){0};
  uint64_t cycle = (step - s->skip_first) / length, at = (step - s->skip_first) % length;
  if (s->repeat && cycle >= s->repeat) return (struct step_position){0};
  return (struct step_position){.phase = at < s->wait               ? GPUMEMPROF_PHASE_WAIT
                                         : at < s->wait + s->warmup ? GPUMEMPROF_PHASE_WARMUP
                                                                    : GPUMEMPROF_PHASE_ACTIVE,
                                .cycle = (uint32_t)cycle + 1,
                                .first = at == s->wait + s->warmup,
                                .last = at + 1 == length};
}

/* ---- boundaries --------------------------------------------------------------------------------
 */

/* Sums device memory over all devices. */
static uint64_t live_now(void) {
  uint64_t sum = 0;
  unsigned count = gpm_ledger_device_count();
  for (unsigned i = 1; i < count; i++) {
    const struct gpm_device *device = gpm_ledger_device_at(i);
    if (!gpm_is_not_gpu(device)) sum += gpm_peek(&device->record->total);
  }
  return sum;
}

static void store_boundary(const struct step_position *next, uint64_t clock, uint64_t live) {
  if (step_table.count >= STEPS_MOST) {
    gpm_capture_count(GPUMEMPROF_COUNTER_steps_left_out);
    return;
  }
  struct gpumemprof_capture_step *record = gpm_table_next(&step_table);
  if (!record) return;
  *record = (struct gpumemprof_capture_step){.ticks = gpm_ticks(),
                                             .clock = clock,
                                             .live = live,
                                             .phase = next->phase,
                                             .cycle = next->cycle};
  gpm_table_publish(&step_table);
}

/* NAME.gmprof > NAME.cycle-N.gmprof. */
static void name_cycle(char *path, size_t size, uint32_t cycle) {
  size_t n = gpm_text_add(path, size, 0, gpm_capture_path());
  if (n > 7 && !strcmp(path + n - 7, ".gmprof")) n -= 7;
  n = gpm_text_add(path, size, n, ".cycle-");
  n = gpm_text_add_number(path, size, n, cycle);
  gpm_text_add(path, size, n, ".gmprof");
}

static _Atomic uint32_t latest_failed; /* cycle whose file could not be written */

static void write_cycle(uint32_t cycle) {
  char path[GPM_PATH_MAX], reason[32];
  name_cycle(path, sizeof path, cycle);
  gpm_text_add_number(reason, sizeof reason, gpm_text_add(reason, sizeof reason, 0, "cycle "),
                      cycle);
  if (gpm_dump(path, reason, false)) atomic_store(&latest_failed, cycle);
}

struct step_end { /* what the callbacks receive */
  uint64_t number;
  uint32_t cycle; /* that ended with it, or 0 */
  bool grew;
  struct gpumemprof_growth growth;
};

/* A step ends and the next begins. */
static void end_step(struct step_end *end) {
  struct gpumemprof_capture_header *h = gpm_capture;
  gpm_lock_take(&schedule_lock);
  uint64_t boundary = __atomic_add_fetch(&h->steps, 1, __ATOMIC_RELAXED);
  uint64_t step = gpm_options.step[0] ? boundary - 1 : boundary; /* that begins */
  struct step_position ended = step ? position_of_step(step - 1) : (struct step_position){0};
  struct step_position begins = position_of_step(step);
  uint64_t clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  uint64_t live = live_now();
  store_boundary(&begins, clock, live);
  end->number = boundary;
  end->grew = gpm_growth_step(step, live, clock, &end->growth);
  end->cycle = ended.last ? ended.cycle : 0;
  if (end->cycle) {
    __atomic_store_n(&h->cycles, end->cycle, __ATOMIC_RELAXED);
    write_cycle(end->cycle);
  }
  if (begins.first) gpm_baseline_set();
  gpm_lock_release(&schedule_lock);
}

/* ---- step=FUNCTION -----------------------------------------------------------------------------
 */

/* The name is written as in reports: FUNCTION, or FUNCTION {BLOCK}. */
bool gpm_schedule_marks(const struct gpumemprof_capture_site *scope) {
  const char *rest = gpm_options.step;
  if (!*rest || (scope->kind != GPUMEMPROF_SITE_FUNCTION && scope->kind != GPUMEMPROF_SITE_BLOCK))
    return false;
  const char *const texts[] = {gpm_strings_text(scope->function), scope->name ? " {" : NULL,
                               gpm_strings_text(scope->name), scope->name ? "}" : NULL};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t length = texts[i] ? strlen(texts[i]) : 0;
    if (strncmp(rest, texts[i] ? texts[i] : "", length)) return false;
    rest += length;
  }
  return !*rest;
}

void gpm_schedule_entered(struct gpm_thread *thread) {
  int saved = errno;
  struct step_end end;
  end_step(&end);
  struct gpm_notice *notice = end.cycle && atomic_load(&cycles_are_reported)
                                  ? gpm_observers_notice(thread, GPUMEMPROF_NONE)
                                  : NULL;
  if (notice) notice->cycle = end.cycle;
  if (end.grew && (notice = gpm_observers_notice(thread, GPUMEMPROF_NONE))) {
    notice->grew = true;
    notice->growth = end.growth;
  }
  errno = saved;
}

/* ---- the program -------------------------------------------------------------------------------
 */

/* The texts are kept until the process ends. */
static const char *path_of(uint32_t cycle) {
  char path[GPM_PATH_MAX];
  name_cycle(path, sizeof path, cycle);
  size_t size = strlen(path) + 1;
  char *copy = atomic_load(&latest_failed) == cycle ? NULL : gpm_memory_get(size);
  if (copy) memcpy(copy, path, size);
  return copy;
}

void gpm_schedule_report(uint32_t cycle) {
  gpm_lock_take(&schedule_lock);
  void (*callback)(const struct gpumemprof_cycle *, void *) = cycle_callback;
  void *data = cycle_data;
  gpm_lock_release(&schedule_lock);
  struct gpumemprof_cycle c = {.size = sizeof c, .number = cycle};
  if (!callback) return;
  c.path = path_of(cycle);
  callback(&c, data);
}

int __gpumemprof_on_cycle(void (*callback)(const struct gpumemprof_cycle *cycle, void *data),
                          void *data) {
  int saved = errno;
  if (!gpm_thread_is_outside()) return GPUMEMPROF_ERROR_OFF;
  gpm_lock_take(&schedule_lock);
  cycle_callback = callback;
  cycle_data = data;
  atomic_store(&cycles_are_reported, callback != NULL);
  gpm_lock_release(&schedule_lock);
  errno = saved;
  return 0;
}

uint64_t __gpumemprof_step(void) {
  int saved = errno;
  struct step_end end;
  struct gpm_thread *thread = gpm_thread_enter();
  if (!thread) return 0;
  end_step(&end);
  gpm_set_busy(thread, false);
  if (end.cycle) gpm_schedule_report(end.cycle);
  if (end.grew) gpm_growth_report(&end.growth);
  errno = saved;
  return end.number;
}

void gpm_schedule_end(void) {
  if (gpm_capture->steps) return;
  if (gpm_options.step[0])
    gpm_text_say(
        "step=", gpm_options.step,
        ": there was no step, because no memory moved in any call of a function of that name; "
        "'gpumemprof report --by function' has the names",
        NULL);
  else if (gpm_options.steps.active)
    gpm_text_say("schedule=: there was no step; call gpumemprof_step() where one ends, or name a "
                 "function with step=",
                 NULL);
}
