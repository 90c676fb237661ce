/* stale.c - whether the call site that a frame has stored is the one of its current call.
 *
 * A call that the plugin assumes to be harmless stores no site. If memory moves in it nevertheless,
 * the caller's frame still has the site of an earlier call, and without this check the memory would
 * be charged to that line. call_tree.c asks when it makes a new path, so that events on known paths
 * cost nothing.
 *
 * The plugin records which calls must have their callee's frame directly above them
 * (CalleeFrames.h): a function of the same file is named by a link to its site, a function of
 * another file by its linkage name, which is looked up among the sites of the same object. Another
 * function's frame there, or an allocation without a frame in between, proves that the site is
 * stale. So does any frame above a call of CUDA, which calls no function of the program except
 * hooks. Uncertain sites are assumed to be right: calls through pointers, and calls of functions
 * without a frame, of templates and inline functions, and of functions that may end their
 * activation early or be replaced.
 */
#include "records/stale.h"
#include "capture/capture.h"
#include "records/call_tree.h"
#include "records/modules.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <string.h>

/* The scope whose frame must be directly above the frame of the call; null: it is not known. */
static const void *entered_by(const void *call) {
  if (!gpm_modules_hold(call)) return NULL; /* made by the runtime, or being unloaded */
  const struct gpumemprof_site *s = call;
  if (s->kind != GPUMEMPROF_SITE_CALL || !s->link) return NULL;
  const char *link = (const char *)&s->link + s->link;
  if (s->flags & GPUMEMPROF_SITE_ENTERS) return link;
  return gpm_modules_find_function(s, link);
}

/* `ld --wrap=f` replaces calls of an f of another file by calls of __wrap_f. */
static bool is_wrapper(const void *scope) {
  return !strncmp(gpm_sites_text(&((const struct gpumemprof_site *)scope)->function), "__wrap_", 7);
}

/* Whether the call is of CUDA. The program may itself define a function with the name of one of
 * CUDA's. */
static bool is_of_cuda(const void *call, const void *scope) {
  const struct gpumemprof_site *c = call, *s = scope;
  const struct gpm_thread *thread = gpm_thread_current;
  return gpm_modules_hold(c) && c->kind == GPUMEMPROF_SITE_CALL &&
         c->flags & GPUMEMPROF_SITE_CUDA && !(thread && thread->notices.delivering) &&
         strcmp(gpm_sites_text(&c->callee), gpm_sites_text(&s->function)) != 0;
}

bool gpm_stale_below(const struct gpm_node *call, const void *scope) {
  if (*(const uint16_t *)scope != GPUMEMPROF_SITE_FUNCTION) return false;
  const void *site = atomic_load(&call->site), *entered = entered_by(site);
  bool another = entered ? entered != scope : is_of_cuda(site, scope);
  if (!another || is_wrapper(scope)) return false;
  gpm_capture_count(GPUMEMPROF_COUNTER_stale_lines);
  return true;
}

struct gpm_node *gpm_stale_event(struct gpm_node *node) {
  const void *call = atomic_load(&node->site);
  const struct gpumemprof_stack *stack = &__gpumemprof_stack;
  /* In the sink the callee's frame may be one that was not recorded. */
  if (!call || !stack->top || stack->top > stack->limit || gpm_thread_top()->call != call)
    return node;
  uint8_t enters = atomic_load(&node->enters);
  if (!enters) atomic_store(&node->enters, enters = entered_by(call) ? GPM_ENTERS : GPM_CALLS);
  if (enters == GPM_CALLS) return node;
  if (enters == GPM_ENTERS) {
    atomic_store(&node->enters, GPM_ENTERS_COUNTED);
    gpm_capture_count(GPUMEMPROF_COUNTER_stale_lines);
  }
  return gpm_tree_child(node->parent, &gpm_sites_unknown);
}
