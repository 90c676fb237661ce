/* capture_file.c - maps the capture file and grows it in place.
 *
 *   |<------------ mapped ----------->|<- next step ->|     nothing is mapped here (memory.c)     |
 *   |<--- space allocated on disk --->|
 *
 * Only capture.c calls it, under its lock (and once at start). Records are used by address, so that
 * what is mapped never moves. Before the first event only the size of the file is mapped; then much
 * more, so that the addresses stay free, unless the address space is limited. Each step allocates
 * disk space before anyone touches it, because a store to a mapped page for which a full disk has
 * no room kills the program with SIGBUS. Where the file system takes new space for a page that has
 * some (copy on write), the file is switched to overwriting in place, or the capture is kept in
 * memory (disk_space.c). The descriptor is closed at once and reopened by path for each step, in a
 * table of its own (private_files.h): programs close descriptors that are not theirs, and use again
 * the numbers of those they closed. Only a file of our own making is written, and it replaces
 * nothing but a capture (replace.c).
 */
#include "capture/capture_file.h"
#include "base/memory.h"
#include "base/private_files.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/disk_space.h"
#include "capture/replace.h"
#include "options/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_STEP ((uint64_t)256 << 10)
#define FILE_UNIT ((uint64_t)64 << 10) /* a multiple of the page size, whichever that is */
#define SPACE_LARGEST ((uint64_t)64 << 30)
#define SPACE_SMALLEST ((uint64_t)4 << 20)
/* The largest part of a limited address space (ulimit -v) that is mapped: one in so many. */
#define SPACE_SHARE 8
#define SPACE_BELOW ((uint64_t)8 << 40) /* below all other mappings */

static char file_path[GPM_PATH_MAX]; /* absolute */
static char *base;
static uint64_t space;  /* mapped bytes */
static uint64_t backed; /* bytes with disk space (or memory) behind them */
static dev_t file_device;
static ino_t file_inode;
static bool in_memory; /* the file cannot be mapped, and is written at the end */

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
                     : code == EEXIST       ? "the file there is not a capture, and is kept"
                     : code == EAGAIN       ? "no thread can be started (ulimit -u)"
                     : code == EADDRINUSE   ? "the program uses the addresses behind it"
                     : code == EOPNOTSUPP
                         ? "on this file system a disk that gets full would end the "
                           "program"
                         : NULL;
  if (name) gpm_text_add(error, size, n, name);
  else gpm_text_add_number(error, size, gpm_text_add(error, size, n, "error "), (uint64_t)code);
}

static void explain(char *error, size_t size, const char *what, int code) {
  gpm_capture_file_explain(error, size, what, file_path, code);
}

bool gpm_capture_file_beyond_limit(uint64_t size) {
  struct rlimit limit;
  return !gpm_getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
         size > limit.rlim_cur;
}

/* Disk space for [from, to). Returns 0 or an errno value; never raises SIGXFSZ. */
static int allocate(int fd, uint64_t from, uint64_t to) {
  static const char zeros[4096];
  if (gpm_capture_file_beyond_limit(to)) return EFBIG;
  int rc = gpm_private_files_allocate(fd, from, to);
  if (rc != EOPNOTSUPP && rc != ENOSYS && rc != EINVAL) return rc;
  rc = 0;
  for (uint64_t at = from; at < to && !rc; at += sizeof zeros)
    rc = gpm_private_files_write(fd, zeros, to - at < sizeof zeros ? to - at : sizeof zeros, at);
  return rc;
}

/* The number of bytes that may be mapped. *limited: whether the program's address space is
 * limited. */
static uint64_t most_space(bool *limited) {
  struct rlimit limit;
  *limited = !gpm_getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY;
  if (!*limited || limit.rlim_cur / SPACE_SHARE > SPACE_LARGEST) return SPACE_LARGEST;
  uint64_t share = limit.rlim_cur / SPACE_SHARE;
  return share > SPACE_SMALLEST ? share : SPACE_SMALLEST;
}

