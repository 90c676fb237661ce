/* progress.c - see progress.h.
 *
 * The line appears one second after the work began, also while one piece of work takes long: the
 * signal of a timer writes it, so the work itself has nothing to do for it.
 */
#include "support/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FIRST 1.0   /* seconds before the line appears */
#define BETWEEN 0.1 /* before it is written again */
#define WIDTH 30u   /* of the bar */

static const char *doing;
static double start, latest; /* when the first work began, when the line was last written */
static char line[256];       /* what the timer writes */
static size_t length;
static volatile sig_atomic_t armed, written;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void erase(void) {
  if (armed) setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
  armed = false;
  if (written) fputs("\r\033[K", stderr);
  written = false;
}

static void on_timer(int number) {
  int saved = errno;
  (void)number;
  if (!armed) return;
  armed = false;
  written = write(STDERR_FILENO, line, length) > 0;
  errno = saved;
}

/* The text may be the caller's only for this call. */
static void write_in(double seconds, const char *what) {
  int size = snprintf(line, sizeof line, "gpumemprof: %s ...", what);
  if (size <= 0) return;
  length = (size_t)size < sizeof line ? (size_t)size : sizeof line - 1;
  struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  suseconds_t micro = (suseconds_t)(seconds * 1e6) + 1;
  struct itimerval timer = {.it_value = {.tv_sec = micro / 1000000, .tv_usec = micro % 1000000}};
  armed = true;
  if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL)) armed = false;
}

void gpm_progress(const char *what) {
  erase();
  doing = what && isatty(STDERR_FILENO) ? what : NULL;
  if (!doing) return;
  if (start <= 0) start = now();
  double left = FIRST - (now() - start);
  if (left > 0) return write_in(left, what);
  fprintf(stderr, "gpumemprof: %s ...", what);
  fflush(stderr);
  written = true;
}

void gpm_progress_share(uint64_t done, uint64_t of) {
  if (!doing) return;
  double at = now();
  if (at - start < FIRST || at - latest < BETWEEN) return;
  latest = at;
  double share = of && done < of ? (double)done / (double)of : 1;
  unsigned full = (unsigned)(share * WIDTH);
  char bar[WIDTH + 1];
  for (unsigned i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
  bar[WIDTH] = 0;
  erase();
  fprintf(stderr, "gpumemprof: %s [%s] %3.0f %%", doing, bar, share * 100);
  fflush(stderr);
  written = true;
}
