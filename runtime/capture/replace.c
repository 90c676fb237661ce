/* replace.c - see replace.h. capture_file.c and dump.c put their files in place with it.
 *
 * Only a capture or an empty file is replaced, so that no data are lost. The opened file is
 * checked, and after the two names were exchanged the file that was replaced is checked as well: a
 * file that another process has put there in between gets its name back. Where the file system
 * cannot exchange names, there is only the first check.
 */
#include "capture/replace.h"
#include "base/private_files.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "capture/capture_file.h"
#include "capture/owner.h"
#include "options/options.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

/* ---- the file that has the name -----------------------------------------------------------------
 */

static bool is_published(const struct gpumemprof_capture_header *h) {
  return !memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, sizeof h->magic);
}

/* A capture, or one whose process was killed before it published its header. */
static bool is_capture(const struct gpumemprof_capture_header *h, int64_t bytes) {
  static const char unpublished[sizeof h->magic];
  return is_published(h) ||
         (bytes == sizeof *h && !memcmp(h->magic, unpublished, sizeof unpublished) &&
          h->byte_order == GPUMEMPROF_CAPTURE_BYTE_ORDER &&
          h->header_size == GPUMEMPROF_CAPTURE_HEADER_SIZE);
}

static int check_opened(int fd) {
  struct gpumemprof_capture_header h;
  struct stat st;
  if (gpm_syscall(SYS_fstat, fd, &st)) return errno;
  int error = gpm_capture_file_no_regular(st.st_mode);
  if (error || !st.st_size) return error;
  memset(&h, 0, sizeof h);
  int64_t bytes = gpm_private_files_read(fd, &h, sizeof h, 0);
  if (bytes < 0) return (int)-bytes;
  if (!is_capture(&h, bytes)) return EEXIST;
  return bytes == sizeof h && is_published(&h) && gpm_owner_in_use(&h) ? EBUSY : 0;
}

int gpm_replace_check(const char *path) {
  struct stat st;
  if (gpm_lstat(path, &st)) return errno == ENOENT ? 0 : errno;
  int error = gpm_capture_file_no_regular(st.st_mode); /* opening a device may have effects */
  if (error) return error;
  int fd = gpm_private_files_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return fd == -ENOENT ? 0 : -fd;
  error = check_opened(fd);
  gpm_private_files_close(fd);
  return error;
}

/* ---- files that killed processes left -----------------------------------------------------------
 */

static const char *number_before(const char *text, const char *end) {
  const char *at = end;
  while (at > text && isdigit((unsigned char)at[-1])) at--;
  return at < end && at > text && at[-1] == '.' ? at - 1 : NULL;
}

/* Whether it is called PATH.PID.TASK.tmp, `name` being the end of PATH, or ANY.gmprof.PID.TASK.tmp;
 * and PID. */
static bool is_left(const char *entry, const char *name, uint64_t *pid) {
  size_t length = strlen(entry), stem;
  if (length < 5 || strcmp(entry + length - 4, ".tmp") != 0) return false;
  const char *task = number_before(entry, entry + length - 4);
  const char *pid_at = task ? number_before(entry, task) : NULL;
  if (!pid_at) return false;
  *pid = strtoull(pid_at + 1, NULL, 10);
  stem = (size_t)(pid_at - entry);
  return (stem == strlen(name) && !memcmp(entry, name, stem)) ||
         (stem > 7 && !memcmp(pid_at - 7, ".gmprof", 7));
}

/* Removes the file if no process writes it, here or on another host of the same file system: its
 * writer would hold a lock on it. */