/* Returns null on failure, with the errno value in *code. */
static char *map_first(int fd, int *code) {
  void *p = gpm_memory_map_below(FILE_STEP, SPACE_BELOW, fd);
  *code = p == MAP_FAILED ? errno : 0;
  space = FILE_STEP;
  return p == MAP_FAILED ? NULL : p;
}

static uint64_t whole_units(uint64_t size) {
  return (size + FILE_UNIT - 1) & ~(FILE_UNIT - 1);
}

/* Extends the mapping to at least `to` bytes. Returns 0 or an errno value. */
static int map_more(int fd, uint64_t to) {
  bool limited;
  uint64_t most = most_space(&limited), size = whole_units(to);
  if (size <= space) return 0;
  if (size > most) return ENOMEM;
  bool events = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  if (events && !limited && fd >= 0 && gpm_memory_behind(base + space, most - space, fd, space))
    size = most;
  else if (!gpm_memory_behind(base + space, size - space, fd, space))
    return errno == EAGAIN ? ENOMEM : errno; /* memory may be locked up to a limit (ulimit -l) */
  space = size;
  return 0;
}

/* Makes the path absolute, because the program may change its working directory. Returns 0 or an
 * errno value. */
static int set_path(const char *path) {
  size_t n = 0;
  file_path[0] = 0;
  if (path[0] != '/' && gpm_getcwd(file_path, sizeof file_path)) {
    n = strlen(file_path);
    n = gpm_text_add(file_path, sizeof file_path, n, "/");
  }
  n = gpm_text_add(file_path, sizeof file_path, n, path);
  return n + 1 < sizeof file_path ? 0 : ENAMETOOLONG;
}

int gpm_capture_file_no_regular(mode_t mode) {
  return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? EISDIR : S_ISLNK(mode) ? ELOOP : ENXIO;
}

/* A descriptor of a new file, or a negative errno value. */
static int create(void) {
  char beside[GPM_PATH_MAX];
  int flags = O_RDWR | O_CREAT | O_EXCL, fd = gpm_private_files_open(file_path, flags, 0644);
  if (fd != -EEXIST) return fd;
  int error = gpm_replace_check(file_path);
  if (!error) error = gpm_replace_beside(file_path, beside, sizeof beside);
  if (error) return -error;
  fd = gpm_private_files_open(beside, flags, 0644);
  if (fd >= 0) error = gpm_replace_put(beside, file_path);
  if (!error) return fd;
  gpm_private_files_close(fd);
  return -error;
}

/* Writes enough of the header for the next run to recognize a capture if this process is killed
 * now. */
static void begin_header(int fd) {
  const struct gpumemprof_capture_header head = {.byte_order = GPUMEMPROF_CAPTURE_BYTE_ORDER,
                                                 .header_size = GPUMEMPROF_CAPTURE_HEADER_SIZE};
  gpm_private_files_write(fd, &head, sizeof head, 0);
}

/* The file made at start, if it is still there; else a negative errno value. */
static int reopen(void) {
  struct stat st;
  int fd = gpm_private_files_open(file_path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
  if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP || fd == -EISDIR) return -ESTALE;
  if (fd < 0) return fd;
  int rc = gpm_syscall(SYS_fstat, fd, &st) ? errno : 0;
  if (!rc && (st.st_ino != file_inode || st.st_dev != file_device)) rc = ESTALE;
  if (!rc) return fd;
  gpm_private_files_close(fd);
  return -rc;
}

/* ---- what needs a descriptor --------------------------------------------------------------------
 */

struct step {
  uint64_t size, to; /* bytes needed, and bytes wanted */
  int error;
  bool made, allocated; /* the file is ours; it has disk space */
};

