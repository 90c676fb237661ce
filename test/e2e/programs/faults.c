/* Preloaded: makes system calls of the profiler fail, and only the profiler's.
 *
 * FAULTS=CALL,FIRST,COUNT,ERRNO;... : of the calls of that name (`any`: of all) number FIRST and
 * the COUNT - 1 behind it fail. `map_shared` and `map_private` are mmap's two uses. Each that
 * failed is a line in FAULTS_LOG. `nameless` is an open of a file without a name, `exchange` a
 * rename that exchanges. ERRNO -9 kills the process there; ERRNO -1 renames, FAULTS_LOG being
 * FROM>TO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST = 4 };
static struct {
  char call[16];
  int first, count, code, seen;
} faults[MOST];
static int fault_count;
static const char *log_path;

/* The real ones: the profiler calls some by their number, through syscall(). */
static long call(long number, long a, long b, long c, long d, long e, long f) {
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, a, b, c, d, e, f);
}

__attribute__((constructor)) static void start(void) {
  const char *text = getenv("FAULTS");
  log_path = getenv("FAULTS_LOG");
  for (; text && fault_count < MOST; text = strchr(text, ';') ? strchr(text, ';') + 1 : NULL)
    if (sscanf(text, "%15[^,],%d,%d,%d", faults[fault_count].call, &faults[fault_count].first,
               &faults[fault_count].count, &faults[fault_count].code) == 4)
      fault_count++;
}

/* Just before the profiler's next call. */
static void surprise(void) {
  static int done;
  char from[4096], *to;
  if (done++) return;
  strncpy(from, log_path, sizeof from - 1);
  to = strchr(from, '>');
  *to++ = 0;
  rename(from, to);
}

/* 0, or the errno value this call is to fail with. */
static int fault(const char *name, const void *caller) {
  Dl_info info;
  if (!fault_count) start();
  if (!fault_count || !dladdr(caller, &info) || !strstr(info.dli_fname, "libgpumemprof")) return 0;
  for (int i = 0; i < fault_count; i++) {
    if (strcmp(faults[i].call, name) && strcmp(faults[i].call, "any")) continue;
    if (faults[i].code < 0 && !strcmp(name, "exchange")) return surprise(), 0;
    int number = __atomic_add_fetch(&faults[i].seen, 1, __ATOMIC_RELAXED);
    if (number < faults[i].first || number - faults[i].first >= faults[i].count) continue;
    if (faults[i].code == -9) kill(getpid(), SIGKILL);
    int fd =
        (int)call(SYS_openat, AT_FDCWD, (long)log_path, O_WRONLY | O_CREAT | O_APPEND, 0644, 0, 0);
    dprintf(fd, "%s\n", name);
    call(SYS_close, fd, 0, 0, 0, 0, 0);
    return faults[i].code;
  }
  return 0;
}

#define CALLER __builtin_return_address(0)
#define FAIL(name, result)                                                                         \
  do {                                                                                             \
    int code = fault(name, CALLER);                                                                \
    if (code) return errno = code, result;                                                         \
  } while (0)

long syscall(long number, ...) {
  static const struct {
    long number;
    const char *name;
  } known[] = {{SYS_openat, "open"},     {SYS_fstat, "fstat"},   {SYS_fallocate, "fallocate"},
               {SYS_pwrite64, "pwrite"}, {SYS_pread64, "read"},  {SYS_read, "read"},
               {SYS_ioctl, "ioctl"},     {SYS_linkat, "link"},   {SYS_renameat2, "rename"},
               {SYS_clone, "clone"},     {SYS_unshare, "table"}, {SYS_close_range, "table"}};
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_openat && (a[2] & O_TMPFILE) == O_TMPFILE) FAIL("nameless", -1);
  if (number == SYS_renameat2 && a[4] == RENAME_EXCHANGE) FAIL("exchange", -1);
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].number == number) FAIL(known[i].name, -1);
  return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int unlink(const char *path) {
  FAIL("unlink", -1);
  return (int)call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}
int lstat(const char *path, struct stat *st) {
  FAIL("lstat", -1);
  return (int)call(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, AT_SYMLINK_NOFOLLOW, 0, 0);
}
int uname(struct utsname *name) {
  FAIL("uname", -1);
  return (int)call(SYS_uname, (long)name, 0, 0, 0, 0, 0);
}
char *getcwd(char *buffer, size_t size) {
  FAIL("getcwd", NULL);
  return call(SYS_getcwd, (long)buffer, (long)size, 0, 0, 0, 0) > 0 ? buffer : NULL;
}
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  FAIL(flags & MAP_ANONYMOUS ? "map_private" : "map_shared", MAP_FAILED);
  return (void *)call(SYS_mmap, (long)at, (long)size, protection, flags, fd, offset);
}
