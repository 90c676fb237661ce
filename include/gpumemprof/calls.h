/* calls.h - how a call of the program to the profiler is declared: safe without the runtime.
 *
 * control.h and measure.h declare their functions with these. The program calls gpumemprof_NAME,
 * which is inline; it calls the runtime's __gpumemprof_NAME if that is in the process, else gives
 * `nothing`. The inline function has no scope of its own: its caller's line stands.
 *
 * In C++ arguments must not depend on overloads: the parameters are those of C.
 */
#ifndef GPUMEMPROF_CALLS_H
#define GPUMEMPROF_CALLS_H

#if defined(__has_attribute)
#if __has_attribute(gpumemprof_ignore)
#define GPUMEMPROF_TRANSPARENT_ __attribute__((gpumemprof_ignore))
#endif
#endif
#ifndef GPUMEMPROF_TRANSPARENT_
#define GPUMEMPROF_TRANSPARENT_
#endif

#define GPUMEMPROF_CAT2_(a, b) a##b
#define GPUMEMPROF_CAT_(a, b) GPUMEMPROF_CAT2_(a, b)

#ifdef __cplusplus
#define GPUMEMPROF_C_ extern "C"
#else
#define GPUMEMPROF_C_
#endif

#if defined(__GNUC__)
#define GPUMEMPROF_UNUSED_ __attribute__((unused))
/* The runtime's own function: null where it is absent. */
#define GPUMEMPROF_SYMBOL_(type, name, parameters)                                                 \
  GPUMEMPROF_C_ __attribute__((weak)) type name parameters;
#define GPUMEMPROF_CALL_(type, name, parameters, arguments, nothing)                               \
  GPUMEMPROF_C_ __attribute__((weak)) type __gpumemprof_##name parameters;                         \
  GPUMEMPROF_TRANSPARENT_ static inline                                                            \
      __attribute__((unused)) type gpumemprof_##name parameters {                                  \
    return __gpumemprof_##name ? __gpumemprof_##name arguments : nothing;                          \
  }
#define GPUMEMPROF_CALL_VOID_(name, parameters, arguments)                                         \
  GPUMEMPROF_C_ __attribute__((weak)) void __gpumemprof_##name parameters;                         \
  GPUMEMPROF_TRANSPARENT_ static inline                                                            \
      __attribute__((unused)) void gpumemprof_##name parameters {                                  \
    if (__gpumemprof_##name) __gpumemprof_##name arguments;                                        \
  }
#else
#define GPUMEMPROF_UNUSED_
#define GPUMEMPROF_SYMBOL_(type, name, parameters)
#define GPUMEMPROF_CALL_(type, name, parameters, arguments, nothing)                               \
  static inline type gpumemprof_##name parameters {                                                \
    return nothing;                                                                                \
  }
#define GPUMEMPROF_CALL_VOID_(name, parameters, arguments)                                         \
  static inline void gpumemprof_##name parameters {}
#endif

#endif /* GPUMEMPROF_CALLS_H */