static void open_file(void *argument) {
  struct step *s = argument;
  struct stat st;
  int fd = create();
  s->made = fd >= 0;
  s->error = fd < 0 ? -fd : gpm_syscall(SYS_fstat, fd, &st) ? errno : 0;
  if (s->error) return;
  file_device = st.st_dev;
  file_inode = st.st_ino;
  bool lasts = gpm_disk_space_lasts(fd); /* before disk space is allocated */
  if (!gpm_capture_file_beyond_limit(s->to)) begin_header(fd);
  s->error = allocate(fd, 0, s->to);
  s->allocated = !s->error;
  if (s->error) return;
  base = lasts ? map_first(fd, &s->error) : NULL;
  if (!lasts) s->error = EOPNOTSUPP;
}

static int grow_to(int fd, uint64_t to) {
  int error = map_more(fd, to);
  return error || fd < 0 ? error : allocate(fd, backed, to);
}

/* Extends the disk space and the mapping; for a capture in memory only the mapping. */
static void grow_with(struct step *s, int fd) {
  s->error = grow_to(fd, s->to);
  if (s->error == ENOSPC || s->error == EFBIG || s->error == EDQUOT || s->error == ENOMEM ||
      s->error == EADDRINUSE) {
    s->to = (s->size + 4095) & ~(uint64_t)4095; /* the bytes needed may still fit */
    s->error = grow_to(fd, s->to);
  }
}

static void grow_file(void *argument) {
  struct step *s = argument;
  int fd = reopen();
  if (fd >= 0) grow_with(s, fd);
  else s->error = -fd;
}

static void write_file(void *argument) {
  struct step *s = argument;
  int fd = reopen();
  s->error = fd < 0 ? -fd
             : gpm_capture_file_beyond_limit(s->size)
                 ? EFBIG
                 : gpm_private_files_write(fd, base, s->size, 0);
}

static void remove_file(void *argument) {
  struct step *s = argument;
  s->error = reopen() >= 0 && gpm_unlink(file_path) ? errno : 0;
}

static int do_step(void (*work)(void *), struct step *s) {
  int error = gpm_private_files_run(work, s);
  if (error) s->error = error;
  return s->error;
}

/* ---- for capture.c ------------------------------------------------------------------------------
 */

void *gpm_capture_file_open(const char *path, char *error, size_t error_size) {
  struct step s = {.to = FILE_STEP};
  int rc = set_path(path), none;
  base = NULL;
  in_memory = false;
  if (!rc) rc = do_step(open_file, &s);
  backed = FILE_STEP;
  if (base) return base;
  explain(error, error_size, s.allocated ? "map" : "write", rc);
  if (s.allocated) base = map_first(-1, &none);
  in_memory = base;
  if (base)
    gpm_text_say(error, "; it is kept in memory and written when the program ends by exit()", NULL);
  else if (s.made) gpm_capture_file_remove();
  return base;
}

bool gpm_capture_file_reserve(uint64_t size, char *error, size_t error_size) {
  if (size <= backed) return true;
  uint64_t step = backed / 4 > FILE_STEP ? (backed / 4 + 4095) & ~(uint64_t)4095 : FILE_STEP;
  struct step s = {.size = size, .to = size + step};
  if (in_memory) grow_with(&s, -1);
  else do_step(grow_file, &s);
  int rc = s.error;
  if (rc) explain(error, error_size, "grow", rc);
  else backed = s.to;
  return !rc;
}

void gpm_capture_file_finish(uint64_t used) {
  struct step s = {.size = used};
  char error[512];
  if (!in_memory || !do_step(write_file, &s)) return;
  explain(error, sizeof error, "write all of", s.error);
  gpm_text_say(error, NULL);
}

void gpm_capture_file_remove(void) {
  struct step s = {0};
  do_step(remove_file, &s);
}

void gpm_capture_file_forget(bool inside) {
  if (base && inside) {
    gpm_mmap(base, space, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    in_memory = true;
    return;
  }
  if (base) gpm_munmap(base, space);
  base = NULL;
  backed = 0;
}
