/* kernel_code.c - what is known of each kernel (kernel_code.h). From which files is found in
 * kernel_code_files.c. */
#include "uses/kernel_code.h"

#include "support/memory.h"

#include <stdlib.h>

static const char no_device_code[] =
    "has no device code in this program, because `gpumemprof flags sim` compiles none; let clang "
    "write it as PTX, and name that file with --facts (`gpumemprof advise --help` has the command)";

/* Whether the facts of a word are about bytes at that offset too: that of a pointer in a packed
 * structure is a multiple of 8 in no list of facts. */
static bool is_about(const struct gpm_facts_word *facts, uint16_t parameter, uint16_t offset) {
  if (facts->parameter != parameter) return false;
  return facts->offset == offset ||
         (offset % 8 && facts->offset < offset + 8U && offset < facts->offset + 8U);
}

static unsigned join(unsigned a, unsigned b) {
  return a == GPM_ACCESS_UNKNOWN || b == GPM_ACCESS_UNKNOWN ? (unsigned)GPM_ACCESS_UNKNOWN : a | b;
}

enum gpm_access gpm_kernel_code_word(struct gpm_kernel_code *code, const char *symbol,
                                     uint16_t parameter, uint16_t offset) {
  static const enum gpm_access accesses[] = {[GPM_FACTS_NONE] = GPM_ACCESS_NONE,
                                             [GPM_FACTS_READ] = GPM_ACCESS_READ,
                                             [GPM_FACTS_WRITE] = GPM_ACCESS_WRITE,
                                             [GPM_FACTS_BOTH] = GPM_ACCESS_BOTH,
                                             [GPM_FACTS_UNKNOWN] = GPM_ACCESS_UNKNOWN};
  const struct gpm_kernel_facts *k = gpm_facts_find(&code->facts, symbol);
  bool found = false;
  unsigned access = GPM_ACCESS_NONE;
  for (uint32_t i = 0; k && i < k->words; i++) {
    if (!is_about(&k->word[i], parameter, offset)) continue;
    access = join(access, accesses[k->word[i].access]);
    found = true;
  }
  return found ? (enum gpm_access)access : GPM_ACCESS_UNKNOWN;
}

static bool is_at(const struct gpm_reader *r, uint32_t number, const struct gpm_facts_word *at) {
  const struct gpumemprof_capture_kernel_word *word = gpm_reader_record(&r->kernel_words, number);
  return is_about(at, word->parameter, word->offset);
}

/* Whether the kernel follows an address in a word that the capture does not list. Both lists are
 * nearly always in the same order. */
static bool follows_unlisted(const struct gpm_kernel_facts *k, const struct gpm_reader *r,
                             const struct gpumemprof_capture_kernel *listed) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < k->words; i++) {
    if (!k->word[i].is_followed) continue;
    uint32_t left = listed->words;
    for (; left && !is_at(r, listed->first_word + next % listed->words, &k->word[i]); left--)
      next++;
    if (!left) return true;
  }
  return false;
}

char *gpm_kernel_code_open(struct gpm_kernel_code *code, const struct gpm_reader *r,
                           const struct gpumemprof_capture_kernel *kernel) {
  const struct gpm_kernel_facts *k =
      gpm_facts_find(&code->facts, gpm_reader_string(r, kernel->symbol));
  if (!k && code->left_out) return gpm_memory_text("has code that is not known");
  if (!k && code->host_only) return gpm_memory_text(no_device_code);
  if (!k) return gpm_memory_format("has code that is not known; %s", gpm_facts_remedy);
  if (k->closed && follows_unlisted(k, r, kernel))
    return gpm_memory_text("uses an address in a part of a parameter that is not recorded");
  if (k->closed) return NULL;
  char *reason = gpm_facts_reason(k);
  if (k->sources) return reason;
  char *with_remedy = gpm_memory_format("%s; %s", reason, gpm_facts_remedy);
  free(reason);
  return with_remedy;
}

bool gpm_kernel_code_makes_addresses(struct gpm_kernel_code *code, const struct gpm_reader *r,
                                     const struct gpumemprof_capture_kernel *kernel) {
  const struct gpm_kernel_facts *k =
      gpm_facts_find(&code->facts, gpm_reader_string(r, kernel->symbol));
  if (!k) return false;
  return (!k->closed && k->reasons & 1u << GPM_FACTS_IS_NUMBER) || follows_unlisted(k, r, kernel);
}
