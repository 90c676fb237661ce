/* verify_paths.c - the machine stack of each call path when it is first made (verify=paths), with
 * which `gpumemprof info --paths` compares the path. call_tree.c asks for it.
 */
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "core/shadow_stack.h"
#include "foreign/machine_stack.h"
#include "foreign/native.h"
#include "foreign/objects.h"
#include "options/options.h"
#include "threads/threads.h"

#include <errno.h>
#include <string.h>

static _Atomic bool verifies;

void gpm_native_verify_begin(void) {
  static _Atomic bool begun_once;
  if (gpm_options.verify[0] != 'p' || !gpm_recording() || atomic_exchange(&begun_once, true))
    return;
  int saved = errno;
  if (gpm_native_start()) atomic_store(&verifies, true);
  else
    gpm_text_say("verify=paths is off: it needs a program with shared libraries, libgcc_s.so.1 "
                 "and a C library with _dl_find_object (glibc 2.35)",
                 NULL);
  errno = saved;
}

static struct machine_stack { /* under gpm_tree_lock */
  char text[3900];            /* strings.c cuts longer ones */
  size_t length;
  struct gpm_object module;
  unsigned visited;
  bool outside; /* the latest frame is of no file, so it may not be the last one */
} machine_stack;

static int each_machine_frame(void *context, void *data) {
  struct machine_stack *s = data;
  uintptr_t call = gpm_unwind_address(context) - 1;
  if (call == UINTPTR_MAX) return GPM_UNWIND_GO_ON; /* after the first function of the thread */
  bool inside = call >= s->module.begin && call < s->module.end;
  s->outside = !inside && !gpm_object_at(call, &s->module);
  if (s->outside) {
    s->module = (struct gpm_object){0};
    return GPM_UNWIND_GO_ON;
  }
  if (++s->visited > 1000 || s->length + strlen(s->module.path) + 32 > sizeof s->text) {
    s->length = gpm_text_add(s->text, sizeof s->text, s->length, " ...");
    return GPM_UNWIND_STOP;
  }
  if (!inside) {
    gpm_object_record_locked(&s->module); /* the tool compares only with the same file */
    if (s->length) s->length = gpm_text_add(s->text, sizeof s->text, s->length, "\n");
    s->length = gpm_text_add(s->text, sizeof s->text, s->length, s->module.path);
  }
  s->length = gpm_text_add(s->text, sizeof s->text, s->length, " ");
  s->length = gpm_text_add_hex(s->text, sizeof s->text, s->length, call - s->module.bias);
  return GPM_UNWIND_GO_ON;
}

const char *gpm_native_machine_stack(void) {
  struct gpm_thread *thread = gpm_thread_current;
  /* The path of work from another thread continues that thread's path, so no stack can confirm
   * it. */
  if (!atomic_load(&verifies) || !thread || thread->delegating) return NULL;
  if (gpm_thread_outlives_code()) return " ..."; /* the stack is not known */
  machine_stack.length = machine_stack.visited = 0;
  machine_stack.module = (struct gpm_object){0};
  machine_stack.outside = false;
  gpm_unwind_all(each_machine_frame, &machine_stack);
  if (machine_stack.outside)
    gpm_text_add(machine_stack.text, sizeof machine_stack.text, machine_stack.length, " ...");
  return machine_stack.text;
}
