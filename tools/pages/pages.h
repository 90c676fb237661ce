/* pages.h - which pages of each block were used: what kernels did (PAGES, with uses=pages of the
 * plugin), and how far copies and fills went (USES). The answer of `gpumemprof pages`.
 */
#ifndef GPM_TOOLS_PAGES_H
#define GPM_TOOLS_PAGES_H

#include "model/profile.h"

#include "gpumemprof/capture_pages.h"

struct gpm_pages_block {
  uint64_t address, bytes;
  uint64_t allocated; /* clock */
  uint32_t node;      /* the call that allocated it */
  uint32_t device;
  uint64_t pages, read, written, untouched; /* by kernels; a page may be read and written */
  uint64_t between; /* of the untouched ones, those before the last that a kernel used */
  uint64_t used; /* bytes from its begin to the last that may have been used, pages counted whole */
  uint64_t last; /* clock: the last launch that used it was not later; 0: no kernel used it */
  uint32_t first, count; /* its records, in `run` */
  bool recorded;         /* its pages are all known */
  bool unseen; /* something may have used it otherwise: a kernel without marks, a graph, a library
                * that was given its address, another process, or code that was not rebuilt */
  uint32_t of_any; /* how many operations that may use any memory there were before it */
};

struct gpm_pages {
  struct gpm_pages_block *block; /* those with pages and bytes, in the order of their allocation */
  uint32_t count, room;
  const struct gpumemprof_capture_pages **run; /* block by block, in the order of their pages */
  uint32_t unrecorded;                         /* how many blocks are not */
};

/* Whether blocks of the kind have pages that kernels mark. */
bool gpm_pages_are_of(uint32_t kind);
/* Reads the history. Returns false after it reported what is wrong. */
bool gpm_pages_read(struct gpm_pages *pages, struct gpm_reader *reader);
void gpm_pages_free(struct gpm_pages *pages);
/* What is known to be unused at its end; 0: nothing, or that is not known. */
static inline uint64_t gpm_pages_unused(const struct gpm_pages_block *b) {
  return b->recorded && !b->unseen ? b->bytes - b->used : 0;
}

#endif
