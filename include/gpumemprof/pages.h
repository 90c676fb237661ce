/* pages.h - what device code compiled with -fplugin-arg-gpumemprof-uses=pages and the runtime agree
 * on. A part of hooks.h, which includes it.
 *
 * For each page of 4 KiB there are two words of 4 bytes: when it was last read, and when it was
 * last written. The code brings them up to date with the epoch, and never lowers one. The words of
 * a window of addresses lie together in device memory; a window of which none is recorded has no
 * words.
 *
 *   address   | window: 10 bits | page in it: 25 bits | byte: 12 bits |
 *
 * Each module of device code has one struct gpumemprof_pages in constant memory, without any words
 * until the runtime fills it before a launch. For each kernel that does something with memory that
 * the compiler does not see, as inline assembly or a texture does, the module also has a variable
 * whose name is GPUMEMPROF_PAGES_UNSEEN and the kernel's own.
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
/* How many pages a window has. */
#define GPUMEMPROF_PAGES_IN_WINDOW                                                                 \
  (UINT64_C(1) << (GPUMEMPROF_PAGES_WINDOW_BITS - GPUMEMPROF_PAGE_BITS))

#define GPUMEMPROF_PAGE_READ 1u
#define GPUMEMPROF_PAGE_WRITTEN 2u

/* An epoch is the allocation clock + 1, and not above that of GPUMEMPROF_PAGE_LAST_CLOCK. */
#define GPUMEMPROF_PAGE_LAST_CLOCK (UINT32_MAX - 1)

struct gpumemprof_page {
  uint32_t read, written; /* the epoch of the last such use, or a later one; 0: none */
};

/* In an entry of the table: the window has no words. The page that it leads to is up to date. */
#define GPUMEMPROF_PAGES_NONE 8u

struct gpumemprof_pages {
  uint32_t epoch;
  uint32_t fresh; /* not 0: kernels are launched for the first time in this epoch, so that most of
                   * what they use has no marks of it yet. A hint */
  /* For each window the address of the words of its first page, a multiple of 16, or that of a page
   * and NONE. The lower halves of the addresses of all words, and of that page, are different. */
  uint64_t words[GPUMEMPROF_PAGES_WINDOWS];
};

#endif /* GPUMEMPROF_PAGES_H */
