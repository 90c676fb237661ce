/* triggers.c - makes dumps without a change of the source: the option dump=.
 *
 * It is a task of the helper (helper.h), so that it costs no event anything: allocated bytes and
 * peaks are checked every 50 ms, or less often where a check takes long. The signal's handler only
 * wakes the helper. It is installed as soon as the library is loaded (process.c), since the signal
 * would otherwise end the program. A signal that the program handles or ignores is left to the
 * program.
 */
#include "base/system_calls.h"
#include "base/text.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "control/dump.h"
#include "options/options.h"
#include "records/devices.h"
#include "timed/helper.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define POLL_NS 50000000u
#define POLL_PAUSE 20u      /* a check is followed by a pause of 20 times its length */
#define PEAK_NS 1000000000u /* between two dumps of peaks */
#define DEVICES 260         /* more than there can be (devices.c) */

static _Atomic bool dump_asked; /* set by the signal handler */
static _Atomic bool handles;    /* our handler was installed */
static _Atomic bool said_whose; /* a message has said that the signal is not ours */
/* Only the helper uses these. */
static bool triggers_began, said_enough;
static uint64_t every_due, poll_due, peak_due;
static uint64_t bytes_at_dump;          /* bytes allocated at the latest dump that bytes= caused */
static uint64_t peaks_at_dump[DEVICES]; /* by record number */
static uint64_t dumps_made;

bool gpm_triggers_are_on(void) {
  const struct gpm_dump_when *when = &gpm_options.when;
  return when->signal || when->every_ns || when->bytes || when->peak;
}

/* ---- the signal ---------------------------------------------------------------------------------
 */

static void on_dump_signal(int number) {
  (void)number;
  atomic_store(&dump_asked, true);
  gpm_helper_wake();
}

static void say_not_ours(void) {
  if (atomic_exchange(&said_whose, true)) return;
  gpm_text_say("dump=", gpm_options.dump,
               ": the program handles or ignores that signal itself, which makes no dumps then",
               NULL);
}

static bool is_ours(const struct gpm_signal_action *action) {
  return !(action->flags & SA_SIGINFO) && action->handler == on_dump_signal;
}

/* Whether the signal has its default action, or is ignored because `gpumemprof run` had it ignored
 * until the library is loaded (tools/commands/cmd_run.c). */
static bool is_free(int number, const struct gpm_signal_action *now) {
  const char *ignored = gpm_options_variable("GPUMEMPROF_RUN_SIGNAL");
  uint64_t by_tool = 0;
  if (now->flags & SA_SIGINFO) return false;
  if (now->handler != SIG_IGN) return now->handler == SIG_DFL;
  return ignored && gpm_values_uint(ignored, &by_tool) && by_tool == (uint64_t)number;
}

void gpm_triggers_start(void) {
  struct gpm_signal_action action = {on_dump_signal, SA_RESTART | SA_ONSTACK}, old;
  int number = gpm_options.when.signal;
  if (!number || gpm_sigaction(number, NULL, &old)) return;
  if (!is_free(number, &old)) return say_not_ours();
  atomic_store(&handles, !gpm_sigaction(number, &action, NULL));
}

/* The signal is ignored from here on, because the handler may soon be unmapped. The helper may not
 * have completed a round yet. */
void gpm_triggers_end(void) {
  struct gpm_signal_action now, ignore = {SIG_IGN, 0};
  int number = gpm_options.when.signal;
  if (!atomic_load(&handles) || gpm_sigaction(number, NULL, &now)) return;
  if (is_ours(&now)) gpm_sigaction(number, &ignore, NULL);
  else say_not_ours();
}

/* ---- figures of the ledger ----------------------------------------------------------------------
 */

