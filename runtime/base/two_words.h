/* two_words.h - two words that change in one store (docs/decisions/36-stores-of-16-bytes.md).
 *
 * On x86-64 that is a store of a vector. On AArch64 it is a store of a pair of general registers,
 * which is atomic where the processor has FEAT_LSE2; a store of a vector counts as two stores
 * there.
 */
#ifndef GPM_TWO_WORDS_H
#define GPM_TWO_WORDS_H

#include <stdint.h>

/* Has to be aligned to its size in memory. */
typedef uint64_t gpm_two __attribute__((vector_size(16), may_alias));

static inline void gpm_two_store(void *at, gpm_two words) {
#if defined(__aarch64__)
  __asm__("stp %1, %2, %0" : "=Q"(*(gpm_two *)at) : "r"(words[0]), "r"(words[1]));
#else
  *(gpm_two *)at = words;
#endif
}

/* In one load, while another thread may store them. */
__attribute__((no_sanitize("thread"))) static inline gpm_two gpm_two_load(const void *at) {
#if defined(__aarch64__)
  uint64_t first, second;
  __asm__ volatile("ldp %0, %1, %2" : "=&r"(first), "=r"(second) : "Q"(*(const gpm_two *)at));
  return (gpm_two){first, second};
#else
  return *(const volatile gpm_two *)at;
#endif
}

#endif /* GPM_TWO_WORDS_H */
