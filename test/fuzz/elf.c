/* elf.c - `dryrun` looks into any file without harm, whatever its ELF headers say. */
#include "program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  int fd = memfd_create("program", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct gpm_program program = gpm_program_look(path);
  if (!program.elf && (program.dynamic || program.static_cudart)) abort();
  close(fd);
  return 0;
}
