/* native_scopes.c - functions that were not rebuilt as scopes (stacks=native).
 *
 *   event 1   main@1 | train@7 | grow@3        the machine stacks of two events of a thread,
 *   event 2   main@1 | train@9 | load@2        without the runtime and CUDA
 *             same   | same    | another
 *
 * No compiled code says when such a function begins and ends. But the machine stacks of consecutive
 * events tell which calls are still under way: a function that has the same place on the stack and
 * was called from the same address is in the same activation, as far as anybody can see. If it has
 * returned and was called again from there meanwhile, nothing was recorded in between, and the two
 * calls count as one. So its inclusive figures are exact, the number of its calls is at least so
 * many, and its own peak may be that of several calls, one after the other (capture.h).
 *
 * The frames of these functions are frames of the shadow stack, in a part of it of their own
 * (thread->native_frames), so that events and activations make no difference. Compiled code that
 * they call pushes its frames above them. When an event opens the lowest of those, or finds none,
 * gpm_native_update brings them up to date. As long as a frame of compiled code is open, those who
 * called it are still there.
 *
 * Functions that compiled code calls, such as those of a closed library, have frames only for the
 * time of an event (gpm_native_push_walked), and each event is an activation of its own there.
 */
#include "foreign/native_scopes.h"
#include "base/memory.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "core/shadow_stack.h"
#include "foreign/machine_stack.h"
#include "foreign/native.h"
#include "foreign/rebuilt_code.h"
#include "records/sites.h"
#include "threads/threads.h"

struct gpm_native { /* of a thread */
  struct gpm_walk walk;
  struct gpm_machine_frame *open; /* what the native frames are of, outermost first */
  uintptr_t cudart_end; /* gpm_machine_stack_cudart_end; 0: in no call of such a function */
};

static const struct gpumemprof_site nameless_site = {.kind = GPUMEMPROF_SITE_FUNCTION,
                                                     .flags = GPUMEMPROF_SITE_MADE};

static struct gpm_native *native_of(struct gpm_thread *thread) {
  struct gpm_native *n = thread->native;
  if (n || !(n = gpm_memory_get(sizeof *n))) return n;
  size_t room = thread->native_room;
  n->walk.room = (uint32_t)room;
  n->walk.frames = gpm_memory_map(2 * room * sizeof *n->open);
  n->open = n->walk.frames + room;
  if (!n->walk.frames) return NULL;
  return thread->native = n;
}

static const struct gpumemprof_site *scope_of(struct gpm_place *place) {
  const struct gpumemprof_site *scope = atomic_load_explicit(&place->scope, memory_order_acquire);
  if (!scope) {
    gpm_place_name(place);
    scope = atomic_load_explicit(&place->scope, memory_order_acquire);
  }
  return scope ? scope : &nameless_site; /* its object was closed meanwhile */
}

static const struct gpumemprof_site *call_in(const struct gpm_place *place) {
  const struct gpumemprof_site *call = atomic_load_explicit(&place->call, memory_order_relaxed);
  return call ? call : &gpm_sites_unknown;
}

/* Whether a frame that is at the same place and was entered by the same call is of the same
 * function, too, and not of one that took its place by a tail call. Compilers move parts of a
 * function elsewhere, and without call frame information nobody knows where functions begin, so
 * that each call in one has a scope of its own. */
static bool may_be_one_function(struct gpm_place *a, struct gpm_place *b) {
  return a == b || scope_of(a) == scope_of(b) ||
         (a->object == b->object &&
          (a->rule.part || b->rule.part || (!a->rule.function && !b->rule.function)));
}

/* How many of the open frames are in activations that are still under way. */
static uint32_t count_same(const struct gpm_thread *thread, const struct gpm_native *n) {
  uint32_t k = 0;
  for (; k < thread->native_count && k < n->walk.count; k++) {
    const struct gpm_machine_frame *was = &n->open[k], *is = gpm_walk_frame(&n->walk, k);
    bool same_call = !k || was[-1].place == gpm_walk_frame(&n->walk, k - 1)->place;
    if (!same_call || was->end != is->end || !may_be_one_function(was->place, is->place)) break;
  }
  return k;
}

