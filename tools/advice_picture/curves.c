/* curves.c - see advice_picture.h. */
#include "advice_picture/advice_picture.h"

json_t *gpm_advice_picture_curve(const struct gpm_line_changes *c) {
  uint64_t positions = c->uses->device[c->device].positions,
           parts = positions < GPM_ADVICE_PICTURE_PARTS ? positions : GPM_ADVICE_PICTURE_PARTS;
  json_t *curve = json_array();
  for (uint64_t i = 0; i < parts; i++) {
    uint32_t from = (uint32_t)(i * positions / parts), to = (uint32_t)((i + 1) * positions / parts);
    json_array_append_new(curve, json_integer(gpm_peaks_between(&c->peaks, from, to)));
  }
  return curve;
}
