/* sizes.c - see sizes.h. */
#include "model/sizes.h"

#include "support/memory.h"

#include <stdlib.h>

uint32_t gpm_sizes_class_of_cell(const struct gpm_reader *reader,
                                 const struct gpumemprof_capture_cell *c) {
  if (c->allocated.blocks == 1) return gpm_sizes_class(c->allocated.bytes);
  /* After a reset, the smallest and largest size cover only later blocks; the count covers all. */
  if (!c->allocated.blocks || reader->header.resets) return GPM_SIZES_SEVERAL;
  uint32_t least = gpm_sizes_class(c->min_size), most = gpm_sizes_class(c->max_size);
  return least == most ? least : GPM_SIZES_SEVERAL;
}

static char *bound(uint32_t power) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return gpm_memory_format("%u %s", 1u << power % 10, units[power / 10]);
}

char *gpm_sizes_text(uint32_t class) {
  if (class >= GPM_SIZES_SEVERAL) return gpm_memory_text("(several sizes)");
  if (!class) return gpm_memory_text("0 B");
  char *from = bound(class - 1), *below = bound(class);
  char *text =
      class == 1 ? gpm_memory_text("1 B") : gpm_memory_format("%s to below %s", from, below);
  free(from);
  free(below);
  return text;
}
