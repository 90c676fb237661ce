/* What the runtime's own thread has to cope with: the first argument says which. Each way keeps
 * books of its own: "live CLOCK BYTES" after the event of that number. */
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

static void nap(unsigned ms) {
  struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000}, left;
  while (nanosleep(&t, &left)) t = left;
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

static void plateaus(unsigned ms) {
  void *p[6];
  for (size_t i = 0; i < 6; i++) {
    p[i] = take((i + 1) * 3 * MIB + 512);
    nap(ms);
  }
  for (size_t i = 0; i < 5; i++) {
    give(p[i], (i + 1) * 3 * MIB + 512);
    nap(ms);
  }
}

static void pools(unsigned ms) {
  void *p[4];
  for (size_t i = 0; i < 4; i++) {
    cudaMallocAsync(&p[i], 40 * MIB, 0);
    live += 40 * MIB;
    note();
    nap(ms);
  }
}

/* Names and blocked signals of all threads. */
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
    printf("task %s %s\n", name, blocked);
  }
  closedir(folder);
  fflush(stdout);
}

static void calls(void) {
  errno = 77;
  int result = gpumemprof_monitor_start(999999);
  printf("short %d, errno %d\n", result, errno);
  result = gpumemprof_monitor_start(1 * MS);
  printf("start %d, errno %d\n", result, errno);
  take(MIB);
  nap(60);
  gpumemprof_monitor_stop();
  take(MIB);
  tasks();
  nap(60);
  printf("again %d\n", gpumemprof_monitor_start(2 * MS));
  printf("other %d\n", gpumemprof_monitor_start(1 * MS));
  take(MIB);
  nap(60);
}

static void forks(void) {
  take(MIB);
  nap(30);
  for (int uses = 0; uses < 2; uses++) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
      live = step = 0;
      tasks();
      if (uses) take(2 * MIB), nap(50);
      exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
  }
  nap(30);
}

static void capturing(void) {
  cudaStream_t stream;
  cudaGraph_t graph = NULL;
  void *p = NULL;
  cudaStreamCreate(&stream);
  take(MIB);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  nap(50);
  cudaMallocAsync(&p, MIB, stream);
  nap(50);
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

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  unsigned ms = argc > 2 ? (unsigned)atoi(argv[2]) : 60;
  if (!strcmp(way, "plateaus")) plateaus(ms);
  else if (!strcmp(way, "pools")) pools(ms);
  else if (!strcmp(way, "tasks")) take(MIB), nap(ms), tasks();
  else if (!strcmp(way, "no device")) nap(ms), tasks();
  else if (!strcmp(way, "calls")) calls();
  else if (!strcmp(way, "forks")) forks();
  else if (!strcmp(way, "capturing")) capturing();
  else if (!strcmp(way, "main ends")) main_ends();
  else if (!strcmp(way, "churns")) churns(argc > 2 ? atoi(argv[2]) : 0);
  else if (!strcmp(way, "killed")) plateaus(ms), abort();
  return 0;
}
