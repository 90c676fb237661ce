/* capture_file.c - maps the capture file and grows it in place.
 *
 *   |<------------------------- address space reserved once ------------------------->|
 *   |<--- file, space allocated on disk --->|<- next step ->|      no pages, no file    |
 *
 * Only capture.c calls it, under its lock (and once at start). The mapping reaches far beyond the
 * end of the file; each step allocates disk space before anyone touches it, because a store to a
 * mapped page for which a full disk has no room kills the program with SIGBUS. The descriptor is
 * closed at once and reopened by path for each step: programs close descriptors that are not
 * theirs. Only a file of our own making is written: what stands there is removed first, if it is a
 * regular file, because another process may have it mapped and must not see it shrink.
 */
#include "capture_file.h"
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_STEP ((uint64_t)256 << 10)
#define SPACE_LARGEST ((uint64_t)64 << 30)
#define SPACE_SMALLEST ((uint64_t)4 << 20)
#define SPACE_SHARE 8 /* at most this part of a limited address space (ulimit -v) */

static char file_path[GPM_PATH_MAX]; /* absolute */
static char *base;
static uint64_t space;  /* reserved address space */
static uint64_t backed; /* bytes with disk space (or memory) behind them */
static dev_t file_device;
static ino_t file_inode;
static bool in_memory; /* the file system cannot map: written at the end */

const char *gpm_capture_path(void) {
  return file_path;
}

/* The end of a path that leaves room for the rest of the sentence. */
static const char *short_path(const char *path, size_t size) {
  size_t length = strlen(path), most = size > 100 ? size - 90 : 10;
  return length > most ? path + length - most : path;
}

void gpm_capture_file_explain(char *error, size_t size, const char *what, const char *whole,
                              int code) {
  size_t n = gpm_text_add(error, size, 0, "cannot ");
  n = gpm_text_add(error, size, n, what);
  const char *path = short_path(whole, size);
  n = gpm_text_add(error, size, n, path == whole ? " " : " ...");
  n = gpm_text_add(error, size, n, path);
  n = gpm_text_add(error, size, n, ": ");
  const char *name = code == ENOSPC         ? "no space left on the device"
                     : code == EACCES       ? "permission denied"
                     : code == EPERM        ? "it is not permitted"
                     : code == ENOENT       ? "no such folder"
                     : code == ENOTDIR      ? "a part of the path is not a folder"
                     : code == EROFS        ? "the file system is read-only"
                     : code == EFBIG        ? "the file size limit (ulimit -f) is reached"
                     : code == EDQUOT       ? "the disk quota is used up"
                     : code == EIO          ? "input/output error"
                     : code == EISDIR       ? "it is a folder"
                     : code == ENXIO        ? "it is a device, pipe or socket"
                     : code == ELOOP        ? "it is a symbolic link"
                     : code == ENAMETOOLONG ? "the path is too long"
                     : code == ENOMEM       ? "no address space left (ulimit -v)"
                     : code == EMFILE       ? "no file descriptor left (ulimit -n)"
                     : code == ENFILE       ? "no file descriptor left in the system"
                     : code == ENODEV       ? "the file system cannot map files"
                     : code == ESTALE       ? "the file was removed or replaced"
                     : code == EBUSY        ? "a running program's capture is written there"
                                            : NULL;
  if (name) gpm_text_add(error, size, n, name);
  else gpm_text_add_number(error, size, gpm_text_add(error, size, n, "error "), (uint64_t)code);
}

static void explain(char *error, size_t size, const char *what, int code) {
  gpm_capture_file_explain(error, size, what, file_path, code);
}

bool gpm_capture_file_beyond_limit(uint64_t size) {
  struct rlimit limit;
  return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
         size > limit.rlim_cur;
}

int gpm_capture_file_write(int fd, const void *from, uint64_t size, uint64_t to) {
  const char *data = from;
  for (uint64_t at = 0; at < size;) {
    ssize_t n = pwrite(fd, data + at, size - at, (off_t)(to + at));
    if (n > 0) at += (uint64_t)n;
    else if (n == 0) return ENOSPC;
    else if (errno != EINTR) return errno;
  }
  return 0;
}

/* Disk space for [from, to). Returns 0 or an errno value; never raises SIGXFSZ. */
static int allocate(int fd, uint64_t from, uint64_t to) {
  static const char zeros[4096];
  if (gpm_capture_file_beyond_limit(to)) return EFBIG;
  int rc;
  do rc = fallocate(fd, 0, (off_t)from, (off_t)(to - from)) ? errno : 0;
  while (rc == EINTR);
  if (rc != EOPNOTSUPP && rc != ENOSYS && rc != EINVAL) return rc;
  rc = 0;
  for (uint64_t at = from; at < to && !rc; at += sizeof zeros)
    rc = gpm_capture_file_write(fd, zeros, to - at < sizeof zeros ? to - at : sizeof zeros, at);
  return rc;
}

