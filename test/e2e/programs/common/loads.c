/* A program that loads and closes libraries (loaded.c) in many ways; the first argument names it.
 */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *handle;
static int how = RTLD_NOW;

static void *open_library(const char *path) {
  handle = dlopen(path, how | RTLD_LOCAL);
  if (!handle) exit((fputs(dlerror(), stderr), 2));
  return handle;
}

static long resident_kib(void) {
  long size, resident;
  FILE *f = fopen("/proc/self/statm", "r");
  if (fscanf(f, "%ld %ld", &size, &resident) != 2) exit(3);
  fclose(f);
  return resident * 4;
}

static void release(void *block) {
  cudaFree(block);
}

/* Two libraries take turns at the same addresses and at others; blocks outlive their library and
 * are freed by the next or by the program. Prints by how much the process grew in the second half.
 */
static int rounds(char **paths, int count) {
  enum { MAPPED = 5, SIZE = 3 << 16 };
  void *block = NULL, *moved[MAPPED] = {NULL};
  long before = 0;
  for (int i = 0; i < count; i++) {
    if (i == count / 2) before = resident_kib();
    if (i % 3 == 0) { /* elsewhere than the round before */
      void **one = &moved[i / 3 % MAPPED];
      if (*one) munmap(*one, SIZE);
      *one = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    open_library(paths[i % 2]);
    void *(*work)(void *, size_t) = (void *(*)(void *, size_t))dlsym(handle, "work");
    block = work(block, 4 << 10);
    dlclose(handle);
    if (i % 5 == 4) {
      release(block);
      block = NULL;
    }
  }
  printf("grew by %ld KiB\n", resident_kib() - before);
  return 0;
}

/* The library calls back, and the program closes it below its own frame. */
static jmp_buf back;
static void *left;

static void close_and_go_on(void) {
  void *p;
  dlclose(handle);
  cudaMalloc(&p, 2 << 10);
  left = p;
  longjmp(back, 1);
}

static int closed_below(const char *path) {
  open_library(path);
  void (*call)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(handle, "call");
  if (!setjmp(back)) call(close_and_go_on);
  release(left);
  cudaMalloc(&left, 1 << 10);
  return 0;
}

/* A thread makes events while libraries come and go. */
static _Atomic int stop;

static void *busy(void *data) {
  while (!stop) {
    void *p;
    cudaMalloc(&p, 1 << 10);
    cudaFree(p);
  }
  return data;
}

static int beside_a_thread(char **paths) {
  pthread_t thread;
  pthread_create(&thread, NULL, busy, NULL);
  void *block = NULL;
  for (int i = 0; i < 200; i++) {
    open_library(paths[i % 2]);
    void *(*work)(void *, size_t) = (void *(*)(void *, size_t))dlsym(handle, "work");
    block = work(block, 4 << 10);
    dlclose(handle);
  }
  release(block);
  stop = 1;
  pthread_join(thread, NULL);
  return 0;
}

/* A thread that was in the library ends after the library is closed, in every round. */
static _Atomic int phase;

static void *visitor(void *data) {
  ((void *(*)(void *, size_t))dlsym(handle, "work"))(NULL, 4 << 10);
  phase = 1;
  while (phase == 1) usleep(100);
  return data;
}

static int thread_outlives(const char *path) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    phase = 0;
    open_library(path);
    pthread_create(&thread, NULL, visitor, NULL);
    while (phase == 0) usleep(100);
    dlclose(handle);
    phase = 2;
    pthread_join(thread, NULL);
  }
  return 0;
}

/* The library's constructor (loaded.c, by this name) waits while a thread makes the process's first
 * event, under the loader's lock. */
void (*loads_in_constructor)(void);

static pthread_t other;

static void *first_event(void *data) {
  void *p;
  cudaMalloc(&p, 1 << 10);
  return data;
}

static void wait_in_constructor(void) {
  pthread_create(&other, NULL, first_event, NULL);
  usleep(200000);
}

int main(int argc, char **argv) {
  const char *way = argc > 2 ? argv[1] : "";
  if (!strcmp(way, "lazily")) how = RTLD_LAZY, way = "closed-below";
  if (!strcmp(way, "rounds")) return rounds(argv + 2, atoi(argv[4]));
  if (!strcmp(way, "closed-below")) return closed_below(argv[2]);
  if (!strcmp(way, "thread")) return beside_a_thread(argv + 2);
  if (!strcmp(way, "outlives")) return thread_outlives(argv[2]);
  if (!strcmp(way, "constructor")) {
    loads_in_constructor = wait_in_constructor;
    open_library(argv[2]);
    return pthread_join(other, NULL);
  }
  return 1;
}
