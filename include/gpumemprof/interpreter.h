/* interpreter.h - functions and lines of an interpreted language. control.h includes it. The Python
 * package (python/gpumemprof/lines.py) is its user. */
#ifndef GPUMEMPROF_INTERPRETER_H
#define GPUMEMPROF_INTERPRETER_H

#include "gpumemprof/calls.h"

#include <stddef.h>
#include <stdint.h>

/* ---- interpreters -------------------------------------------------------------------------------
 *
 * An interpreter's functions are not on the machine stack, so it tells the profiler about them.
 * While they are known, memory that the thread allocates and frees in code that was not rebuilt is
 * charged to the innermost of them, and to its line; frames of the interpreter itself and of
 * libraries below it are not shown.
 *
 * It is enough to tell right before an event: `before` is called there. Functions that ended since
 * the latest event are ended then, which is exact, because no memory moved in between. */

/* Sets a function that is called before each allocation and free of code that was not rebuilt (with
 * cupti=on, and by gpumemprof_torch_malloc and _free). It runs on the thread that makes the call,
 * with cupti=on inside the call, so it must neither call CUDA nor leave by longjmp or an exception.
 * It calls gpumemprof_interpreted_stack: where it does not, the functions of this thread are
 * dropped. It is not called from within itself. `has_code` is called first, if it is not null;
 * where it returns null the interpreter executes nothing on this thread, and `before` is not
 * called. So `before` may take a lock that another thread holds while it waits for one of a
 * library, as Python's. `owner`, if it is not null, says to which interpreter that code belongs:
 * other ones than that of the caller are not asked. Null in place of `before` ends all this: what
 * is known of interpreted functions is then dropped at the next event of each thread. Returns 0, or
 * GPUMEMPROF_ERROR_OFF when nothing is recorded. */
GPUMEMPROF_CALL_(int, interpreter,
                 (void (*before)(void), void *(*has_code)(void), void *(*owner)(void *)),
                 (before, has_code, owner), GPUMEMPROF_ERROR_OFF)

/* Return a function, which begins at the line, and a line of a function as locations. Texts are
 * copied; equal ones give the same location, which stays valid to the end of the process. Null when
 * nothing is recorded. A call costs about 0.2 us: keep the result. */
GPUMEMPROF_CALL_(const void *, interpreted_function,
                 (const char *function, const char *file, uint32_t line), (function, file, line),
                 NULL)
GPUMEMPROF_CALL_(const void *, interpreted_line,
                 (const char *function, const char *file, uint32_t line), (function, file, line),
                 NULL)

struct gpumemprof_interpreted { /* an activation of a function */
  const void *function;
  const void *line; /* which is under way in it */
  void *frame;      /* the runtime's; null at first */
  uint64_t number;  /* the same; 0 at first */
};
/* Says which interpreted functions are active on this thread: `count` of them, the outermost first.
 * The first `keep` are the activations that the latest call named, in the same order. All others of
 * that call have ended. The array belongs to the program, which has one for each thread, and keeps
 * it unchanged between calls. Returns how many of them are recorded now: fewer than `count` when
 * the profiler's stack is full, when compiled functions that are under way would have to end with
 * those that are to be replaced, or when nothing is recorded. Costs some 20 ns for each function
 * that begins. */
GPUMEMPROF_CALL_(uint32_t, interpreted_stack,
                 (struct gpumemprof_interpreted * functions, uint32_t keep, uint32_t count),
                 (functions, keep, count), 0)

#endif /* GPUMEMPROF_INTERPRETER_H */
