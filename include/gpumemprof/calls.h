/* calls.h - how a call of the program to the profiler is declared, so that it is safe without the
 * runtime.
 *
 * measure.h and the headers of control.h declare their functions with these macros. The program
 * calls gpumemprof_NAME, which is inline; it calls the runtime's __gpumemprof_NAME if that is in
 * the process, and otherwise returns `nothing`. The inline function has no scope of its own, so its
 * caller's line is charged.
 *
 * In C++ the arguments must not depend on overloads, because the parameters are those of C.
 */
#ifndef GPUMEMPROF_CALLS_H
#define GPUMEMPROF_CALLS_H

#if defined(__has_attribute)
#if __has_attribute(gpumemprof_ignore) || defined(__GPUMEMPROF_ATTRIBUTES__)
#define GPUMEMPROF_TRANSPARENT_ __attribute__((gpumemprof_ignore))
#endif
#endif
#ifndef GPUMEMPROF_TRANSPARENT_
#define GPUMEMPROF_TRANSPARENT_
#endif

/* Around __COUNTER__, which clang warns of as an extension of the language (-Wpedantic). */
#if defined(__clang__) && defined(__has_warning) && !defined(__NVCC__)
#if __has_warning("-Wc2y-extensions")
#define GPUMEMPROF_COUNTER_BEGIN_                                                                  \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc2y-extensions\"")
#define GPUMEMPROF_COUNTER_END_ _Pragma("clang diagnostic pop")
#endif
#endif
#ifndef GPUMEMPROF_COUNTER_BEGIN_
#define GPUMEMPROF_COUNTER_BEGIN_
#define GPUMEMPROF_COUNTER_END_
#endif

#define GPUMEMPROF_CAT2_(a, b) a##b
#define GPUMEMPROF_CAT_(a, b) GPUMEMPROF_CAT2_(a, b)

#ifdef __cplusplus
#define GPUMEMPROF_C_ extern "C"
#else
#define GPUMEMPROF_C_
#endif

#if defined(__GNUC__)
/* A function that a header defines. In C++ it is no file's own, so that an exported inline function
 * of a module may call it. */
#ifdef __cplusplus
#define GPUMEMPROF_HEADER_ extern "C" inline __attribute__((visibility("hidden"), unused))
#else
#define GPUMEMPROF_HEADER_ static inline __attribute__((unused))
#endif
/* The runtime's own function: null where it is absent. */
#define GPUMEMPROF_SYMBOL_(type, name, parameters)                                                 \
  GPUMEMPROF_C_ __attribute__((weak)) type name parameters;
#define GPUMEMPROF_CALL_(type, name, parameters, arguments, nothing)                               \
  GPUMEMPROF_C_ __attribute__((weak)) type __gpumemprof_##name parameters;                         \
  GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ type gpumemprof_##name parameters {                   \
    return __gpumemprof_##name ? __gpumemprof_##name arguments : nothing;                          \
  }
#define GPUMEMPROF_CALL_VOID_(name, parameters, arguments)                                         \
  GPUMEMPROF_C_ __attribute__((weak)) void __gpumemprof_##name parameters;                         \
  GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ void gpumemprof_##name parameters {                   \
    if (__gpumemprof_##name) __gpumemprof_##name arguments;                                        \
  }
#else
#define GPUMEMPROF_HEADER_ static inline
#define GPUMEMPROF_SYMBOL_(type, name, parameters)
#define GPUMEMPROF_CALL_(type, name, parameters, arguments, nothing)                               \
  static inline type gpumemprof_##name parameters {                                                \
    return nothing;                                                                                \
  }
#define GPUMEMPROF_CALL_VOID_(name, parameters, arguments)                                         \
  static inline void gpumemprof_##name parameters {}
#endif

#endif /* GPUMEMPROF_CALLS_H */
