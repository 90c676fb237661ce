/* facts.h - what is known of kernels from the PTX of a program: for each word of 8 bytes of their
 * parameters, whether the kernel reads or writes what it points to, and whether the kernel touches
 * other memory.
 *
 *   fatbin.c   the PTX texts in a program or library
 *   ptx.c      a text as functions and instructions
 *   ptx_flow.c, ptx_access.c   where addresses come from, and what is done through them
 *   facts.c    all of that for the files that the user names, by the symbol of the kernel
 *
 * When in doubt it is on the safe side: a kernel that is compiled for several architectures, or in
 * several files, has everything that any of them has; one that is also there as machine code that
 * was made from other PTX is open, and nothing is known of its parameters. */
#ifndef GPM_TOOLS_FACTS_H
#define GPM_TOOLS_FACTS_H

#include "support/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpm_facts_class { /* what a kernel may do with the memory that a word points to */
                       GPM_FACTS_NONE, /* it does not touch it */
                       GPM_FACTS_READ,
                       GPM_FACTS_WRITE,
                       GPM_FACTS_BOTH,
                       GPM_FACTS_UNKNOWN, /* the address is stored, or passed to code that is not
                                             known */
};

struct gpm_facts_word {
  uint32_t parameter; /* from 0 */
  uint32_t offset;    /* in the parameter, a multiple of 8 */
  enum gpm_facts_class access;
  bool is_number; /* by its type it is no pointer, and the kernel does not use it as one; what is
                   * added to an address has its access nevertheless */
};

struct gpm_kernel_facts {
  char *symbol;        /* of the PTX's entry, as the linker knows it */
  bool has_ptx;        /* else there is only machine code of it */
  uint32_t parameters; /* 0 if it has no PTX */
  uint32_t words;      /* none of parameters that can hold no address: floats, less than 8 bytes */
  struct gpm_facts_word *word;
  bool closed;        /* of allocated memory it touches only what its parameters point to */
  const char *reason; /* why it is open, as what follows "the kernel"; null: it is closed */
  uint32_t reasons;   /* all of them, a mask of 1 << enum gpm_ptx_reason */
  char *name;         /* of the function or instruction in the reason, or null */
};

struct gpm_facts {
  struct gpm_kernel_facts *kernel; /* in the order in which they were found */
  uint32_t kernels;
  struct gpm_map by_symbol; /* numbers plus 1 */
  uint32_t texts;           /* PTX texts that were read */
  uint32_t damaged;         /* containers and entries of fatbins that are not what they say */
  uint32_t compressed;      /* entries that are compressed in a way that this build does not read */
};

/* Adds what a program, a library, an object file or a PTX text has. Null, or a sentence that says
 * why it cannot be read, which the caller frees. A zeroed struct has no facts. */
char *gpm_facts_add(struct gpm_facts *facts, const char *path);
/* Does the same for the bytes of a PTX text; false: it is none. */
bool gpm_facts_add_text(struct gpm_facts *facts, const char *text, size_t size);
void gpm_facts_free(struct gpm_facts *facts);

/* Null: nothing is known of it. */
const struct gpm_kernel_facts *gpm_facts_find(struct gpm_facts *facts, const char *symbol);
/* The reason with the name in it; to be freed. */
char *gpm_facts_reason(const struct gpm_kernel_facts *kernel);

#endif
