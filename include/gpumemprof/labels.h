/* labels.h - names for stretches of time of a thread. control.h includes it. */
#ifndef GPUMEMPROF_LABELS_H
#define GPUMEMPROF_LABELS_H

#include "gpumemprof/calls.h"

/* ---- labels ------------------------------------------------------------------------------------
 *
 * A label is a name for a stretch of time of one thread: what the thread allocates until the label
 * is popped is also counted under it (`gpumemprof report --by label`). Unlike a scope, a label may
 * begin in one function and end in another. Labels nest, as in "epoch/forward". */

/* Pushes a label on the calling thread. The text is copied; with the labels around it, it has up to
 * 1000 bytes. Returns how many labels the thread has pushed and not popped, or 0 when nothing is
 * recorded. If there are more than 64, the outermost 64 are named. The call costs about 0.1 us, and
 * 1 ns for each open scope that has live memory. Method: torch.profiler's record_function, NVTX's
 * ranges.
 *
 * Each different text is kept to the end of the program: 128 bytes, and some 500 for each call path
 * that allocates under it. The first 65536 texts have rows of their own (only the first 1024, once
 * streams and labels have split call paths 131072 times). What is allocated under later ones is one
 * row, "(other labels)". So "iteration %d" is harmless, but "iteration" is more useful.
 *
 * The program's own NVTX ranges (nvtxRangePush and _Pop, also in domains and by nvtx3.hpp) are
 * labels without any of this, unless nvtx=off is set or another tool (Nsight Systems) listens to
 * them. Labels and the ranges of each domain have separate stacks, so a pop ends only what was
 * pushed the same way. */
GPUMEMPROF_CALL_(int, label_push, (const char *text), (text), 0)
/* Pops the latest label of the calling thread. Returns how many labels are left, or -1 if there was
 * none or nothing is recorded. */
GPUMEMPROF_CALL_(int, label_pop, (void), (), -1)

/* GPUMEMPROF_LABEL(text): a label for the rest of the enclosing block. It is popped on every way
 * out of the block. */
#if defined(__GNUC__)
GPUMEMPROF_HEADER_ GPUMEMPROF_TRANSPARENT_ void gpumemprof_label_leave_(const int *pushed) {
  if (*pushed > 0) gpumemprof_label_pop();
}
#define GPUMEMPROF_LABEL_(text, id)                                                                \
  const int GPUMEMPROF_CAT_(gpumemprof_label_, id)                                                 \
      __attribute__((cleanup(gpumemprof_label_leave_), unused)) = gpumemprof_label_push(text)
#define GPUMEMPROF_LABEL(text)                                                                     \
  GPUMEMPROF_COUNTER_BEGIN_ GPUMEMPROF_LABEL_(text, __COUNTER__) GPUMEMPROF_COUNTER_END_
#else
#define GPUMEMPROF_LABEL(text) ((void)0)
#endif

#endif /* GPUMEMPROF_LABELS_H */
