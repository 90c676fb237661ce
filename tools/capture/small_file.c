/* small_file.c - see small_file.h. suppressions.c calls it.
 *
 * The end of a pipe must come within a minute and 16 MiB. Only pipes that this process was started
 * with are read: the process that makes those also writes them, while a named pipe may have no
 * writer.
 */
#include "capture/small_file.h"

#include "support/memory.h"
#include "support/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 << 20, SECONDS = 60 };

/* The descriptor that the path is another name for; -1: none. */
static int descriptor_of(const char *path) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (!strcmp(path, "/dev/stdin")) return 0;
  for (int i = 0; i < 2; i++) {
    size_t n = strlen(folders[i]);
    if (strncmp(path, folders[i], n) != 0) continue;
    size_t digits = strspn(path + n, "0123456789");
    if (digits && digits < 8 && !path[n + digits]) return atoi(path + n);
  }
  return -1;
}

static time_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

/* Whether there is something to read, or the end. Files always have it; a pipe has to until then.
 */
static bool is_ready(int fd, time_t until, const char **why) {
  for (;;) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    time_t left = until - now();
    int ready = left > 0 ? poll(&wait, 1, (int)left * 1000) : 0;
    if (ready > 0) return true;
    if (ready < 0 && errno == EINTR) continue;
    *why = ready ? strerror(errno) : "the pipe has not ended after a minute";
    return false;
  }
}

/* All of it; null: *why says why it could not be read. */
static char *read_all(int fd, size_t *size, const char **why) {
  size_t length = 0, room = 4096;
  char *text = gpm_memory_array(room, 1);
  time_t until = now() + SECONDS;
  for (ssize_t got = 1; got > 0 && is_ready(fd, until, why);) {
    if (length + 1 == room) text = gpm_memory_resize(text, room *= 2, 1);
    got = read(fd, text + length, room - 1 - length);
    if (got < 0 && errno == EINTR) got = 1;
    else if (got < 0) *why = strerror(errno);
    else length += (size_t)got;
    if (length > MOST) *why = "it is larger than 16 MiB";
    if (*why) break;
  }
  text[length] = 0;
  *size = length;
  if (!*why) return text;
  free(text);
  return NULL;
}

/* Why a file of that kind is not read, or null. Only a pipe that this process was given has to end.
 */
static const char *refusal(const struct stat *st, bool given) {
  if (S_ISDIR(st->st_mode)) return "it is a folder";
  if (S_ISREG(st->st_mode)) return st->st_size > MOST ? "it is larger than 16 MiB" : NULL;
  bool null = S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
  return null || (S_ISFIFO(st->st_mode) && given) ? NULL : "it is no regular file";
}

char *gpm_small_file_read(const char *what, const char *path, char **text, size_t *length) {
  struct stat st;
  int given = descriptor_of(path);
  int fd = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 3)
                      : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  gpm_recovery_opened(fd);
  const char *why = fd < 0 || fstat(fd, &st) ? strerror(errno) : refusal(&st, given >= 0);
  *text = why ? NULL : read_all(fd, length, &why);
  gpm_recovery_closes(fd);
  if (fd >= 0) close(fd);
  return why ? gpm_memory_format("can not read %s %s: %s", what, path, why) : NULL;
}
