/* kernel_code.h - what is known of the code of a capture's kernels: how each uses the memory that
 * its parameters point to, and whether it uses any other. Uses of memory (uses.h) are found with
 * them.
 *
 * It comes from the device code in the program and the libraries that the capture names, and in
 * files that the user names (facts/facts.h). Nothing is known of a kernel that has none: it uses
 * what it is given in an unknown way, and may follow every address that it can read.
 */
#ifndef GPM_TOOLS_KERNEL_CODE_H
#define GPM_TOOLS_KERNEL_CODE_H

#include "capture/reader.h"
#include "facts/facts.h"

enum gpm_access {
  GPM_ACCESS_NONE = 0,
  GPM_ACCESS_READ = 1,
  GPM_ACCESS_WRITE = 2,
  GPM_ACCESS_BOTH = 3,
  GPM_ACCESS_UNKNOWN = 4 /* it may be both, and the address may be stored in device memory */
};

struct gpm_named_code {
  char *path;
  bool other; /* it is of another build than what was recorded */
};
struct gpm_kernel_code {
  struct gpm_facts facts;
  struct gpm_named_code *named; /* files that the user names */
  size_t named_count;
  bool left_out;  /* a file that the capture names, about which something was said */
  bool host_only; /* those that it names have no device code, and ran on a simulated device */
};

/* Adds the facts of a file that the user names. Null, or a sentence that says what is wrong with
 * it, which the caller frees. A zeroed struct knows nothing. */
char *gpm_kernel_code_add(struct gpm_kernel_code *code, const char *path);
/* Adds those of the program and the libraries of a capture, and takes back what the user named if
 * it is another build than what was recorded (kernel_code_files.c). A sentence is said about each
 * file that is left out for that reason, and about each of the capture that cannot be read, if a
 * kernel of it may be in there. */
void gpm_kernel_code_add_modules(struct gpm_kernel_code *code, const struct gpm_reader *reader);
/* The same for a command that is about something else: nothing is said. Returns false if one of the
 * files was changed or cannot be read, or if all of them together are larger than `most` bytes. */
bool gpm_kernel_code_add_small(struct gpm_kernel_code *code, const struct gpm_reader *reader,
                               uint64_t most);
void gpm_kernel_code_free(struct gpm_kernel_code *code);

/* Returns what a kernel does with memory at the address in the 8 bytes at `offset` of a parameter.
 */
enum gpm_access gpm_kernel_code_word(struct gpm_kernel_code *code, const char *symbol,
                                     uint16_t parameter, uint16_t offset);
/* Returns why the kernel may use memory that it was given no address of, as a clause that follows
 * its name: "follows addresses that it loads", with the remedy if nothing is known of its code; the
 * caller frees it. Null: it does not. What was passed in a word that the capture does not list is
 * not known: a kernel that finds an address there may use any memory. */
char *gpm_kernel_code_open(struct gpm_kernel_code *code, const struct gpm_reader *reader,
                           const struct gpumemprof_capture_kernel *kernel);
/* Whether it makes addresses of numbers, or finds them in words that the capture does not list, so
 * that it may use memory whose address is nowhere. */
bool gpm_kernel_code_makes_addresses(struct gpm_kernel_code *code, const struct gpm_reader *reader,
                                     const struct gpumemprof_capture_kernel *kernel);

#endif
