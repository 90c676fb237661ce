/* native.c - finds the location in code that was not rebuilt from which a call came: its module and
 * the addresses there, as a scope and a call of made_sites.c.
 *
 * cupti.c and torch.c call this. libgcc's unwinder walks the machine stack: past the frames of the
 * runtime and of CUDA, to the innermost frame outside of them and its callers in the same module.
 * The tool finds names for the addresses after the run. The scope is called "via libcublas.so.13";
 * where the module is one that registered (a file of it was not rebuilt, or a header's function has
 * no frame) "via code that was not rebuilt in app". With stacks=native, each function is a scope
 * instead (native_scopes.c).
 */
#include "foreign/native.h"
#include "base/lock.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "capture/capture.h"
#include "core/shadow_stack.h"
#include "foreign/interpreter.h"
#include "foreign/machine_stack.h"
#include "foreign/native_scopes.h"
#include "foreign/objects.h"
#include "foreign/places.h"
#include "options/options.h"
#include "records/made_sites.h"
#include "records/modules.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <errno.h>

#define MOST_FRAMES 96   /* visited */
#define MOST_IN_MODULE 8 /* recorded */

struct walk {
  unsigned visited, count;
  bool past_ourselves, rebuilt;
  struct gpm_object module;
  uintptr_t address[MOST_IN_MODULE]; /* in it, innermost first */
};

/* Whether the walk has arrived in code that is neither the runtime's nor CUDA's. */
static bool begin_module(struct walk *w, uintptr_t call) {
  struct gpm_object o;
  if (!gpm_object_at(call, &o)) return false;
  uintptr_t own = (uintptr_t)&gpm_native_push_at; /* an archive: in the same object as others */
  if (!w->past_ourselves && own >= o.begin && own < o.end) return false;
  w->past_ourselves = true;
  if (gpm_object_is_cuda(&o)) return false;
  w->module = o;
  w->rebuilt = gpm_modules_are_in(o.begin, o.end);
  return true;
}

static int each_frame(void *context, void *data) {
  struct walk *w = data;
  /* The return address may be of the next line. */
  uintptr_t call = gpm_unwind_address(context) - 1;
  if (++w->visited > MOST_FRAMES) return GPM_UNWIND_STOP;
  if (!w->count && !begin_module(w, call)) return GPM_UNWIND_GO_ON;
  bool inside = call >= w->module.begin && call < w->module.end;
  if (w->count && (!inside || w->rebuilt || w->count == MOST_IN_MODULE)) return GPM_UNWIND_STOP;
  w->address[w->count++] = call - w->module.bias;
  return GPM_UNWIND_GO_ON;
}

static const char unknown_code[] = "via code that was not rebuilt";

struct native_location {
  const struct gpumemprof_site *scope, *call;
};

static struct native_location location_of(const struct walk *w) {
  char scope[512], call[600], addresses[MOST_IN_MODULE * 17 + 1];
  gpm_object_record(&w->module);
  size_t n = gpm_text_add(scope, sizeof scope, 0, w->rebuilt ? unknown_code : "via ");
  if (w->rebuilt) n = gpm_text_add(scope, sizeof scope, n, " in ");
  gpm_text_add(scope, sizeof scope, n, gpm_text_last_part(w->module.path));
  n = gpm_text_add(call, sizeof call, 0, "0x");
  n = gpm_text_add_hex(call, sizeof call, n, w->address[0]);
  n = gpm_text_add(call, sizeof call, n, " ");
  gpm_text_add(call, sizeof call, n, scope);
  n = 0;
  for (unsigned i = 0; i < w->count; i++) {
    if (i) n = gpm_text_add(addresses, sizeof addresses, n, " ");
    n = gpm_text_add_hex(addresses, sizeof addresses, n, w->address[i]);
  }
  struct gpm_source_location via = {.kind = GPUMEMPROF_SITE_FUNCTION, .function = scope};
  struct gpm_source_location at = {.kind = GPUMEMPROF_SITE_NATIVE,
                                   .file = w->module.path,
                                   .function = call,
                                   .variable = addresses};
  return (struct native_location){gpm_sites_make(&via), gpm_sites_make(&at)};
}

