/* not_judged.c - what `--fail` does where no finding is listed, but memory at the peak was not
 * judged: see advise.h. */
#include "advise/advise.h"

#include "rows/locations.h"
#include "support/say.h"
#include "support/text.h"

#include <stdlib.h>

static uint64_t not_judged_of(const struct gpm_advise *a, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < a->advice->unjudged_count; i++)
    if (a->advice->unjudged[i].device == device) bytes += a->advice->unjudged[i].bytes;
  return bytes;
}

bool gpm_advise_leaves_open(const struct gpm_advise *a, const uint64_t *least) {
  bool open = false;
  for (uint32_t i = 0; i < a->profile->reader->device_count; i++) {
    uint32_t device = a->profile->reader->device_order[i];
    if (!gpm_advise_shows(a, device)) continue;
    uint64_t bytes = not_judged_of(a, device),
             peak = (uint64_t)gpm_peaks_now(&a->advice->changes[device].peaks);
    if (!bytes || bytes < (least ? *least : peak / 100)) continue;
    char text[GPM_TEXT_NUMBER], *name = gpm_locations_device(a->profile->reader, device);
    gpm_say("--fail cannot decide: blocks of %s at the peak of %s were not judged; the text of "
            "`gpumemprof advise` says why, and what to do",
            gpm_text_bytes(text, (int64_t)bytes, a->style), name);
    free(name);
    open = true;
  }
  return open;
}
