/* reasons.c - why a change of a line lowers the peak, in words (advise.h). */
#include "advise/advise.h"

#include "rows/locations.h"
#include "rows/use_text.h"
#include "support/string.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the function of a library that was called, "cublasSgemm_v2". */
static char *library_function(const struct gpm_reader *r, const struct gpumemprof_capture_use *u) {
  const struct gpumemprof_capture_site *site =
      u->site == GPUMEMPROF_NONE ? NULL : gpm_reader_record(&r->sites, u->site);
  char *name = site ? gpm_locations_text(r, site->callee) : gpm_memory_text("");
  if (*name) return name;
  free(name);
  return gpm_memory_text("a library call");
}

/* Whether the function that was called has such a word in its name. */
static bool is_of(const struct gpm_reader *r, const struct gpumemprof_capture_use *u,
                  const char *word) {
  char *name = library_function(r, u);
  bool is = strstr(name, word);
  free(name);
  return is;
}

/* Returns "mm2_kernel1", "cublasSgemm_v2", "a copy" and similar words. */
static char *operation(const struct gpm_profile *p, uint32_t record) {
  const struct gpumemprof_capture_use *u = gpm_use_text_record(p->reader, record);
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
    return gpm_memory_text(is_of(p->reader, u, "Wait") ? "a wait for its value" : "a prefetch");
  case GPUMEMPROF_USE_ANY:
    return gpm_memory_text(is_of(p->reader, u, "GraphLaunch") ? "a launch of a graph"
                                                              : "a call that may use any memory");
  case GPUMEMPROF_USE_CAPTURE_BEGINS:
  case GPUMEMPROF_USE_CAPTURE_ENDS:
    return gpm_memory_text("a capture into a graph");
  default:
    return gpm_memory_text("a copy");
  }
}

/* Returns what an operation is to the memory, behind its name. named: the action says that it is a
 * use, and which. */
