/* newer_source.c - whether the lines that findings name may be others by now (advise.h). */
#include "advise/advise.h"

#include "capture/source.h"
#include "support/map.h"
#include "support/say.h"

#include <inttypes.h>
#include <stdlib.h>

struct search {
  const struct gpm_reader *reader;
  struct gpm_map seen; /* files, as records of STRINGS */
  uint32_t first, count;
};

static void check_file(struct search *s, uint32_t site) {
  if (site == GPUMEMPROF_NONE) return;
  uint32_t file = gpm_reader_site(s->reader, site)->file;
  uint64_t *known = file ? gpm_map_at(&s->seen, file, 0) : NULL;
  if (!known || *known) return;
  *known = 1;
  struct gpm_source source = gpm_source_read(gpm_reader_string(s->reader, file));
  if (source.line && source.modified_ns > s->reader->header.start_realtime_ns && !s->count++)
    s->first = file;
  gpm_source_free(&source);
}

void gpm_advise_warn_of_newer_source(const struct gpm_advise *a) {
  struct search s = {.reader = a->profile->reader};
  for (uint32_t i = 0; i < a->shown; i++) {
    const struct gpm_advice_finding *f = a->finding[i];
    for (uint32_t k = 0; k < f->count; k++) {
      const struct gpm_line_change *c = &f->changes->change[f->step[k]];
      check_file(&s, a->profile->site[gpm_advise_from(c)]);
      check_file(&s, gpm_advise_to(f->changes, c));
    }
  }
  if (s.count) {
    char *file = gpm_text_file(s.reader->host, gpm_reader_string(s.reader, s.first));
    if (s.count == 1)
      gpm_say("warning: %s was modified after the run began: its lines may not be those that were "
              "compiled",
              file);
    else
      gpm_say("warning: %s and %" PRIu32 " other file%s were modified after the run began: their "
              "lines may not be those that were compiled",
              file, s.count - 1, gpm_text_s(s.count - 1));
    free(file);
  }
  gpm_map_free(&s.seen);
}
