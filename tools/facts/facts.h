/* facts.h - what is known of kernels (facts_of_kernel.h) from the device code of a program.
 *
 *   fatbin.c   the PTX texts and the machine code in a program or library
 *   compiled.c what the plugin says in them, if clang compiled the kernel
 *   ptx.c      a text as functions and instructions
 *   ptx_flow.c, ptx_access.c   where addresses come from, and what is done through them
 *   facts.c    all of that for the files that the user names, by the symbol of the kernel
 *
 * When in doubt it is on the safe side: a kernel that is compiled for several architectures, or in
 * several files, has everything that any of them has; one that is also there as machine code that
 * says nothing, and was made from other PTX, is open, and nothing is known of its parameters. */
#ifndef GPM_TOOLS_FACTS_H
#define GPM_TOOLS_FACTS_H

#include "facts/facts_of_kernel.h"
#include "support/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpm_facts {
  struct gpm_kernel_facts *kernel; /* in the order in which they were found */
  uint32_t kernels;
  struct gpm_map by_symbol; /* numbers plus 1 */
  uint32_t texts;           /* PTX texts that were read */
  uint32_t machine_codes;   /* kernels in machine code, each time that one is found */
  uint32_t cut;             /* those of them that end within a kernel or function */
  uint32_t damaged;         /* containers and entries of fatbins that are not what they say */
  uint32_t compressed;      /* entries that are compressed in a way that this build does not read */
};

/* Adds what a program, a library, an object file or a PTX text has. Null, or a sentence that says
 * why it cannot be read, which the caller frees. A zeroed struct has no facts. */
char *gpm_facts_add(struct gpm_facts *facts, const char *path);
/* The hash by which captures tell builds of a program or library apart; 0: it has no device code,
 * or is another kind of file. */
uint64_t gpm_facts_hash(const char *path);
/* Does the same as gpm_facts_add for the bytes of a PTX text; false: it is none. */
bool gpm_facts_add_text(struct gpm_facts *facts, const char *text, size_t size);
void gpm_facts_free(struct gpm_facts *facts);

/* Null: nothing is known of it. */
const struct gpm_kernel_facts *gpm_facts_find(struct gpm_facts *facts, const char *symbol);
/* The reason with the name in it; to be freed. */
char *gpm_facts_reason(const struct gpm_kernel_facts *kernel);
/* How to compile so that something is known of a kernel. */
extern const char gpm_facts_remedy[];

#endif
