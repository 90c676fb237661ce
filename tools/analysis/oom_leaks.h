/* oom_leaks.h - which line that held memory at an out-of-memory failure is the leak to fix first.
 * Called by oom.c for its advice.
 *
 * What a program keeps until it exits need not leak: its weights are used to the end. A leak is a
 * habit: a function that allocated in each of its calls and freed nothing of that. If the program
 * went on after the failure and gave back other memory that was live then, and the function left
 * more in later calls, it leaks. If it called it no more, as where it exits at once, it may.
 *
 * The message of the runtime is printed at the failure, when what the program will free is not
 * known. So this is printed before or after the advice that both give, and does not replace it. */
#ifndef GPM_TOOLS_OOM_LEAKS_H
#define GPM_TOOLS_OOM_LEAKS_H

#include "model/profile.h"

#include "gpumemprof/capture_oom.h"

enum gpm_oom_leak_kind {
  GPM_OOM_NO_LEAK,
  GPM_OOM_LEAK,       /* the program freed other memory, and calls went on to leave this */
  GPM_OOM_ACCUMULATES /* calls of one function each left memory; it is not known why */
};

struct gpm_oom_leak {
  enum gpm_oom_leak_kind kind;
  uint32_t node;          /* of the line: the call path with the most */
  uint64_t bytes, blocks; /* that were live at the failure and are never freed */
  /* ACCUMULATES: the figures are those of these call paths to the line, on which each of so many
   * calls of the function that allocates left memory. */
  uint64_t calls;
  uint32_t paths;
};

/* Finds that with the most. Only one whose bytes are as many as were lacking, or a tenth of
 * what was recorded, is worth naming. */
struct gpm_oom_leak gpm_oom_leaks_find(const struct gpm_profile *profile,
                                       const struct gpumemprof_capture_oom *record);

/* Whether the program exited after it was out of memory and freed nothing of what was live at the
 * last of these failures. Then nothing says that what is live at the end leaked. */
bool gpm_oom_leaks_ended(const struct gpm_reader *reader);

#endif
