/* page.h - the page that `gpumemprof html` writes: what its parts share. docs/PAGE.md is the
 * contract of the data in it.
 *
 *   cmd_html.c      the capture, the options, the file
 *   page.c          the page around its sections, in the order profile, sources, diff, events: the
 *                   last gets the bytes that are left
 *   page_walk.c     what the events tell, for all of it
 *   page_NAME*.c    the sections
 *
 * Numbers in the page are those of the capture where it has all call paths (page_paths.h): a node
 * of profile.tree is a record of NODES (0 the root), a cell one of CELLS (parts of apart.c behind
 * them), a pair one of PAIRS; else page->paths has their numbers. A kind is an enum
 * gpumemprof_kind. Devices have another order (gpm_page_device), and texts (gpm_page_text).
 */
#ifndef GPM_TOOLS_PAGE_H
#define GPM_TOOLS_PAGE_H

#include "analysis/budgets.h"
#include "analysis/leaks.h"
#include "analysis/pools.h"
#include "events/walk.h"
#include "model/apart_cells.h"
#include "page/page_paths.h"
#include "support/words.h"
#include <jansson.h>

#include <stdio.h>

#define GPM_PAGE_USUAL_SIZE ((uint64_t)30 << 20)

struct gpm_page {
  struct gpm_reader *reader;
  const struct gpm_profile *profile; /* cells it does not show are in no figure and no event */
  struct gpm_filter filter;          /* what the profile was made with */
  struct gpm_page_diff *diff;        /* page_diff.c; null: there is no second capture */
  FILE *file;                        /* the page, so far as it is written */
  const char *only;                  /* which memory alone it is of, in words; null: all of it */
  bool redacted;                     /* no text of the source, --redact-source */
  uint64_t most;                     /* bytes, --max-size */
  const char *source_root;           /* the folder whose files may be taken from disk, or empty */
  uint32_t nodes;                    /* how many of the call tree it has, when it is written */
  uint32_t outside;                  /* page_sources.c: files that it left there, the first ... */
  const char *first_outside;         /* ... of which is this: a string of the capture */
  struct gpm_rows lines;             /* of the profile */
  struct gpm_page_walk *walk;        /* what the events tell; before it is written */
  struct gpm_page_paths paths;       /* what the page has of its call paths, ... */
  struct gpm_leaks leaks;            /* ... and of those that leaked */
  struct gpm_pools pools;
  struct gpm_budgets budgets;
  uint32_t *device;       /* by record: its place in profile.devices */
  struct gpm_words texts; /* by number; 0 is "" */
  struct gpm_map text;    /* the number of a string of the capture, by its offset */
};

/* The page has single events: those of a window (window.h) would be without what was before them.
 */
static inline bool gpm_page_has_events(const struct gpm_page *page) {
  return gpm_walk_knows_all(page->reader) && !gpm_apart_is_part(page->reader);
}
/* The place in `devices` of a record of DEVICES. */
static inline uint32_t gpm_page_device(const struct gpm_page *page, uint32_t record) {
  return page->device[record];
}
/* Of what a page of the usual size has so many, how many this one may have. */
static inline size_t gpm_page_most(const struct gpm_page *page, uint32_t usual) {
  double pages = (double)page->most / (double)GPM_PAGE_USUAL_SIZE;
  return (size_t)(usual * (pages > 1 ? pages < 1000 ? pages : 1000 : 1));
}
/* The number in `tree` of a record of NODES, or of the one above that stands for it. */
static inline uint32_t gpm_page_node(const struct gpm_page *page, uint32_t record) {
  return record < page->profile->node_count ? page->paths.nodes.number[record] : record;
}
/* The number in `texts` of a string of the capture; 0 is "". Until `profile` is written, which is
 * before all other sections. */
uint32_t gpm_page_text(struct gpm_page *page, uint32_t offset);

/* ---- page_section.c: a section on its way, bytes -> gzip -> base64 -> file. ----
 * Who has to know its size before it is in the page begins it on a stream of its own
 * (open_memstream). It stays where it is between begin and end. */
struct gpm_page_section {
  FILE *file; /* to be written to; no seeking */
  FILE *base64, *to;
  uint64_t size; /* after its end: bytes in the page, its tags included */
};
/* False after it said that there is no memory. */
bool gpm_page_section_begin(struct gpm_page_section *section, FILE *to, const char *name);
/* False when something could not be written; that is for who closes `to` to say. */
bool gpm_page_section_end(struct gpm_page_section *section);

/* ---- the sections. False: not written, which is for who closes the file to say. ---- */

/* page_profile.c; *size: bytes in the page. */
bool gpm_page_profile(struct gpm_page *page, uint64_t *size);
/* Parts of it. page_tree.c: call paths, cells and pairs; page_lists.c: leaks, lifetimes, pools,
 * what happened when; page_sentences.c: what stands out. */
void gpm_page_tree(struct gpm_page *page, FILE *file);
void gpm_page_lists(struct gpm_page *page, FILE *file);
json_t *gpm_page_sentences(const struct gpm_page *page);
/* page_sources.c: where the page is not redacted. */
bool gpm_page_sources(struct gpm_page *page, uint64_t *size);

/* page_diff.c. Made before anything is redacted, which lines are found again by; of the page,
 * reader, profile and filter are looked at. Borrows both readers. */
struct gpm_page_diff *gpm_page_diff_make(struct gpm_reader *before, const struct gpm_filter *filter,
                                         const struct gpm_page *page);
void gpm_page_diff_free(struct gpm_page_diff *diff); /* may be null */
bool gpm_page_diff_write(const struct gpm_page *page, uint64_t *size);
/* "The peak of GPU 0 grew by 71.86 MiB to 646.17 MiB since base.gmprof."; null where it did not
 * change, or the other capture has no such device. To be freed. */
char *gpm_page_diff_text(const struct gpm_page *page, uint32_t device);

/* ---- page.c ---- */

/* Bytes of the page that the viewer takes, in parts: before the title, up to the sections, behind
 * them. False after it said that this tool was built without one. */
bool gpm_page_viewer(const char *part[3], size_t size[3]);
/* All of it. Reader, profile, filter, file, redacted and most are set. False after it said what is
 * wrong, or where writing failed, which is for who closes the file to say. */
bool gpm_page_write(struct gpm_page *page);

/* page_events.c, called last, once, and where gpm_page_has_events: writes the section to
 * page->file, in at most `most` bytes with its tags. False with *least set: it takes so many bytes
 * even without single blocks, and nothing was written or said. False with *least 0: what is wrong
 * was said. */
bool gpm_page_events(struct gpm_page *page, uint64_t most, uint64_t *least);

#endif
