/* assumptions.c - functions that some file was compiled to assume to be harmless, but in which
 * memory moves.
 *
 * A call that the plugin assumes to be harmless stores no site. If the assumption is wrong, memory
 * is charged to the line of an earlier call. So each object lists the names of the functions that
 * it assumed to be harmless and the functions in which memory may move (hooks.h), and modules.c has
 * the lists compared here when an object registers. A function in both lists is a suspect; there is
 * rarely more than a replaced operator new. When memory moves in a suspect for the first time on a
 * path, and the call above is not one that leads there, the path counts as a loss, and one sentence
 * names the function and what to do. None of this runs in ordinary events: call_tree.c asks when it
 * makes a node, and only if there are suspects.
 */
#include "records/assumptions.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "capture/words.h"
#include "records/call_tree.h"
#include "records/modules.h"
#include "records/sites.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define GPM_SEEN_BITS 65536u
/* Limits the messages, because a library that is loaded repeatedly causes one each time. */
#define GPM_SENTENCES 20u

struct gpm_suspect {
  const void *_Atomic scope; /* the function's site; null when its object was unloaded */
  const char *word;          /* its name in a filter file; null: the name of its scope */
  uint32_t name;             /* as in struct gpumemprof_mover */
  const struct gpumemprof_module *owner; /* only its address is used */
  enum {
    ASSUMED,
    TO_BE_FOUND,
    ANOTHER
  } state;         /* what the name means: this function, not known yet, or ANOTHER function */
  uint32_t record; /* of the scope, once memory has moved in it */
  bool said;
  struct gpm_suspect *next; /* older */
};
static struct gpm_suspect *_Atomic suspects; /* written under the lock of modules.c; never freed */
/* By hash, the names that any object assumed; most movers are ruled out by it. */
static uint8_t assumed_bits[GPM_SEEN_BITS / 8];

static bool has_tables(const struct gpumemprof_module *m) {
  return m->size >= offsetof(struct gpumemprof_module, movers_end) + sizeof m->movers_end;
}

static const void *mover_scope(const struct gpumemprof_mover *mover) {
  return (const char *)&mover->site + mover->site;
}

static const char *mover_word(const struct gpumemprof_mover *mover) {
  return mover->word ? (const char *)&mover->word + mover->word : NULL;
}

bool gpm_assumptions_of(const struct gpumemprof_module *m, uint32_t name) {
  if (!has_tables(m)) return false;
  for (const uint32_t *a = m->assumed_begin; a < m->assumed_end; a++)
    if (*a == name) return true;
  return false;
}

/* Whether `word` in another object means the function of `owner`: the loader may have found it
 * elsewhere, for example in the C library. Within an object, the linker has decided that. */
static bool is_found_in(const char *word, const struct gpumemprof_module *owner) {
  Dl_info found = {0}, own = {0};
  void *function = word ? dlsym(RTLD_DEFAULT, word) : NULL;
  if (!function || !dladdr(function, &found) || !dladdr(owner, &own)) return true;
  return found.dli_fbase == own.dli_fbase;
}

/* The first state of a suspect, or -1 when the function is no suspect. */
static int suspect_state(const struct gpumemprof_mover *mover,
                         const struct gpumemprof_module *owner,
                         const struct gpumemprof_module *all) {
  if (mover->always) return mover->name ? TO_BE_FOUND : ASSUMED;
  uint32_t bit = mover->name % GPM_SEEN_BITS;
  if (!(assumed_bits[bit / 8] & (1u << bit % 8))) return -1;
  if (gpm_assumptions_of(owner, mover->name)) return ASSUMED; /* the linker decided */
  for (const struct gpumemprof_module *m = all; m; m = m->runtime_data)
    if (m != owner && gpm_assumptions_of(m, mover->name)) return TO_BE_FOUND;
  return -1;
}

static void add_suspect(const struct gpumemprof_mover *mover, const struct gpumemprof_module *owner,
                        int state) {
  const void *scope = mover_scope(mover);
  struct gpm_suspect *first = atomic_load(&suspects), *free = NULL, *s;
  for (s = first; s; s = s->next) {
    if (s->scope == scope) return;
    if (!s->scope) free = s; /* a library that is loaded again reuses its entry */
  }
  if (!(s = free) && !(s = gpm_memory_get(sizeof *s))) return;
  s->word = mover_word(mover);
  s->name = mover->name;
  s->owner = owner;
  s->state = (unsigned)state;
  s->said = false;
  atomic_store(&s->scope, scope);
  if (free) return;
  s->next = first;
  atomic_store_explicit(&suspects, s, memory_order_release);
}

