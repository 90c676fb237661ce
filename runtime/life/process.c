/* process.c - the start and the end of the runtime: with the first instrumented object, and with
 * the process.
 *
 * The first registration (or hook, or full-stack path) starts it: options, capture, tables. The
 * library's destructor, which runs after the program's own, marks the capture complete, seals it
 * (seal.c) and names it. A forked child starts the runtime again at its first event, with its own
 * capture, because the parent's mapping is shared memory that two processes must not write.
 */
#include "allocators/custom.h"
#include "answer/answer.h"
#include "base/barrier.h"
#include "base/compiler.h"
#include "base/loaded.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/private_files.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/text.h"
#include "base/ticks.h"
#include "budgets/budgets.h"
#include "capture/capture.h"
#include "capture/capture_file.h"
#include "capture/owner.h"
#include "control/alerts.h"
#include "control/dump.h"
#include "control/marks.h"
#include "control/measures.h"
#include "control/observers.h"
#include "control/pause.h"
#include "control/schedule.h"
#include "core/contexts.h"
#include "core/ended_frames.h"
#include "core/history.h"
#include "core/ledger.h"
#include "core/operands.h"
#include "cuda/effects.h"
#include "cuda/samples.h"
#include "cuda/stream_pools.h"
#include "cuda/unaccounted.h"
#include "foreign/cupti.h"
#include "foreign/native.h"
#include "foreign/nvtx.h"
#include "foreign/torch.h"
#include "life/one_runtime.h"
#include "life/output.h"
#include "life/run_notes.h"
#include "life/seal.h"
#include "oom/oom.h"
#include "options/options.h"
#include "pages/pages.h"
#include "records/blocks.h"
#include "records/call_tree.h"
#include "records/devices.h"
#include "records/labels.h"
#include "records/made_sites.h"
#include "records/modules.h"
#include "threads/threads.h"
#include "timed/helper.h"
#include "uses/uses.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef GPM_VERSION
#define GPM_VERSION "unknown"
#endif

/* Without /proc: as the program was started. */
static GPM_COLD void name_executable(struct gpumemprof_capture_header *h) {
  const char *started = (const char *)gpm_getauxval(AT_EXECFN);
  size_t n = 0, size = sizeof h->executable;
  if (!started) return;
  if (started[0] != '/') {
    n = gpm_text_add(h->executable, size, n, h->directory);
    n = gpm_text_add(h->executable, size, n, "/");
  }
  gpm_text_add(h->executable, size, n, started);
}

static bool own_is_cleared;    /* the kernel clears gpm_own in children */
static _Atomic int last_state; /* a copy of the state in gpm_own, which is cleared in children */
static bool forked;            /* this process is a child that forgot its parent's records */
static uint64_t started_in;    /* the process that started last */
static bool forked_inside;     /* forked by a signal handler that had interrupted the runtime */
static _Thread_local bool starting GPM_IE_TLS;

static void describe_process(struct gpumemprof_capture_header *h) {
  struct timespec now;
  gpm_clock(CLOCK_REALTIME, &now);
  h->start_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  h->first_ns = h->last_ns = gpm_ticks_monotonic_ns();
  h->first_ticks = h->last_ticks = gpm_ticks();
  h->pid = gpm_getpid();
  h->pid_start = gpm_owner_process_start(h->pid);
  gpm_owner_boot_id(h->boot_id, sizeof h->boot_id);
  gpm_gethostname(h->host, sizeof h->host - 1);
  const char *run = gpm_options_variable("GPUMEMPROF_RUN"); /* from tools/running/ */
  if (run) gpm_values_uint(run, &h->run);
  uint64_t rank, ranks; /* at most nine digits */
  if (gpm_ranks_own(&rank, &ranks)) h->flags |= GPUMEMPROF_CAPTURE_RANKED;
  h->rank = (uint32_t)rank;
  h->ranks = (uint32_t)ranks;
  gpm_text_add(h->runtime_version, sizeof h->runtime_version, 0, GPM_VERSION);
  gpm_syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", h->executable, sizeof h->executable - 1);
  char command[sizeof h->command_line];
  memset(command, 0, sizeof command);
  gpm_text_read_file("/proc/self/cmdline", command, sizeof command);
  size_t last = 0;
  for (size_t i = 0; i + 1 < sizeof command; i++) {
    if (command[i]) last = i + 1;
    h->command_line[i] = command[i] ? command[i] : ' ';
  }
  h->command_line[last < sizeof h->command_line ? last : sizeof h->command_line - 1] = 0;
  if (!gpm_getcwd(h->directory, sizeof h->directory)) h->directory[0] = 0;
  if (!h->executable[0]) name_executable(h);
}

