/* rebuilt_code.c - tells functions that were compiled with the plugin from others, by their code.
 *
 *   lea site(%rip), %rdi     (or its address itself, in a program at fixed addresses)
 *
 * A function that pushes a frame says which scope it is (hooks.h), so its code has the distance to
 * a site in it. Nothing else says which functions were rebuilt: sites have no addresses of
 * functions. native.c asks for the function around code that was not rebuilt, once for each return
 * address.
 */
#include "foreign/rebuilt_code.h"
#include "foreign/eh_frame.h"
#include "foreign/objects.h"
#include "records/modules.h"

#include <string.h>

enum { NOT_ASKED, REBUILT, NOT_REBUILT };

#if defined(__x86_64__)
static bool refers_to_site(const struct gpm_eh_description *d) {
  for (uintptr_t at = d->begin; at + 4 <= d->end; at++) {
    int32_t number;
    memcpy(&number, (const void *)at, sizeof number);
    uintptr_t away = at + 4 + (uintptr_t)(intptr_t)number, itself = (uint32_t)number;
    if (gpm_modules_hold((const void *)away) || gpm_modules_hold((const void *)itself)) return true;
  }
  return false;
}

/* Where the jump at this address leads to; 0: it is none, or one within few bytes. */
static uintptr_t jump_target(const unsigned char *code) {
  bool conditional = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
  if (code[0] != 0xe9 && !conditional) return 0;
  int32_t distance;
  memcpy(&distance, code + 1 + conditional, sizeof distance);
  return (uintptr_t)code + 5 + conditional + (uintptr_t)(intptr_t)distance;
}

/* A part of a function that the compiler moved elsewhere does not push the frame. It jumps back
 * into its function, or never returns, as the code that cleans up for an exception. gcc moves
 * much of the latter, clang nothing unless it is asked to. */
static bool jumps_to_rebuilt(uintptr_t table, const struct gpm_eh_description *part) {
  struct gpm_eh_description d = {0};
  for (uintptr_t at = part->begin; at + 6 <= part->end; at++) {
    uintptr_t target = jump_target((const unsigned char *)at);
    bool leaves = target && (target < part->begin || target >= part->end);
    if (leaves && gpm_eh_find(table, target, &d) == GPM_EH_FOUND && refers_to_site(&d)) return true;
  }
  return false;
}

static bool code_is_rebuilt(const struct gpm_place *p) {
  struct gpm_object o;
  struct gpm_eh_description d = {0};
  if (!p->rule.function || !gpm_object_at(p->address - 1, &o)) return true;
  if (gpm_eh_find(o.unwind_table, p->address - 1, &d) != GPM_EH_FOUND) return true;
  return refers_to_site(&d) || (p->rule.part && jumps_to_rebuilt(o.unwind_table, &d));
}
#else
static bool code_is_rebuilt(const struct gpm_place *p) {
  (void)p;
  return true;
}
#endif

bool gpm_place_is_rebuilt(struct gpm_place *p) {
  uint8_t known = atomic_load_explicit(&p->rebuilt, memory_order_relaxed);
  if (known == NOT_ASKED) {
    known = code_is_rebuilt(p) ? REBUILT : NOT_REBUILT;
    atomic_store_explicit(&p->rebuilt, known, memory_order_relaxed);
  }
  return known == REBUILT;
}