void gpm_assumptions_compare(const struct gpumemprof_module *new,
                             const struct gpumemprof_module *all) {
  if (!has_tables(new)) return;
  for (const uint32_t *a = new->assumed_begin; a < new->assumed_end; a++)
    assumed_bits[*a % GPM_SEEN_BITS / 8] |= (uint8_t)(1u << *a % 8);
  for (const struct gpumemprof_module *m = all; m; m = m->runtime_data) {
    if (!has_tables(m)) continue;
    for (const struct gpumemprof_mover *v = m->movers_begin; v < m->movers_end; v++) {
      int state = suspect_state(v, m, all);
      if (state >= 0) add_suspect(v, m, state);
    }
  }
}

void gpm_assumptions_resolve(void) {
  int saved = errno;
  for (struct gpm_suspect *s = atomic_load(&suspects); s; s = s->next)
    if (s->state == TO_BE_FOUND && s->scope)
      s->state = is_found_in(s->word, s->owner) ? ASSUMED : ANOTHER;
  errno = saved;
}

void gpm_assumptions_forget(const void *begin, const void *end) {
  for (struct gpm_suspect *s = atomic_load(&suspects); s; s = s->next)
    if (s->scope >= begin && s->scope < end) s->scope = NULL;
}

/* Whether a call of the C++ library leads to the suspect. If the object of the call also assumes
 * the suspect itself to be harmless, the library function may have returned by then. Stream
 * functions lead to a stream buffer or facet, and functions that hold an exception lead to that. */
static bool library_leads_to(const char *callee, const struct gpm_suspect *s, const void *call) {
  static const char *const of_streams[] = {"stream",   "operator<<", "operator>>", "basic_ios",
                                           "ios_base", "getline",    NULL};
  static const char *const of_exceptions[] = {"exception", "promise", "future", "async", NULL};
  if (s->name) return !gpm_modules_assume(call, s->name);
  bool streams = s->word && strstr(s->word, "streambuf");
  const char *const *part = streams ? of_streams : of_exceptions;
  while (*part && !strstr(callee, *part)) part++;
  return *part != NULL;
}

/* Forms of operator new call each other, and so do those of operator delete. */
static bool same_operator(const char *callee, const char *function) {
  static const char *const both[] = {"operator new", "operator delete", NULL};
  for (const char *const *one = both; *one; one++)
    if (!strncmp(callee, *one, strlen(*one)) && !strncmp(function, *one, strlen(*one))) return true;
  return false;
}

/* Whether the call above the function is the one that led there, as far as that can be decided: it
 * is a call of the function itself, or of a function that is known to run such code. */
static bool call_leads_to(const struct gpm_node *above, uint32_t function,
                          const struct gpm_suspect *s) {
  const struct gpumemprof_capture_site *call = gpm_sites_record(above->record->site);
  if (call->kind != GPUMEMPROF_SITE_CALL || call->callee == function) return true;
  const char *callee = call->callee ? gpm_strings_text(call->callee) : NULL;
  if (!callee) return false;
  if (same_operator(callee, gpm_strings_text(function))) return true;
  if (!strncmp(callee, "std::", 5)) return library_leads_to(callee, s, atomic_load(&above->site));
  return !strcmp(callee, "__cxa_end_catch") || !strcmp(callee, "exit") ||
         !strcmp(callee, "quick_exit");
}

static void describe_suspect(struct gpm_words *w, const struct gpumemprof_capture_site *scope,
                             const char *word) {
  gpm_words_add(w, "GPU memory moved in ");
  gpm_words_location(w, scope->file, scope->line, scope->function);
  gpm_words_add(
      w, ", which other files were compiled to assume to be harmless, so calls that lead "
         "there have no line of their own; compile with -fplugin-arg-gpumemprof-filter=FILE, where "
         "FILE has the line allocates:");
  if (word) gpm_words_add(w, word);
  else gpm_words_name(w, scope->function);
}

bool gpm_assumptions_any(void) {
  return atomic_load_explicit(&suspects, memory_order_acquire) != NULL;
}

struct gpm_suspect *gpm_assumptions_moved(const struct gpm_node *call, uint32_t scope,
                                          const void *site) {
  struct gpm_suspect *s = atomic_load_explicit(&suspects, memory_order_acquire);
  while (s && (s->scope != site || s->state == ANOTHER)) s = s->next;
  if (!s || call->record->site == GPUMEMPROF_NONE) return NULL; /* no call of the program above */
  if (call_leads_to(call, gpm_sites_record(scope)->function, s)) return NULL;
  gpm_capture_count(GPUMEMPROF_COUNTER_assumed_wrongly);
  static unsigned sentences; /* under the tree lock */
  if (s->said || sentences == GPM_SENTENCES) return NULL;
  s->said = true;
  sentences++;
  s->record = scope;
  return s;
}

void gpm_assumptions_say(const struct gpm_suspect *s) {
  struct gpm_words w = {.length = 0};
  int saved = errno;
  gpm_lock_take(&gpm_tree_lock); /* tables of sites may grow */
  describe_suspect(&w, gpm_sites_record(s->record), s->word);
  gpm_lock_release(&gpm_tree_lock);
  gpm_text_say(w.text, NULL);
  errno = saved;
}