/* Starts the tables, and writes the header that shows other processes whose file this is. */
static bool start_tables(void) {
  describe_process(gpm_capture);
  __atomic_store_n(&__gpumemprof_clock.events, 0, __ATOMIC_RELAXED);
  gpm_history_start();
  gpm_uses_start();
  gpm_pages_start();
  gpm_schedule_start();
  gpm_budgets_start();
  gpm_pools_start();
  gpm_samples_start();
  gpm_marks_start();
  gpm_named_blocks_start();
  if (gpm_blocks_start() && gpm_tree_start() && gpm_ledger_start() && gpm_custom_start()) {
    gpm_capture_publish();
    return true;
  }
  gpm_capture_abandon();
  return false;
}

struct start {
  char error[512];
  bool opened, complete;
};

/* The folder is locked from the choice of the file until its header is complete. A lock belongs to
 * a descriptor, so all of this is one function. */
static void open_capture(void *argument) {
  struct start *s = argument;
  char path[GPM_PATH_MAX];
  int lock = gpm_output_choose(path, sizeof path, forked);
  s->opened = gpm_capture_open(path, s->error, sizeof s->error);
  s->complete = s->opened && start_tables();
  gpm_output_chosen(lock);
}

static bool start_recording(void) {
  struct start s = {.error = ""};
  int error = gpm_private_files_run_with_standard(open_capture, &s);
  if (error) gpm_capture_file_explain(s.error, sizeof s.error, "write", gpm_options.output, error);
  if (!s.opened)
    gpm_text_say(s.error, "; this run is not profiled (",
                 gpm_options_variable("GPUMEMPROF_RUN") ? "-o PATH"
                                                        : "GPUMEMPROF_OPTIONS=output=PATH",
                 " names another place)", NULL);
  else if (!s.complete)
    gpm_text_say("there is no memory for the profiler's tables; this run is not profiled", NULL);
  return s.complete;
}

static void set_state(int state) {
  atomic_store(&last_state, state);
  atomic_store_explicit(&gpm_own.state, state, memory_order_release);
}

/* Whether this is a child in which no fork handler has run yet. */
static bool is_unknown_child(void) {
  return atomic_load(&gpm_own.state) == GPM_UNSTARTED && atomic_load(&last_state) != GPM_UNSTARTED;
}

/* A start that is under way in another thread would never end in the child. */
static void before_fork(void) {
  while (!starting && atomic_load(&gpm_own.state) == GPM_STARTING) gpm_yield();
  gpm_loaded_fork_begins();
}

/* Locks that other threads held, and records that they were writing, are left to the parent.
 * Returns the state of the child: not started, or off. */
static int forget_parent(void) {
  int state = atomic_load(&last_state);
  atomic_store(&gpm_own.state, GPM_OFF); /* so that nothing below starts recording */
  bool inside = gpm_thread_current && gpm_busy(gpm_thread_current);
  gpm_lock_forget_held(inside);
  gpm_capture_forget(inside);
  gpm_memory_forked(inside);
  gpm_contexts_forked();
  gpm_threads_forked(inside);
  gpm_modules_forked();
  gpm_sites_made_forked();
  gpm_vmm_forked();
  gpm_imports_forked();
  gpm_graphs_forked();
  gpm_statics_forked();
  gpm_native_forked();
  gpm_unaccounted_forked();
  gpm_operands_forked(state == GPM_RECORDING);
  gpm_uses_forked();
  gpm_pages_forked();
  gpm_helper_forked();
  gpm_monitor_forked();
  gpm_nvtx_emit_forked();
  gpm_triggers_forked();
  gpm_dump_forked();
  gpm_samples_forked();
  gpm_observers_forked();
  gpm_pause_forked();
  gpm_oom_forked();
  gpm_ledger_forked();
  gpm_custom_forked();
  gpm_measures_forked();
  gpm_labels_forked();
  gpm_torch_forked();
  gpm_schedule_forked();
  gpm_guards_forked();
  forked = true;
  forked_inside |= inside;
  return state == GPM_RECORDING && gpm_options.enabled ? GPM_UNSTARTED : GPM_OFF;
}

static void fork_child(void) {
  gpm_loaded_fork_ends();
  if (atomic_load(&last_state) == GPM_UNSTARTED) return;
  /* Done for an earlier handler; an emulator may have said that it clears the page, and not do so.
   */
  if (own_is_cleared && !is_unknown_child() && gpm_getpid() == started_in) return;
  set_state(forget_parent());
}

/* Reads the options once. The signal of dump= is handled from then on, even if nothing is recorded:
 * a user who sends it to all processes of a job wants to end none of them. */
static void read_options(void) {
  static bool read;
  if (read) return;
  read = true;
  gpm_options_read();
  if (gpm_options.enabled || gpm_options.other_rank) gpm_triggers_start();
}

/* Recording starts with the first instrumented object; until then the signal would end the
 * program. */
