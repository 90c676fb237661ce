/* elf.c - `dryrun` looks into any file without harm, whatever its ELF headers say, and so do
 * reports that find names in libraries. */
#include "support/program.h"
#include "symbols/symbols.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  int fd = memfd_create("program", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct gpm_program program = gpm_program_inspect(path);
  if (!program.elf && (program.dynamic || program.static_cudart)) abort();
  struct gpm_elf elf;
  uint64_t address = 0;
  if (size >= 0x20) memcpy(&address, data + 0x18, sizeof address); /* e_entry */
  for (int named = 0; named < 2; named++) {
    if (gpm_elf_open(&elf, path, named ? "0123456789abcdef0123456789abcdef01234567" : "")) continue;
    free(gpm_elf_function(&elf, address));
    gpm_elf_close(&elf);
  }
  close(fd);
  return 0;
}
