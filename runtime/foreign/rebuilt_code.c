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
enum { MOST_PARTS = 64 }; /* of a function */

/* The bytes of other instructions are sometimes distances to a site, as those of `mov $69, %edi`
 * in a small program are to what lies 69 times 256 bytes behind them. */
static bool is_distance_of_lea(uintptr_t at) {
  const unsigned char *code = (const unsigned char *)at;
  return code[-2] == 0x8d && (code[-1] & 0xc7) == 0x05;
}

static bool refers_to_site(const struct gpm_eh_description *d) {
  for (uintptr_t at = d->begin + 1; at + 4 <= d->end; at++) {
    int32_t number;
    memcpy(&number, (const void *)at, sizeof number);
    uintptr_t away = at + 4 + (uintptr_t)(intptr_t)number, itself = (uint32_t)number;
    if (gpm_modules_hold((const void *)itself)) return true;
    if (at - d->begin > 2 && is_distance_of_lea(at) && gpm_modules_hold((const void *)away))
      return true;
  }
  return false;
}

/* A part of a function that the compiler moved elsewhere, as gcc does with handlers of exceptions,
 * does not push the frame. Its description follows that of the function and those of other parts.
 */
static bool other_parts_refer_to_site(uintptr_t table, const struct gpm_eh_description *part) {
  const uint8_t *before[MOST_PARTS];
  size_t count = gpm_eh_before(table, part->record, before, MOST_PARTS);
  for (size_t k = 0; k < count && k < MOST_PARTS; k++) {
    struct gpm_eh_description d = {0};
    struct gpm_unwind_rule rule;
    if (!gpm_eh_read(table, before[(count - 1 - k) % MOST_PARTS], &d)) return true;
    if (refers_to_site(&d)) return true;
    gpm_unwind_rule_at(table, d.begin, &rule);
    if (!rule.part) return false;
  }
  return true; /* nobody knows */
}

static bool code_is_rebuilt(const struct gpm_place *p) {
  struct gpm_object o;
  struct gpm_eh_description d = {0};
  if (!p->rule.function || !gpm_object_at(p->address - 1, &o)) return true;
  if (gpm_eh_find(o.unwind_table, p->address - 1, &d) != GPM_EH_FOUND) return true;
  return refers_to_site(&d) || (p->rule.part && other_parts_refer_to_site(o.unwind_table, &d));
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
