/* Copies of the capture, asked for in every way; the first argument says which. */
#include <cuda_runtime.h>
#include <errno.h>
#include <gpumemprof/gpumemprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

static atomic_bool ends;
static atomic_int at_work;
static volatile sig_atomic_t handled;

static void *take(size_t bytes) {
  void *p = NULL;
  cudaMalloc(&p, bytes);
  return p;
}

static void nap(unsigned ms) {
  struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000}, left;
  while (nanosleep(&t, &left)) t = left;
}

/* After n blocks of 1, 2, 3 ... KiB, of which each second one is freed, a dump for each path ("-":
 * none). */
static void calls(int count, char **paths) {
  for (int i = 0; i < count; i++) {
    void *p = take((size_t)(i + 1) * KIB);
    if (i % 2) cudaFree(p);
    errno = 77;
    int error = gpumemprof_dump(strcmp(paths[i], "-") ? paths[i] : NULL);
    printf("dump %d %d\n", error, errno);
    fflush(stdout);
  }
}

static void *churn(void *seed) {
  uint64_t state = (uintptr_t)seed;
  void *slots[64] = {NULL};
  bool began = false;
  while (!ends) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    void **slot = &slots[state >> 58];
    if (*slot) cudaFree(*slot), *slot = NULL;
    else *slot = take(512 + (state >> 40) % 8192);
    if (!began) began = true, at_work++;
  }
  for (int i = 0; i < 64; i++)
    if (slots[i]) cudaFree(slots[i]);
  return NULL;
}

/* Threads at work; this one makes dumps, DUMPS of them or until it is killed. */
static void churns(int threads, int dumps, const char *folder) {
  pthread_t id[8];
  for (int i = 0; i < threads; i++) pthread_create(&id[i], NULL, churn, (void *)(uintptr_t)(i + 1));
  while (at_work < threads) nap(1);
  puts("ready");
  fflush(stdout);
  for (int i = 0; i != dumps; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.gmprof", folder, i % 10);
    int error = gpumemprof_dump(path);
    if (error) printf("error %d\n", error);
    if (dumps > 0) nap(2);
  }
  ends = true;
  for (int i = 0; i < threads; i++) pthread_join(id[i], NULL);
}

/* One block of 1 MiB for each line that is read. */
static void lines(void) {
  puts("ready");
  fflush(stdout);
  for (int byte; (byte = getchar()) != EOF;) {
    if (byte == 'f') { /* a child that does the same */
      pid_t child = fork();
      if (!child) take(3 * MIB), puts("child"), fflush(stdout), nap(400), _exit(0);
      int status;
      while (waitpid(child, &status, 0) < 0) continue;
    } else take(MIB);
    printf("took %d\n", (int)handled);
    fflush(stdout);
  }
}

static void own_handler(int number) {
  (void)number;
  handled++;
  if (write(1, "handled\n", 8) != 8) abort();
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  if (!strcmp(way, "calls")) calls(argc - 2, argv + 2);
  else if (!strcmp(way, "churns")) churns(atoi(argv[2]), atoi(argv[3]), argv[4]);
  else if (!strcmp(way, "lines")) lines();
  else if (!strcmp(way, "handles")) signal(SIGUSR2, own_handler), lines();
  else if (!strcmp(way, "grows"))
    for (int i = 0; i < 40; i++) {
      void *p = take(MIB);
      if (i >= 20) cudaFree(p);
      nap(60);
    }
  else if (!strcmp(way, "short")) take(MIB), nap(argc > 2 ? (unsigned)atoi(argv[2]) : 0);
  return 0;
}
