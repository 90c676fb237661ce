/* fibers.c - fibers: machine stacks that the program switches to by itself.
 *
 *   swapcontext(here, there)      leave(&mine); ... another stack runs, perhaps for long ...
 *                                 back(&mine), perhaps on another thread
 *
 * Each fiber is a thread to the runtime: it has a record with frames and activations of its own
 * (threads.c). A fiber that leaves keeps its record in its machine frame, and the thread has no
 * record: a fiber that begins there gets a new one at its first frame, and one that comes back
 * brings its own. So figures are exact, whichever thread resumes a fiber. The plugin puts a thunk
 * with leave and back around swapcontext (Thunks.cpp); for switches written in assembly, the
 * program uses GPUMEMPROF_SWITCH.
 *
 * A switch by other means (setcontext, longjmp) is noticed where control arrives: the frame that is
 * current again identifies its record (gpm_fibers_resume, called by shadow_stack.c).
 */
#include "threads/fibers.h"
#include "base/compiler.h"
#include "threads/threads.h"

#include <errno.h>

/* If the stack that runs now has no frames, its first function has returned, and its record is
 * released. A stack with frames is only suspended and may be resumed. */
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
  /* A fiber that is attached has been resumed twice at once, which is an error of the program. */
  if (other == mine || (mine && mine->attached)) return;
  int saved = errno;
  if (other) put_away(other);
  gpm_thread_switch(mine);
  errno = saved;
}

GPM_COLD struct gpm_thread *gpm_fibers_resume(const struct gpumemprof_frame *frame) {
  struct gpm_thread *mine = gpm_thread_of_frame(frame), *other = gpm_thread_current;
  /* The frame may belong to another thread, or to no record. */
  if (!mine || mine->attached || !mine->left_top) return other;
  if (other) put_away(other);
  gpm_thread_switch(mine);
  return mine;
}