static const char *role_of(const struct gpm_line_change *c, bool named) {
  if (named && !c->may_be_used) return "uses it there";
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

/* Memory of a pool is there from when its stream comes to the allocation until it comes to the
 * free, and other streams do not wait. Nor do they wait for a fill or a copy that has moved: what
 * they waited for is elsewhere in the program. */
static const char *stream_of(const struct gpm_line_change *c) {
  bool pool = c->kind == GPUMEMPROF_KIND_POOL;
  switch (c->rule) {
  case GPM_ADVICE_LATE_FREE:
  case GPM_ADVICE_NEVER_FREED:
    return !pool        ? ""
           : c->streams ? "; several streams use it, so free it after all of them"
                        : "; free it in the stream of that";
  case GPM_ADVICE_EARLY_ALLOC:
    return !pool        ? ""
           : c->streams ? "; allocate it in the stream of that, and let the others that use it "
                          "wait for that"
                        : "; allocate it in the stream of that";
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    if (!c->streams) return pool ? "; allocate it in the stream of that" : "";
    return pool ? "; allocate and fill it in the stream of that, and let the others that use it "
                  "wait for that"
                : "; fill it in the stream of that, and let the others that use it wait for that";
  case GPM_ADVICE_IDLE:
  case GPM_ADVICE_IDLE_COPY:
    return !pool        ? ""
           : c->streams ? "; several streams use it, so free it after all that used it before, "
                          "allocate it in the stream of that, and let the others wait for that"
                        : "; free it, and allocate it, in the stream of that";
  case GPM_ADVICE_IDLE_OUT:
    if (!c->streams) return pool ? "; free it in the stream of that copy" : "";
    return pool ? "; several streams use it, so copy it and free it after all of them"
                : "; several streams use it, so copy it after all of them";
  default:
    return "";
  }
}

/* Whether the action says which use is meant. */
static bool names_use(const struct gpm_advise *a, const struct gpm_line_change *c) {
  bool moves = c->rule == GPM_ADVICE_LATE_FREE || c->rule == GPM_ADVICE_NEVER_FREED ||
               c->rule == GPM_ADVICE_EARLY_ALLOC;
  for (uint32_t i = 0; moves && i < a->advice->devices; i++) {
    const struct gpm_line_changes *all = &a->advice->changes[i];
    if (c < all->change || c >= all->change + all->count) continue;
    char *moment = gpm_advise_moment(all, c, "last", "", gpm_advise_is_elsewhere(a->profile, c));
    bool names = *moment;
    free(moment);
    return names;
  }
  return false;
}

/* Returns the structure that a kernel is passed with a pointer in it: "x" of "x.a"; "a structure"
 * if there are several, or "". */
static char *structure_of(const struct gpm_reader *r, uint32_t record) {
  const struct gpumemprof_capture_use *u = gpm_use_text_record(r, record);
  char *found = gpm_memory_text("");
  if (u->what != GPUMEMPROF_USE_LAUNCH) return found;
  for (uint32_t i = 0; i < u->values; i++) {
    char *name = gpm_use_text_value_name(r, u, i), *dot = strchr(name, '.');
    if (dot) *dot = '\0';
    bool other = dot && strcmp(name, found) != 0, several = other && *found;
    if (other) {
      free(found);
      found = gpm_memory_text(several || !*name ? "a structure" : name);
    }
    free(name);
    if (several) break;
  }
  return found;
}

/* Memory that is allocated later has another address, which a structure may hold already; or "". */
static char *address_of(const struct gpm_profile *p, const struct gpm_line_change *c) {
  bool gap = c->rule == GPM_ADVICE_IDLE || c->rule == GPM_ADVICE_IDLE_COPY;
  if (!gap && c->rule != GPM_ADVICE_EARLY_ALLOC && c->rule != GPM_ADVICE_EARLY_ALLOC_FILL)
    return gpm_memory_text("");
  char *structure = structure_of(p->reader, gap ? c->back : c->to),
       *text = *structure
                   ? gpm_memory_format("; if %s holds its address, set that again then", structure)
                   : gpm_memory_text("");
  free(structure);
  return text;
}

static char *why_of(const struct gpm_advise *a, const struct gpm_line_change *c) {
  const struct gpm_profile *p = a->profile;
  if (c->rule == GPM_ADVICE_UNUSED) return gpm_memory_text("nothing uses it");
  if (c->rule == GPM_ADVICE_PINNED_UNUSED)
    return gpm_memory_text("neither a copy nor a kernel uses it");
  /* What a kernel reads that it wrote itself, the optimizer may have kept in registers. */
  if (c->rule == GPM_ADVICE_WRITE_ONLY)
    return gpm_memory_text(c->launched ? "no other operation reads it" : "nothing reads it");
  if (c->rule == GPM_ADVICE_IDLE_OUT)
    return gpm_memory_format("nothing uses it in between, nor after that copy%s", stream_of(c));
  if (c->rule == GPM_ADVICE_OVERSIZE)
    return gpm_memory_text(gpm_advise_is_whole(c) ? "nothing uses any of its bytes"
                                                  : "nothing uses the bytes at its end");
  if (c->rule == GPM_ADVICE_NO_OVERLAP)
    return gpm_memory_text("their uses take turns, each of which overwrites all of it first");
  if (c->rule == GPM_ADVICE_NO_OVERLAP_HINT)
    return gpm_memory_text("the calls that use them take turns, each of which overwrites all of it "
                           "first; they are in several streams, and what overlaps in time now does "
                           "not then");
  char *name = operation(p, c->back == GPUMEMPROF_NONE ? c->to : c->back),
       *address = address_of(p, c),
       *text =
           gpm_memory_format("%s %s%s%s", name, role_of(c, names_use(a, c)), stream_of(c), address);
  free(name);
  free(address);
  return text;
}

/* ---- the blocks --------------------------------------------------------------------------------
 */

/* Returns "12 blocks", or which of those that the line allocates are meant: "the 2nd of its 5
 * blocks", "the 2nd to 4th of its 5 blocks". */
static char *which_of(const struct gpm_advice *a, const struct gpm_line_change *c, uint64_t all) {
  if (c->blocks >= all) return gpm_memory_format("%" PRIu64 " blocks", c->blocks);
  uint32_t from = a->place[c->earliest], to = a->place[c->latest];
  char *first = gpm_advise_ordinal(from), *last = gpm_advise_ordinal(to), *text;
  if (c->blocks == 1) text = gpm_memory_format("the %s of its %" PRIu64 " blocks", first, all);
  else if (c->blocks == 2 || c->blocks == (uint64_t)to - from + 1)
    text = gpm_memory_format("the %s %s %s of its %" PRIu64 " blocks", first,
                             c->blocks == 2 ? "and" : "to", last, all);
  else
    text = gpm_memory_format("%" PRIu64 " of its %" PRIu64 " blocks, from the %s to the %s",
                             c->blocks, all, first, last);
  free(first);
  free(last);
  return text;
}

/* Returns "8.00 MiB", "8.00 MiB each" or "2.00 MiB to 8.00 MiB each": they need not be there at the
 * same time, so their sum says nothing. */
static char *sizes_of(const struct gpm_line_change *c, unsigned style) {
  char small[GPM_TEXT_NUMBER], large[GPM_TEXT_NUMBER];
  gpm_advise_bytes(small, c->smallest, style);
  gpm_advise_bytes(large, c->largest, style);
  if (c->blocks == 1) return gpm_memory_text(small);
  return strcmp(small, large) != 0 ? gpm_memory_format("%s to %s each", small, large)
                                   : gpm_memory_format("%s each", small);
}

/* Several blocks are counted behind the reason, also if the line allocates others that are not
 * meant; and what is copied is said. */
char *gpm_advise_why(const struct gpm_advise *a, const struct gpm_line_change *c) {
  char size[GPM_TEXT_NUMBER], *why = why_of(a, c);
  struct gpm_string text = {NULL, 0, 0};
  gpm_string_add(&text, "%s", why);
  free(why);
  /* The action of these has the number of blocks. */
  bool shares = c->rule == GPM_ADVICE_NO_OVERLAP || c->rule == GPM_ADVICE_NO_OVERLAP_HINT;
  uint64_t all = shares ? 0 : a->advice->allocated[c->lines.allocated];
  if (c->blocks > 1 || c->blocks < all) {
    char *which = which_of(a->advice, c, all), *sizes = sizes_of(c, a->style);
    gpm_string_add(&text, "; %s", which);
    if (c->paths > 1) gpm_string_add(&text, " of %" PRIu32 " call paths", c->paths);
    gpm_string_add(&text, ", %s", sizes);
    free(which);
    free(sizes);
  }
  if (c->copied)
    gpm_string_add(&text, "; it copies %s in all, which takes time",
                   gpm_advise_bytes(size, c->copied, a->style));
  return gpm_string_take(&text);
}
