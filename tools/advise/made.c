/* made.c - the whole answer of a capture (advise.h). */
#include "advise/advise.h"

#include "events/walk.h"

#include <stdlib.h>

bool gpm_advise_can(const struct gpm_reader *r) {
  return r->uses.count && gpm_walk_knows_all(r);
}

static void choose(struct gpm_advise_made *m) {
  struct gpm_advise *a = &m->advise;
  a->finding = gpm_memory_array(m->advice.count, sizeof(struct gpm_advice_finding *));
  for (uint32_t i = 0; i < m->advice.count; i++) {
    if (gpm_advice_is_large(&m->advice, &m->advice.finding[i]))
      a->finding[a->count++] = &m->advice.finding[i];
    else a->small++;
  }
  a->shown = a->count;
}

bool gpm_advise_make(struct gpm_advise_made *m, struct gpm_reader *r, const struct gpm_profile *p,
                     struct gpm_kernel_code *code) {
  *m = (struct gpm_advise_made){
      .advise = {.profile = p, .advice = &m->advice, .all = true, .device = GPM_ALL_DEVICES}};
  if (!gpm_uses_read(&m->uses, r, p, code)) return false;
  bool marked = r->pages.count != 0;
  if (marked && !gpm_pages_read(&m->pages, r)) return false;
  gpm_advice_make(&m->advice, &m->uses, marked ? &m->pages : NULL, GPM_ADVICE_BY_DEFAULT);
  choose(m);
  return true;
}

void gpm_advise_free(struct gpm_advise_made *m) {
  free(m->advise.finding);
  gpm_advice_free(&m->advice);
  gpm_pages_free(&m->pages);
  gpm_uses_free(&m->uses);
}