static struct native_location nowhere(void) {
  struct gpm_source_location via = {.kind = GPUMEMPROF_SITE_FUNCTION, .function = unknown_code};
  return (struct native_location){gpm_sites_make(&via), &gpm_sites_unknown};
}

static struct walk walk_module(void) {
  struct walk w = {.visited = 0};
  if (gpm_unwind_all && !gpm_thread_outlives_code()) gpm_unwind_all(each_frame, &w);
  return w;
}

static struct gpumemprof_frame *push_module(const struct walk *w, uintptr_t machine_stack) {
  struct native_location location = w->count ? location_of(w) : nowhere();
  return gpm_thread_push_at(location.scope, location.call, machine_stack);
}

/* ---- how much of it -----------------------------------------------------------------------------
 */

_Atomic bool gpm_native_whole;
static _Atomic bool functions_asked_for; /* by a call of the program */

/* The stack of the thread that began stacks=native; null: none. */
static const void *_Atomic beginner;
static _Atomic bool begun;

static struct gpumemprof_frame *push_functions(struct gpm_thread *thread, uintptr_t machine_stack) {
  uintptr_t caller;
  for (;;) {
    if (!gpm_thread_has_compiled(thread, &caller)) return NULL; /* the event itself finds them */
    if (gpm_native_walk_to(thread, caller)) break;
    gpm_thread_drop_innermost(thread);
  }
  /* A library that rebuilt code calls is one scope, because the functions of closed libraries have
   * no names. */
  struct walk w = {.visited = 0};
  if (!gpm_options.stacks_given && !atomic_load(&functions_asked_for)) w = walk_module();
  if (w.count && !w.rebuilt) return push_module(&w, machine_stack);
  return gpm_native_push_walked(thread, machine_stack);
}

struct gpumemprof_frame *gpm_native_push_at(struct gpm_thread *thread, uintptr_t machine_stack) {
  struct gpumemprof_frame *outermost;
  if (gpm_interpreter_charged(thread)) return NULL;
  gpm_set_busy(thread, true); /* signal handlers must stay out: of locks, and of the walk */
  (void)gpm_recording();      /* finds out whether it is sealed */
  gpm_count_ended(thread);
  if (gpm_native_is_whole()) outermost = push_functions(thread, machine_stack);
  else {
    struct walk w = walk_module();
    outermost = push_module(&w, machine_stack);
  }
  gpm_set_busy(thread, false);
  return outermost;
}

static void set_stacks(const char *mode) {
  bool whole = mode[0] == 'n';
  if (whole) gpm_native_start();
  atomic_store(&gpm_native_whole, whole);
}

void gpm_native_off(void) {
  atomic_store(&gpm_native_whole, false);
}

/* Other threads wait until the first one has finished, so that their first allocations have whole
 * stacks as well. The wait is limited, because they may hold a lock that dlopen needs. A signal
 * handler that interrupted the first thread does not wait. */
void gpm_native_begin(void) {
  if (gpm_options.stacks[0] == 's' || !gpm_recording() || atomic_load(&begun)) return;
  const void *first = NULL, *mine = &__gpumemprof_stack;
  if (!atomic_compare_exchange_strong(&beginner, &first, mine)) {
    for (int i = 0; i < 10000 && first != mine && !atomic_load(&begun); i++) gpm_yield();
    return;
  }
  int saved = errno;
  set_stacks(gpm_options.stacks);
  atomic_store(&begun, true);
  errno = saved;
}

int __gpumemprof_stacks(const char *mode) {
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  if (!gpm_values_among(mode, "scopes", "native", NULL)) {
    gpm_values_refuse("gpumemprof_stacks", mode, "scopes or native");
    return GPUMEMPROF_ERROR_ARGUMENT;
  }
  gpm_native_begin(); /* otherwise it could run later and undo this */
  int saved = errno;
  atomic_store(&functions_asked_for, true);
  set_stacks(mode);
  errno = saved;
  return 0;
}

void gpm_native_forked(void) {
  if (!atomic_load(&begun)) atomic_store(&beginner, NULL); /* another thread had only begun it */
  gpm_objects_forked();
  gpm_places_forked();
}

bool gpm_native_start(void) {
  bool free_of_locks = gpm_objects_start();
  return gpm_machine_stack_start() && free_of_locks;
}
