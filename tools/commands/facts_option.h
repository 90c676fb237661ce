/* facts_option.h - the option --facts of the commands that judge uses of memory: advise, check and
 * html. Files that it names are added to what is known of kernels (uses/kernel_code.h). What is
 * wrong with one is said: that it is not whole, or that it is of another program.
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

static const char *gpm_facts_option_first; /* file that was given, of the command line */
static unsigned gpm_facts_option_count;

static inline error_t gpm_facts_option_add(struct gpm_kernel_code *code, const char *path) {
  uint32_t cut = code->facts.cut;
  gpm_say_refuse(gpm_kernel_code_add(code, path));
  if (code->facts.cut > cut)
    gpm_say("warning: %s ends within a kernel, so a part of it is missing; write the PTX again",
            path);
  if (!gpm_facts_option_count++) gpm_facts_option_first = path;
  return 0;
}

/* Says if the files have no kernel that the program of the capture has. To be called before other
 * files are added. */
static inline void gpm_facts_option_compare(struct gpm_kernel_code *code,
                                            const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->kernels};
  if (!gpm_facts_option_count || !r->kernels.count) return;
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));)
    if (gpm_facts_find(&code->facts, gpm_reader_string(r, k->symbol))) return;
  gpm_say(
      "warning: no kernel that this run launched is in %s; name the PTX or the program that its "
      "kernels were compiled to",
      gpm_facts_option_count > 1 ? "the files that --facts names" : gpm_facts_option_first);
}

#endif
