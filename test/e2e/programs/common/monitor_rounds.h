/* monitor_rounds.h - waits until the runtime's own thread, which samples the devices, has gone
 * round some times: on a busy machine that takes longer than its interval says. */
#ifndef TEST_MONITOR_ROUNDS_H
#define TEST_MONITOR_ROUNDS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void nap(unsigned ms) {
  struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000}, left;
  while (nanosleep(&t, &left)) t = left;
}

/* The helper's place in /proc, once it has its name; 0: there is none. */
static inline long helper(void) {
  DIR *folder = opendir("/proc/self/task");
  long found = 0;
  for (const struct dirent *e; (e = readdir(folder));) {
    char path[300], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
    FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (f && fgets(name, sizeof name, f) && !strcmp(name, "gpumemprof\n")) {
      long task = atol(e->d_name); /* it may have started another for a moment, later */
      if (!found || task < found) found = task;
    }
    if (f) fclose(f);
  }
  closedir(folder);
  return found;
}

/* How often a task went to sleep: the helper does after each of its rounds, and sometimes in one,
 * for a lock of the kernel's. -1: there is no such task any more. */
static inline long sleeps_of(long task) {
  char path[64], line[256];
  long sleeps = -1;
  snprintf(path, sizeof path, "/proc/self/task/%ld/status", task);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
  if (f) fclose(f);
  return sleeps;
}

/* Whether the task has gone round so often; false, if it ended before. */
static inline int goes_round(long task, unsigned ms, long rounds) {
  long before = sleeps_of(task), now = before;
  nap(ms);
  while (now >= 0 && now - before <= 4 * rounds) {
    nap(1);
    now = sleeps_of(task);
  }
  return now >= 0;
}

/* At least that long, and for some rounds of the helper, which has been started. The task that was
 * found may be the one that lives for a moment, where numbers of tasks have started from 1 again:
 * then it is looked for once more. */
static inline void nap_and_rounds_of_helper(unsigned ms, long rounds) {
  long task;
  do
    while (!(task = helper())) nap(1);
  while (!goes_round(task, ms, rounds));
}

#endif
