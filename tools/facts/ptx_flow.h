/* ptx_flow.h - which addresses the registers of a kernel may hold: a set of origins (ptx_origins.h)
 * for each name of the kernel and of the functions that it calls, whatever the order in which the
 * instructions run. Local and shared memory are one set each.
 *
 *   ld.param.b64 %rd1, [k_param_0];   %rd1: {word 0}
 *   add.s64 %rd2, %rd1, %rd9;         %rd2: {word 0}
 *   call f, (param0);                 the parameter of f: what param0 holds, at any call
 *
 * Instructions are applied until no set grows. ptx_access.c makes a flow for each kernel, and
 * judges what is accessed through it. */
#ifndef GPM_TOOLS_PTX_FLOW_H
#define GPM_TOOLS_PTX_FLOW_H

#include "facts/ptx.h"
#include "facts/ptx_ops.h"
#include "facts/ptx_origins.h"

enum gpm_ptx_callee {
  GPM_PTX_CALLS_BODY,    /* a function of this text */
  GPM_PTX_CALLS_NOWHERE, /* it ends the program, or computes with numbers: no memory is touched */
  GPM_PTX_CALLS_PRINT,   /* vprintf */
  GPM_PTX_CALLS_MALLOC,
  GPM_PTX_CALLS_WRITE,   /* of libdevice, writes results where its arguments point to */
  GPM_PTX_CALLS_LAUNCH,  /* launches a kernel */
  GPM_PTX_CALLS_UNKNOWN, /* a function that is not in this text */
  GPM_PTX_CALLS_POINTER, /* through a pointer */
};

struct gpm_ptx_code { /* what is known of an instruction before any kernel is followed */
  struct gpm_ptx_op op;
  uint8_t callee;    /* of a call: enum gpm_ptx_callee */
  uint8_t pointers;  /* GPM_PTX_CALLS_WRITE: a mask of the arguments that point to results */
  uint32_t function; /* GPM_PTX_CALLS_BODY: its number */
};

struct gpm_ptx_program { /* a text with that */
  struct gpm_ptx *ptx;
  struct gpm_ptx_code **code; /* of each function; null: it has no instructions */
};
void gpm_ptx_program_make(struct gpm_ptx_program *program, struct gpm_ptx *ptx);
void gpm_ptx_program_free(struct gpm_ptx_program *program);

struct gpm_ptx_offset { /* of an address of a parameter itself, in the parameter */
  enum { GPM_PTX_OFFSET_UNSET, GPM_PTX_OFFSET_KNOWN, GPM_PTX_OFFSET_VARIES } state;
  int64_t bytes;
};

struct gpm_ptx_part { /* a function that runs in the kernel */
  const struct gpm_ptx_function *function;
  const struct gpm_ptx_code *code;
  uint64_t first; /* number of its first name among all */
};

struct gpm_ptx_flow {
  const struct gpm_ptx_program *program;
  const struct gpm_ptx_function *kernel;
  struct gpm_ptx_layout layout;
  uint32_t *first_word; /* of each parameter of the kernel, and one more */
  struct gpm_ptx_part *part;
  uint32_t parts;
  uint32_t *part_of; /* by number of the function: number of its part plus 1 */
  uint64_t *sets;    /* of each name */
  struct gpm_ptx_offset *offset;
  uint64_t *local, *shared; /* what was stored there */
  uint64_t *escaped;        /* what was stored elsewhere, or passed to code that is not known */
  uint64_t *scratch[2];
  bool changed;
  bool ended; /* no set grows any more; else the kernel is too large or too intricate */
};

/* Words of 8 bytes in a parameter; a float or what is shorter can hold no address and has none. */
uint32_t gpm_ptx_words_of(const struct gpm_ptx_parameter *parameter);

void gpm_ptx_flow_make(struct gpm_ptx_flow *flow, const struct gpm_ptx_program *program,
                       const struct gpm_ptx_function *kernel);
void gpm_ptx_flow_free(struct gpm_ptx_flow *flow);

/* Adds to `to` what the operand may hold. */
void gpm_ptx_flow_value(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part,
                        const struct gpm_ptx_operand *operand, uint64_t *to);
/* Whether the operand names a parameter of a function, or one that is passed or returned. */
bool gpm_ptx_flow_is_parameter(const struct gpm_ptx_part *part,
                               const struct gpm_ptx_operand *operand);

#endif
