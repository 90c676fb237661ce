/* fibers.c - stacks of the program that take turns on its threads: fibers.
 *
 *   swapcontext(here, there)      leave(&mine); ... another stack runs, perhaps for long ...
 *                                 back(&mine), perhaps on another thread
 *
 * Each of them is a thread to the runtime: a record with frames and activations of its own
 * (threads.c). Who leaves keeps its record in its machine frame and the thread has none: a stack
 * that begins there gets a fresh one at its first frame, one that comes back brings its own. So
 * figures are exact, whoever resumes what, and where. The plugin puts a thunk with leave and back
 * around swapcontext (Thunks.cpp); for switches written in assembly a program does it by
 * GPUMEMPROF_SWITCH.
 *
 * A stack that was left otherwise (setcontext, longjmp) is noticed where control arrives: the frame
 * that is current again tells its record (gpm_fibers_resume, from shadow_stack.c).
 */
#include "threads/fibers.h"
#include "base/compiler.h"
#include "threads/threads.h"

#include <errno.h>

/* The stack that runs now is gone if it has no frames: its first function has returned. With frames
 * it is only away, and may come back by itself. */
static void put_away(struct gpm_thread *thread) {
  thread->attached = false;
  thread->left_top = __gpumemprof_stack.top;
  if (thread->left_top <= thread->frames) gpm_thread_release(thread);
}

GPM_EXPORT void __gpumemprof_fiber_leave(void **left) {
  struct gpm_thread *thread = gpm_thread_current;
  *left = thread;
  if (!thread) return;
  thread->attached = false;
  thread->left_top = __gpumemprof_stack.top;
  gpm_thread_switch(NULL);
}

GPM_EXPORT void __gpumemprof_fiber_back(void **left) {
  struct gpm_thread *mine = *left, *other = gpm_thread_current;
  if (other == mine || (mine && mine->attached)) return; /* resumed twice at once: not our bug */
  int saved = errno;
  if (other) put_away(other);
  gpm_thread_switch(mine);
  errno = saved;
}

GPM_COLD struct gpm_thread *gpm_fibers_resume(const struct gpumemprof_frame *frame) {
  struct gpm_thread *mine = gpm_thread_of_frame(frame), *other = gpm_thread_current;
  if (!mine || mine->attached || !mine->left_top) return other; /* another's, or nobody's */
  if (other) put_away(other);
  gpm_thread_switch(mine);
  return mine;
}
