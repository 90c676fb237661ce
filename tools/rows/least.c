/* least.c - see least.h. */
#include "rows/least.h"

static bool is_bytes(unsigned column) {
  return column < GPM_FIGURE_COUNT && (gpm_columns[column].unit == GPM_UNIT_BYTES ||
                                       gpm_columns[column].unit == GPM_UNIT_SIGNED);
}

enum gpm_figure gpm_least_of(unsigned sort, enum gpm_figure usual) {
  return is_bytes(sort) ? (enum gpm_figure)sort : usual;
}

bool gpm_least_hides(uint64_t least, enum gpm_figure figure, bool known, int64_t value) {
  if (!least) return false;
  bool negative = gpm_columns[figure].unit == GPM_UNIT_SIGNED && value < 0;
  uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
  return !known || size < least;
}
