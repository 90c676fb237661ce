/* page.h - the page that `gpumemprof html` writes: what its parts share. docs/PAGE.md is the
 * contract of the data in it.
 *
 *   cmd_html.c      the capture, the options, the file
 *   page.c          the page around its sections, in the order profile, sources, diff, advice,
 *                   events
 *   page_walk.c     what all sections need from the events
 *   page_NAME*.c    the sections; `events` gets the bytes that are left
 *
 * Numbers in the page are those of the capture where it has all call paths (page_paths.h): a node
 * of profile.tree is a record of NODES (0 the root), a cell one of CELLS (parts of split.c behind
 * them), a pair one of PAIRS; else page->paths has their numbers. A kind is an enum
 * gpumemprof_kind. Devices have another order (gpm_page_device), and texts (gpm_page_text).
 */
#ifndef GPM_TOOLS_PAGE_H
#define GPM_TOOLS_PAGE_H

#include "advise/advise.h"
#include "analysis/budgets.h"
#include "analysis/leaks.h"
#include "analysis/pools.h"
#include "events/walk.h"
#include "model/split_cells.h"
#include "page/page_of_devices.h"
#include "page/page_paths.h"
#include "support/map.h"
#include "support/words.h"
#include <jansson.h>

#include <stdio.h>

#define GPM_PAGE_USUAL_SIZE ((uint64_t)30 << 20)

struct gpm_page {
  struct gpm_reader *reader;
  const struct gpm_profile *profile; /* cells that it leaves out count in no figure and no event */
  struct gpm_filter filter;          /* the filter that the profile was made with */
  struct gpm_page_diff *diff;        /* page_diff.c; null: there is no second capture */
  FILE *file;                        /* the page is written to it */
  const char *only;        /* the memory that the page is limited to, in words; null: all */
  bool redacted;           /* no text of the source, --redact-source */
  uint64_t most;           /* bytes, --max-size */
  const char *source_root; /* the folder whose files may be taken from disk, or empty */
  uint32_t nodes;          /* nodes of the call tree in the page, known once it is written */
  uint32_t outside; /* files that page_sources.c did not read, because they are outside source_root;
                       the first ... */
  const char *first_outside;    /* ... is this one, a string of the capture */
  struct gpm_rows lines;        /* of the profile */
  struct gpm_page_walk *walk;   /* what was read from the events, before the page is written */
  struct gpm_kernel_code *code; /* what the user said of kernels; the page adds what modules say */
  const struct gpm_advise_made *advice;  /* which line to change; null: that is not known */
  struct gpm_page_of_devices of_devices; /* by device, made before the events are read */
  struct gpm_page_paths paths;           /* the call paths that the page has, ... */
  struct gpm_leaks leaks;                /* ... and those that leaked */
  struct gpm_pools pools;
  struct gpm_budgets budgets;
  uint32_t *device;       /* by record: its index in profile.devices */
  struct gpm_words texts; /* by number; 0 is "" */
  struct gpm_map text;    /* the number of a string of the capture, by its offset */
};

/* Whether the page has single events. It has none for a window (window.h), because what happened
 * before the window would be missing. */
static inline bool gpm_page_has_events(const struct gpm_page *page) {
  return gpm_walk_knows_all(page->reader) && !gpm_split_is_part(page->reader);
}
/* Whether the page has advice: it is about all memory, over the whole run. */
static inline bool gpm_page_has_advice(const struct gpm_page *page) {
  return !page->only && gpm_page_has_events(page) && gpm_advise_can(page->reader);
}
/* The index in `devices` of a record of DEVICES. */
static inline uint32_t gpm_page_device(const struct gpm_page *page, uint32_t record) {
  return page->device[record];
}
/* Scales a number of items for a page of the usual size to the size of this page. */
static inline size_t gpm_page_most(const struct gpm_page *page, uint32_t usual) {
  double pages = (double)page->most / (double)GPM_PAGE_USUAL_SIZE;
  return (size_t)(usual * (pages > 1 ? pages < 1000 ? pages : 1000 : 1));
}
/* The number in `tree` of a record of NODES, or of the ancestor that represents it. */
static inline uint32_t gpm_page_node(const struct gpm_page *page, uint32_t record) {
  return record < page->profile->node_count ? page->paths.nodes.number[record] : record;
}
/* The number in `texts` of a string of the capture; 0 is "". It may be called only until `profile`
 * is written, which precedes all other sections. */
uint32_t gpm_page_text(struct gpm_page *page, uint32_t offset);

/* ---- page_section.c: a section while it is written, bytes -> gzip -> base64 -> file. ----
 * A caller that has to know the size before the section is in the page begins it on a separate
 * stream (open_memstream). The struct must not move between begin and end. */
struct gpm_page_section {
  FILE *file; /* the caller writes the content to it, and does not seek */
  FILE *base64, *to;
  uint64_t size; /* set at the end: bytes in the page, including the tags */
};
/* False after it said that there is no memory. */
bool gpm_page_section_begin(struct gpm_page_section *section, FILE *to, const char *name);
/* False when something could not be written; the code that closes `to` reports it. */
bool gpm_page_section_end(struct gpm_page_section *section);

/* ---- the sections. False: not written; the code that closes the file reports it. ---- */

/* page_profile.c; *size: bytes in the page. */
bool gpm_page_profile(struct gpm_page *page, uint64_t *size);
/* Parts of it. page_tree.c: call paths, cells and pairs; page_lists.c: leaks, lifetimes, pools,
 * what happened when; page_sentences.c: what the overview says (findings: page_findings.h). */
void gpm_page_tree(struct gpm_page *page, FILE *file);
void gpm_page_lists(struct gpm_page *page, FILE *file);
/* page_devices.c: the tables of one device at a time. */
void gpm_page_devices(struct gpm_page *page, FILE *file);
json_t *gpm_page_sentences(const struct gpm_page *page);
/* page_sources.c; only for a page that is not redacted. */
bool gpm_page_sources(struct gpm_page *page, uint64_t *size);

/* page_diff.c. Call it before anything is redacted, because lines are matched by the texts that
 * redaction removes. It uses reader, profile and filter of the page, and borrows both readers. */
struct gpm_page_diff *gpm_page_diff_make(struct gpm_reader *before, const struct gpm_filter *filter,
                                         const struct gpm_page *page);
void gpm_page_diff_free(struct gpm_page_diff *diff); /* may be null */
bool gpm_page_diff_write(const struct gpm_page *page, uint64_t *size);
/* Returns "The peak of GPU 0 grew by 71.86 MiB to 646.17 MiB since base.gmprof.", which the caller
 * frees; null if the peak did not change, or the other capture has no such device. */
char *gpm_page_diff_text(const struct gpm_page *page, uint32_t device);

/* ---- page.c ---- */

/* Sets the three parts of the page that are the viewer's: before the title, up to the sections, and
 * behind them. Returns false after it reported that this tool was built without a viewer. */
bool gpm_page_viewer(const char *part[3], size_t size[3]);
/* Writes the whole page. The caller has set reader, profile, filter, file, redacted and most. False
 * after it said what is wrong, or where writing failed; the code that closes the file reports that.
 */
bool gpm_page_write(struct gpm_page *page);

/* page_events.c: writes the section to page->file, in at most `most` bytes with its tags. It is
 * called last, once, and only if gpm_page_has_events. If it returns false and sets *least, the
 * section takes so many bytes even without single blocks, and nothing was written or reported; if
 * *least is 0, it reported what is wrong. */
bool gpm_page_events(struct gpm_page *page, uint64_t most, uint64_t *least);

#endif
