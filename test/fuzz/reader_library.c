/* reader_library.c - any bytes either are refused by the reader library with a sentence, or all it
 * can be asked of them has an answer: an error value or a list, never a crash, and nothing is lost.
 *
 * libFuzzer calls it; use.c of test/reader asks. Seeds and mutations are those of `capture`.
 */
#include "../reader/use.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lets a suppression hide about half of the functions of the seeds. */
static int suppress(struct gpumemprof_read *r) {
  static const char text[] = "leak:a*\nleak:^ma\n";
  char path[64];
  int fd = memfd_create("suppressions", MFD_CLOEXEC);
  if (fd < 0) return 0;
  if (write(fd, text, sizeof text - 1) != (ssize_t)sizeof text - 1) abort();
  lseek(fd, 0, SEEK_SET);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int status = gpumemprof_read_set(r, "suppressions", path);
  close(fd);
  return status;
}

/* How the capture is opened tells its last byte, so that settings are tried as well. */
static void set_up(struct gpumemprof_read *r, uint8_t choice) {
  static const char *const settings[][2] = {
      {"from", "2"},          {"to", "1ms"},      {"filter", "size=1..4KiB"}, {"kind", "pool"},
      {"filter", "file=*a*"}, {"names", "short"}, {"libraries", "no"},        {"device", "0"},
  };
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
    if (choice >> i & 1 && gpumemprof_read_set(r, settings[i][0], settings[i][1])) abort();
  if (suppress(r)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  int fd = memfd_create("capture", MFD_CLOEXEC);
  if (fd < 0) return 0;
  if (write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct gpumemprof_read *r = gpumemprof_read_new();
  if (!r) return 0;
  if (gpumemprof_read_open(r, path)) use_failure(r);
  else if (size) {
    use_capture(r, 0);
    set_up(r, data[size - 1]);
    if (gpumemprof_read_open(r, path)) use_failure(r);
    else use_capture(r, 1);
  }
  gpumemprof_read_free(r);
  close(fd);
  return 0;
}
