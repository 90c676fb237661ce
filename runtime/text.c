/* text.c - the runtime's few words: bounded text in fixed buffers and one-line messages.
 *
 * Used at start, at the end and on failure. No malloc, no stdio: it may run in a program that has
 * closed stdout or is inside its own allocator. Messages are capped, so that a loop cannot flood.
 */
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define GPM_TEXT_MESSAGES 16 /* after that the runtime is silent */

size_t gpm_text_add(char *buffer, size_t size, size_t length, const char *text) {
  while (*text && length + 1 < size) buffer[length++] = *text++;
  buffer[length] = 0;
  return length;
}

size_t gpm_text_add_number(char *buffer, size_t size, size_t length, uint64_t number) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  return gpm_text_add(buffer, size, length, digits + at);
}

/* value / 2^shift with as many digits behind the point as `ten` has zeros, as printf rounds. */
static size_t add_fraction(char *buffer, size_t size, size_t length, uint64_t value, unsigned shift,
                           uint64_t ten) {
  uint64_t mask = ((uint64_t)1 << shift) - 1, half = (mask + 1) / 2, whole = value >> shift;
  uint64_t scaled = (value & mask) * ten, part = scaled >> shift;
  if ((scaled & mask) > half || ((scaled & mask) == half && part & 1)) part++;
  if (part == ten) whole++, part = 0;
  length = gpm_text_add_number(buffer, size, length, whole);
  length = gpm_text_add(buffer, size, length, ".");
  if (ten > 10 && part < 10) length = gpm_text_add(buffer, size, length, "0");
  return gpm_text_add_number(buffer, size, length, part);
}

size_t gpm_text_add_bytes(char *buffer, size_t size, size_t length, uint64_t bytes) {
  const char *unit = " MiB";
  if (bytes < 1024) {
    length = gpm_text_add_number(buffer, size, length, bytes);
    unit = bytes ? " B" : "";
  } else if (bytes < 10486) { /* what would be 0.01 MiB */
    length = add_fraction(buffer, size, length, bytes, 10, 10);
    unit = " KiB";
  } else if (bytes >> 30) {
    length = add_fraction(buffer, size, length, bytes, 30, 100);
    unit = " GiB";
  } else length = add_fraction(buffer, size, length, bytes, 20, 100);
  return gpm_text_add(buffer, size, length, unit);
}

void gpm_text_say(const char *first, ...) {
  static _Atomic int said;
  if (atomic_fetch_add(&said, 1) >= GPM_TEXT_MESSAGES) return;
  char line[2048];
  size_t length = gpm_text_add(line, sizeof line - 1, 0, "gpumemprof: ");
  va_list rest;
  va_start(rest, first);
  for (const char *part = first; part; part = va_arg(rest, const char *))
    length = gpm_text_add(line, sizeof line - 1, length, part);
  va_end(rest);
  line[length++] = '\n';
  int saved = errno;
  ssize_t written = write(STDERR_FILENO, line, length);
  (void)written;
  errno = saved;
}

void gpm_text_read_file(const char *path, char *buffer, size_t size) {
  size_t length = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    ssize_t got;
    while (length + 1 < size && (got = read(fd, buffer + length, size - 1 - length)) > 0)
      length += (size_t)got;
    close(fd);
  }
  buffer[length] = 0;
}
