/* system_calls.c - see system_calls.h. Enters the kernel, and makes the calls whose arguments
 * differ from the C library's.
 *
 * A test may define __gpumemprof_fault to make calls fail (test/e2e/programs/common/faults.c);
 * nothing else defines it.
 */
#include "base/system_calls.h"

#define KERNEL_SIGNALS 8 /* bytes of the kernel's signal set */

#pragma weak __gpumemprof_fault
/* 0, or the errno value that the call is to fail with. */
int __gpumemprof_fault(long number, const long *arguments);

static inline long enter_kernel(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory", "cc");
  return x0;
#else
#error "the kernel is entered here as the processor wants it"
#endif
}

long gpm_system_call(long number, long a, long b, long c, long d, long e, long f) {
  if (__gpumemprof_fault) {
    const long arguments[] = {a, b, c, d, e, f};
    int code = __gpumemprof_fault(number, arguments);
    if (code) return errno = code, -1;
  }
  long result = enter_kernel(number, a, b, c, d, e, f);
  if (result >= 0 || result < -4095) return result;
  errno = (int)-result;
  return -1;
}

/* A sanitizer that the runtime itself is compiled with has to know all mappings. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) ||                          \
    __has_feature(address_sanitizer)
#define MAPS_BY_LIBRARY
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MAPS_BY_LIBRARY
#endif

#ifdef MAPS_BY_LIBRARY
void *gpm_mmap(void *at, size_t bytes, int protection, int flags, int fd, uint64_t offset) {
  return mmap(at, bytes, protection, flags, fd, (off_t)offset);
}

int gpm_munmap(void *at, size_t bytes) {
  return munmap(at, bytes);
}
#else
void *gpm_mmap(void *at, size_t bytes, int protection, int flags, int fd, uint64_t offset) {
  return (void *)gpm_syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

int gpm_munmap(void *at, size_t bytes) {
  return (int)gpm_syscall(SYS_munmap, at, bytes);
}
#endif

/* ---- signals ------------------------------------------------------------------------------------
 */

struct kernel_action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

#if defined(__x86_64__)
#define RESTORER 0x04000000UL
/* A signal handler returns to this code. Debuggers and unwinders recognize it by exactly these
 * bytes. */
void gpm_signal_return(void) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".balign 16\n"
        "nop\n" /* unwinders look at the byte before the address */
        ".type gpm_signal_return, @function\n"
        "gpm_signal_return:\n"
        "movq $15, %rax\n"
        "syscall\n"
        ".size gpm_signal_return, . - gpm_signal_return\n"
        ".popsection\n");
#endif

int gpm_sigaction(int number, const struct gpm_signal_action *action,
                  struct gpm_signal_action *old) {
  struct kernel_action new = {.mask = 0}, before = {.mask = 0};
  if (action) {
    new.handler = action->handler;
    new.flags = action->flags;
#if defined(__x86_64__)
    new.flags |= RESTORER;
    new.restorer = gpm_signal_return;
#endif
  }
  long failed =
      gpm_syscall(SYS_rt_sigaction, number, action ? &new : NULL, &before, KERNEL_SIGNALS);
  if (old) *old = (struct gpm_signal_action){before.handler, before.flags};
  return (int)failed;
}
