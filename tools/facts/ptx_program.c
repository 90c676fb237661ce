/* ptx_program.c - what is known of the instructions of a PTX text before a kernel is followed: what
 * they do, and which functions they call. See ptx_flow.h. */
#include "facts/ptx_flow.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name; /* a pattern of device_functions.def */
  uint8_t callee;
  uint8_t pointers; /* GPM_PTX_CALLS_WRITE: a mask of the arguments that point to results */
} known[] = {
#define GPUMEMPROF_DEVICE_FUNCTION(pattern, EFFECT, pointers)                                      \
  {pattern, GPM_PTX_CALLS_##EFFECT, pointers},
#include "gpumemprof/device_functions.def"
};

static bool fits(struct gpm_ptx_text name, const char *pattern) {
  size_t length = strlen(pattern);
  if (pattern[length - 1] != '*') return gpm_ptx_is(name, pattern);
  return name.size >= length - 1 && !memcmp(name.at, pattern, length - 1);
}

static void find_callee(struct gpm_ptx *ptx, const struct gpm_ptx_function *f,
                        const struct gpm_ptx_instruction *instruction, struct gpm_ptx_code *code) {
  const struct gpm_ptx_operand *o = f->operand + instruction->operand;
  code->callee = GPM_PTX_CALLS_POINTER;
  for (uint32_t i = 0; i < instruction->operands; i++, o++) {
    if (o->place != 1 || o->name == GPM_PTX_NO_NAME) continue;
    struct gpm_ptx_text name = f->names[o->name].text;
    const struct gpm_ptx_function *callee = gpm_ptx_find(ptx, name);
    if (!callee) return;
    code->callee = GPM_PTX_CALLS_UNKNOWN;
    code->function = (uint32_t)(callee - ptx->function);
    if (callee->has_body) code->callee = GPM_PTX_CALLS_BODY;
    for (size_t k = 0; !callee->has_body && k < sizeof known / sizeof *known; k++)
      if (fits(name, known[k].name)) {
        code->callee = known[k].callee;
        code->pointers = known[k].pointers;
        return;
      }
    return;
  }
}

void gpm_ptx_program_make(struct gpm_ptx_program *program, struct gpm_ptx *ptx) {
  *program = (struct gpm_ptx_program){
      .ptx = ptx, .code = gpm_memory_array(ptx->functions, sizeof *program->code)};
  for (uint32_t f = 0; f < ptx->functions; f++) {
    const struct gpm_ptx_function *function = &ptx->function[f];
    if (!function->instructions) continue;
    struct gpm_ptx_code *code = program->code[f] =
        gpm_memory_array(function->instructions, sizeof *code);
    for (uint32_t i = 0; i < function->instructions; i++, code++) {
      code->op = gpm_ptx_op_of(function->instruction[i].opcode);
      if (code->op.action == GPM_PTX_CALL)
        find_callee(ptx, function, &function->instruction[i], code);
    }
  }
}

void gpm_ptx_program_free(struct gpm_ptx_program *program) {
  for (uint32_t f = 0; f < program->ptx->functions; f++) free(program->code[f]);
  free(program->code);
}
