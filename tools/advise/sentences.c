/* sentences.c - a change of a line, in words: what is to be done (advise.h). */
#include "advise/advise.h"

#include "rows/locations.h"
#include "rows/use_text.h"
#include "support/string.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct gpumemprof_capture_use *use_of(const struct gpm_profile *p, uint32_t record) {
  return gpm_use_text_record(p->reader, record);
}

uint32_t gpm_advise_from(const struct gpm_line_change *c) {
  return c->rule == GPM_ADVICE_LATE_FREE ? c->free_node : c->node;
}

uint32_t gpm_advise_to(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  if (c->rule == GPM_ADVICE_REUSE) return all->uses->profile->site[c->instead];
  return c->to == GPUMEMPROF_NONE ? c->to : use_of(all->uses->profile, c->to)->site;
}

/* Whether a line is in a function that the line that is changed is not in. */
static bool is_in_other_function(const struct gpm_profile *p, uint32_t site, uint32_t from) {
  if (site == GPUMEMPROF_NONE) return false;
  uint32_t function = gpm_reader_site(p->reader, site)->function;
  return *gpm_reader_string(p->reader, function) &&
         function != gpm_reader_site(p->reader, p->site[from])->function;
}

bool gpm_advise_is_elsewhere(const struct gpm_profile *p, const struct gpm_line_change *c,
                             uint32_t record) {
  return record != GPUMEMPROF_NONE &&
         is_in_other_function(p, use_of(p, record)->site, gpm_advise_from(c));
}

char *gpm_advise_line(const struct gpm_profile *p, uint32_t site, uint32_t from) {
  if (site == GPUMEMPROF_NONE) return gpm_memory_text("");
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, site);
  bool same_file = s->file == gpm_reader_site(p->reader, p->site[from])->file,
       other_function = is_in_other_function(p, site, from);
  char *file = gpm_text_file(p->reader->host, gpm_reader_string(p->reader, s->file)),
       *function = gpm_locations_text(p->reader, s->function),
       *text =
           gpm_memory_format("%s%s%u%s%s", same_file ? "line" : file, same_file ? " " : ":",
                             s->line, other_function ? " in " : "", other_function ? function : "");
  free(file);
  free(function);
  return text;
}

/* Returns " on GPU 0 (cudaSetDevice)" where another GPU may be the current one at a new line that
 * allocates, or "". */
static char *gpu_of(const struct gpm_line_changes *all) {
  if (!all->uses->several_gpus) return gpm_memory_text("");
  char *name = gpm_locations_device(all->uses->profile->reader, all->device),
       *text = gpm_memory_format(" on %s (cudaSetDevice)", name);
  free(name);
  return text;
}

static char *other_action(const struct gpm_line_change *c, const char *what, const char *to,
                          const char *back, const char *gpu) {
  switch (c->rule) {
  case GPM_ADVICE_IDLE:
    return gpm_memory_format("free %s after %s, and allocate it%s just before %s", what, to, gpu,
                             back);
  case GPM_ADVICE_IDLE_COPY:
    return gpm_memory_format("copy %s to the host and free it after %s, and bring it back%s just "
                             "before %s",
                             what, to, gpu, back);
  case GPM_ADVICE_IDLE_OUT:
    return gpm_memory_format("copy %s to the host right after %s instead of at %s, if the host has "
                             "room for it then, and free it",
                             what, to, back);
  case GPM_ADVICE_WRITE_ONLY:
    return gpm_memory_format("remove %s, and what writes it", what);
  case GPM_ADVICE_PINNED_UNUSED:
    return gpm_memory_format("do not pin %s", what);
  case GPM_ADVICE_NO_OVERLAP:
  case GPM_ADVICE_NO_OVERLAP_HINT:
    return gpm_memory_format("allocate one block for %s instead of %" PRIu64, what, c->blocks + 1);
  case GPM_ADVICE_REUSE:
    return gpm_memory_format("do not allocate %s, but use the memory of %s for it", what, to);
  case GPM_ADVICE_OVERSIZE:
    if (gpm_advise_is_whole(c)) return gpm_memory_format("remove %s", what);
    return gpm_memory_format("allocate %" PRIu64 " bytes less for %s", c->less, what);
  default:
    return gpm_memory_format("remove %s", what);
  }
}

