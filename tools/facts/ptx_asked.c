/* ptx_asked.c - which words of a kernel's parameters an instruction asks for (ptx_access.h).
 *
 *   setp.eq.s64 %p1, %rd1, 0;   whether the kernel was given the address at all
 *   and.b64 %rd2, %rd1, 15;     whether it is aligned
 *
 * A kernel that only asks which address it was given needs the block as much as one that reads it:
 * without the block it does something else. A number of less than 8 bytes is no address, but may
 * have been computed from one, or be a part of one. */
#include "facts/ptx_access.h"
#include "facts/ptx_step.h"

void gpm_ptx_asked(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part, uint32_t instruction,
                   struct gpm_ptx_access *access) {
  const struct gpm_ptx_instruction *in = &part->function->instruction[instruction];
  struct gpm_ptx_step step = {.flow = flow,
                              .part = part,
                              .code = &part->code[instruction],
                              .operand = part->function->operand + in->operand,
                              .operands = in->operands};
  const struct gpm_ptx_op *op = &step.code->op;
  if (op->is_float || (op->action != GPM_PTX_COMPARE && !gpm_ptx_step_takes_low_bits(&step)))
    return;
  const uint64_t *asked = gpm_ptx_step_sources(&step);
  unsigned first = op->width == 8 ? GPM_PTX_AS_ADDRESS : GPM_PTX_AS_OFFSET;
  for (uint32_t w = 0; w < access->words; w++)
    for (unsigned f = first; f <= GPM_PTX_AS_PART; f++)
      if (gpm_ptx_set_has(asked, gpm_ptx_word_bit(&flow->layout, (enum gpm_ptx_flavour)f, w)))
        access->word[w].access |= GPM_PTX_ASKS;
}
