/* interpreter.h - functions of an interpreted language on the shadow stack: see interpreter.c.
 */
#ifndef GPM_INTERPRETER_H
#define GPM_INTERPRETER_H

#include "threads/threads.h"

/* An event of code that was not rebuilt is about to be recorded on this thread, which is not busy:
 * the interpreter says what it executes. Returns whether the event is charged to an interpreted
 * function, and needs no other frame. */
bool gpm_interpreter_charged(struct gpm_thread *thread);

#endif /* GPM_INTERPRETER_H */
