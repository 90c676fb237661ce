/* run_notes.c - see run_notes.h. The file is in memory, has no name, and is closed in the program:
 * processes open it through /proc. */
#include "running/run_notes.h"

#include "support/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int gpm_run_notes_open(uint64_t run) {
  char empty[GPUMEMPROF_RUN_NOTES] = {0};
  unsetenv(GPUMEMPROF_RUN_NOTES_VARIABLE);
  int fd = memfd_create("gpumemprof-run", MFD_CLOEXEC);
  if (fd < 0) return fd;
  if (pwrite(fd, &run, sizeof run, 0) != sizeof run ||
      pwrite(fd, empty, sizeof empty, sizeof run) != sizeof empty) {
    close(fd);
    return -1;
  }
  char *path = gpm_memory_format("/proc/%d/fd/%d", (int)getpid(), fd);
  setenv(GPUMEMPROF_RUN_NOTES_VARIABLE, path, 1);
  free(path);
  return fd;
}

bool gpm_run_notes_has(int notes, enum gpumemprof_run_note note) {
  char byte = 0;
  return notes >= 0 && pread(notes, &byte, 1, sizeof(uint64_t) + note) == 1 && byte;
}
