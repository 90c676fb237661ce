/* kinds.h - the kinds of memory, as numbers: kinds.def says what each is. */
#ifndef GPUMEMPROF_KINDS_H
#define GPUMEMPROF_KINDS_H

enum gpumemprof_kind {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) GPUMEMPROF_KIND_##NAME,
#include "gpumemprof/kinds.def"
  GPUMEMPROF_KIND_COUNT
};
#define GPUMEMPROF_KINDS 16 /* room for kinds in records; those beyond the last are 0 */

#endif /* GPUMEMPROF_KINDS_H */
