/* ptx_access.h - what each kernel of a PTX text does with the memory that its parameters point to,
 * and whether it may touch other memory. ptx_flow.h finds the addresses.
 *
 * Everything is "may": a kernel that is closed and has no access of a word does not touch what the
 * word points to; if it reads, it may also not read, but it does not write. facts.c calls it. */
#ifndef GPM_TOOLS_PTX_ACCESS_H
#define GPM_TOOLS_PTX_ACCESS_H

#include "facts/facts_of_kernel.h"
#include "facts/ptx.h"

enum { /* what is done through a word of a parameter */
       GPM_PTX_READS = 1,
       GPM_PTX_WRITES = 2,
       GPM_PTX_ESCAPES = 4, /* its value is stored or passed to unknown code */
       GPM_PTX_ASKS = 8,    /* the kernel depends on its value, as when it compares it with null */
};

struct gpm_ptx_word {
  uint32_t parameter, offset; /* in the parameter */
  uint8_t access;             /* of the above */
  bool is_number;             /* by its type it is no pointer, and it is not used as one */
};

struct gpm_ptx_access {
  const struct gpm_ptx_function *kernel;
  struct gpm_ptx_word *word;
  uint32_t words;
  uint32_t open; /* a mask of 1 << enum gpm_facts_reason; 0: it is closed */
  struct gpm_ptx_text name[GPM_FACTS_REASONS]; /* of a function or instruction, for the reasons */
};

/* Calls `visit` for each kernel that has a body. The text of the PTX is needed until it returns. */
typedef void gpm_ptx_access_visitor(const struct gpm_ptx_access *access, void *data);
void gpm_ptx_access_visit(struct gpm_ptx *ptx, gpm_ptx_access_visitor *visit, void *data);

/* ptx_asked.c: adds GPM_PTX_ASKS to the words whose value an instruction of a flow asks for. */
struct gpm_ptx_flow;
struct gpm_ptx_part;
void gpm_ptx_asked(struct gpm_ptx_flow *flow, const struct gpm_ptx_part *part, uint32_t instruction,
                   struct gpm_ptx_access *access);

#endif
