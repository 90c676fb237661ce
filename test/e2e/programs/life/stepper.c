/* stepper CAPTURE FOLDER PROGRAM - runs PROGRAM instruction by instruction, from its first SIGTRAP
 * to its second, and keeps what CAPTURE holds after each instruction that changed it, as
 * FOLDER/NUMBER.gmprof: the file that would have been left, had the program been killed there.
 * Prints how many instructions and how many files. Exit status 77: this machine lets no process
 * trace another. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;
static int capture = -1;
static char *mapped, *before; /* the capture as it is, and as it was last kept */
static size_t bytes;
static unsigned kept;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Maps the whole capture again when it has grown. */
static int has_grown(void) {
  struct stat now;
  if (fstat(capture, &now)) fail("fstat");
  if ((size_t)now.st_size == bytes) return 0;
  if (mapped) munmap(mapped, bytes);
  bytes = (size_t)now.st_size;
  mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, capture, 0);
  before = realloc(before, bytes);
  if (mapped == MAP_FAILED || !before) fail("mmap");
  return 1;
}

static void keep(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%06u.gmprof", folder, kept++);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(mapped, 1, bytes, file) != bytes || fclose(file)) fail(path);
}

static void keep_if_changed(void) {
  if (!has_grown() && !memcmp(before, mapped, bytes)) return;
  memcpy(before, mapped, bytes);
  keep();
}

/* Goes on until the next stop; the signal that made it, 0 when the program has ended. */
static int stop_of(pid_t program, int how, int *status) {
  if (ptrace(how, program, NULL, NULL)) fail("ptrace");
  if (waitpid(program, status, 0) != program) fail("waitpid");
  return WIFSTOPPED(*status) ? WSTOPSIG(*status) : 0;
}

static pid_t start(char **words) {
  pid_t program = fork();
  if (program) return program;
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(77);
  execv(words[0], words);
  _exit(1);
}

/* A SIGTRAP that the program raised itself; a step's is the kernel's. */
static int is_raised(pid_t program) {
  siginfo_t about;
  if (ptrace(PTRACE_GETSIGINFO, program, NULL, &about)) fail("PTRACE_GETSIGINFO");
  return about.si_code == SI_TKILL || about.si_code == SI_USER;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  folder = argv[2];
  pid_t program = start(argv + 3);
  int status;
  if (waitpid(program, &status, 0) != program) fail("waitpid");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return 77;
  while (stop_of(program, PTRACE_CONT, &status) != SIGTRAP)
    if (!WIFSTOPPED(status))
      return fputs("the program ended before its first SIGTRAP\n", stderr), 1;
  capture = open(argv[1], O_RDONLY);
  if (capture < 0) fail(argv[1]);
  unsigned long steps = 0;
  for (keep_if_changed();; steps++, keep_if_changed()) {
    if (stop_of(program, PTRACE_SINGLESTEP, &status) != SIGTRAP)
      return fputs("the program ended before its second SIGTRAP\n", stderr), 1;
    if (is_raised(program)) break;
  }
  printf("%lu instructions, %u files\n", steps, kept);
  while (WIFSTOPPED(status)) stop_of(program, PTRACE_CONT, &status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
