/* sentences.c - a change of a line, in words (advise.h). */
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

char *gpm_advise_variable(const struct gpm_profile *p, const struct gpm_line_change *c) {
  uint32_t site = p->site[c->node];
  return gpm_locations_text(p->reader, gpm_reader_site(p->reader, site)->variable);
}

/* Whether a line is in a function that the line that is changed is not in. */
static bool is_in_other_function(const struct gpm_profile *p, uint32_t site, uint32_t from) {
  if (site == GPUMEMPROF_NONE) return false;
  uint32_t function = gpm_reader_site(p->reader, site)->function;
  return *gpm_reader_string(p->reader, function) &&
         function != gpm_reader_site(p->reader, p->site[from])->function;
}

/* Returns "line 195"; where that is in another file or function than the line that is changed,
 * "tree.cu:195", "line 195 in walk" or "tree.cu:195 in walk". */
static char *line_of(const struct gpm_profile *p, uint32_t site, uint32_t from) {
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

/* Returns the function of a library that was called, "cublasSgemm_v2". */
static char *library_function(const struct gpm_reader *r, const struct gpumemprof_capture_use *u) {
  const struct gpumemprof_capture_site *site =
      u->site == GPUMEMPROF_NONE ? NULL : gpm_reader_record(&r->sites, u->site);
  char *name = site ? gpm_locations_text(r, site->callee) : gpm_memory_text("");
  if (*name) return name;
  free(name);
  return gpm_memory_text("a library call");
}

/* Returns "mm2_kernel1", "cublasSgemm_v2", "a copy" and similar words. */
static char *operation(const struct gpm_profile *p, uint32_t record) {
  const struct gpumemprof_capture_use *u = use_of(p, record);
  switch (u->what) {
  case GPUMEMPROF_USE_LAUNCH:
    return gpm_use_text_kernel(p->reader, u);
  case GPUMEMPROF_USE_LIBRARY:
  case GPUMEMPROF_USE_LIBRARY_CALL:
  case GPUMEMPROF_USE_LIBRARY_ARGUMENTS:
    return library_function(p->reader, u);
  case GPUMEMPROF_USE_FILL:
  case GPUMEMPROF_USE_FILL_ROWS:
    return gpm_memory_text("a fill");
  case GPUMEMPROF_USE_PREFETCH:
    return gpm_memory_text("a prefetch");
  case GPUMEMPROF_USE_ANY:
    return gpm_memory_text("a call that may use any memory");
  case GPUMEMPROF_USE_CAPTURE_BEGINS:
  case GPUMEMPROF_USE_CAPTURE_ENDS:
    return gpm_memory_text("a capture into a graph");
  default:
    return gpm_memory_text("a copy");
  }
}

/* Returns what an operation is to the memory, behind its name. */
static const char *role_of(const struct gpm_line_change *c) {
  switch (c->rule) {
  case GPM_ADVICE_REUSE:
    return "was the last to use that";
  case GPM_ADVICE_LATE_FREE:
  case GPM_ADVICE_NEVER_FREED:
    return c->may_be_used ? "may be its last use" : "was its last use";
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    if (c->unchanged)
      return c->may_be_used ? "may be the first to need its content, which the host still had"
                            : "is the first to need its content, which the host still had";
    return c->may_be_used ? "may be the first to need its content"
                          : "is the first to need its content";
  case GPM_ADVICE_IDLE:
    return "overwrites all of it";
  case GPM_ADVICE_IDLE_COPY:
    return "is the next to use it";
  default:
    return c->may_be_used ? "may be its first use" : "is its first use";
  }
}

/* Whether nothing of its blocks is left. */
static bool is_whole(const struct gpm_line_change *c) {
  return c->bytes == c->less * c->blocks;
}

/* Memory of a pool is there from when its stream comes to the allocation until it comes to the
 * free, and other streams do not wait. */
static const char *stream_of(const struct gpm_line_change *c) {
  bool late = c->rule == GPM_ADVICE_LATE_FREE || c->rule == GPM_ADVICE_NEVER_FREED;
  if (c->kind != GPUMEMPROF_KIND_POOL) return "";
  if (late)
    return c->streams ? "; several streams use it, so free it after all of them"
                      : "; free it in the stream of that";
  return c->rule == GPM_ADVICE_EARLY_ALLOC || c->rule == GPM_ADVICE_EARLY_ALLOC_FILL
             ? "; allocate it in the stream of that"
             : "";
}

static char *why_of(const struct gpm_profile *p, const struct gpm_line_change *c) {
  if (c->rule == GPM_ADVICE_UNUSED) return gpm_memory_text("nothing uses it");
  if (c->rule == GPM_ADVICE_PINNED_UNUSED)
    return gpm_memory_text("neither a copy nor a kernel uses it");
  if (c->rule == GPM_ADVICE_WRITE_ONLY) return gpm_memory_text("nothing reads it");
  if (c->rule == GPM_ADVICE_IDLE_OUT)
    return gpm_memory_text("nothing uses it in between, nor after that copy");
  if (c->rule == GPM_ADVICE_OVERSIZE)
    return gpm_memory_text(is_whole(c) ? "nothing uses any of its bytes"
                                       : "nothing uses the bytes at its end");
  if (c->rule == GPM_ADVICE_NO_OVERLAP)
    return gpm_memory_text("their uses take turns, each of which overwrites all of it first");
  if (c->rule == GPM_ADVICE_NO_OVERLAP_HINT)
    return gpm_memory_text("the calls that use them take turns, each of which overwrites all of it "
                           "first; they are in several streams, and what overlaps in time now does "
                           "not then");
  char *name = operation(p, c->back == GPUMEMPROF_NONE ? c->to : c->back),
       *text = gpm_memory_format("%s %s%s", name, role_of(c), stream_of(c));
  free(name);
  return text;
}

static char *other_action(const struct gpm_line_change *c, const char *what, const char *to,
                          const char *back) {
  switch (c->rule) {
  case GPM_ADVICE_IDLE:
    return gpm_memory_format("free %s after %s, and allocate it just before %s", what, to, back);
  case GPM_ADVICE_IDLE_COPY:
    return gpm_memory_format("copy %s to the host and free it after %s, and bring it back just "
                             "before %s",
                             what, to, back);
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
    if (is_whole(c)) return gpm_memory_format("remove %s", what);
    return gpm_memory_format("allocate %" PRIu64 " bytes less for %s", c->less, what);
  default:
    return gpm_memory_format("remove %s", what);
  }
}

/* Returns when a block is to be freed or allocated. A line that runs several times is not the
 * moment, but one of its runs is; a line of another function may be one that others call, too. */
static char *moment_of(const struct gpm_profile *p, const struct gpm_line_change *c,
                       const char *which, const char *to) {
  bool elsewhere = is_in_other_function(p, use_of(p, c->to)->site, gpm_advise_from(c));
  if (c->blocks == 1 && !c->repeats && !elsewhere) return gpm_memory_text(to);
  return gpm_memory_format("its %s use at %s", which, to);
}

/* Returns what is to be done: "free x after line 195 instead". */
static char *action_of(const struct gpm_profile *p, const struct gpm_line_change *c,
                       const char *what, const char *to, const char *back) {
  const char *each = c->blocks == 1 ? "" : strcmp(what, "its blocks") != 0 ? "each " : "each of ";
  if (c->to == GPUMEMPROF_NONE) return other_action(c, what, to, back);
  char *last = moment_of(p, c, "last", to), *first = moment_of(p, c, "first", to), *text = NULL;
  switch (c->rule) {
  case GPM_ADVICE_LATE_FREE:
    text = gpm_memory_format("free %s%s after %s instead", each, what, last);
    break;
  case GPM_ADVICE_NEVER_FREED:
    text = gpm_memory_format("free %s%s, which is never freed, after %s", each, what, last);
    break;
  case GPM_ADVICE_EARLY_ALLOC:
    text = gpm_memory_format("allocate %s%s just before %s instead", each, what, first);
    break;
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    text = gpm_memory_format("allocate %s%s, and fill it, just before %s instead%s", each, what,
                             first, c->sure ? "" : ", if the host still has the same content then");
    break;
  default:
    text = other_action(c, what, to, back);
  }
  free(last);
  free(first);
  return text;
}

/* Returns "x", or what it is if nothing is known to receive the pointer. */
static char *what_of(const struct gpm_advise *a, const struct gpm_line_change *c) {
  char size[GPM_TEXT_NUMBER], *variable = gpm_advise_variable(a->profile, c), *text;
  if (*variable) return variable;
  gpm_text_bytes(size, (int64_t)c->bytes, a->style);
  text =
      c->blocks == 1 ? gpm_memory_format("its block of %s", size) : gpm_memory_text("its blocks");
  free(variable);
  return text;
}

/* Returns the line that a change moves something to, of REUSE "a from line 10". */
static char *to_of(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  const struct gpm_profile *p = all->uses->profile;
  uint32_t site = gpm_advise_to(all, c);
  char *line = line_of(p, site, gpm_advise_from(c));
  if (c->rule != GPM_ADVICE_REUSE) return line;
  char *variable = gpm_locations_text(p->reader, gpm_reader_site(p->reader, site)->variable),
       *text = gpm_memory_format("%s%s%s", variable, *variable ? " from " : "", line);
  free(variable);
  free(line);
  return text;
}

char *gpm_advise_action(const struct gpm_advise *a, const struct gpm_line_changes *all,
                        const struct gpm_line_change *c) {
  const struct gpm_profile *p = all->uses->profile;
  uint32_t from = gpm_advise_from(c);
  uint32_t second = c->back == GPUMEMPROF_NONE ? c->back : use_of(p, c->back)->site;
  char *what = what_of(a, c), *to = to_of(all, c), *back = line_of(p, second, from),
       *action = action_of(p, c, what, to, back);
  free(what);
  free(to);
  free(back);
  return action;
}

/* Several blocks are counted behind the reason, also if the line allocates others that are not
 * meant; and what is copied is said. */
char *gpm_advise_why(const struct gpm_advise *a, const struct gpm_line_change *c) {
  char size[GPM_TEXT_NUMBER], *why = why_of(a->profile, c);
  struct gpm_string text = {NULL, 0, 0};
  gpm_string_add(&text, "%s", why);
  free(why);
  /* The action of these has the number of blocks. */
  bool shares = c->rule == GPM_ADVICE_NO_OVERLAP || c->rule == GPM_ADVICE_NO_OVERLAP_HINT;
  uint64_t all = shares ? 0 : a->advice->allocated[c->lines.allocated];
  if (c->blocks > 1 || c->blocks < all) {
    gpm_string_add(&text, "; %" PRIu64, c->blocks);
    if (c->blocks < all) gpm_string_add(&text, " of its %" PRIu64, all);
    gpm_string_add(&text, " blocks");
    if (c->paths > 1) gpm_string_add(&text, " of %" PRIu32 " call paths", c->paths);
    gpm_string_add(&text, ", %s", gpm_text_bytes(size, (int64_t)c->bytes, a->style));
  }
  if (c->copied)
    gpm_string_add(&text, "; it copies %s in all",
                   gpm_text_bytes(size, (int64_t)c->copied, a->style));
  return gpm_string_take(&text);
}

char *gpm_advise_sentence(const struct gpm_advise *a, const struct gpm_line_changes *all,
                          const struct gpm_line_change *c) {
  const struct gpm_profile *p = all->uses->profile;
  char *where = gpm_locations_node(p, gpm_advise_from(c)), *action = gpm_advise_action(a, all, c),
       *why = gpm_advise_why(a, c);
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
    char *one = gpm_advise_sentence(a, f->changes, &f->changes->change[f->step[i]]);
    gpm_string_add(&text, "%s%s", i ? "; " : "", one);
    free(one);
  }
  if (f->count > named) gpm_string_add(&text, "; and %" PRIu32 " more", f->count - named);
  return gpm_string_take(&text);
}
