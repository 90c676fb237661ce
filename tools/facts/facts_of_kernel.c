/* facts_of_kernel.c - see facts_of_kernel.h. */
#include "facts/facts_of_kernel.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static const char *const texts[] = {
#define GPUMEMPROF_KERNEL_REASON(NAME, letter, text) text,
#include "gpumemprof/kernel_reasons.def"
};

void gpm_kernel_facts_free(struct gpm_kernel_facts *k) {
  free(k->symbol);
  free(k->word);
  free(k->name);
  *k = (struct gpm_kernel_facts){0};
}

void gpm_kernel_facts_open(struct gpm_kernel_facts *k, enum gpm_facts_reason reason,
                           const char *name, size_t size) {
  bool first = !k->reasons || reason < (unsigned)__builtin_ctz(k->reasons);
  k->reasons |= 1U << reason;
  k->closed = false;
  if (!first) return;
  k->reason = texts[reason];
  free(k->name);
  k->name = gpm_memory_array(size + 1, 1);
  if (size) memcpy(k->name, name, size);
}

void gpm_kernel_facts_forget(struct gpm_kernel_facts *k) {
  for (uint32_t w = 0; w < k->words; w++) k->word[w].access = GPM_FACTS_UNKNOWN;
}

static bool has_same_words(const struct gpm_kernel_facts *a, const struct gpm_kernel_facts *b) {
  if (a->parameters != b->parameters || a->words != b->words) return false;
  for (uint32_t w = 0; w < a->words; w++)
    if (a->word[w].parameter != b->word[w].parameter || a->word[w].offset != b->word[w].offset)
      return false;
  return true;
}

/* ---- either may run ----------------------------------------------------------------------------
 */

_Static_assert(((unsigned)GPM_FACTS_READ | (unsigned)GPM_FACTS_WRITE) == GPM_FACTS_BOTH,
               "classes but unknown are masks");

static enum gpm_facts_class join(enum gpm_facts_class a, enum gpm_facts_class b) {
  if (a == GPM_FACTS_UNKNOWN || b == GPM_FACTS_UNKNOWN) return GPM_FACTS_UNKNOWN;
  return (enum gpm_facts_class)((unsigned)a | (unsigned)b);
}

static void take_words(struct gpm_kernel_facts *k, const struct gpm_kernel_facts *from) {
  k->parameters = from->parameters;
  k->words = from->words;
  k->word = gpm_memory_array((size_t)k->words + 1, sizeof *k->word);
  memcpy(k->word, from->word, k->words * sizeof *k->word);
}

static void add_reasons(struct gpm_kernel_facts *k, const struct gpm_kernel_facts *other) {
  size_t size = other->name ? strlen(other->name) : 0;
  if (!other->reasons) return;
  gpm_kernel_facts_open(k, (enum gpm_facts_reason)__builtin_ctz(other->reasons), other->name, size);
  k->reasons |= other->reasons;
}

void gpm_kernel_facts_join(struct gpm_kernel_facts *k, const struct gpm_kernel_facts *other) {
  bool known = k->sources;
  if (!known) take_words(k, other);
  k->sources |= other->sources;
  bool same = has_same_words(k, other);
  if (!same) gpm_kernel_facts_open(k, GPM_FACTS_IS_DIFFERENT, NULL, 0);
  for (uint32_t w = 0; same && w < k->words; w++) {
    k->word[w].access = join(k->word[w].access, other->word[w].access);
    k->word[w].is_number &= other->word[w].is_number;
    k->word[w].is_followed |= other->word[w].is_followed;
  }
  add_reasons(k, other);
  if (k->reasons &
      (1U << GPM_FACTS_IS_DIFFERENT | 1U << GPM_FACTS_IS_UNSEEN | 1U << GPM_FACTS_IS_UNREAD))
    gpm_kernel_facts_forget(k);
}

/* ---- both are of the same code -----------------------------------------------------------------
 */

static enum gpm_facts_class meet(enum gpm_facts_class a, enum gpm_facts_class b) {
  enum gpm_facts_class both = join(a, b);
  return both == a ? b : both == b ? a : both;
}

void gpm_kernel_facts_meet(struct gpm_kernel_facts *k, const struct gpm_kernel_facts *other) {
  if (!has_same_words(k, other)) {
    gpm_kernel_facts_join(k, other);
    return;
  }
  k->sources |= other->sources;
  for (uint32_t w = 0; w < k->words; w++) {
    k->word[w].access = meet(k->word[w].access, other->word[w].access);
    k->word[w].is_number |= other->word[w].is_number; /* PTX has no types in structures */
    k->word[w].is_followed &= other->word[w].is_followed;
  }
  if (k->closed) return;
  free(k->name);
  k->name = NULL;
  k->closed = true;
  k->reasons = 0;
  k->reason = NULL;
  add_reasons(k, other);
}