/* Null, and why in `code`. */
static char *reserve_space(int fd, int *code) {
  int flags = fd >= 0 ? MAP_SHARED | MAP_NORESERVE : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  struct rlimit limit;
  bool limited = !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY;
  *code = ENOMEM;
  for (space = SPACE_LARGEST; space >= SPACE_SMALLEST; space /= 4) {
    if (limited && space > limit.rlim_cur / SPACE_SHARE) continue;
    void *p = mmap(NULL, space, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (p != MAP_FAILED) return p;
    *code = errno;
    if (errno != ENOMEM && errno != EOVERFLOW && errno != EINVAL) break;
  }
  return NULL;
}

/* Absolute: the program may change its folder. Returns 0 or an errno value. */
static int set_path(const char *path) {
  size_t n = 0;
  file_path[0] = 0;
  if (path[0] != '/' && getcwd(file_path, sizeof file_path)) {
    n = strlen(file_path);
    n = gpm_text_add(file_path, sizeof file_path, n, "/");
  }
  n = gpm_text_add(file_path, sizeof file_path, n, path);
  return n + 1 < sizeof file_path ? 0 : ENAMETOOLONG;
}

int gpm_capture_file_no_regular(mode_t mode) {
  return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? EISDIR : S_ISLNK(mode) ? ELOOP : ENXIO;
}

/* A descriptor of a new, empty file; -1 and errno when there can be none. */
static int create(void) {
  for (int attempt = 0;; attempt++) {
    struct stat st;
    if (!lstat(file_path, &st)) {
      errno = gpm_capture_file_no_regular(st.st_mode);
      if (errno || (unlink(file_path) && errno != ENOENT)) return -1;
    }
    int fd = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0 || errno != EEXIST || attempt == 9) return fd;
  }
}

/* The file made at start, if it is still there; -1 and errno when not. */
static int reopen(void) {
  struct stat st;
  int fd = open(file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EISDIR) errno = ESTALE;
    return -1;
  }
  int rc = fstat(fd, &st) ? errno : 0;
  if (!rc && (st.st_ino != file_inode || st.st_dev != file_device)) rc = ESTALE;
  if (!rc) return fd;
  close(fd);
  errno = rc;
  return -1;
}

void *gpm_capture_file_open(const char *path, char *error, size_t error_size) {
  struct stat st;
  int rc = set_path(path), fd = rc ? -1 : create();
  if (!rc && fd < 0) rc = errno;
  if (fd >= 0 && fstat(fd, &st)) rc = errno;
  if (!rc) rc = allocate(fd, 0, FILE_STEP);
  if (rc) {
    explain(error, error_size, "write", rc);
    if (fd < 0) return NULL;
    close(fd);
    unlink(file_path);
    return NULL;
  }
  file_device = st.st_dev;
  file_inode = st.st_ino;
  backed = FILE_STEP;
  base = reserve_space(fd, &rc);
  close(fd);
  in_memory = !base;
  if (!base) {
    int none;
    explain(error, error_size, "map", rc);
    base = reserve_space(-1, &none);
    if (base)
      gpm_text_say(error, "; it is kept in memory and written when the program ends by exit()",
                   NULL);
    else unlink(file_path);
  }
  return base;
}

bool gpm_capture_file_reserve(uint64_t size, char *error, size_t error_size) {
  if (size <= backed) return true;
  uint64_t step = backed / 4 > FILE_STEP ? (backed / 4 + 4095) & ~(uint64_t)4095 : FILE_STEP;
  uint64_t to = size + step;
  if (to > space) to = space;
  if (size > to) {
    explain(error, error_size, "grow", ENOMEM);
    return false;
  }
  if (in_memory) {
    backed = to;
    return true;
  }
  int saved = errno, fd = reopen(), rc = fd < 0 ? errno : allocate(fd, backed, to);
  if (fd >= 0 && (rc == ENOSPC || rc == EFBIG || rc == EDQUOT)) { /* perhaps the bare need fits */
    to = (size + 4095) & ~(uint64_t)4095;
    rc = allocate(fd, backed, to);
  }
  if (fd >= 0) close(fd);
  errno = saved;
  if (rc) {
    explain(error, error_size, "grow", rc);
    return false;
  }
  backed = to;
  return true;
}

void gpm_capture_file_finish(uint64_t used) {
  if (!in_memory) return;
  int fd = reopen(), rc = fd < 0 ? errno
                          : gpm_capture_file_beyond_limit(used)
                              ? EFBIG
                              : gpm_capture_file_write(fd, base, used, 0);
  if (fd >= 0) close(fd);
  if (!rc) return;
  char error[512];
  explain(error, sizeof error, "write all of", rc);
  gpm_text_say(error, NULL);
}

void gpm_capture_file_remove(void) {
  int fd = reopen();
  if (fd < 0) return;
  close(fd);
  unlink(file_path);
}

void gpm_capture_file_forget(bool inside) {
  if (base && inside) {
    mmap(base, space, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    in_memory = true;
    return;
  }
  if (base) munmap(base, space);
  base = NULL;
  backed = 0;
}
