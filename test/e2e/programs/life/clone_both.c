/* A process and a child of it, made without fork(), allocate at the same time on 2048 call paths
 * each. The argument says how the child is made; `clone-inside`: in a function whose frame is open
 * then and ends in both. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int returned;
static void *block;

__attribute__((noinline)) static void descend(int depth, int turns) {
  if (!depth) cudaMalloc(&block, 10);
  else if (turns & 1) descend(depth - 1, turns >> 1), returned++;
  else descend(depth - 1, turns >> 1), returned += 2;
}

static int all(void *reserved) {
  (void)reserved;
  for (int turns = 0; turns < 2048; turns++) descend(11, turns);
  return 0;
}

__attribute__((noinline)) static pid_t make_inside(void) {
  void *first;
  cudaMalloc(&first, 7);
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  returned++;
  return child;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  enum { STACK = 1 << 18 };
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pid_t child;
  if (!strcmp(way, "clone-inside")) {
    child = make_inside();
  } else {
    cudaMalloc(&block, 7);
    child = strcmp(way, "clone") ? _Fork() : clone(all, stack + STACK, SIGCHLD, NULL);
  }
  int status = all(NULL);
  if (!child) _exit(0);
  waitpid(child, &status, 0);
  return status;
}
