/* facts.h - what is known of the code of a kernel: how it uses the memory that its parameters point
 * to, and whether it uses any other. Uses of memory (uses.h) are found with them.
 *
 * A source of facts answers by the kernel's name in device code. Nothing is known of a kernel that
 * no source knows: it uses what it is given in an unknown way, and may follow every address that it
 * can read.
 */
#ifndef GPM_TOOLS_FACTS_H
#define GPM_TOOLS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

enum gpm_access {
  GPM_ACCESS_NONE = 0,
  GPM_ACCESS_READ = 1,
  GPM_ACCESS_WRITE = 2,
  GPM_ACCESS_BOTH = 3,
  GPM_ACCESS_UNKNOWN = 4 /* it may be both, and the address may be stored in device memory */
};

struct gpm_facts {
  void *self;
  /* What the kernel does with memory at the address in the 8 bytes at `offset` of a parameter. */
  enum gpm_access (*word)(void *self, const char *symbol, uint16_t parameter, uint16_t offset);
  /* Returns why the kernel may use memory that it was given no address of, as a clause that follows
   * its name: "follows pointers that it loads". Null: it does not. The source owns the text. */
  const char *(*open)(void *self, const char *symbol);
};

/* The source that knows nothing. */
extern const struct gpm_facts gpm_facts_none;

/* facts_file.c: the facts of a JSON file:
 *   {"kernels": {"_Z4stepPf": {"open": "follows pointers that it loads",
 *                              "words": [{"parameter": 0, "offset": 0, "access": "read"}]}}}
 * A kernel without `open` uses nothing but what its words point to. A word that is not listed is
 * unknown. Returns null, or a sentence that says what is wrong with the file; the caller frees it.
 */
char *gpm_facts_read(const char *path, struct gpm_facts *facts);
void gpm_facts_free(struct gpm_facts *facts);

#endif
