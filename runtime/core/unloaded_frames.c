/* unloaded_frames.c - frames whose code is unmapped while they are on the stack.
 *
 * registration.c calls this before an object is unmapped. The names of a frame can be read only
 * until then, so the frame is opened, and then points to sites that stay mapped. native.c asks
 * whether a thread has such frames, because its machine stack cannot be walked then.
 */
#include "base/state.h"
#include "core/live_frames.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "threads/threads.h"

static const struct gpumemprof_site gone_sites[2] = {{.kind = GPUMEMPROF_SITE_FUNCTION},
                                                     {.kind = GPUMEMPROF_SITE_BLOCK}};

void gpm_thread_leave(const void *begin, const void *end) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!thread || gpm_busy(thread) || !gpm_begin(thread)) return;
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  for (struct gpumemprof_frame *f = thread->frames; f < top && f < thread->limit; f++) {
    if (!f->scope || f->scope < begin || f->scope >= end) continue;
    bool block = is_block(f);
    if (!f->active && !gpm_thread_open(thread, f)) drop(thread, f);
    if (!f->scope) continue;
    f->scope = &gone_sites[block];
    if (f->call >= begin && f->call < end) f->call = gpm_tree_stand_in(f->node, f->call);
  }
  gpm_thread_begin_steps(thread);
  gpm_set_busy(thread, false);
}

bool gpm_thread_outlives_code(void) {
  /* At exit, objects withdraw their sites, but their code stays mapped. */
  if (atomic_load(&gpm_exiting)) return false;
  struct gpm_thread *thread = gpm_thread_current;
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  for (struct gpumemprof_frame *f = thread ? thread->frames : top; f < top && f < thread->limit;
       f++)
    if (f->scope == &gone_sites[0] || f->scope == &gone_sites[1]) return true;
  return false;
}
