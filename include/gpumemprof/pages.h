/* pages.h - what device code compiled with -fplugin-arg-gpumemprof-uses=pages and the runtime agree
 * on. A part of hooks.h, which includes it.
 *
 * The code marks each page of 4 KiB that it reads or writes in a word of 4 bytes: whether the page
 * was read, whether it was written, and the epoch in which it was last used. The words of a window
 * of addresses lie together in device memory; a window of which none is recorded has no words.
 *
 *   address   | window: 10 bits | page in it: 25 bits | byte: 12 bits |
 *   word      | epoch: 30 bits | written | read |
 *
 * Each module of device code has one struct gpumemprof_pages in constant memory, all zeros until
 * the runtime fills it before a launch. For each kernel that does something with memory that the
 * compiler does not see, as inline assembly or a texture does, the module also has a variable whose
 * name is GPUMEMPROF_PAGES_UNSEEN and the kernel's own.
 */
#ifndef GPUMEMPROF_PAGES_H
#define GPUMEMPROF_PAGES_H

#include <stdint.h>

#define GPUMEMPROF_PAGES_SYMBOL "__gpumemprof_pages"
#define GPUMEMPROF_PAGES_UNSEEN "__gpumemprof_unseen_"

#define GPUMEMPROF_PAGE_BITS 12u
#define GPUMEMPROF_PAGE_SIZE (UINT64_C(1) << GPUMEMPROF_PAGE_BITS)
#define GPUMEMPROF_PAGES_WINDOW_BITS 37u
#define GPUMEMPROF_PAGES_WINDOWS 1024u
/* How many words a window has. */
#define GPUMEMPROF_PAGES_IN_WINDOW                                                                 \
  (UINT64_C(1) << (GPUMEMPROF_PAGES_WINDOW_BITS - GPUMEMPROF_PAGE_BITS))

#define GPUMEMPROF_PAGE_READ 1u
#define GPUMEMPROF_PAGE_WRITTEN 2u
#define GPUMEMPROF_PAGE_EPOCH_SHIFT 2u
#define GPUMEMPROF_PAGE_LAST_EPOCH (UINT32_MAX >> GPUMEMPROF_PAGE_EPOCH_SHIFT)

struct gpumemprof_pages {
  uint32_t epoch; /* shifted, as in a word */
  uint32_t reserved;
  /* For each window the address that the word of page 0 would have if all words were there; 0: the
   * window has no words. */
  uint64_t words[GPUMEMPROF_PAGES_WINDOWS];
};

#endif /* GPUMEMPROF_PAGES_H */
