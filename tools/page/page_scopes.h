/* page_scopes.h - scopes of the page's time line: what each thread had open, and when. If there are
 * too many, the longest. */
#ifndef GPM_TOOLS_PAGE_SCOPES_H
#define GPM_TOOLS_PAGE_SCOPES_H

#include "page/page.h"
#include "support/largest.h"

/* In a page of the usual size; a larger page may hold more. */
#define GPM_PAGE_SCOPES 50000u

struct gpm_page_scope {
  uint32_t thread, node;
  uint64_t start, end; /* clock: of the first event in it, of the latest before its end */
  uint64_t time_ns, span_ns;
};

struct gpm_page_scopes {
  struct gpm_largest kept; /* in no order */
  uint64_t seen;
};

/* From the events. False after it said what is wrong. */
bool gpm_page_scopes_make(struct gpm_page_scopes *scopes, const struct gpm_page *page);
void gpm_page_scopes_free(struct gpm_page_scopes *scopes);

#endif
