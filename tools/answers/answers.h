/* answers.h - the first line of a command: what it was asked, answered in one sentence. The figures
 * follow it. `style` is that of text.h. */
#ifndef GPM_TOOLS_ANSWERS_H
#define GPM_TOOLS_ANSWERS_H

#include "analysis/leaks.h"
#include "analysis/leaks_lines.h"
#include "comparison/diff.h"

/* leaks_answer.c: "31.25 MiB leaked in 4 blocks on GPU 0: all at train.cu:59 forward, called from
 * train.cu:92 evaluate". There are leaks, and `lines` has all of them. */
void gpm_answers_print_leaks(const struct gpm_leaks *leaks, const struct gpm_leaks_lines *lines,
                             unsigned style);
/* peak_answer.c: "GPU 0 held the most, 574.31 MiB of 24.00 GiB, when backward at train.cu:72
 * allocated 32.00 MiB". `bytes` of the allocation; 0: not known. */
void gpm_answers_print_peak(const struct gpm_profile *profile, uint32_t device, uint64_t bytes,
                            unsigned style);
/* oom_answer.c: "out of memory on GPU 0: 128.00 MiB requested at train.cu:71 backward, 104.00 MiB
 * more than was free; train.cu:51 make_layer held the most, 64.00 MiB". */
void gpm_answers_print_oom(const struct gpm_profile *profile,
                           const struct gpumemprof_capture_oom *oom, unsigned style);
/* diff_answer.c: "B needs 71.86 MiB more at the peak of GPU 0: train.cu:114 main grew by 48.00
 * MiB".
 */
void gpm_answers_print_diff(const struct gpm_diff *diff, unsigned style);

#endif
