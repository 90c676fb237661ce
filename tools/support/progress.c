/* progress.c - see progress.h. */
#include "support/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST 1.0   /* seconds before the line appears */
#define BETWEEN 0.1 /* before it is written again */
#define WIDTH 30u   /* of the bar */

static const char *doing;
static double start, latest; /* when the first work began, when the line was last written */
static bool written;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void erase(void) {
  if (written) fputs("\r\033[K", stderr);
  written = false;
}

void gpm_progress(const char *what) {
  erase();
  doing = what && isatty(STDERR_FILENO) ? what : NULL;
  if (!doing) return;
  if (start <= 0) start = now();
  if (now() - start < FIRST) return;
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
