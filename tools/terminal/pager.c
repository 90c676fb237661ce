/* pager.c - see pager.h.
 *
 *   stdout --> held, until it is a screen full --> the pager's pipe
 *                                             `--> the terminal, where there is no pager
 *
 * If a pager cannot be started, its shell exits with 126 or 127 and has read nothing. So the text
 * that went into the pipe is kept, up to the pipe's capacity, and is shown directly then. A pager
 * that the user quits early reads no more. That is not a failure: the command completes, with its
 * usual status.
 */
#include "terminal/pager.h"

#include "support/memory.h"
#include "support/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_ROOM = 1 << 16 };

static struct pager {
  bool waits; /* the output is held back */
  char *held; /* output that is not shown yet, or is in the pipe */
  size_t length, room;
  unsigned rows, columns; /* of the terminal */
  unsigned used, at;      /* rows of the held output, and columns of its last row */
  bool in_escape;
  FILE *stream; /* the stream that stdout is; null: paging has not begun */
  pid_t child;  /* 0: none */
  int pipe;
  bool more; /* more went into the pipe than is held */
  bool left; /* the pager reads no more */
  bool failed;
} pager;

static void show(const char *data, size_t size) {
  while (size && !pager.failed) {
    ssize_t n = write(STDOUT_FILENO, data, size);
    if (n < 0 && errno != EINTR) pager.failed = true;
    if (n > 0) {
      data += n;
      size -= (size_t)n;
    }
  }
}

static void hold(const char *data, size_t size) {
  if (size > pager.room - pager.length) {
    pager.room = (pager.length + size) * 2;
    pager.held = gpm_memory_resize(pager.held, pager.room, 1);
  }
  memcpy(pager.held + pager.length, data, size);
  pager.length += size;
}

/* Counts rows of the screen: a line that is too wide takes several, colours take none. */
static void count_rows(const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)data[i];
    if (pager.in_escape) pager.in_escape = c != 'm';
    else if (c == '\033') pager.in_escape = true;
    else if (c == '\n') {
      pager.used++;
      pager.at = 0;
    } else if ((c & 0xc0) != 0x80 && pager.at++ == pager.columns) {
      pager.used++;
      pager.at = 1;
    }
  }
}

/* ---- the pager --------------------------------------------------------------------------------
 */

/* Null: the user wants no pager. */
static const char *choose(void) {
  const char *ours = getenv("GPUMEMPROF_PAGER"), *all = getenv("PAGER");
  const char *chosen = ours ? ours : all ? all : "less";
  return *chosen && strcmp(chosen, "cat") != 0 ? chosen : NULL;
}

static void become(const char *command, const int ends[2]) {
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  close(ends[1]);
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

/* False: no pager is available. */
static bool start(void) {
  const char *command = choose();
  int ends[2];
  if (!command || pipe(ends)) return false;
  pager.child = fork();
  if (!pager.child) become(command, ends);
  close(ends[0]);
  if (pager.child < 0) {
    close(ends[1]);
    pager.child = 0;
    return false;
  }
  pager.pipe = ends[1];
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN); /* the pager handles it while it shows something */
  return true;
}

/* The pager has ended, or ends when it has read everything. */
static void stop(void) {
  int status = 0;
  close(pager.pipe);
  while (waitpid(pager.child, &status, 0) < 0 && errno == EINTR) continue;
  pager.child = 0;
  pager.left = true;
  signal(SIGINT, SIG_DFL);
  bool none = WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
  if (!none || pager.more) return;
  pager.left = false;
  show(pager.held, pager.length);
}

static void feed(const char *data, size_t size) {
  if (pager.length <= PIPE_ROOM) hold(data, size);
  else pager.more = true;
  while (size) {
    ssize_t n = write(pager.pipe, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return stop();
    data += n;
    size -= (size_t)n;
  }
}

/* ---- stdout -----------------------------------------------------------------------------------
 */

static void release(void) {
  char *held = pager.held;
  size_t length = pager.length;
  pager.waits = false;
  pager.held = NULL;
  pager.length = pager.room = 0;
  gpm_progress(NULL); /* the pager owns the screen */
  if (start()) feed(held, length);
  else show(held, length);
  free(held);
}

static ssize_t take(void *cookie, const char *data, size_t size) {
  (void)cookie;
  if (pager.waits) {
    hold(data, size);
    count_rows(data, size);
    if (pager.used + (pager.at > 0) >= pager.rows) release(); /* the last row is for the prompt */
  } else if (pager.child) feed(data, size);
  else if (!pager.left) show(data, size);
  return (ssize_t)size;
}

bool gpm_pager_end(void) {
  if (!pager.stream) return true;
  fflush(pager.stream);
  if (pager.waits) show(pager.held, pager.length);
  else if (pager.child) stop();
  pager.waits = false;
  free(pager.held);
  pager.held = NULL;
  pager.length = pager.room = 0;
  return !pager.failed;
}

static void at_exit(void) {
  gpm_pager_end();
}

void gpm_pager_begin(const char *command) {
  static const char *const without[] = {"export",     "run", "dryrun", "flags",
                                        "completion", "man", "top"};
  const char *terminal = getenv("TERM");
  struct winsize size = {0};
  for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
    if (!strcmp(command, without[i])) return;
  if (!isatty(STDOUT_FILENO) || !choose() || !terminal || !strcmp(terminal, "dumb")) return;
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  FILE *stream = fopencookie(&pager, "w", (cookie_io_functions_t){.write = take});
  if (!stream) return;
  pager.rows = size.ws_row ? size.ws_row : 24;
  pager.columns = size.ws_col ? size.ws_col : 80;
  pager.waits = true;
  pager.stream = stdout = stream;
  atexit(at_exit);
}
