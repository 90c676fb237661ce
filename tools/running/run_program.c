/* run_program.c - see run_program.h.
 *
 * The program has this tool's input, outputs and terminal. The tool waits. It passes signals that
 * are sent only to it on to the program; signals of the terminal reach both, and the tool ignores
 * them. The tool finds the captures by a number in the environment, which the runtime writes into
 * them.
 */
#include "running/run_program.h"

#include "capture/captures.h"
#include "input/command.h"
#include "running/inject.h"
#include "running/run_end.h"
#include "running/run_notes.h"
#include "support/child.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/bottom_line.h"
#include "top/live.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- signals ------------------------------------------------------------------------------------
 */

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static volatile sig_atomic_t child;

static void forward(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  if (info->si_code <= 0 && child > 0) kill(child, number); /* by kill(2), not by the terminal */
  errno = saved;
}

/* Blocks these signals and SIGCHLD; `old` gets the previous mask. Ignored signals stay ignored, in
 * the program as well. */
static void take_signals(sigset_t *old) {
  struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART}, was;
  sigset_t all;
  sigemptyset(&action.sa_mask);
  sigemptyset(&all);
  sigaddset(&all, SIGCHLD);
  signal(SIGCHLD, SIG_DFL); /* if it were ignored, the exit status would not be available */
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
    sigaddset(&all, forwarded[i]);
    if (!sigaction(forwarded[i], NULL, &was) && was.sa_handler != SIG_IGN)
      sigaction(forwarded[i], &action, NULL);
  }
  sigprocmask(SIG_BLOCK, &all, old);
}

static void let_signals_come(const sigset_t *old) {
  sigset_t mask = *old;
  sigaddset(&mask, SIGCHLD); /* sigtimedwait takes it */
  sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* ---- the program --------------------------------------------------------------------------------
 */

/* Starts the program, and returns its process id; 0 after it said why it could not be started. */
static pid_t start(const char *path, char **program, const sigset_t *mask) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, mask);
  pid_t pid = 0;
  int error = posix_spawn(&pid, path, NULL, &attributes, program, environ);
  posix_spawnattr_destroy(&attributes);
  if (!error) return pid;
  gpm_child_failed(path, error);
  return 0;
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void show_progress(const struct gpm_run *o, struct gpm_live *live, uint64_t elapsed_ns) {
  char bytes[GPM_TEXT_NUMBER], peak[GPM_TEXT_NUMBER], line[256];
  struct gpm_live_sums sums;
  if (live->fd < 0) {
    struct gpm_captures captures = gpm_captures_of(o->options.output, o->number);
    if (captures.count) gpm_live_open(live, captures.found[0].path);
    gpm_captures_free(&captures);
  }
  unsigned long long s = elapsed_ns / 1000000000u;
  int n =
      snprintf(line, sizeof line, "gpumemprof: %llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
  if (live->fd >= 0 && gpm_live_read(live, &sums))
    snprintf(line + n, sizeof line - (size_t)n, "  %s live, peak %s, %llu allocation%s",
             gpm_text_bytes(bytes, (int64_t)sums.live, 0),
             gpm_text_bytes(peak, (int64_t)sums.peak, 0), (unsigned long long)sums.allocations,
             gpm_text_s(sums.allocations));
  gpm_bottom_line_show(line);
}

/* Its status, as wait(2) has it. */
static int await(const struct gpm_run *o, pid_t pid) {
  bool shows = !o->quiet && gpm_bottom_line_possible();
  struct gpm_live live = {.fd = -1};
  uint64_t begin = now_ns(), pause = 250000000u;
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (!shows) {
      sigwaitinfo(&ended, NULL);
      continue;
    }
    struct timespec time = {(time_t)(pause / 1000000000u), (long)(pause % 1000000000u)};
    if (sigtimedwait(&ended, NULL, &time) > 0) continue;
    uint64_t start = now_ns();
    show_progress(o, &live, start - begin);
    uint64_t took = now_ns() - start; /* a large capture is read less often */
    pause = took * 20 > 250000000u ? took * 20 : 250000000u;
  }
  if (shows) gpm_bottom_line_end();
  gpm_live_close(&live);
  return status;
}

/* ---- start and end ------------------------------------------------------------------------------
 */

/* The number is different for each run on a machine. */
static void number_run(struct gpm_run *o) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  o->number = ((uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec) << 22 ^ (uint64_t)getpid();
  char *text = gpm_memory_format("%llu", (unsigned long long)o->number);
  setenv("GPUMEMPROF_RUN", text, 1);
  free(text);
}

/* The signal that makes dumps is ignored from the program's first instruction on, and in any
 * process that starts it, until the runtime has installed its handler. Otherwise the signal would
 * end these processes. A signal that the user ignored stays ignored: GPUMEMPROF_RUN_SIGNAL tells
 * the runtime which signal this tool ignored. */
static pid_t start_ignoring(int number, const char *path, char **program, const sigset_t *mask) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, own;
  if (!number || sigaction(number, NULL, &own)) return start(path, program, mask);
  if (!(own.sa_flags & SA_SIGINFO) && own.sa_handler == SIG_IGN) return start(path, program, mask);
  char *text = gpm_memory_format("%d", number);
  setenv("GPUMEMPROF_RUN_SIGNAL", text, 1);
  free(text);
  sigaction(number, &ignore, NULL);
  pid_t pid = start(path, program, mask);
  sigaction(number, &own, NULL);
  return pid;
}

int gpm_run_program(struct gpm_run *o, const char *path, char **program) {
  number_run(o);
  int notes = gpm_run_notes_open(o->number);
  gpm_inject_offer(path);
  sigset_t mask;
  take_signals(&mask);
  unsetenv("GPUMEMPROF_RUN_SIGNAL");
  pid_t pid = start_ignoring(gpm_run_options_signal(&o->options), path, program, &mask);
  child = pid;
  let_signals_come(&mask);
  if (!pid) return GPM_EXIT_USAGE;
  int status = await(o, pid);
  child = 0;
  gpm_run_end_say(&(struct gpm_run_end){.run = o,
                                        .notes = notes,
                                        .name = program[0],
                                        .path = path,
                                        .pid = (uint64_t)pid,
                                        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0});
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
