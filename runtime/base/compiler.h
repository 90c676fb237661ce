/* compiler.h - attributes and hints for the compiler: visibility, likely branches, inlining. Every
 * header of the runtime may use them.
 */
#ifndef GPM_COMPILER_H
#define GPM_COMPILER_H

#define GPM_EXPORT __attribute__((visibility("default")))
#define GPM_COLD __attribute__((cold, noinline))
/* Those IN_HEADER are for functions of headers, which not every source calls: gcc refuses noinline
 * beside inline. */
#define GPM_COLD_IN_HEADER __attribute__((cold, noinline, unused))
#define GPM_NOINLINE __attribute__((noinline))
#define GPM_NOINLINE_IN_HEADER __attribute__((noinline, unused))
#define GPM_INLINE inline __attribute__((always_inline))
#define GPM_FLATTEN __attribute__((flatten, noinline)) /* an event's path: everything inlined */
/* For a cold function that a hot one calls: the hot one need not save registers for it. gcc has no
 * such attribute. */
#if defined(__clang__) && __has_attribute(preserve_most)
#define GPM_KEEPS_REGISTERS __attribute__((preserve_most))
#else
#define GPM_KEEPS_REGISTERS
#endif
#define GPM_LIKELY(x) __builtin_expect(!!(x), 1)
#define GPM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define GPM_IE_TLS __attribute__((tls_model("initial-exec")))

/* What is before it in the program happens before what is after it, as a signal handler of the
 * thread sees it. atomic_signal_fence does not keep clang from moving a store of AArch64 past it,
 * to pair it with another. */
#define gpm_keep_order() __asm__ volatile("" ::: "memory")

#endif /* GPM_COMPILER_H */
