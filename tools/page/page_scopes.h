/* page_scopes.h - the scopes of the page's timeline: which scopes each thread had open, and when.
 * If there are too many, only the longest are kept. */
#ifndef GPM_TOOLS_PAGE_SCOPES_H
#define GPM_TOOLS_PAGE_SCOPES_H

#include "events/listeners.h"
#include "page/page.h"
#include "support/largest.h"

/* For a page of the usual size; a larger page may hold more. */
#define GPM_PAGE_SCOPES 50000u

struct gpm_page_scope {
  uint32_t thread, node; /* node: record */
  uint64_t start,
      end; /* clocks: of the first event in the scope, of the last event before its end */
  uint64_t time_ns, span_ns;
};

struct gpm_page_scopes {
  struct gpm_largest kept; /* in no order */
  uint64_t seen;
};

/* Collects the scopes of the nodes in `paths`; null: of all nodes. A walk has to pass its steps to
 * the listener before gpm_page_scopes_made is called. */
struct gpm_page_scopes_making *gpm_page_scopes_listen(struct gpm_page_scopes *scopes,
                                                      const struct gpm_page *page,
                                                      const struct gpm_page_paths *paths,
                                                      struct gpm_listener *listener);
void gpm_page_scopes_made(struct gpm_page_scopes_making *making);
void gpm_page_scopes_free(struct gpm_page_scopes *scopes);

#endif
