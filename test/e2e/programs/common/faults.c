/* Preloaded: makes system calls of the profiler fail, and only the profiler's, which ask here
 * before each (runtime/base/system_calls.c).
 *
 * FAULTS=CALL,FIRST,COUNT,ERRNO;... : of the calls of that name (`any`: of all) number FIRST and
 * the COUNT - 1 behind it fail. `map_shared` and `map_private` are mmap's two uses. Each that
 * failed is a line in FAULTS_LOG. `nameless` is an open of a file without a name, `exchange` a
 * rename that exchanges. ERRNO -9 kills the process there; ERRNO -1 renames, FAULTS_LOG being
 * FROM>TO. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
static int fault(const char *name) {
  if (!fault_count) start();
  for (int i = 0; i < fault_count; i++) {
    if (strcmp(faults[i].call, name) && strcmp(faults[i].call, "any")) continue;
    if (faults[i].code < 0 && !strcmp(name, "exchange")) return surprise(), 0;
    int number = __atomic_add_fetch(&faults[i].seen, 1, __ATOMIC_RELAXED);
    if (number < faults[i].first || number - faults[i].first >= faults[i].count) continue;
    if (faults[i].code == -9) kill(getpid(), SIGKILL);
    int fd = open(log_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dprintf(fd, "%s\n", name);
    close(fd);
    return faults[i].code;
  }
  return 0;
}

static const char *name_of(long number, const long *a) {
  static const struct {
    long number;
    const char *name;
  } known[] = {{SYS_openat, "open"},      {SYS_fstat, "fstat"},       {SYS_fallocate, "fallocate"},
               {SYS_pwrite64, "pwrite"},  {SYS_pread64, "read"},      {SYS_read, "read"},
               {SYS_ioctl, "ioctl"},      {SYS_linkat, "link"},       {SYS_renameat2, "rename"},
               {SYS_unshare, "table"},    {SYS_close_range, "table"}, {SYS_unlinkat, "unlink"},
               {SYS_newfstatat, "lstat"}, {SYS_uname, "uname"},       {SYS_getcwd, "getcwd"}};
  if (number == SYS_mmap) return a[3] & MAP_ANONYMOUS ? "map_private" : "map_shared";
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].number == number) return known[i].name;
  return NULL;
}

int __gpumemprof_fault(long number, const long *a) {
  int code = 0;
  if (number == SYS_openat && (a[2] & O_TMPFILE) == O_TMPFILE) code = fault("nameless");
  if (number == SYS_renameat2 && a[4] == RENAME_EXCHANGE) code = fault("exchange");
  const char *name = code ? NULL : name_of(number, a);
  return name ? fault(name) : code;
}
