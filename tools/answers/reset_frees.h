/* reset_frees.h - memory that the program did not free itself: the end of its CUDA context did, as
 * in cudaDeviceReset. The sums count it as freed (docs/ACCOUNTING.md), and so no leak has it.
 * For `gpumemprof leaks` and the short answer, which say so. */
#ifndef GPM_TOOLS_RESET_FREES_H
#define GPM_TOOLS_RESET_FREES_H

#include "analysis/holding.h"
#include "input/command.h"
#include "model/suppressions.h"

struct gpm_reset_frees {
  struct gpm_holding from; /* where it was allocated, the most first; `all` has the sum */
  uint32_t node;           /* the call that freed most of it; only if there is some */
  uint32_t calls;          /* on how many lines such calls are */
};

/* Finds what the filter of the profile shows and no suppression hides. The figures are those of the
 * whole run: of a part of it, and while the program runs, nothing is found. suppressions: or null.
 */
void gpm_reset_frees_find(struct gpm_reset_frees *frees, const struct gpm_profile *profile,
                          const struct gpm_suppressions *suppressions);
void gpm_reset_frees_free(struct gpm_reset_frees *frees);
/* "cudaDeviceReset at main.cu:46 main", "calls such as cuCtxDestroy at main.cu:9 end" where there
 * are several; to be freed. */
char *gpm_reset_frees_call(const struct gpm_reset_frees *frees);

/* Prints "18.00 KiB in 18 blocks were freed only by cudaDeviceReset at main.cu:46 main" after
 * `before`, and the lines where that was allocated; nothing if there is none. */
void gpm_reset_frees_print(const struct gpm_reset_frees *frees, const struct gpm_input *input,
                           const char *before);

#endif
