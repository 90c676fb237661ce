/* sizes.h - classes of block sizes, powers of two: class k > 0 holds 2^(k-1) and what is below 2^k
 * bytes, class 0 blocks of none. */
#ifndef GPM_TOOLS_SIZES_H
#define GPM_TOOLS_SIZES_H

#include "capture/reader.h"

enum { GPM_SIZES_SEVERAL = 65, GPM_SIZES_CLASSES };

static inline uint32_t gpm_sizes_class(uint64_t bytes) {
  return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}
/* The class of all blocks of a cell, or SEVERAL. A cell knows its smallest and its largest block:
 * where both are of one class, so are all. events/split.h splits the other cells by what their
 * events record. */
uint32_t gpm_sizes_class_of_cell(const struct gpm_reader *reader,
                                 const struct gpumemprof_capture_cell *cell);
/* "1 MiB to below 2 MiB"; to be freed. */
char *gpm_sizes_text(uint32_t class);

#endif
