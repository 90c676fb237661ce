/* peak_answer.c - the first line of `gpumemprof peak` about a device: how much it held, and the
 * allocation with which it did. See answers.h. */
#include "answers/answers.h"
#include "output/summary.h"
#include "rows/locations.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <stdio.h>
#include <stdlib.h>

/* "backward at train.cu:72", or where no function is known, "(code that was not rebuilt)". */
static char *allocating(const struct gpm_profile *p, uint32_t node) {
  uint32_t site = p->site[node];
  char *function = site == GPUMEMPROF_NONE
                       ? gpm_memory_text("")
                       : gpm_locations_text(p->reader, gpm_reader_site(p->reader, site)->function);
  char *where = gpm_locations_node_short(p, node, !*function);
  bool named = *function && !gpm_text_is_address(function);
  char *text = named ? gpm_memory_format("%s at %s", function, where) : gpm_memory_text(where);
  free(function);
  free(where);
  return text;
}

void gpm_answers_print_peak(const struct gpm_profile *p, uint32_t device, uint64_t bytes,
                            unsigned style) {
  const struct gpm_reader *r = p->reader;
  const struct gpumemprof_capture_device *d = &r->devices[device];
  char peak[GPM_TEXT_NUMBER], total[GPM_TEXT_NUMBER], size[GPM_TEXT_NUMBER], when[GPM_SUMMARY_WHEN],
      *name = gpm_locations_device(r, device);
  struct gpm_wrapped wrapped;
  FILE *to = gpm_wrapped_begin(&wrapped);
  fprintf(to, "%s held the most, %s", name, gpm_text_bytes(peak, (int64_t)d->peak, style));
  if (d->memory_total)
    fprintf(to, " of %s", gpm_text_bytes(total, (int64_t)d->memory_total, style));
  free(name);
  if (d->peak_node != GPUMEMPROF_NONE && d->peak_node < p->node_count) {
    char *what = allocating(p, d->peak_node), *above = gpm_locations_callers(p, d->peak_node);
    fprintf(to, ", when %s allocated", what);
    fprintf(to, " %s", bytes ? gpm_text_bytes(size, (int64_t)bytes, style) : "memory");
    fprintf(to, "\n    %s%s%s\n", gpm_summary_when(when, r, d), *above ? ", called from " : "",
            above);
    free(what);
    free(above);
  } else fprintf(to, ", %s\n", gpm_summary_when(when, r, d));
  gpm_wrapped_end(&wrapped, 2);
}
