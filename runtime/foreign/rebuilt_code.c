/* rebuilt_code.c - tells functions that were compiled with the plugin from others, by their code.
 *
 *   mov __gpumemprof_stack@gottpoff(%rip), %rcx     (or its offset itself, in a static program)
 *
 * A function pushes its frame itself (hooks.h), so its code has the offset of the thread's shadow
 * stack in it, or the distance to the entry of its object's table where the offset is. Nothing else
 * says which functions were rebuilt: sites have no addresses. native.c asks for the function around
 * code that was not rebuilt, once for each return address.
 */
#include "foreign/rebuilt_code.h"
#include "foreign/eh_frame.h"
#include "foreign/objects.h"
#include "gpumemprof/hooks.h"

#include <string.h>

enum { NOT_ASKED, REBUILT, NOT_REBUILT };

#if defined(__x86_64__)
static intptr_t stack_offset(void) {
  uintptr_t thread;
  __asm__("mov %%fs:0, %0" : "=r"(thread));
  return (intptr_t)((uintptr_t)&__gpumemprof_stack - thread);
}

/* Compilers write either into an instruction, as its last four bytes or before another constant. */
static bool refers_to_stack(const struct gpm_object *o, const struct gpm_eh_description *d) {
  intptr_t offset = stack_offset();
  for (uintptr_t at = d->begin; at + 4 <= d->end; at++) {
    int32_t number;
    memcpy(&number, (const void *)at, sizeof number);
    if (number == offset) return true;
    uintptr_t entry = at + 4 + (uintptr_t)(intptr_t)number;
    if (entry % 8 || !gpm_object_has_data(o, entry)) continue;
    intptr_t stored;
    memcpy(&stored, (const void *)entry, sizeof stored);
    if (stored == offset) return true;
  }
  return false;
}

static bool look(const struct gpm_place *p) {
  struct gpm_object o;
  struct gpm_eh_description d = {0};
  if (!p->rule.function || p->rule.part || !gpm_object_at(p->address - 1, &o)) return true;
  if (gpm_eh_find(o.unwind_table, p->address - 1, &d) != GPM_EH_FOUND) return true;
  return refers_to_stack(&o, &d);
}
#else
static bool look(const struct gpm_place *p) {
  (void)p;
  return true;
}
#endif

bool gpm_place_is_rebuilt(struct gpm_place *p) {
  uint8_t known = atomic_load_explicit(&p->rebuilt, memory_order_relaxed);
  if (known == NOT_ASKED) {
    known = look(p) ? REBUILT : NOT_REBUILT;
    atomic_store_explicit(&p->rebuilt, known, memory_order_relaxed);
  }
  return known == REBUILT;
}