__attribute__((constructor)) static void process_begin(void) {
  const char *text = gpm_options_variable("GPUMEMPROF_OPTIONS");
  if (!text || !strstr(text, "signal:") || atomic_load(&gpm_own.state) != GPM_UNSTARTED) return;
  int saved = errno;
  gpm_text_start();
  read_options();
  errno = saved;
}

static void start_once(void) {
  int expected = GPM_UNSTARTED;
  if (!atomic_compare_exchange_strong(&gpm_own.state, &expected, GPM_STARTING)) {
    while (atomic_load_explicit(&gpm_own.state, memory_order_acquire) == GPM_STARTING) gpm_yield();
    return;
  }
  int saved = errno;
  starting = true;
  if (atomic_load(&last_state) != GPM_UNSTARTED) { /* a child of _Fork() or clone(2) */
    gpm_loaded_forked();
    if (forget_parent() == GPM_OFF) {
      starting = false;
      set_state(GPM_OFF);
      errno = saved;
      return;
    }
  }
  set_state(GPM_STARTING);
  started_in = gpm_getpid();
  if (!forked) {
    own_is_cleared = !(sizeof gpm_own % gpm_getauxval(AT_PAGESZ)) &&
                     !gpm_madvise(&gpm_own, sizeof gpm_own, MADV_WIPEONFORK);
    gpm_text_start();
    pthread_atfork(before_fork, gpm_loaded_fork_ends, fork_child);
    read_options();
    gpm_output_anchor();
    gpm_threads_start();
    gpm_ticks_start();
    gpm_modules_start();
  }
  if (forked_inside)
    gpm_text_say("forked by a signal handler inside the profiler; this process is not profiled",
                 NULL);
  if (!forked) gpm_pause_start();
  bool recording =
      gpm_options.enabled && !forked_inside && gpm_one_runtime_begin() && start_recording();
  if (recording) gpm_barrier_start();
  gpm_run_notes_start(recording);
  starting = false;
  set_state(recording ? GPM_RECORDING : GPM_OFF);
  gpm_one_runtime_begun(recording);
  if (recording) gpm_modules_record_all();
  errno = saved;
}

void gpm_process_start(void) {
  sigset_t held;
  gpm_signals_hold(&held); /* a handler that allocates would wait for the code it interrupted */
  gpm_seal_break();
  start_once();
  gpm_signals_let_come(&held);
}

void gpm_process_thread_made(struct gpm_thread *thread) {
  gpm_cupti_start();
  gpm_native_begin();
  gpm_native_verify_begin();
  gpm_alerts_begin(thread);
  gpm_nvtx_emit_start();
}

void gpm_process_stop(const char *why) {
  int expected = GPM_RECORDING, saved = errno;
  if (!atomic_compare_exchange_strong(&gpm_own.state, &expected, GPM_OFF)) return;
  atomic_store(&last_state, GPM_OFF);
  gpm_text_add(gpm_capture->stop_reason, sizeof gpm_capture->stop_reason, 0, why);
  gpm_capture_calibrate();
  __atomic_fetch_or(&gpm_capture->flags, GPUMEMPROF_CAPTURE_STOPPED, __ATOMIC_RELEASE);
  gpm_helper_wake(); /* so that it ends */
  gpm_text_say(why, "; recording stops here, the program goes on", NULL);
  errno = saved;
}

GPM_EXPORT int gpumemprof_enabled(void) {
  return gpm_recording();
}

/* Says where the capture is, and with summary=1 what it holds. */
static void say_end(struct gpm_answer *answer) {
  char text[2048];
  size_t length = gpm_text_add(text, sizeof text, 0, "wrote ");
  length = gpm_text_add(text, sizeof text, length, gpm_capture_path());
  if (gpm_dump_count()) {
    length = gpm_text_add(text, sizeof text, length, ", dumps of it: ");
    length = gpm_text_add_number(text, sizeof text, length, gpm_dump_count());
  }
  gpm_text_add(text, sizeof text, length, "; 'gpumemprof report' shows it");
  if (answer) gpm_answer_say(answer, gpm_options.quiet ? "" : text);
  else if (!gpm_options.quiet) gpm_text_say(text, NULL);
}

/* When the runtime is linked as an archive, it ends after the program's instrumented objects, whose
 * priority is 1. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
__attribute__((destructor(0))) static void process_end(void) {
  if (is_unknown_child()) return;
  if (atomic_load(&gpm_own.state) != GPM_UNSTARTED || forked) gpm_threads_end();
  if (!gpm_capture || gpm_capture->pid != gpm_getpid()) return;
  gpm_helper_stop();
  gpm_triggers_end();
  gpm_uses_end();
  gpm_unaccounted_end();
  gpm_schedule_end();
  gpm_capture_calibrate();
  gpm_threads_count_ended();
  struct gpm_answer *answer = gpm_options.summary ? gpm_answer_find() : NULL;
  gpm_capture_complete();
  gpm_seal();
  gpm_capture_close();
  say_end(answer);
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif
