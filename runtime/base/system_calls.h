/* system_calls.h - the system calls of the runtime, which use no name of the C library that a
 * program may define itself.
 *
 * A C program may define a function whose name is in POSIX but not in ISO C (readlink, kill,
 * access) for a purpose of its own, and the linker then makes the library call the program's
 * function. So all of the runtime's system calls are made here (system_calls.c), under names of its
 * own, with the semantics of the C library's functions, errno included. The runtime still uses
 * names that ISO C reserves (mem*, str*, getenv, rename) and those that begin with pthread_, dl or
 * two underscores. test/e2e/life/own_names.py checks that.
 */
#ifndef GPM_SYSTEM_CALLS_H
#define GPM_SYSTEM_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* As syscall(2): -1 and errno for an error. */
long gpm_system_call(long number, long a, long b, long c, long d, long e, long f);
#define GPM_SYSTEM_CALL_(number, a, b, c, d, e, f, ...)                                            \
  gpm_system_call((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define gpm_syscall(...) GPM_SYSTEM_CALL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

void *gpm_mmap(void *at, size_t bytes, int protection, int flags, int fd, uint64_t offset);
int gpm_munmap(void *at, size_t bytes);
/* The action's mask is empty. */
struct gpm_signal_action {
  void (*handler)(int);
  unsigned long flags;
};
int gpm_sigaction(int number, const struct gpm_signal_action *action,
                  struct gpm_signal_action *old);

static inline int gpm_madvise(void *at, size_t bytes, int advice) {
  return (int)gpm_syscall(SYS_madvise, at, bytes, advice);
}

static inline int gpm_getrlimit(int resource, struct rlimit *limit) { /* both are 64 bits wide */
  return (int)gpm_syscall(SYS_prlimit64, 0, resource, 0, limit);
}

static inline uint64_t gpm_getpid(void) {
  return (uint64_t)gpm_syscall(SYS_getpid);
}

static inline void gpm_yield(void) {
  gpm_syscall(SYS_sched_yield);
}

static inline bool gpm_getcwd(char *path, size_t size) { /* "(unreachable)/..." is no path */
  return gpm_syscall(SYS_getcwd, path, size) > 0 && path[0] == '/';
}

static inline bool gpm_is_there(const char *path) {
  return !gpm_syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
}

static inline int gpm_unlink(const char *path) {
  return (int)gpm_syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static inline int gpm_lstat(const char *path, struct stat *st) {
  return (int)gpm_syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

static inline int gpm_uname(struct utsname *name) {
  return (int)gpm_syscall(SYS_uname, name);
}

/* A name that is too long is cut; nothing is written when there is no name. */
static inline void gpm_gethostname(char *host, size_t size) {
  struct utsname name;
  if (gpm_uname(&name)) return;
  size_t length = strnlen(name.nodename, size - 1);
  memcpy(host, name.nodename, length);
  host[length] = 0;
}

static inline int gpm_sigaltstack(stack_t *old) { /* only reads it */
  return (int)gpm_syscall(SYS_sigaltstack, 0, old);
}

static inline void gpm_clock(clockid_t clock, struct timespec *now) {
  gpm_syscall(SYS_clock_gettime, clock, now);
}

#ifdef __GLIBC__
extern unsigned long __getauxval(unsigned long); /* NOLINT: the C library's own name for it */
#define gpm_getauxval __getauxval
#else
#define gpm_getauxval getauxval /* musl has no other name for it */
#endif
extern char **__environ; /* NOLINT: the C library's own name for environ */

#endif /* GPM_SYSTEM_CALLS_H */
