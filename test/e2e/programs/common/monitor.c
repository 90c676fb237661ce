/* What the runtime's own thread has to cope with: the first argument says which. Each way keeps
 * books of its own: "live CLOCK BYTES" after the event of that number. */
#include "monitor_rounds.h"

#include <cuda_runtime.h>
#include <dirent.h>
#include <errno.h>
#include <gpumemprof/gpumemprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define MS 1000000u

static size_t live, step;

static void nap_and_rounds(unsigned ms, long rounds) {
  const char *options = getenv("GPUMEMPROF_OPTIONS");
  if (!options || !strstr(options, "monitor=")) nap(ms); /* there is none */
  else nap_and_rounds_of_helper(ms, rounds);
}

static void note(void) {
  printf("live %zu %zu\n", ++step, live);
  fflush(stdout);
}

static void *take(size_t bytes) {
  void *p = NULL;
  cudaMalloc(&p, bytes);
  live += bytes;
  note();
  return p;
}

static void give(void *p, size_t bytes) {
  cudaFree(p);
  live -= bytes;
  note();
}

static void plateaus(unsigned ms, long rounds) {
  void *p[6];
  for (size_t i = 0; i < 6; i++) {
    p[i] = take((i + 1) * 3 * MIB + 512);
    nap_and_rounds(ms, rounds);
  }
  for (size_t i = 0; i < 5; i++) {
    give(p[i], (i + 1) * 3 * MIB + 512);
    nap_and_rounds(ms, rounds);
  }
}

static void pools(unsigned ms) {
  void *p[4];
  for (size_t i = 0; i < 4; i++) {
    cudaMallocAsync(&p[i], 40 * MIB, 0);
    live += 40 * MIB;
    note();
    nap_and_rounds(ms, 4);
  }
}

/* The thread has its name by then, if there is to be one: the option says so. */
static void started(void) {
  const char *options = getenv("GPUMEMPROF_OPTIONS"), *off = getenv("GPUMEMPROF");
  const char *monitor = options ? strstr(options, "monitor=") : NULL;
  if (off || !monitor || strcmp(monitor, "monitor=1ms")) return;
  while (!helper()) nap(1);
}

/* Names and blocked signals of all threads. One that has ended since the folder was read has no
 * status: the helper opens files by a task that lives for a moment. */
static void tasks(void) {
  DIR *folder = opendir("/proc/self/task");
  for (const struct dirent *e; (e = readdir(folder));) {
    char path[300], line[256], name[64] = "", blocked[64] = "";
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
      sscanf(line, "Name: %63s", name);
      sscanf(line, "SigBlk: %63s", blocked);
    }
    if (f) fclose(f);
    if (*blocked) printf("task %s %s\n", name, blocked);
  }
  closedir(folder);
  fflush(stdout);
}

static void rounds_if_recorded(int started) {
  if (started) nap(60);
  else nap_and_rounds(60, 4);
}

static void calls(void) {
  errno = 77;
  int result = gpumemprof_monitor_start(999999);
  printf("short %d, errno %d\n", result, errno);
  result = gpumemprof_monitor_start(1 * MS);
  printf("start %d, errno %d\n", result, errno);
  take(MIB);
  rounds_if_recorded(result);
  gpumemprof_monitor_stop();
  take(MIB);
  tasks();
  nap(60);
  printf("again %d\n", gpumemprof_monitor_start(2 * MS));
  result = gpumemprof_monitor_start(1 * MS);
  printf("other %d\n", result);
  take(MIB);
  rounds_if_recorded(result);
}

static void forks(void) {
  take(MIB);
  nap_and_rounds(30, 4);
  for (int uses = 0; uses < 2; uses++) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
      live = step = 0;
      tasks();
      if (uses) take(2 * MIB), nap_and_rounds(50, 4);
      exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
  }
  nap_and_rounds(30, 4);
}

static void capturing(void) {
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  void *p = NULL;
  cudaStreamCreate(&stream);
  take(MIB);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  nap_and_rounds(50, 6);
  cudaMallocAsync(&p, MIB, stream);
  nap_and_rounds(50, 6);
  cudaFreeAsync(p, stream);
  printf("capture %d\n", cudaStreamEndCapture(stream, &graph));
  cudaGraphDestroy(graph);
}

static void *worker(void *unused) {
  (void)unused;
  take(MIB);
  nap(100);
  return NULL;
}

static void at_end(void) {
  puts("ended");
}

static void main_ends(void) {
  pthread_t thread;
  atexit(at_end);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_exit(NULL);
}

static void *churn(void *unused) {
  (void)unused;
  for (int i = 0; i < 60000; i++) {
    void *p = NULL;
    cudaMalloc(&p, 4096);
    cudaFree(p);
  }
  return NULL;
}

static void churns(int threads) {
  pthread_t thread[4];
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, churn, NULL);
  churn(NULL);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}

/* So many blocks that a walk over all of them takes a while, in which a pool grows. */
static void grows(unsigned ms) {
  void *p;
  for (int i = 0; i < 200000; i++) cudaMalloc(&p, 4096);
  for (unsigned i = 0; i < ms; i++) {
    cudaMallocAsync(&p, 20 * MIB, 0);
    nap(1);
  }
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  unsigned ms = argc > 2 ? (unsigned)atoi(argv[2]) : 60;
  if (!strcmp(way, "plateaus")) plateaus(ms, 4);
  else if (!strcmp(way, "pools")) pools(ms);
  else if (!strcmp(way, "tasks")) take(MIB), started(), nap(ms), tasks();
  else if (!strcmp(way, "no device")) nap(ms), tasks();
  else if (!strcmp(way, "calls")) calls();
  else if (!strcmp(way, "forks")) forks();
  else if (!strcmp(way, "capturing")) capturing();
  else if (!strcmp(way, "main ends")) main_ends();
  else if (!strcmp(way, "churns")) churns(argc > 2 ? atoi(argv[2]) : 0);
  else if (!strcmp(way, "grows")) grows(ms);
  else if (!strcmp(way, "killed")) plateaus(ms, 20), abort();
  return 0;
}
