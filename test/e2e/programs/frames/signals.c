/* Signal handlers that allocate and free while the program does, many thousand times a second; the
 * argument says where they come: `work` (in calls of one thread), `threads` (of four), `births` (at
 * the first events of new threads, while a library is loaded and unloaded), `jump` (they leave by
 * siglongjmp). Prints what really happened. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern atomic_ulong allocations, frees;

static _Thread_local void *volatile kept[4]; /* the handler's, from one signal to the next */
static _Thread_local sigjmp_buf out;
static _Thread_local volatile sig_atomic_t armed;
static _Thread_local volatile unsigned signals;
static atomic_ulong all_signals, jumps;
static int jumping;

__attribute__((noinline)) static void in_handler(unsigned n) {
  void *p;
  cudaMalloc(&p, 64 << 10);
  cudaFree(kept[n % 4]);
  kept[n % 4] = p;
}

static void handler(int signal) {
  (void)signal;
  in_handler(signals++);
  atomic_fetch_add(&all_signals, 1);
  if (jumping && armed && signals % 4 == 0) {
    armed = 0;
    atomic_fetch_add(&jumps, 1);
    siglongjmp(out, 1);
  }
}

/* Signals for the calling thread, one after the other. */
static timer_t start_timer(long ns) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  struct itimerspec every = {{0, ns}, {0, ns}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
    abort();
  return timer;
}

static void stop_timer(timer_t timer) {
  timer_delete(timer);
  for (int i = 0; i < 4; i++) {
    cudaFree(kept[i]);
    kept[i] = NULL;
  }
}

__attribute__((noinline)) static void leaf(void **p) {
  cudaMalloc(p, 4096);
}
__attribute__((noinline)) static void inner(int n) {
  void *p = NULL, *q = NULL;
  leaf(&p);
  if (n % 3) leaf(&q);
  cudaFree(p);
  if (n % 3) cudaFree(q);
}
__attribute__((noinline)) static void work(int times) {
  void *first;
  cudaMalloc(&first, 512);
  cudaFree(first);
  for (volatile int n = 0; n < times; n++) {
    if (jumping) {
      if (sigsetjmp(out, 1)) continue;
      armed = 1;
    }
    void *p = NULL;
    cudaMalloc(&p, 8192);
    inner(n);
    cudaFree(p);
    armed = 0;
  }
}

static void *with_signals(void *times) {
  timer_t timer = start_timer(20000);
  work((int)(long)times);
  stop_timer(timer);
  return NULL;
}

static void in_threads(int count, long times) {
  pthread_t threads[8];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, with_signals, (void *)times);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void *is_born(void *data) {
  timer_t timer = start_timer(20000 + (long)(size_t)data % 97 * 100);
  work(20);
  stop_timer(timer);
  return NULL;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "work";
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  jumping = !strncmp(way, "jump", 4);
  if (!strcmp(way, "work")) with_signals((void *)100000l);
  if (!strcmp(way, "threads")) in_threads(4, 25000);
  if (!strcmp(way, "jump")) with_signals((void *)50000l);
  if (!strcmp(way, "jump_threads")) in_threads(4, 5000);
  if (!strcmp(way, "births")) {
    timer_t timer = start_timer(20000);
    for (size_t i = 0; i < 400; i++) {
      pthread_t thread;
      pthread_create(&thread, NULL, is_born, (void *)i);
      void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
      if (library) ((void (*)(size_t))dlsym(library, "library_work"))(4096);
      pthread_join(thread, NULL);
      if (library) dlclose(library);
    }
    stop_timer(timer);
  }
  printf("{\"signals\": %lu, \"jumps\": %lu, \"allocations\": %lu, \"frees\": %lu}\n", all_signals,
         jumps, allocations, frees);
  return 0;
}
