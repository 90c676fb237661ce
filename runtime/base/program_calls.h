/* program_calls.h - the functions that a program calls (control.h, measure.h), as the runtime
 * defines them.
 *
 * Those headers declare each call by a macro of calls.h. Here that macro makes a prototype, so that
 * the compiler checks the definition against the declaration that programs include; the symbol is
 * not weak.
 */
#ifndef GPM_PROGRAM_CALLS_H
#define GPM_PROGRAM_CALLS_H

#include "base/compiler.h"

#include <stddef.h>
#include <stdint.h>

#define GPUMEMPROF_CALLS_H
#define GPUMEMPROF_TRANSPARENT_
#define GPUMEMPROF_HEADER_ static inline __attribute__((unused))
#define GPUMEMPROF_SYMBOL_(type, name, parameters) GPM_EXPORT type name parameters;
#define GPUMEMPROF_CALL_(type, name, parameters, arguments, nothing)                               \
  GPM_EXPORT type __gpumemprof_##name parameters;                                                  \
  GPUMEMPROF_HEADER_ type gpumemprof_##name parameters {                                           \
    return __gpumemprof_##name arguments;                                                          \
  }
#define GPUMEMPROF_CALL_VOID_(name, parameters, arguments)                                         \
  GPM_EXPORT void __gpumemprof_##name parameters;                                                  \
  GPUMEMPROF_HEADER_ void gpumemprof_##name parameters {                                           \
    __gpumemprof_##name arguments;                                                                 \
  }

#include "gpumemprof/control.h"
#include "gpumemprof/measure.h"

#include <errno.h>

/* What a call of the program returns for an error number of the system's, or 0. */
static inline int gpm_system_result(int error) {
  if (!error) return 0;
  errno = error;
  return GPUMEMPROF_ERROR_SYSTEM;
}

#endif /* GPM_PROGRAM_CALLS_H */