/* Returns the bytes of GPU memory allocated so far. */
static uint64_t allocated_so_far(void) {
  uint64_t sum = 0, at = gpm_capture->header_size, end = gpm_capture_used();
  for (const struct gpumemprof_chunk *part; (part = gpm_capture_next(&at, end));) {
    if (part->type != GPUMEMPROF_CHUNK_CELLS) continue;
    const struct gpumemprof_capture_cell *cell = (const void *)(part + 1);
    uint64_t used = __atomic_load_n(&part->used, __ATOMIC_ACQUIRE);
    for (const struct gpumemprof_capture_cell *stop = cell + used / sizeof *cell; cell < stop;
         cell++)
      if (!gpm_is_not_gpu(gpm_ledger_device_at(cell->device)))
        sum += gpm_peek(&cell->allocated.bytes);
  }
  return sum;
}

static bool allocated_enough(void) {
  uint64_t step = gpm_options.when.bytes, bytes = allocated_so_far() - bytes_at_dump;
  if (bytes < step) return false;
  bytes_at_dump += bytes - bytes % step;
  return true;
}

static bool is_new_peak(uint64_t now) {
  bool is_new = false;
  unsigned count = gpm_ledger_device_count();
  if (now < peak_due) return false;
  for (unsigned i = 1; i < count && i < DEVICES; i++) {
    const struct gpm_device *device = gpm_ledger_device_at(i);
    uint64_t peak = gpm_peek(&device->record->peak);
    if (gpm_is_not_gpu(device) || peak == peaks_at_dump[i]) continue;
    peaks_at_dump[i] = peak;
    is_new = true;
  }
  if (is_new) peak_due = now + PEAK_NS;
  return is_new;
}

/* ---- rounds -------------------------------------------------------------------------------------
 */

static const char *reason_by_figures(uint64_t now) {
  if (now < poll_due) return NULL;
  const char *reason = gpm_options.when.bytes && allocated_enough() ? "bytes allocated" : NULL;
  if (gpm_options.when.peak && is_new_peak(now)) reason = "a new peak";
  uint64_t pause = (gpm_ticks_monotonic_ns() - now) * POLL_PAUSE;
  poll_due = now + (pause > POLL_NS ? pause : POLL_NS);
  return reason;
}

static void first_round(uint64_t now) {
  struct gpm_signal_action action;
  triggers_began = true;
  every_due = now + gpm_options.when.every_ns;
  if (atomic_load(&handles) && !gpm_sigaction(gpm_options.when.signal, NULL, &action) &&
      !is_ours(&action))
    say_not_ours(); /* the program installed its handler after ours */
}

static void make_dump(const char *reason) {
  if (dumps_made < gpm_options.dump_max) {
    if (!gpm_dump(NULL, reason, true)) dumps_made++;
  } else if (!said_enough) {
    said_enough = true;
    gpm_text_say("dump=", gpm_options.dump,
                 ": as many dumps as dump_max= allows were made; no more follow", NULL);
  }
}

uint64_t gpm_triggers_round(uint64_t now) {
  const struct gpm_dump_when *when = &gpm_options.when;
  if (!gpm_triggers_are_on()) return UINT64_MAX;
  if (!triggers_began) first_round(now);
  const char *reason = when->bytes || when->peak ? reason_by_figures(now) : NULL;
  if (when->every_ns && now >= every_due) {
    reason = "time";
    every_due += when->every_ns;
    if (every_due < now) every_due = now + when->every_ns;
  }
  if (atomic_exchange(&dump_asked, false)) reason = "the signal";
  if (reason) make_dump(reason);
  uint64_t due = when->every_ns ? every_due : UINT64_MAX;
  return (when->bytes || when->peak) && poll_due < due ? poll_due : due;
}

void gpm_triggers_forked(void) {
  atomic_store(&dump_asked, false);
  atomic_store(&said_whose, false);
  triggers_began = said_enough = false;
  poll_due = peak_due = bytes_at_dump = dumps_made = 0;
  memset(peaks_at_dump, 0, sizeof peaks_at_dump);
}
