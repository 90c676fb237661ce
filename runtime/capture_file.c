/* capture_file.c - maps the capture file and grows it in place.
 *
 *   |<------------------------- address space reserved once ------------------------->|
 *   |<--- file, space allocated on disk --->|<- next step ->|      no pages, no file    |
 *
 * Only capture.c calls it, under its lock (and once at start). The mapping reaches far beyond the
 * end of the file; each step allocates disk space before anyone touches it, because a store to a
 * mapped page for which a full disk has no room kills the program with SIGBUS. The descriptor is
 * closed at once and reopened by path for each step: programs close descriptors that are not
 * theirs.
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
#define SPACE_SMALLEST ((uint64_t)64 << 20)

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

static void explain(char *error, size_t size, const char *what, int code) {
  size_t n = gpm_text_add(error, size, 0, "cannot ");
  n = gpm_text_add(error, size, n, what);
  n = gpm_text_add(error, size, n, " ");
  n = gpm_text_add(error, size, n, file_path);
  n = gpm_text_add(error, size, n, ": ");
  const char *name = code == ENOSPC   ? "no space left on the device"
                     : code == EACCES ? "permission denied"
                     : code == ENOENT ? "no such folder"
                     : code == EROFS  ? "the file system is read-only"
                     : code == EFBIG  ? "the file size limit (ulimit -f) is reached"
                     : code == EDQUOT ? "the disk quota is used up"
                     : code == EIO    ? "input/output error"
                     : code == EISDIR ? "it is a folder"
                     : code == ENOMEM ? "no address space left (ulimit -v)"
                     : code == ESTALE ? "the file was removed or replaced"
                                      : NULL;
  if (name) gpm_text_add(error, size, n, name);
  else gpm_text_add_number(error, size, gpm_text_add(error, size, n, "error "), (uint64_t)code);
}

/* Disk space for [from, to). Returns 0 or an errno value; never raises SIGXFSZ. */
static int allocate(int fd, uint64_t from, uint64_t to) {
  struct rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && to > limit.rlim_cur)
    return EFBIG;
  int rc;
  do rc = fallocate(fd, 0, (off_t)from, (off_t)(to - from)) ? errno : 0;
  while (rc == EINTR);
  if (rc != EOPNOTSUPP && rc != ENOSYS && rc != EINVAL) return rc;
  static const char zeros[4096];
  for (uint64_t at = from; at < to;) {
    ssize_t n = pwrite(fd, zeros, sizeof zeros, (off_t)at);
    if (n > 0) at += (uint64_t)n;
    else if (n < 0 && errno != EINTR) return errno;
  }
  return 0;
}

static char *reserve_space(int fd) {
  int flags = fd >= 0 ? MAP_SHARED | MAP_NORESERVE : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  for (space = SPACE_LARGEST; space >= SPACE_SMALLEST; space /= 4) {
    void *p = mmap(NULL, space, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (p != MAP_FAILED) return p;
    if (errno != ENOMEM && errno != EOVERFLOW && errno != EINVAL) break;
  }
  return NULL;
}

void *gpm_capture_file_open(const char *path, char *error, size_t error_size) {
  size_t n = 0;
  file_path[0] = 0;
  if (path[0] != '/' && getcwd(file_path, sizeof file_path - 1)) {
    n = strlen(file_path);
    n = gpm_text_add(file_path, sizeof file_path, n, "/");
  }
  gpm_text_add(file_path, sizeof file_path, n, path);
  /* Unlink first: another process may still have the old file mapped, and must not see it shrink.
   */
  unlink(file_path);
  int fd = open(file_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    explain(error, error_size, "write", errno);
    return NULL;
  }
  struct stat st;
  int rc = fstat(fd, &st) ? errno : 0;
  file_device = st.st_dev;
  file_inode = st.st_ino;
  if (!rc) rc = allocate(fd, 0, FILE_STEP);
  if (rc) {
    explain(error, error_size, "write", rc);
    close(fd);
    unlink(file_path);
    return NULL;
  }
  backed = FILE_STEP;
  in_memory = false;
  base = reserve_space(fd);
  close(fd);
  if (!base) {
    in_memory = true;
    base = reserve_space(-1);
    if (!base) explain(error, error_size, "map", ENOMEM);
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
  int saved = errno, rc = 0;
  int fd = open(file_path, O_RDWR | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) || st.st_ino != file_inode || st.st_dev != file_device) rc = ESTALE;
  else {
    rc = allocate(fd, backed, to);
    if (rc == ENOSPC || rc == EFBIG || rc == EDQUOT) { /* perhaps the bare need fits */
      to = (size + 4095) & ~(uint64_t)4095;
      rc = allocate(fd, backed, to);
    }
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
  int fd = open(file_path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  if (in_memory) {
    for (uint64_t at = 0; at < used;) {
      ssize_t n = pwrite(fd, base + at, used - at, (off_t)at);
      if (n > 0) at += (uint64_t)n;
      else if (n < 0 && errno != EINTR) {
        gpm_text_say("the capture ", file_path, " could not be written completely", NULL);
        break;
      }
    }
  }
  close(fd);
}

void gpm_capture_file_forget(void) {
  if (base) munmap(base, space);
  base = NULL;
  backed = 0;
}
