/* small_file.c - see small_file.h. suppressions.c calls it.
 *
 * A pipe is read to its end first, which must come within a minute and 16 MiB. Only pipes that this
 * process was started with are: the process that makes those also writes them, while a named pipe
 * may have no writer.
 */
#include "capture/small_file.h"

#include "support/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* The whole content of a pipe, as a file; null: *why says why it could not be read. */
static FILE *read_pipe(int fd, const char **why) {
  char *text = gpm_memory_array(MOST + 1, 1);
  size_t length = 0;
  time_t until = now() + SECONDS;
  ssize_t got = 1;
  while (got > 0 && !*why) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    time_t left = until - now();
    int ready = left > 0 ? poll(&wait, 1, (int)left * 1000) : 0;
    if (ready < 0 && errno == EINTR) continue;
    got = ready > 0 ? read(fd, text + length, MOST + 1 - length) : -1;
    if (!ready) *why = "the pipe has not ended after a minute";
    else if (got < 0) *why = strerror(errno);
    else if ((length += (size_t)got) > MOST) *why = "it is larger than 16 MiB";
  }
  FILE *copy = *why ? NULL : tmpfile();
  if (!*why && (!copy || fwrite(text, 1, length, copy) != length)) *why = strerror(errno);
  if (copy) rewind(copy);
  free(text);
  return copy;
}

static char *cannot(const char *what, const char *path, const char *why) {
  return gpm_memory_format("can not read %s %s: %s", what, path, why);
}

char *gpm_small_file_open(const char *what, const char *path, FILE **opened) {
  struct stat st;
  const char *why = NULL;
  int given = descriptor_of(path);
  int fd = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 3)
                      : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  FILE *file = NULL;
  if (fd < 0 || fstat(fd, &st)) why = strerror(errno);
  else if (S_ISFIFO(st.st_mode) && given >= 0) file = read_pipe(fd, &why);
  else if (S_ISDIR(st.st_mode)) why = "it is a folder";
  else if (!S_ISREG(st.st_mode) && !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)))
    why = "it is no regular file";
  else if (st.st_size > MOST) why = "it is larger than 16 MiB";
  else return (*opened = fdopen(fd, "r")) ? NULL : cannot(what, path, strerror(errno));
  if (fd >= 0) close(fd);
  *opened = file;
  return file && !why ? NULL : cannot(what, path, why ? why : "it cannot be opened");
}
