/* page_scopes.h - scopes of the page's time line: what each thread had open, and when. If there are
 * too many, the longest. */
#ifndef GPM_TOOLS_PAGE_SCOPES_H
#define GPM_TOOLS_PAGE_SCOPES_H

#include "events/listeners.h"
#include "page/page.h"
#include "support/largest.h"

/* In a page of the usual size; a larger page may hold more. */
#define GPM_PAGE_SCOPES 50000u

struct gpm_page_scope {
  uint32_t thread, node; /* node: record */
  uint64_t start, end;   /* clock: of the first event in it, of the latest before its end */
  uint64_t time_ns, span_ns;
};

struct gpm_page_scopes {
  struct gpm_largest kept; /* in no order */
  uint64_t seen;
};

/* Those of nodes that the page has, where that is known (`paths`), else all; the listener has to be
 * told the steps of a walk before gpm_page_scopes_made. */
struct gpm_page_scopes_making *gpm_page_scopes_listen(struct gpm_page_scopes *scopes,
                                                      const struct gpm_page *page,
                                                      const struct gpm_page_paths *paths,
                                                      struct gpm_listener *listener);
void gpm_page_scopes_made(struct gpm_page_scopes_making *making);
void gpm_page_scopes_free(struct gpm_page_scopes *scopes);

#endif
