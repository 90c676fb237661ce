/* facts_of_kernel.h - what is known of one kernel: for each word of 8 bytes of its parameters,
 * whether it reads or writes what the word points to, and whether it touches other memory.
 *
 * Two such facts are joined if either may be what runs, and met if both are of the same code. */
#ifndef GPM_TOOLS_FACTS_OF_KERNEL_H
#define GPM_TOOLS_FACTS_OF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpm_facts_class { /* what a kernel may do with the memory that a word points to */
                       GPM_FACTS_NONE, /* it does not touch it */
                       GPM_FACTS_READ, /* or asks which address it is, as by comparing it with null
                                        */
                       GPM_FACTS_WRITE,
                       GPM_FACTS_BOTH,
                       GPM_FACTS_UNKNOWN, /* the address is stored, or passed to code that is not
                                             known */
};

enum gpm_facts_reason {
#define GPUMEMPROF_KERNEL_REASON(NAME, letter, text) GPM_FACTS_IS_##NAME,
#include "gpumemprof/kernel_reasons.def"
  GPM_FACTS_REASONS
};

enum { /* where facts come from */
       GPM_FACTS_OF_PTX = 1,
       GPM_FACTS_OF_COMPILER = 2, /* the plugin, when clang compiled the kernel */
};

struct gpm_facts_word {
  uint32_t parameter; /* from 0 */
  uint32_t offset;    /* in the parameter, a multiple of 8 */
  enum gpm_facts_class access;
  bool is_number;   /* by its type it is no pointer, and the kernel does not use it as one; what is
                     * added to an address has its access nevertheless */
  bool is_followed; /* memory is read or written there; else the word is compared or stored */
};

struct gpm_kernel_facts {
  char *symbol;        /* as the linker knows it; to be freed, as `word` and `name` */
  uint8_t sources;     /* a mask of GPM_FACTS_OF_*; 0: there is only machine code of it */
  uint32_t parameters; /* 0 if nothing is known of it */
  uint32_t words;      /* none of parameters that can hold no address: floats, less than 8 bytes */
  struct gpm_facts_word *word;
  bool closed;        /* of allocated memory it touches only what its parameters point to */
  const char *reason; /* why it is open, as what follows "the kernel"; null: it is closed */
  uint32_t reasons;   /* all of them, a mask of 1 << enum gpm_facts_reason */
  char *name;         /* of the function or instruction in the reason, or null */
};

void gpm_kernel_facts_free(struct gpm_kernel_facts *kernel);

/* Adds a reason. The first in the order of kernel_reasons.def is the one that is printed. */
void gpm_kernel_facts_open(struct gpm_kernel_facts *kernel, enum gpm_facts_reason reason,
                           const char *name, size_t size);
/* Nothing is known of its words any more. */
void gpm_kernel_facts_forget(struct gpm_kernel_facts *kernel);
/* Adds everything that the other has. */
void gpm_kernel_facts_join(struct gpm_kernel_facts *kernel, const struct gpm_kernel_facts *other);
/* Leaves what both have, because both are on the safe side. Where they cannot both be right it
 * leaves what either has. */
void gpm_kernel_facts_meet(struct gpm_kernel_facts *kernel, const struct gpm_kernel_facts *other);

#endif
