/* Ways to get another process. Each parent holds 32 KiB over it and frees them afterwards; what is
 * run ("child") leaks 8 KiB. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *program;
static char *held;

static void hold(size_t bytes) {
  cudaMalloc((void **)&held, bytes);
}

static void release(void) {
  char *scratch;
  cudaMalloc((void **)&scratch, 1 << 10);
  cudaFree(scratch);
  cudaFree(held);
}

static void leak(size_t bytes) {
  char *p;
  cudaMalloc((void **)&p, bytes);
}

static void run_child(void) { /* has a frame of its own, which a vfork leaves behind */
  static char *no_memory;
  char *arguments[] = {program, "child", NULL};
  execv(program, arguments);
  leak((size_t)no_memory); /* not reached: there is such a program */
  _exit(9);
}

static pid_t by_vfork(void) {
  pid_t child = vfork();
  if (child == 0) run_child();
  return child;
}

static pid_t by_spawn(void) {
  char *arguments[] = {program, "child", NULL};
  pid_t child = 0;
  if (posix_spawn(&child, program, NULL, NULL, arguments, environ)) return -1;
  return child;
}

static int by_shell(int with_pipe) {
  char command[4096];
  snprintf(command, sizeof command, "exec '%s' child", program);
  if (!with_pipe) return system(command);
  FILE *pipe = popen(command, "r");
  while (fgetc(pipe) != EOF) continue;
  return pclose(pipe);
}

static pid_t by_fork(const char *way) {
  pid_t child = !strcmp(way, "_Fork")   ? _Fork()
                : !strcmp(way, "clone") ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
                                        : fork();
  if (child) return child;
  if (!strcmp(way, "fork-exit")) _exit(0);
  if (!strcmp(way, "fork-and-record") || !strcmp(way, "_Fork") || !strcmp(way, "clone")) {
    leak(8 << 10);
    exit(0);
  }
  if (!strcmp(way, "record-fork-exec")) leak(4 << 10);
  if (!strcmp(way, "daemon")) { /* what daemon(3) does */
    if (fork()) _exit(0);
    setsid();
    if (chdir("/")) _exit(8);
    leak(8 << 10);
    exit(0);
  }
  run_child();
  return -1;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  program = argv[0];
  if (!strcmp(way, "child")) return leak(8 << 10), 0;
  hold(32 << 10);
  if (!strcmp(way, "exec")) run_child();
  if (!strcmp(way, "wait")) {
    puts("ready");
    fflush(stdout);
    getchar();
  }
  int status = 0;
  pid_t child = 0;
  if (!strcmp(way, "vfork")) child = by_vfork();
  else if (!strcmp(way, "spawn")) child = by_spawn();
  else if (!strcmp(way, "system")) status = by_shell(0);
  else if (!strcmp(way, "popen")) status = by_shell(1);
  else if (strcmp(way, "wait")) child = by_fork(way);
  if (child > 0) waitpid(child, &status, 0);
  release();
  return child < 0 || status != 0;
}
