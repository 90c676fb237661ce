/* Preloaded: makes system calls of the profiler fail, and only the profiler's.
 *
 * FAULTS=CALL,FIRST,COUNT,ERRNO;... : of the calls of that name (`any`: of all) number FIRST and
 * the COUNT - 1 behind it fail. `map_shared` and `map_private` are mmap's two uses. Each that
 * failed is a line in FAULTS_LOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 4 };
static struct {
  char call[16];
  int first, count, code, seen;
} faults[MOST];
static int fault_count;
static const char *log_path;

__attribute__((constructor)) static void start(void) {
  const char *text = getenv("FAULTS");
  log_path = getenv("FAULTS_LOG");
  for (; text && fault_count < MOST; text = strchr(text, ';') ? strchr(text, ';') + 1 : NULL)
    if (sscanf(text, "%15[^,],%d,%d,%d", faults[fault_count].call, &faults[fault_count].first,
               &faults[fault_count].count, &faults[fault_count].code) == 4)
      fault_count++;
}

/* 0, or the errno value this call is to fail with. */
static int fault(const char *call, const void *caller) {
  Dl_info info;
  if (!fault_count) start();
  if (!fault_count || !dladdr(caller, &info) || !strstr(info.dli_fname, "libgpumemprof")) return 0;
  for (int i = 0; i < fault_count; i++) {
    if (strcmp(faults[i].call, call) && strcmp(faults[i].call, "any")) continue;
    int number = __atomic_add_fetch(&faults[i].seen, 1, __ATOMIC_RELAXED);
    if (number < faults[i].first || number - faults[i].first >= faults[i].count) continue;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dprintf(fd, "%s\n", call);
    syscall(SYS_close, fd);
    return faults[i].code;
  }
  return 0;
}

#define CALLER __builtin_return_address(0)
#define FAIL(call, result)                                                                         \
  do {                                                                                             \
    int code = fault(call, CALLER);                                                                \
    if (code) return errno = code, result;                                                         \
  } while (0)

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  FAIL("open", -1);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int unlink(const char *path) {
  FAIL("unlink", -1);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int fstat(int fd, struct stat *st) {
  FAIL("fstat", -1);
  return (int)syscall(SYS_fstat, fd, st);
}
int lstat(const char *path, struct stat *st) {
  FAIL("lstat", -1);
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}
int fallocate(int fd, int mode, off_t at, off_t length) {
  FAIL("fallocate", -1);
  return (int)syscall(SYS_fallocate, fd, mode, at, length);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  FAIL("pwrite", -1);
  return syscall(SYS_pwrite64, fd, data, size, at);
}
ssize_t read(int fd, void *data, size_t size) {
  FAIL("read", -1);
  return syscall(SYS_read, fd, data, size);
}
char *getcwd(char *buffer, size_t size) {
  FAIL("getcwd", NULL);
  return syscall(SYS_getcwd, buffer, size) > 0 ? buffer : NULL;
}
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  FAIL(flags & MAP_ANONYMOUS ? "map_private" : "map_shared", MAP_FAILED);
  return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}
