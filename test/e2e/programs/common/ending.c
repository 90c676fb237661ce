/* One program, many ways to end. The first argument names the way; 64 KiB are live at the end. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *held;

static void hold(size_t bytes) {
  cudaMalloc((void **)&held, bytes);
}

static void end(const char *way) {
  char *scratch;
  cudaMalloc((void **)&scratch, 192 << 10);
  cudaFree(scratch);
  hold(64 << 10);
  if (!strcmp(way, "exit")) exit(3);
  if (!strcmp(way, "_exit")) _exit(4);
  if (!strcmp(way, "quick_exit")) quick_exit(5);
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "segv")) raise(SIGSEGV);
  if (!strcmp(way, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(way, "wait")) {
    puts("ready");
    fflush(stdout);
    pause();
  }
}

static void *in_thread(void *way) {
  end(way);
  pthread_exit(0);
}

static int in_child(void) {
  hold(32 << 10);
  pid_t child = fork();
  if (child == 0) {
    char *mine;
    cudaMalloc((void **)&mine, 8 << 10);
    exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  cudaFree(held);
  return status;
}

/* The library allocates, is unloaded, and is loaded again, perhaps at the same address. */
static int library(const char *path, int close) {
  for (int i = 0; i < 2; i++) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fputs(dlerror(), stderr), 1;
    void (*work)(size_t) = (void (*)(size_t))dlsym(handle, "library_work");
    work(16 << 10);
    if (close) dlclose(handle);
  }
  return 0;
}

static void last(void) {
  cudaFree(held); /* an exit handler's calls count as well */
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "return";
  if (!strcmp(way, "fork")) return in_child();
  if (!strcmp(way, "dlclose")) return library(argv[2], 1);
  if (!strcmp(way, "dlopen")) return library(argv[2], 0);
  if (!strcmp(way, "atexit")) atexit(last);
  if (!strcmp(way, "thread")) {
    pthread_t thread;
    pthread_create(&thread, 0, in_thread, argc > 2 ? argv[2] : "");
    pthread_join(thread, 0);
  } else {
    end(way);
  }
  return 7;
}
