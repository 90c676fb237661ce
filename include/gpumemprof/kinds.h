/* kinds.h - kinds of memory, and what holds it that is no GPU: the same numbers in captures and in
 * what programs get (control.h, measure.h). C and C++. kinds.def says what each kind is.
 */
#ifndef GPUMEMPROF_KINDS_H
#define GPUMEMPROF_KINDS_H

enum gpumemprof_kind {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) GPUMEMPROF_KIND_##NAME,
#include "gpumemprof/kinds.def"
  GPUMEMPROF_KIND_COUNT
};
#define GPUMEMPROF_KINDS 16 /* room for kinds in records; those beyond the last are 0 */

/* In place of a CUDA ordinal: what no GPU's total holds. Each has a total of its own. */
#define GPUMEMPROF_HOST (-1)     /* pinned host memory */
#define GPUMEMPROF_IMPORTED (-2) /* memory of other processes and APIs */
#define GPUMEMPROF_CUSTOM (-3)   /* pieces handed out by allocators of the program */

#endif /* GPUMEMPROF_KINDS_H */
