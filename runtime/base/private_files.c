/* private_files.c - the runtime opens files where the program cannot see them.
 *
 * A new descriptor gets the lowest free number. In a program that has closed its standard output
 * this is 1, so output that another thread prints at that moment would be written into the capture.
 * Therefore no file is opened in the program's table of descriptors, not even for an instant.
 * Instead a task that shares the memory gets an empty table, does the work there, and ends.
 *
 *   the program's thread  ---- waits, signals held ------------------------->
 *   the task                   \--- empty table, open, allocate, map ---/
 *
 * The task is a thread to the kernel but not to the C library. It uses the thread-local storage of
 * the waiting thread, which is safe because that thread waits, and a stack from mmap. It is visible
 * only in /proc, takes no signals, makes no child that a wait could find, and has ended, and its
 * descriptors are closed, when the waiting thread continues. Its system calls bypass the C
 * library's wrappers, because the interceptors of sanitizers identify files by their descriptor
 * numbers. docs/decisions/07-private-descriptors.md says why, and what it costs.
 */
#include "base/private_files.h"
#include "base/compiler.h"
#include "base/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define TASK_STACK_BYTES ((size_t)128 << 10) /* only the pages that are used become resident */
#define KERNEL_SIGNALS 8                     /* bytes of the kernel's signal set */
#define YIELDS 8
#define PAUSE_NS 50000u
#define GONE_CHECKS 2000 /* a tenth of a second */

struct task {
  void (*work)(void *);
  void *argument;
  unsigned first;       /* descriptors from here on are left out of the table */
  bool copied;          /* the table was copied by the kernel when the task began */
  int error;            /* errno value of getting a table, or 0 */
  _Atomic uint32_t tid; /* the kernel clears it, as a futex, when the task no longer uses memory */
};

static _Thread_local bool in_task GPM_IE_TLS;

/* ---- the task -----------------------------------------------------------------------------------
 */

static int own_table(const struct task *t) {
  if (t->copied) return 0;
  if (!gpm_syscall(SYS_close_range, t->first, ~0u, CLOSE_RANGE_UNSHARE)) return 0; /* Linux 5.9 */
  return gpm_syscall(SYS_unshare, CLONE_FILES) ? errno : 0;
}

static void run_task(struct task *t) {
  t->error = own_table(t);
  if (!t->error) t->work(t->argument);
}

/* Begins run_task(task) on another stack, some words below its end: syscall() loads the sixth
 * argument of its caller, whether there is one or not. Returns the task's number, or a negative
 * errno value. */
