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

/* Whether what frees the memory does so when its stream comes to it. cudaFree waits for all
 * streams, but cudaFreeAsync waits for no other one, whatever allocated the memory. */
static bool is_freed_in_stream(const struct gpm_profile *p, const struct gpm_line_change *c) {
  if (c->kind == GPUMEMPROF_KIND_POOL) return true;
  if (c->free_node == GPUMEMPROF_NONE || p->site[c->free_node] == GPUMEMPROF_NONE) return false;
  const struct gpumemprof_capture_site *site = gpm_reader_site(p->reader, p->site[c->free_node]);
  return strstr(gpm_reader_string(p->reader, site->callee), "FreeAsync");
}

/* Who uses the memory without waiting for each other, in words; null: nobody does. */
struct users {
  const char *all, *others;
};

/* in_stream: what streams do at the new line does not wait for the others. */
static struct users users_of(const struct gpm_line_change *c, bool in_stream) {
  static const struct users streams = {"several streams", "streams"},
                            threads = {"other threads", "threads"}, none = {NULL, NULL};
  return c->streams && in_stream ? streams : c->threads ? threads : none;
}

/* Where other threads use it in one stream, that is the stream in which it is freed. */
static const char *in_one_stream(const struct gpm_line_change *c, bool in_stream) {
  return in_stream && !c->streams ? " in the stream of that" : "";
}

static char *order_of_free(const struct gpm_line_change *c, bool in_stream) {
  const char *who = users_of(c, in_stream).all, *in = in_one_stream(c, in_stream);
  if (!who) return gpm_memory_text(in_stream ? "; free it in the stream of that" : "");
  return gpm_memory_format("; %s use it, so free it%s once all of them are done with it", who, in);
}

/* several_gpus: a stream of the memory's GPU is to be named, since that of the use may be none. */
static char *order_of_allocation(const struct gpm_line_change *c, bool pool, bool several_gpus) {
  bool fill = c->rule == GPM_ADVICE_EARLY_ALLOC_FILL, elsewhere = pool && several_gpus;
  const char *in = elsewhere ? "a stream of that GPU" : "the stream of that",
             *who = elsewhere ? "streams" : users_of(c, pool || fill).others,
             *what = !fill  ? "allocate it in "
                     : pool ? "allocate and fill it in "
                            : "fill it in ";
  if (!who) return gpm_memory_text(pool ? "; allocate it in the stream of that" : "");
  if (!pool && !fill) return gpm_memory_format("; let the other %s that use it wait for that", who);
  return gpm_memory_format("; %s%s, and let the other %s that use it wait for that", what, in, who);
}

static char *order_of_gap(const struct gpm_line_change *c, bool pool, bool in_stream,
                          bool several_gpus) {
  const char *where = pool && several_gpus ? "a stream of that GPU" : "the stream of that",
             *who = users_of(c, in_stream || c->rule == GPM_ADVICE_IDLE_COPY).all,
             *in = in_one_stream(c, in_stream);
  if (!who && !in_stream) return gpm_memory_text("");
  if (!who && pool && several_gpus)
    return gpm_memory_format("; free it in the stream of that, allocate it in %s, and let the "
                             "stream of that wait for it",
                             where);
  if (!who) return gpm_memory_format("; free it%s in %s", pool ? ", and allocate it," : "", where);
  if (!pool)
    return gpm_memory_format("; %s use it, so free it%s once those that used it before are done "
                             "with it, and let the others wait until it is there again",
                             who, in);
  return gpm_memory_format("; %s use it, so free it%s once those that used it before are done with "
                           "it, allocate it in %s, and let the others wait for that",
                           who, in, where);
}

static char *order_of_copy(const struct gpm_line_change *c, bool in_stream) {
  const char *who = users_of(c, true).all, *in = in_one_stream(c, true);
  if (!who) return gpm_memory_text(in_stream ? "; free it in the stream of that copy" : "");
  return gpm_memory_format("; %s use it, so copy it%s%s once all of them are done with it", who,
                           in_stream ? " and free it" : "", in);
}

