/* kernel_facts.h - what the plugin finds out about kernels that clang compiles for a device, and
 * how it says so in the device code: the tool reads it there (tools/facts/compiled.c).
 *
 * What is known of a kernel is the name of another kernel, which does nothing and is never
 * launched, because names are in every form of device code, from PTX to what nvlink made. CUDA
 * loads a kernel when it is launched first, so this one takes no memory of a device; a variable
 * would. A name may say it of several kernels, each behind a `$`. The parts are joined by `$`:
 *
 *   GPUMEMPROF_FACTS_PREFIX, GPUMEMPROF_FACTS_VERSION
 *   the kernel         gpumemprof_facts_kernel of its symbol, 16 digits
 *   why it is open     letters of kernel_reasons.def; none: it is closed
 *   parameters         for each `p`, and a letter for each of its words of 8 bytes; a letter and a
 *                      number stand for that many words
 *   what that names    the function or instruction in the first of these reasons, or nothing; for a
 *                      byte that no name in PTX has there is another `$`
 *
 * Letters of words: n, r, w, b, u for what is done with memory at that address: none, read, write,
 * both, or not known; the capital letter if the word is a number and not used as an address. An
 * address that is compared counts as read. A parameter that can hold no address has no words: a
 * float, or less than 8 bytes.
 */
#ifndef GPUMEMPROF_KERNEL_FACTS_H
#define GPUMEMPROF_KERNEL_FACTS_H

#include <stddef.h>
#include <stdint.h>

#define GPUMEMPROF_FACTS_PREFIX "__gpumemprof_facts"
#define GPUMEMPROF_FACTS_VERSION "1"
#define GPUMEMPROF_FACTS_CLASSES "nrwbu"

/* FNV-1a. */
static inline uint64_t gpumemprof_facts_kernel(const char *symbol, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)symbol[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif /* GPUMEMPROF_KERNEL_FACTS_H */