static void remove_left(int folder, const char *entry, uint64_t pid) {
  if (!pid || pid > INT32_MAX || !gpm_syscall(SYS_kill, pid, 0) || errno != ESRCH) return;
  int fd = (int)gpm_syscall(SYS_openat, folder, entry,
                            O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (fd < 0) return;
  struct stat st;
  if (!gpm_syscall(SYS_fstat, fd, &st) && S_ISREG(st.st_mode) &&
      !gpm_syscall(SYS_flock, fd, LOCK_EX | LOCK_NB))
    gpm_syscall(SYS_unlinkat, folder, entry, 0);
  gpm_private_files_close(fd);
}

struct left {
  int folder;
  const char *name; /* the last part of the path of the file to be written */
};

static void check_entry(void *data, const char *entry) {
  const struct left *left = data;
  uint64_t pid;
  if (is_left(entry, left->name, &pid)) remove_left(left->folder, entry, pid);
}

static void remove_all_left(const char *path) {
  char folder[GPM_PATH_MAX];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = (size_t)(name - path);
  memcpy(folder, path, length);
  gpm_text_add(folder, sizeof folder, length, ".");
  int fd = gpm_private_files_open(folder, O_RDONLY | O_DIRECTORY, 0);
  if (fd < 0) return;
  struct left left = {fd, name};
  gpm_private_files_each(fd, check_entry, &left);
  gpm_private_files_close(fd);
}

int gpm_replace_beside(const char *path, char *beside, size_t size) {
  size_t n = gpm_text_add(beside, size, gpm_text_add(beside, size, 0, path), ".");
  if (n + 48 >= GPM_PATH_MAX) return ENAMETOOLONG;
  n = gpm_text_add_number(beside, size, n, gpm_getpid());
  n = gpm_text_add(beside, size, n, ".");
  n = gpm_text_add_number(beside, size, n, (uint64_t)gpm_syscall(SYS_gettid));
  gpm_text_add(beside, size, n, ".tmp");
  remove_all_left(path);
  return gpm_unlink(beside) && errno != ENOENT ? errno : 0;
}

/* ---- giving the file its name -------------------------------------------------------------------
 */

static int rename_as(const char *from, const char *to, unsigned how) {
  return gpm_syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, how) ? errno : 0;
}

static bool cannot(int error) {
  return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

/* Renames to a name that no file has. */
static int put_new(const char *beside, const char *path) {
  int error = rename_as(beside, path, RENAME_NOREPLACE);
  if (!cannot(error)) return error;
  if (gpm_syscall(SYS_linkat, AT_FDCWD, beside, AT_FDCWD, path, 0)) return errno;
  gpm_unlink(beside);
  return 0;
}

static int put_instead(const char *beside, const char *path) {
  int error = gpm_replace_check(path);
  if (error) return error;
  error = rename_as(beside, path, RENAME_EXCHANGE);
  if (cannot(error)) return rename(beside, path) ? errno : 0;
  if (error) return error;
  error = gpm_replace_check(beside); /* the file that had the name before */
  if (error) rename_as(beside, path, RENAME_EXCHANGE);
  else gpm_unlink(beside);
  return error;
}

int gpm_replace_put(const char *beside, const char *path) {
  int error = EEXIST;
  for (int attempt = 0; attempt < 10; attempt++) { /* other processes may create and remove files */
    error = put_new(beside, path);
    if (error != EEXIST) break;
    error = put_instead(beside, path);
    if (error != ENOENT) break;
  }
  if (error) gpm_unlink(beside);
  return error;
}

int gpm_replace_link(int fd, const char *path) {
  char own[64], beside[GPM_PATH_MAX];
  gpm_text_add_number(own, sizeof own, gpm_text_add(own, sizeof own, 0, "/proc/thread-self/fd/"),
                      (uint64_t)fd);
  if (!gpm_syscall(SYS_linkat, AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) return 0;
  if (errno != EEXIST) return errno;
  int error = gpm_replace_beside(path, beside, sizeof beside);
  if (error) return error;
  if (gpm_syscall(SYS_linkat, AT_FDCWD, own, AT_FDCWD, beside, AT_SYMLINK_FOLLOW)) return errno;
  return gpm_replace_put(beside, path);
}
