/* facts_option.h - the option --facts of the commands that judge uses of memory: advise, check and
 * html. Files that it names are added to what is known of kernels (uses/kernel_code.h). If one is
 * not whole, that is said.
 */
#ifndef GPM_TOOLS_FACTS_OPTION_H
#define GPM_TOOLS_FACTS_OPTION_H

#include "support/say.h"
#include "uses/kernel_code.h"

#include <argp.h>

enum { GPM_OPTION_FACTS = 800 };

/* An entry of a command's options. what_for: "" or what the command needs them for, as the
 * beginning of a sentence. */
#define GPM_FACTS_OPTION(what_for)                                                                 \
  {"facts",                                                                                        \
   GPM_OPTION_FACTS,                                                                               \
   "FILE",                                                                                         \
   0,                                                                                              \
   what_for                                                                                        \
   "also reads what kernels do from the PTX in this program, library or PTX text (may be "         \
   "given several times)",                                                                         \
   0}

static inline error_t gpm_facts_option_add(struct gpm_kernel_code *code, const char *path) {
  uint32_t cut = code->facts.cut;
  gpm_say_refuse(gpm_kernel_code_add(code, path));
  if (code->facts.cut > cut)
    gpm_say("warning: %s ends within a kernel, so a part of it is missing; write the PTX again",
            path);
  return 0;
}

#endif
