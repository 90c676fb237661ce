/* process.c - the life of the runtime: it starts with the first instrumented object, ends with the
 * process.
 *
 * The first registration (or hook, or full-stack path) starts it: options, capture, tables. The
 * library's destructor, which runs after the program's own, marks the capture complete and names
 * it. A forked child starts anew at its first event, with a capture of its own: the parent's
 * mapping is shared memory and must not be written by two.
 */
#include "bias.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef GPM_VERSION
#define GPM_VERSION "0.1.0"
#endif

_Atomic int gpm_process_state;
static bool forked; /* this process is a child that started anew */

static void describe_process(struct gpumemprof_capture_header *h) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  h->start_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  h->first_ns = h->last_ns = gpm_ticks_monotonic_ns();
  h->first_ticks = h->last_ticks = gpm_ticks();
  h->pid = (uint64_t)getpid();
  char stat[1024];
  gpm_text_read_file("/proc/self/stat", stat, sizeof stat);
  const char *field =
      strrchr(stat, ')'); /* field 2 may hold anything; 20 fields on is the start time */
  for (int i = 0; field && i < 20; i++) field = strchr(field + 1, ' ');
  for (field = field ? field + 1 : ""; *field >= '0' && *field <= '9'; field++)
    h->pid_start = h->pid_start * 10 + (uint64_t)(*field - '0');
  gpm_text_read_file("/proc/sys/kernel/random/boot_id", h->boot_id, sizeof h->boot_id);
  h->boot_id[strcspn(h->boot_id, "\n")] = 0;
  gethostname(h->host, sizeof h->host - 1);
  gpm_text_add(h->runtime_version, sizeof h->runtime_version, 0, GPM_VERSION);
  ssize_t n = readlink("/proc/self/exe", h->executable, sizeof h->executable - 1);
  (void)n;
  char command[sizeof h->command_line];
  memset(command, 0, sizeof command);
  gpm_text_read_file("/proc/self/cmdline", command, sizeof command);
  size_t last = 0;
  for (size_t i = 0; i + 1 < sizeof command; i++) {
    if (command[i]) last = i + 1;
    h->command_line[i] = command[i] ? command[i] : ' ';
  }
  h->command_line[last < sizeof h->command_line ? last : sizeof h->command_line - 1] = 0;
  if (!getcwd(h->directory, sizeof h->directory)) h->directory[0] = 0;
}

void gpm_process_refresh(void) {
  struct gpumemprof_capture_header *h = gpm_capture;
  __atomic_store_n(&h->last_ns, gpm_ticks_monotonic_ns(), __ATOMIC_RELAXED);
  __atomic_store_n(&h->last_ticks, gpm_ticks(), __ATOMIC_RELAXED);
}

/* The capture's name; one that another run of the same process id left behind is kept. */
static void choose_path(char *path, size_t size) {
  char host[64] = "unknown";
  gethostname(host, sizeof host - 1);
  uint64_t pid = (uint64_t)getpid();
  bool names_process = gpm_options_output(path, size, host, pid);
  size_t length = strlen(path);
  if (!names_process && forked) {
    length = gpm_text_add(path, size, length, ".");
    gpm_text_add_number(path, size, length, pid);
  } else if (names_process && !access(path, F_OK)) {
    bool suffixed = length > 7 && !strcmp(path + length - 7, ".gmprof");
    size_t stem = suffixed ? length - 7 : length;
    for (uint64_t n = 2; n < 1000; n++) {
      size_t at = gpm_text_add_number(path, size, gpm_text_add(path, size, stem, "."), n);
      if (suffixed) gpm_text_add(path, size, at, ".gmprof");
      if (access(path, F_OK)) break;
    }
  }
}

static bool start_recording(void) {
  char path[GPM_PATH_MAX], error[512];
  choose_path(path, sizeof path);
  if (!gpm_capture_open(path, error, sizeof error)) {
    gpm_text_say(error,
                 "; this run is not profiled (GPUMEMPROF_OPTIONS=output=PATH names another place)",
                 NULL);
    return false;
  }
  describe_process(gpm_capture);
  __atomic_store_n(&__gpumemprof_clock, 0, __ATOMIC_RELAXED);
  gpm_history_start();
  if (gpm_blocks_start() && gpm_tree_start() && gpm_ledger_start()) {
    gpm_capture_publish();
    return true;
  }
  gpm_capture_abandon();
  gpm_text_say("there is no memory for the profiler's tables; this run is not profiled", NULL);
  return false;
}

static void fork_child(void) {
  int state = atomic_load(&gpm_process_state);
  if (state == GPM_UNSTARTED) return;
  gpm_capture_forget();
  gpm_threads_forked();
  gpm_modules_forked();
  forked = true;
  atomic_store(&gpm_process_state,
               state == GPM_RECORDING && gpm_options.enabled ? GPM_UNSTARTED : GPM_OFF);
}

void gpm_process_start(void) {
  int expected = GPM_UNSTARTED;
  if (!atomic_compare_exchange_strong(&gpm_process_state, &expected, GPM_STARTING)) {
    while (atomic_load_explicit(&gpm_process_state, memory_order_acquire) == GPM_STARTING)
      sched_yield();
    return;
  }
  int saved = errno;
  if (!forked) {
    gpm_options_read();
    gpm_threads_start();
    pthread_atfork(NULL, NULL, fork_child);
  }
  bool recording = gpm_options.enabled && start_recording();
  if (recording) gpm_bias_start();
  atomic_store_explicit(&gpm_process_state, recording ? GPM_RECORDING : GPM_OFF,
                        memory_order_release);
  if (recording) gpm_modules_record_all();
  errno = saved;
}

void gpm_process_stop(const char *why) {
  int expected = GPM_RECORDING, saved = errno;
  if (!atomic_compare_exchange_strong(&gpm_process_state, &expected, GPM_OFF)) return;
  gpm_bias_stop();
  gpm_text_add(gpm_capture->stop_reason, sizeof gpm_capture->stop_reason, 0, why);
  gpm_process_refresh();
  __atomic_fetch_or(&gpm_capture->flags, GPUMEMPROF_CAPTURE_STOPPED, __ATOMIC_RELEASE);
  gpm_text_say(why, "; recording stops here, the program goes on", NULL);
  errno = saved;
}

GPM_EXPORT int gpumemprof_enabled(void) {
  return gpm_recording();
}

__attribute__((destructor)) static void process_end(void) {
  if (!gpm_capture || gpm_capture->pid != (uint64_t)getpid()) return;
  gpm_process_refresh();
  gpm_capture_finish(true);
  if (!gpm_options.quiet)
    gpm_text_say("wrote ", gpm_capture_path(), "; 'gpumemprof report' shows it", NULL);
}
