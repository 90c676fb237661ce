/* helper.c - the runtime's own thread (helper.h), from its start to its end; its work is in
 * monitor.c and triggers.c.
 *
 * A program that asks for no task or uses no GPU has no such thread: it starts when a device is
 * first seen, and ends before CUDA does (samples.c), when recording stops, or when it is stopped.
 * It makes no events and has no record among the threads (threads.h), so it does not count as one.
 * Like the rest of the runtime it must not disturb
 * the program: it takes no signals, an exit waits for it at most one second, and it does not keep a
 * program alive whose last thread ends.
 */
#include "timed/helper.h"
#include "base/lock.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/text.h"
#include "base/ticks.h"
#include "cuda/driver.h"
#include "foreign/nvtx.h"
#include "threads/threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STACK_BYTES ((size_t)256 << 10)
#define LONGEST_SLEEP_NS 250000000u /* then it checks whether other threads are left */
#define END_WAIT_NS 1000000000u     /* for a driver that does not answer */

static struct gpm_lock helper_lock = GPM_LOCK(helper); /* protects the next two */
static bool helper_runs;
static pthread_t helper_thread;
static _Atomic bool helper_quits, device_seen;
static _Atomic uint32_t wakes, helper_ended; /* futexes */

static void futex_wait(_Atomic uint32_t *at, uint32_t value, uint64_t ns) {
  struct timespec timeout = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
  gpm_syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *at) {
  int saved = errno;
  atomic_fetch_add(at, 1);
  gpm_syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
  errno = saved;
}

void gpm_helper_wake(void) {
  futex_wake(&wakes);
}

/* Whether main's thread has ended by pthread_exit, and all others have ended, too. Without the
 * helper the program would have ended then. */
static bool is_last(void) {
  char stat[1024];
  gpm_text_read_file("/proc/self/stat", stat, sizeof stat);
  const char *field = strrchr(stat, ')'); /* field 2 may hold anything */
  if (!field || strncmp(field, ") Z", 3)) return false;
  for (int i = 2; field && i < 20; i++) field = strchr(field + 1, ' ');
  return field && strtoul(field, NULL, 10) <= 3; /* main's stays, and one reads (private_files.h) */
}

static uint64_t earlier(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* cupti.c ignores what CUDA does for the helper, and the helper's calls do not invalidate a stream
 * that is being captured. */
static void become_a_guest(void) {
  __gpumemprof_stack.inside = gpm_thread_machine_stack();
  pthread_setname_np(pthread_self(), "gpumemprof");
  int mode = GPM_CAPTURE_RELAXED;
  if (gpm_driver()->cuThreadExchangeStreamCaptureMode)
    gpm_driver()->cuThreadExchangeStreamCaptureMode(&mode);
}

static void *help(void *unused) {
  (void)unused;
  become_a_guest();
  uint64_t checked = gpm_ticks_monotonic_ns();
  while (!atomic_load(&helper_quits) && gpm_recording()) {
    uint32_t before = atomic_load(&wakes);
    uint64_t due = gpm_monitor_round(gpm_ticks_monotonic_ns());
    due = earlier(due, gpm_triggers_round(gpm_ticks_monotonic_ns()));
    due = earlier(due, gpm_nvtx_emit_round(gpm_ticks_monotonic_ns()));
    uint64_t now = gpm_ticks_monotonic_ns();
    if (now - checked >= LONGEST_SLEEP_NS) {
      if (is_last()) break; /* and this thread's end then calls exit() */
      checked = now;
    }
    due = earlier(due, checked + LONGEST_SLEEP_NS);
    if (due > now) futex_wait(&wakes, before, due - now);
  }
  futex_wake(&helper_ended);
  return NULL;
}

/* The caller holds the lock. */
static int create_thread(void) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return error;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  sigset_t held;
  gpm_signals_hold(&held); /* the thread inherits the mask */
  atomic_store(&helper_quits, false);
  atomic_store(&helper_ended, 0);
  error = pthread_create(&helper_thread, &attributes, help, NULL);
  if (error == EINVAL) error = pthread_create(&helper_thread, NULL, help, NULL); /* large TLS */
  gpm_signals_let_come(&held);
  pthread_attr_destroy(&attributes);
  return error;
}

/* Whether the helper, which was asked to quit, has ended. The caller holds the lock. */
static bool joined(uint64_t wait_ns) {
  if (pthread_equal(helper_thread, pthread_self())) return false; /* exit() by the last thread */
  uint64_t now = gpm_ticks_monotonic_ns(), until = now + wait_ns;
  for (; !atomic_load(&helper_ended) && now < until; now = gpm_ticks_monotonic_ns())
    futex_wait(&helper_ended, 0, until - now);
  return atomic_load(&helper_ended) && !pthread_join(helper_thread, NULL);
}

int gpm_helper_start(void) {
  if (!atomic_load(&device_seen) || atomic_load(&gpm_exiting)) return 0;
  int saved = errno, error = 0;
  gpm_lock_take(&helper_lock);
  bool quits = atomic_load(&helper_quits);
  if (helper_runs && quits && joined(0)) helper_runs = false;
  if (!helper_runs) {
    error = create_thread();
    helper_runs = !error;
  } else if (quits) error = EBUSY; /* it is still in a call of the driver */
  gpm_lock_release(&helper_lock);
  errno = saved;
  return error;
}

void gpm_helper_device_seen(void) {
  atomic_store(&device_seen, true);
  if (!gpm_monitor_is_on() && !gpm_triggers_are_on() && !gpm_nvtx_emits(GPM_NVTX_BYTES)) return;
  int error = gpm_helper_start();
  char number[24];
  gpm_text_add_number(number, sizeof number, 0, (uint64_t)error);
  if (error)
    gpm_text_say("monitor=, dump= and nvtx_emit=bytes do nothing: no thread can be started (error ",
                 number, ")", NULL);
}

void gpm_helper_stop(void) {
  int saved = errno;
  gpm_lock_take(&helper_lock);
  atomic_store(&helper_quits, true);
  gpm_helper_wake();
  if (helper_runs && joined(END_WAIT_NS)) helper_runs = false;
  gpm_lock_release(&helper_lock);
  errno = saved;
}

bool gpm_helper_runs(void) {
  gpm_lock_take(&helper_lock);
  bool runs = helper_runs && !atomic_load(&helper_ended);
  gpm_lock_release(&helper_lock);
  return runs;
}

void gpm_helper_forked(void) {
  atomic_store(&helper_lock.held, 0);
  helper_runs = false;
  atomic_store(&device_seen, false);
}
