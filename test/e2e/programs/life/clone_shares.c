/* A child that shares its parent's memory, thread-local variables included, and ends by _exit two
 * functions deep: its frames are not there for the parent. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 1 << 18 };
static void *blocks[3];

__attribute__((noinline)) static void inner(void) {

  cudaMalloc(&blocks[0], 1000);
  _exit(0);
}

static int in_child(void *reserved) {
  (void)reserved;
  inner();
  return 0;
}

int main(void) {
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cudaMalloc(&blocks[1], 7);
  pid_t child = clone(in_child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
  int status;
  waitpid(child, &status, 0);
  cudaMalloc(&blocks[2], 20000);
  return status;
}
