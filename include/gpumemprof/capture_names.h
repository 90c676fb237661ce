/* capture_names.h - a part of capture.h: what addresses in code that was not rebuilt are called.
 *
 * The runtime writes none of these records. When a program has ended, `gpumemprof run` and
 * `gpumemprof dryrun` look up its addresses in its program and libraries, as every report can, and
 * add what they found to the capture, so that reports do not depend on these files afterwards.
 */
#ifndef GPUMEMPROF_CAPTURE_NAMES_H
#define GPUMEMPROF_CAPTURE_NAMES_H

#include "gpumemprof/capture.h"

/* A function around an address. Those of one address follow each other, the innermost first: each
 * but the last was inlined into the next. A text is an offset into the payload of NAME_TEXTS, where
 * it ends with a NUL; 0: it is not known. */
struct gpumemprof_capture_name {
  uint64_t address; /* in the module's file: the ELF address */
  uint32_t module;  /* record of NATIVE_MODULES */
  uint32_t function;
  uint32_t file; /* of the call in the function that is at the address or was inlined there */
  uint32_t line;
  uint32_t declared_file; /* of the function's declaration */
  uint32_t declared_line;
  uint32_t flags; /* GPUMEMPROF_NAME_ */
  uint32_t reserved;
};
_Static_assert(sizeof(struct gpumemprof_capture_name) == 40, "name layout");
#define GPUMEMPROF_NAME_INNER 1u    /* the next record is of the same address */
#define GPUMEMPROF_NAME_STANDARD 2u /* a function of the standard library of C++ */
/* Who was inlined there is in another file (-gsplit-dwarf), which was not there. */
#define GPUMEMPROF_NAME_PARTIAL 4u

#endif /* GPUMEMPROF_CAPTURE_NAMES_H */
