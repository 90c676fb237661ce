/* best.c - the best finding, which is the first, in one line (advise.h). */
#include "advise/advise.h"

#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of larger captures and programs, advice takes more than a few hundredths of a second. */
#define MOST_EVENTS ((uint64_t)1 << 20) /* bytes */
#define MOST_CODE ((uint64_t)16 << 20)  /* bytes */

static uint64_t bytes_of_events(const struct gpm_reader *r) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < r->event_chunks; i++) bytes += r->events[i].used;
  return bytes;
}

static char *text_of(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  char before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER],
      *what = f->count == 1 ? gpm_advise_of_finding(a, f)
                            : gpm_memory_format("%" PRIu32 " changes together", f->count),
      *text = gpm_memory_format("%s: peak %s -> %s", what,
                                gpm_text_bytes(before, (int64_t)f->before, a->style),
                                gpm_text_bytes(after, (int64_t)gpm_advice_after(f), a->style));
  free(what);
  return text;
}

char *gpm_advise_best(struct gpm_reader *r, const struct gpm_profile *p, unsigned style) {
  if (!gpm_advise_can(r) || r->state != GPM_STATE_COMPLETE) return NULL;
  struct gpm_kernel_code code = {0};
  char *text = NULL;
  if (bytes_of_events(r) > MOST_EVENTS || !gpm_kernel_code_add_small(&code, r, MOST_CODE))
    text = gpm_memory_text("which line to change, and how many bytes of the peak it saves");
  else {
    struct gpm_advise_made made;
    bool ok = gpm_advise_make(&made, r, p, &code);
    made.advise.style = style;
    if (ok && made.advise.count) text = text_of(&made.advise, made.advise.finding[0]);
    gpm_advise_free(&made);
  }
  gpm_kernel_code_free(&code);
  return text;
}
