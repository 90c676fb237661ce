/* format.c - see format.h. */
#include "output/format.h"

uint32_t gpm_shown_of(const struct gpm_shown *shown, enum gpm_format format, uint32_t usual,
                      uint32_t count) {
  uint32_t most = shown->given ? shown->most : format == GPM_FORMAT_TABLE ? usual : 0;
  return most && most < count ? most : count;
}
