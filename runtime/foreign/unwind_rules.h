/* unwind_rules.h - how the machine frame of a function is left, by its call frame information: see
 * unwind_rules.c.
 */
#ifndef GPM_UNWIND_RULES_H
#define GPM_UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* The address above the return address of a frame (CFA) is that of a register plus an offset; or it
 * is stored there, as in functions that align their stack. */
enum gpm_unwind_base {
  GPM_UNWIND_NOT_DESCRIBED, /* there is no information about this code */
  GPM_UNWIND_NOT_KNOWN,     /* libgcc's unwinder has to walk this stack */
  GPM_UNWIND_END,           /* the first function of the thread */
  GPM_UNWIND_SP,
  GPM_UNWIND_FP,
  GPM_UNWIND_STORED_AT_FP
};
/* Where the caller's frame pointer is. */
enum gpm_unwind_fp { GPM_UNWIND_FP_SAME, GPM_UNWIND_FP_AT_CFA, GPM_UNWIND_FP_AT_FP };

struct gpm_unwind_rule {
  uint8_t base; /* enum gpm_unwind_base */
  uint8_t fp;   /* enum gpm_unwind_fp */
  bool part;    /* the code is no function but a part of one: nobody calls it (gcc's `.cold`) */
  int32_t offset, fp_offset;
  uintptr_t function; /* where the code begins that the information is about; 0: not known */
};

/* The rule for an instruction, by the .eh_frame_hdr of its object (0: it has none). Reads memory of
 * the object only; takes no lock. */
void gpm_unwind_rule_at(uintptr_t table, uintptr_t address, struct gpm_unwind_rule *rule);

#endif /* GPM_UNWIND_RULES_H */