static long begin_task(struct task *task, char *stack, unsigned long flags) {
  void **top = (void **)(void *)stack - 8;
  top[-2] = task;
  top[-1] = (void *)(uintptr_t)run_task;
#if defined(__x86_64__)
  long result;
  register _Atomic uint32_t *cleared __asm__("r10") = &task->tid;
  register unsigned long tls __asm__("r8") = 0;
  __asm__ volatile("syscall\n\t"
                   "testq %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "xorl %%ebp, %%ebp\n\t"
                   "popq %%rdi\n\t"
                   "popq %%rax\n\t"
                   "callq *%%rax\n\t"
                   "xorl %%edi, %%edi\n\t"
                   "movl %[leave], %%eax\n\t"
                   "syscall\n\t"
                   "hlt\n"
                   "1:"
                   : "=a"(result)
                   : "0"((long)SYS_clone), "D"(flags), "S"(top - 2), "d"(0L), "r"(cleared),
                     "r"(tls), [leave] "i"(SYS_exit)
                   : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x0 __asm__("x0") = (long)flags;
  register void *x1 __asm__("x1") = top - 2;
  register long x2 __asm__("x2") = 0, x3 __asm__("x3") = 0;
  register _Atomic uint32_t *x4 __asm__("x4") = &task->tid;
  register long x8 __asm__("x8") = SYS_clone;
  __asm__ volatile("svc #0\n\t"
                   "cbnz x0, 1f\n\t"
                   "mov x29, xzr\n\t"
                   "ldp x0, x1, [sp], #16\n\t"
                   "blr x1\n\t"
                   "mov x0, xzr\n\t"
                   "mov x8, %[leave]\n\t"
                   "svc #0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x8), [leave] "i"(SYS_exit)
                   : "memory", "cc");
  return x0;
#else
#error "a task is begun here as the processor wants it"
#endif
}

/* ---- its lifetime -------------------------------------------------------------------------------
 */

/* Waits until the kernel has closed the files of the task and does not list it among the threads
 * any more, which is mostly the case at the first check. */
static void await_end(struct task *t, long tid) {
  struct timespec pause = {0, PAUSE_NS};
  uint32_t now;
  while ((now = atomic_load(&t->tid)))
    gpm_syscall(SYS_futex, &t->tid, FUTEX_WAIT, now, NULL, NULL, 0);
  for (int i = 0; i < GONE_CHECKS && !gpm_syscall(SYS_tgkill, gpm_getpid(), tid, 0); i++) {
    if (i < YIELDS) gpm_yield();
    else gpm_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
  }
}

static int run_task_on(struct task *t, char *stack) {
  unsigned long flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                        CLONE_CHILD_CLEARTID | (t->copied ? 0 : CLONE_FILES);
  atomic_store(&t->tid, 1);
  t->error = 0;
  long tid = begin_task(t, stack, flags);
  if (tid < 0) return (int)-tid;
  await_end(t, tid);
  return t->error;
}

/* Blocks all signals of the kernel, including those that the C library reserves for itself: their
 * handlers, too, would find the thread-local storage in use. */
static int run_with_signals_held(struct task *t) {
  uint64_t all = ~(uint64_t)0, held;
  char *stack = gpm_mmap(NULL, TASK_STACK_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return ENOMEM;
  gpm_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &held, KERNEL_SIGNALS);
  in_task = true;
  int error = run_task_on(t, stack + TASK_STACK_BYTES);
  if (error == EPERM || error == ENOSYS) { /* an older kernel, and unshare is forbidden */
    t->copied = true;
    error = run_task_on(t, stack + TASK_STACK_BYTES);
  }
  in_task = false;
  gpm_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held, NULL, KERNEL_SIGNALS);
  gpm_munmap(stack, TASK_STACK_BYTES);
  return error;
}

static int run_with(void (*work)(void *), void *argument, unsigned first) {
  if (in_task) {
    work(argument);
    return 0;
  }
  int saved = errno;
  struct task task = {.work = work, .argument = argument, .first = first};
  int error = run_with_signals_held(&task);
  errno = saved;
  return error;
}

int gpm_private_files_run(void (*work)(void *argument), void *argument) {
  return run_with(work, argument, 0);
}

int gpm_private_files_run_with_standard(void (*work)(void *argument), void *argument) {
  return run_with(work, argument, STDERR_FILENO + 1);
}

/* ---- system calls -------------------------------------------------------------------------------
 */

static int64_t result_of(int64_t result) {
  return result < 0 ? -errno : result;
}

int gpm_private_files_open(const char *path, int flags, mode_t mode) {
  return (int)result_of(gpm_syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

int gpm_private_files_close(int fd) {
  return (int)result_of(gpm_syscall(SYS_close, fd));
}

int64_t gpm_private_files_read(int fd, void *to, uint64_t size, uint64_t from) {
  int64_t n;
  do n = result_of(gpm_syscall(SYS_pread64, fd, to, size, from));
  while (n == -EINTR);
  return n;
}

int gpm_private_files_write(int fd, const void *from, uint64_t size, uint64_t to) {
  const char *data = from;
  for (uint64_t at = 0; at < size;) {
    int64_t n = result_of(gpm_syscall(SYS_pwrite64, fd, data + at, size - at, to + at));
    if (n > 0) at += (uint64_t)n;
    else if (n == 0) return ENOSPC;
    else if (n != -EINTR) return (int)-n;
  }
  return 0;
}

int gpm_private_files_allocate(int fd, uint64_t from, uint64_t to) {
  int64_t rc;
  do rc = result_of(gpm_syscall(SYS_fallocate, fd, 0, from, to - from));
  while (rc == -EINTR);
  return (int)-rc;
}

struct folder_entry { /* as getdents64 writes it */
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

void gpm_private_files_each(int folder, void (*visit)(void *data, const char *name), void *data) {
  _Alignas(struct folder_entry) char entries[4096];
  for (long n; (n = gpm_syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
    for (long at = 0; at < n;) {
      const struct folder_entry *one = (const void *)(entries + at);
      visit(data, one->name);
      at += one->size;
    }
}