/* Returns what has to be done in a stream, or after others, or "". Memory of a pool is there from
 * when its stream comes to the allocation until it comes to the free, and other streams do not
 * wait. Nor do they wait for a fill or a copy that has moved: what they waited for is elsewhere in
 * the program. several_gpus: the stream that uses it may be of another GPU than the memory, which
 * has to come from a stream of its own. */
static char *order_of(const struct gpm_profile *p, const struct gpm_line_change *c,
                      bool several_gpus) {
  bool pool = c->kind == GPUMEMPROF_KIND_POOL, freed = is_freed_in_stream(p, c);
  switch (c->rule) {
  case GPM_ADVICE_LATE_FREE:
  case GPM_ADVICE_NEVER_FREED:
    return order_of_free(c, freed);
  case GPM_ADVICE_EARLY_ALLOC:
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    return order_of_allocation(c, pool, several_gpus);
  case GPM_ADVICE_IDLE:
  case GPM_ADVICE_IDLE_COPY:
    return order_of_gap(c, pool, freed, several_gpus);
  case GPM_ADVICE_IDLE_OUT:
    return order_of_copy(c, freed);
  default:
    return gpm_memory_text("");
  }
}

/* Whether the action says which use is meant. */
static bool names_use(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  if (c->rule != GPM_ADVICE_LATE_FREE && c->rule != GPM_ADVICE_NEVER_FREED &&
      c->rule != GPM_ADVICE_EARLY_ALLOC)
    return false;
  bool elsewhere = gpm_advise_is_elsewhere(all->uses->profile, c, c->to);
  char *moment = gpm_advise_moment(all, c, "last", "", elsewhere);
  bool names = *moment;
  free(moment);
  return names;
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

static char *why_of(const struct gpm_line_changes *all, const struct gpm_line_change *c) {
  const struct gpm_profile *p = all->uses->profile;
  if (c->rule == GPM_ADVICE_UNUSED) return gpm_memory_text("nothing uses it");
  if (c->rule == GPM_ADVICE_PINNED_UNUSED)
    return gpm_memory_text("neither a copy nor a kernel uses it");
  /* What a kernel reads that it wrote itself, the optimizer may have kept in registers. */
  if (c->rule == GPM_ADVICE_WRITE_ONLY)
    return gpm_memory_text(c->launched ? "no other operation reads it" : "nothing reads it");
  if (c->rule == GPM_ADVICE_OVERSIZE)
    return gpm_memory_text(gpm_advise_is_whole(c) ? "nothing uses any of its bytes"
                                                  : "nothing uses the bytes at its end");
  if (c->rule == GPM_ADVICE_NO_OVERLAP)
    return gpm_memory_text("their uses take turns, each of which overwrites all of it first");
  if (c->rule == GPM_ADVICE_NO_OVERLAP_HINT)
    return gpm_memory_text("the calls that use them take turns, each of which overwrites all of it "
                           "first; they are in several streams, and what overlaps in time now does "
                           "not then");
  char *order = order_of(p, c, all->uses->several_gpus), *text;
  if (c->rule == GPM_ADVICE_IDLE_OUT)
    text = gpm_memory_format("nothing uses it in between, nor after that copy%s", order);
  else {
    char *name = operation(p, c->back == GPUMEMPROF_NONE ? c->to : c->back),
         *address = address_of(p, c);
    text = gpm_memory_format("%s %s%s%s", name, role_of(c, names_use(all, c)), order, address);
    free(name);
    free(address);
  }
  free(order);
  return text;
}

/* Which blocks are meant is counted behind the reason, and what is copied is said. */
char *gpm_advise_why(const struct gpm_advise *a, const struct gpm_advice_finding *f,
                     const struct gpm_line_change *c) {
  char size[GPM_TEXT_NUMBER], *why = why_of(f->changes, c), *which = gpm_advise_which(a, f, c);
  struct gpm_string text = {NULL, 0, 0};
  gpm_string_add(&text, "%s%s", why, which);
  free(why);
  free(which);
  if (c->copied)
    gpm_string_add(&text, "; it copies %s in all, which takes time",
                   gpm_advise_bytes(size, c->copied, a->style));
  return gpm_string_take(&text);
}
