/* ptx.h - a PTX text as functions with instructions and operands. It knows the grammar and where a
 * name is declared, not what an instruction does: that is ptx_ops.def's and ptx_access.c's.
 *
 *   .visible .entry k(.param .u64 p) {        function: name, parameters, names
 *     ld.param.b64 %rd1, [p];                 instruction: opcode, operands
 *     @%p1 st.global.v2.b32 [%rd1+8], {%r1, %r2};
 *     { .reg .b64 t; ... }                    a block: what it declares is new names
 *   }
 *
 * A name of a function is a number: a register, a parameter, a variable or a label, whatever stands
 * for a value in an operand. facts.c calls it. Nothing in a text is trusted: what does not follow
 * the grammar makes the function `damaged`. */
#ifndef GPM_TOOLS_PTX_H
#define GPM_TOOLS_PTX_H

#include "support/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_ptx_text { /* a part of the PTX text, without a zero byte */
  const char *at;
  uint32_t size;
};

enum gpm_ptx_space {                    /* where what a name stands for is */
                     GPM_PTX_REGISTER,  /* a register, a label, a number of the hardware such as
                                           %tid.x */
                     GPM_PTX_PARAMETER, /* of a function or of a call */
                     GPM_PTX_GLOBAL,
                     GPM_PTX_CONSTANT,
                     GPM_PTX_SHARED,
                     GPM_PTX_LOCAL,
};

#define GPM_PTX_NO_NAME UINT32_MAX

struct gpm_ptx_name {
  struct gpm_ptx_text text;
  uint8_t space;      /* enum gpm_ptx_space */
  uint32_t parameter; /* number of the function's parameter, or GPM_PTX_NO_NAME */
};

struct gpm_ptx_operand {
  uint32_t name;    /* GPM_PTX_NO_NAME: a number */
  int64_t number;   /* the number, or what is added to the name */
  bool in_brackets; /* it is, or is in, [...] */
  uint8_t place; /* which operand of the instruction, from 0; the parts of {a, b} have one place */
};

struct gpm_ptx_instruction {
  struct gpm_ptx_text opcode; /* with its modifiers: ld.global.v2.b32 */
  uint32_t operand, operands; /* the first one, and how many */
  /* of a call: place 0 is what it returns, place 1 the function, place 2 its arguments */
};

struct gpm_ptx_parameter {
  uint32_t name;
  uint32_t size;
  bool is_pointer; /* .ptr: the compiler says so */
  bool is_float, is_array;
};

struct gpm_ptx_function {
  struct gpm_ptx_text name;
  struct gpm_ptx_text alias; /* the function that the name stands for; empty: it is not an alias */
  bool is_kernel, has_body, damaged;
  struct gpm_ptx_parameter *parameter; /* those that it returns come first */
  uint32_t parameters, returned;
  struct gpm_ptx_name *names;
  uint32_t name_count;
  struct gpm_ptx_instruction *instruction;
  uint32_t instructions;
  struct gpm_ptx_operand *operand;
  uint32_t operands;
};

struct gpm_ptx {
  uint32_t arch; /* of .target; 0: not given */
  struct gpm_ptx_function *function;
  uint32_t functions;
  bool marks_pointers;    /* a parameter has .ptr: those without it are numbers */
  bool cut;               /* the text ends within a function */
  bool prints_strings;    /* a text of the program has %s, for printf */
  struct gpm_map by_name; /* numbers of functions plus 1 */
};

/* The PTX refers to `text`, whose byte after the last is zero; the caller keeps it. False: the text
 * is no PTX. */
bool gpm_ptx_read(struct gpm_ptx *ptx, const char *text, size_t size);
void gpm_ptx_free(struct gpm_ptx *ptx);

bool gpm_ptx_is(struct gpm_ptx_text text, const char *word);
uint64_t gpm_ptx_hash(struct gpm_ptx_text text);
/* Function of that name, one with a body if there is any; null: none. */
const struct gpm_ptx_function *gpm_ptx_find(struct gpm_ptx *ptx, struct gpm_ptx_text name);

#endif
