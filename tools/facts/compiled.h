/* compiled.h - what the plugin found out about kernels when clang compiled them, from the names in
 * device code that say it (gpumemprof/kernel_facts.h). facts.c calls it. Nothing in a name is
 * trusted: what is not in order says nothing. */
#ifndef GPM_TOOLS_COMPILED_H
#define GPM_TOOLS_COMPILED_H

#include "facts/facts_of_kernel.h"
#include "support/map.h"

/* What one piece of device code says: a PTX text, or machine code. */
struct gpm_compiled {
  struct gpm_compiled_kernel {
    struct gpm_kernel_facts facts; /* without a symbol */
    uint64_t names;                /* of what says it, for comparisons */
  } *kernel;
  uint32_t kernels;
  struct gpm_map by_symbol; /* numbers plus 1 */
  struct gpm_map by_name;   /* 1: it is in `names` of its kernel */
};

/* Finds the names in the bytes, which a zero byte follows. */
void gpm_compiled_read(struct gpm_compiled *compiled, const char *bytes, size_t size);
/* Whether a kernel of that symbol only says something of others. */
bool gpm_compiled_is_name(const char *symbol, size_t size);
/* Null: it says nothing of the kernel. */
const struct gpm_compiled_kernel *gpm_compiled_find(const struct gpm_compiled *compiled,
                                                    const char *symbol, size_t size);
void gpm_compiled_free(struct gpm_compiled *compiled);

#endif
