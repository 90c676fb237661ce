/* compiler.h - what the runtime says to the compiler: visibility, likely branches, inlining. Every
 * header of the runtime may use it.
 */
#ifndef GPM_COMPILER_H
#define GPM_COMPILER_H

#define GPM_EXPORT __attribute__((visibility("default")))
#define GPM_COLD __attribute__((cold, noinline))
#define GPM_NOINLINE __attribute__((noinline))
#define GPM_INLINE inline __attribute__((always_inline))
#define GPM_FLATTEN __attribute__((flatten, noinline)) /* an event's path: everything inlined */
#define GPM_LIKELY(x) __builtin_expect(!!(x), 1)
#define GPM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define GPM_IE_TLS __attribute__((tls_model("initial-exec")))

#endif /* GPM_COMPILER_H */
