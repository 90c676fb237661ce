/* text.c - bounded text in fixed buffers, and one-line messages.
 *
 * It is used at start, at the end and on failure. It uses neither malloc nor stdio, because it may
 * run in a program that has closed stdout or is inside its own allocator. The number of messages is
 * limited, so that a loop cannot flood the terminal, and they are never written to another file
 * that has become descriptor 2.
 */
#include "base/text.h"
#include "base/private_files.h"
#include "base/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

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

/* bytes / 2^shift in hundredths, rounded as the tool does. */
static uint64_t hundredths_of(uint64_t bytes, unsigned shift) {
  return (uint64_t)(((unsigned __int128)bytes * 100 + ((uint64_t)1 << shift) / 2) >> shift);
}

size_t gpm_text_add_hex(char *buffer, size_t size, size_t length, uint64_t number) {
  char digits[17], *at = digits + 16;
  *at = 0;
  do *--at = "0123456789abcdef"[number & 15];
  while (number >>= 4);
  return gpm_text_add(buffer, size, length, at);
}

const char *gpm_text_last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

size_t gpm_text_add_bytes(char *buffer, size_t size, size_t length, uint64_t bytes) {
  static const char *const units[] = {" KiB", " MiB", " GiB", " TiB", " PiB"};
  if (bytes < 1024) {
    length = gpm_text_add_number(buffer, size, length, bytes);
    return gpm_text_add(buffer, size, length, bytes ? " B" : "");
  }
  unsigned unit = 0;
  while (unit < 4 && hundredths_of(bytes, 10 * (unit + 1)) >= 102400) unit++;
  uint64_t parts = hundredths_of(bytes, 10 * (unit + 1));
  length = gpm_text_add_number(buffer, size, length, parts / 100);
  length = gpm_text_add(buffer, size, length, parts % 100 < 10 ? ".0" : ".");
  length = gpm_text_add_number(buffer, size, length, parts % 100);
  return gpm_text_add(buffer, size, length, units[unit]);
}

/* ---- messages -----------------------------------------------------------------------------------
 */

static _Atomic bool start_recorded;
static struct stat error_at_start; /* descriptor 2 at start; mode 0: it was closed */
static bool error_unknown;         /* which file it was could not be determined */

void gpm_text_start(void) {
  if (atomic_exchange(&start_recorded, true) ||
      !gpm_syscall(SYS_fstat, STDERR_FILENO, &error_at_start))
    return;
  error_at_start.st_mode = 0;
  error_unknown = errno != EBADF;
}

/* Whether descriptor 2 is the file that the program was started with, or shares its open file with
 * descriptor 1, which only dup2 does. Any other file may hold data of the program. */
static bool is_standard_error(void) {
  const struct stat *then = &error_at_start;
  struct stat now;
  if (gpm_syscall(SYS_fstat, STDERR_FILENO, &now)) return errno != EBADF;
  if (error_unknown) return true;
  if (then->st_mode && now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
      (now.st_mode & S_IFMT) == (then->st_mode & S_IFMT))
    return true;
  long self = gpm_syscall(SYS_gettid);
  return !gpm_syscall(SYS_kcmp, self, self, KCMP_FILE, STDOUT_FILENO, STDERR_FILENO);
}

/* Length of the character that begins there; 0: it is not UTF-8, or controls a terminal. */
static size_t plain_character(const unsigned char *s, size_t left) {
  size_t n = s[0] < 0x80   ? 1
             : s[0] < 0xc2 ? 0
             : s[0] < 0xe0 ? 2
             : s[0] < 0xf0 ? 3
             : s[0] < 0xf5 ? 4
                           : 0;
  if (!n || n > left || s[0] < 0x20 || s[0] == 0x7f) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n;
}

/* Names and paths may contain anything: bytes that could move the cursor are replaced by '?'. */
static void make_plain(char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    size_t n = plain_character((const unsigned char *)text + i, length - i);
    if (!n) text[i] = '?';
    i += n ? n : 1;
  }
}

struct message {
  const char *text;
  size_t length;
};

static void write_message(void *argument) {
  const struct message *m = argument;
  if (is_standard_error()) gpm_syscall(SYS_write, STDERR_FILENO, m->text, m->length);
}

/* The program may close or replace descriptor 2 at any time: the message is written to a copy of
 * it, which is checked before (private_files.h). */
static void write_plain(const char *text, size_t length) {
  struct message message = {text, length};
  int saved = errno;
  gpm_text_start();
  if (gpm_private_files_run_with_standard(write_message, &message)) write_message(&message);
  errno = saved;
}

void gpm_text_write(char *text, size_t length) {
  for (char *line = text, *end; (end = memchr(line, '\n', length - (size_t)(line - text)));
       line = end + 1)
    make_plain(line, (size_t)(end - line));
  write_plain(text, length);
}

void gpm_text_say(const char *first, ...) {
  static _Atomic int messages;
  if (atomic_fetch_add(&messages, 1) >= GPM_TEXT_MESSAGES) return;
  char line[2048];
  size_t length = gpm_text_add(line, sizeof line - 1, 0, "gpumemprof: ");
  va_list rest;
  va_start(rest, first);
  for (const char *part = first; part; part = va_arg(rest, const char *))
    length = gpm_text_add(line, sizeof line - 1, length, part);
  va_end(rest);
  make_plain(line, length);
  line[length++] = '\n';
  write_plain(line, length);
}

struct reading {
  const char *path;
  char *buffer;
  size_t size, length;
};

static void read_file(void *argument) {
  struct reading *r = argument;
  int fd = gpm_private_files_open(r->path, O_RDONLY, 0);
  if (fd < 0) return;
  long got;
  while (r->length + 1 < r->size &&
         (got = gpm_syscall(SYS_read, fd, r->buffer + r->length, r->size - 1 - r->length)) > 0)
    r->length += (size_t)got;
  gpm_private_files_close(fd);
}

void gpm_text_read_file(const char *path, char *buffer, size_t size) {
  struct reading r = {.path = path, .buffer = buffer, .size = size};
  gpm_private_files_run(read_file, &r);
  buffer[r.length] = 0;
}
