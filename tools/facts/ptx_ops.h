/* ptx_ops.h - what an instruction of PTX does with addresses, from the text of its opcode
 * (ptx_ops.def). ptx_flow.c and ptx_access.c act on it. */
#ifndef GPM_TOOLS_PTX_OPS_H
#define GPM_TOOLS_PTX_OPS_H

#include "facts/ptx.h"

enum gpm_ptx_action {
  GPM_PTX_COMPUTE,      /* something else from its operands */
  GPM_PTX_NOTHING,      /* nothing that matters here */
  GPM_PTX_COMPARE,      /* the same, but the operands are asked for */
  GPM_PTX_MOVE,         /* like KEEP; of one operand, so that its offset is known too */
  GPM_PTX_KEEP,         /* the result is one of its operands, or their sum */
  GPM_PTX_ADD,          /* like KEEP; adds a number to an offset that is known */
  GPM_PTX_SUBTRACT,     /* keeps the first operand; the second is an offset */
  GPM_PTX_MULTIPLY_ADD, /* keeps the last operand; the others are an offset */
  GPM_PTX_AND,          /* keeps an address whose low bits it clears */
  GPM_PTX_CONVERT,      /* keeps what it does not make shorter or longer */
  GPM_PTX_SCALE,        /* the result is an offset */
  GPM_PTX_LOAD,
  GPM_PTX_STORE,
  GPM_PTX_ATOMIC, /* reads and writes */
  GPM_PTX_MATRIX, /* loads or stores a matrix, or computes */
  GPM_PTX_COPY,   /* cp.async and what follows it */
  GPM_PTX_DISCARD,
  GPM_PTX_SHARED_LOAD,
  GPM_PTX_SHARED_STORE,
  GPM_PTX_TEXTURE,
  GPM_PTX_TENSOR_MAP,
  GPM_PTX_ALLOCA,
  GPM_PTX_CALL,
};

enum gpm_ptx_address_space {                 /* what an opcode says of an address */
                             GPM_PTX_IN_ANY, /* generic: it may be in each of the following */
                             GPM_PTX_IN_GLOBAL,
                             GPM_PTX_IN_SHARED,
                             GPM_PTX_IN_LOCAL,
                             GPM_PTX_IN_CONSTANT,
                             GPM_PTX_IN_PARAMETERS,
};

struct gpm_ptx_op {
  uint8_t action;     /* enum gpm_ptx_action */
  uint8_t space[2];   /* enum gpm_ptx_address_space: of the first and the second address */
  uint8_t spaces;     /* how many the opcode names */
  uint8_t width;      /* bytes of its last type; 0: it has none */
  uint8_t result;     /* bytes of its first type */
  bool is_float;      /* one of its types is */
  bool is_signed;     /* its last type is */
  bool makes_generic; /* cvta.shared and so on, but not cvta.to: of an address of that space */
};

struct gpm_ptx_op gpm_ptx_op_of(struct gpm_ptx_text opcode);
/* Whether one of the opcode's parts is that word: .tensor, .prefetch. */
bool gpm_ptx_op_has(struct gpm_ptx_text opcode, const char *word);

#endif