static void set_call(struct gpumemprof_frame *frame, const struct gpm_machine_frame *is) {
  (void)scope_of(is->place); /* gives it its call, too */
  frame->call = call_in(is->place);
  frame->stack = is->stack;
}

/* A program that is linked with libcudart_static.a has the runtime API among its own functions,
 * with no names if it was stripped. CUPTI tells where its caller's part of the stack begins. */
void gpm_native_runtime_call(struct gpm_thread *thread, bool at_end) {
  struct gpm_native *n = at_end || !gpm_native_is_whole() ? thread->native : native_of(thread);
  if (!n) return;
  n->cudart_end = 0;
  if (at_end || gpm_busy(thread) || gpm_thread_outlives_code()) return;
  gpm_set_busy(thread, true);
  n->cudart_end = gpm_machine_stack_cudart_end(&n->walk.known);
  gpm_set_busy(thread, false);
}

/* Walks as gpm_machine_stack does, and leaves out CUDA's runtime, too, if it is in the program. */
static void walk_program(struct gpm_native *n, uintptr_t below, uintptr_t above) {
  if (n->cudart_end > below) below = n->cudart_end - 1; /* the caller's stack pointer is the end */
  gpm_machine_stack(&n->walk, below, above);
  if (n->walk.broken) gpm_capture_count(GPUMEMPROF_COUNTER_unknown_callers);
}

void gpm_native_update(struct gpm_thread *thread, uintptr_t below) {
  bool whole = gpm_native_is_whole();
  if (GPM_LIKELY(!whole && !thread->native_count)) return;
  struct gpm_native *n = native_of(thread);
  if (!n) return;
  if (!whole || gpm_thread_outlives_code()) n->walk.count = 0; /* nobody knows the callers */
  else walk_program(n, below, 0);
  uint32_t same = count_same(thread, n);
  if (same < thread->native_count) gpm_thread_end_native(thread, same);
  struct gpumemprof_frame *frames = thread->native_frames;
  /* The innermost one of those that stay may have gone on to another call. */
  for (uint32_t k = same ? same - 1 : 0; k < n->walk.count; k++) {
    n->open[k] = *gpm_walk_frame(&n->walk, k);
    set_call(&frames[k], &n->open[k]);
    if (k < same) continue;
    frames[k].scope = scope_of(n->open[k].place);
    frames[k].entry_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  }
  thread->native_count = n->walk.count;
  if (n->walk.cut) gpm_capture_count(GPUMEMPROF_COUNTER_frames_beyond_stack);
  gpm_thread_open_native(thread);
}

bool gpm_native_walk_to(struct gpm_thread *thread, uintptr_t caller) {
  struct gpm_native *n = native_of(thread);
  if (!n) return true;
  n->walk.count = 0;
  n->walk.around = NULL;
  if (!gpm_thread_outlives_code()) walk_program(n, 0, caller);
  return !n->walk.around || gpm_place_is_rebuilt(n->walk.around);
}

struct gpumemprof_frame *gpm_native_push_walked(struct gpm_thread *thread,
                                                uintptr_t machine_stack) {
  struct gpumemprof_frame *outermost = NULL;
  struct gpm_native *n = thread->native;
  for (uint32_t k = 0; n && k < n->walk.count; k++) {
    struct gpm_place *place = gpm_walk_frame(&n->walk, k)->place;
    const struct gpumemprof_site *scope = scope_of(place); /* gives it its call, too */
    struct gpumemprof_frame *frame = gpm_thread_push_at(scope, call_in(place), machine_stack);
    if (!outermost) outermost = frame;
  }
  return outermost;
}