/* Returns what is to be done: "free x after line 195 instead". */
static char *action_of(const struct gpm_line_changes *all, const struct gpm_line_change *c,
                       const char *what, const char *to, const char *back) {
  const struct gpm_profile *p = all->uses->profile;
  if (c->to == GPUMEMPROF_NONE) return other_action(c, what, to, back, "");
  bool elsewhere = gpm_advise_is_elsewhere(p, c, c->to);
  char *last = gpm_advise_moment(all, c, "last", to, elsewhere),
       *first = gpm_advise_moment(all, c, "first", to, elsewhere), *gpu = gpu_of(all), *text = NULL;
  switch (c->rule) {
  case GPM_ADVICE_LATE_FREE:
    text = gpm_memory_format("free %s after %s instead", what, last);
    break;
  case GPM_ADVICE_NEVER_FREED:
    text = gpm_memory_format("free %s, which is never freed, after %s", what, last);
    break;
  case GPM_ADVICE_EARLY_ALLOC:
    text = gpm_memory_format("allocate %s%s just before %s instead", what, gpu, first);
    break;
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    text = gpm_memory_format("allocate %s%s, and fill it, just before %s instead%s", what, gpu,
                             first, c->sure ? "" : ", if the host still has the same content then");
    break;
  default:
    free(last);
    free(first);
    gpm_advise_gap(all, c, to, back, &last, &first);
    text = other_action(c, what, last, first, gpu);
  }
  free(last);
  free(first);
  free(gpu);
  return text;
}

/* Returns the line that a change moves something to, of REUSE "a from line 10". */
static char *to_of(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  const struct gpm_profile *p = all->uses->profile;
  uint32_t site = gpm_advise_to(all, c);
  char *line = gpm_advise_line(p, site, gpm_advise_from(c));
  if (c->rule != GPM_ADVICE_REUSE) return line;
  if (gpm_uses_same_line(all->uses, site, p->site[c->node])) {
    free(line);
    line = gpm_memory_text("the same line");
  }
  char *variable = gpm_locations_text(p->reader, gpm_reader_site(p->reader, site)->variable),
       *text = gpm_memory_format("%s%s%s", variable, *variable ? " from " : "", line);
  free(variable);
  free(line);
  return text;
}

/* Returns what else is to be done with the memory that a block is put into, or "". */
static char *free_of(const struct gpm_profile *p, const struct gpm_line_change *c,
                     const char *what) {
  if (c->rule != GPM_ADVICE_REUSE || !c->longer) return gpm_memory_text("");
  if (c->free_node == GPUMEMPROF_NONE) return gpm_memory_text(", and do not free that");
  uint32_t site = p->site[c->free_node];
  bool known = c->one_free && gpm_line_changes_site_is_known(p->reader, site);
  char *line = known ? gpm_advise_line(p, site, c->node) : gpm_memory_text(""),
       *text = gpm_memory_format(", and free that only where %s is freed now%s%s%s", what,
                                 *line ? " (" : "", line, *line ? ")" : "");
  free(line);
  return text;
}

char *gpm_advise_action(const struct gpm_advise *a, const struct gpm_line_changes *all,
                        const struct gpm_line_change *c) {
  const struct gpm_profile *p = all->uses->profile;
  uint32_t from = gpm_advise_from(c);
  uint32_t second = c->back == GPUMEMPROF_NONE ? c->back : use_of(p, c->back)->site;
  char *what = gpm_advise_what(a, c), *to = to_of(all, c), *back = gpm_advise_line(p, second, from),
       *action = action_of(all, c, what, to, back), *freed = free_of(p, c, what),
       *text = gpm_memory_format("%s%s", action, freed);
  free(what);
  free(to);
  free(back);
  free(action);
  free(freed);
  return text;
}

char *gpm_advise_sentence(const struct gpm_advise *a, const struct gpm_advice_finding *f,
                          const struct gpm_line_change *c) {
  const struct gpm_profile *p = f->changes->uses->profile;
  char *where = gpm_locations_node(p, gpm_advise_from(c)),
       *action = gpm_advise_action(a, f->changes, c), *why = gpm_advise_why(a, f, c);
  char *text = gpm_memory_format("%s: %s (%s)", where, action, why);
  free(where);
  free(action);
  free(why);
  return text;
}

char *gpm_advise_of_finding(const struct gpm_advise *a, const struct gpm_advice_finding *f) {
  struct gpm_string text = {NULL, 0, 0};
  uint32_t named = f->count < GPM_ADVISE_STEPS ? f->count : GPM_ADVISE_STEPS;
  for (uint32_t i = 0; i < named; i++) {
    char *one = gpm_advise_sentence(a, f, &f->changes->change[f->step[i]]);
    gpm_string_add(&text, "%s%s", i ? "; " : "", one);
    free(one);
  }
  if (f->count > named) gpm_string_add(&text, "; and %" PRIu32 " more", f->count - named);
  return gpm_string_take(&text);
}
