/* launch.c - run a command and tell what it took.
 *
 *   launch RESULT COMMAND [ARGUMENT...]
 *
 * Writes "wall_ns user_us sys_us maxrss_kib status" to the file RESULT. A program of its own
 * because the highest resident size that Linux reports for a child includes its parent's at the
 * fork: started from Python, no child is smaller than the interpreter. Pins and raises priority as
 * timer.c does. */
#include "timer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t wall_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t microseconds(struct timeval t) {
  return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: launch RESULT COMMAND [ARGUMENT...]\n");
    return 2;
  }
  uint64_t start = wall_ns();
  pid_t child = fork();
  if (child < 0) {
    perror("launch: fork");
    return 2;
  }
  if (child == 0) {
    bench_pin();
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) {
    perror("launch: wait4");
    return 2;
  }
  uint64_t wall = wall_ns() - start;
  FILE *out = fopen(argv[1], "w");
  if (!out) {
    perror(argv[1]);
    return 2;
  }
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %ld %d\n", wall, microseconds(usage.ru_utime),
          microseconds(usage.ru_stime), usage.ru_maxrss, code);
  return fclose(out) == 0 ? code : 2;
}
