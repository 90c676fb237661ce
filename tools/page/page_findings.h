/* page_findings.h - what went wrong or wastes memory, for the overview of the page: out of memory,
 * broken budgets, growth, leaks, advice, temporaries, pools; in this order, the most severe first.
 *
 * A finding is a sentence of `sentences` (docs/PAGE.md) that also has its figure, the place that is
 * responsible, and what to do about it.
 */
#ifndef GPM_TOOLS_PAGE_FINDINGS_H
#define GPM_TOOLS_PAGE_FINDINGS_H

#include "page/page.h"

/* Appends a sentence to `list`; takes ownership of both texts, and returns the sentence, which the
 * list owns. */
json_t *gpm_page_say(json_t *list, char *text, char *to);

/* A finding. All texts but the name are owned by the struct. page_leaks.c makes one, too. */
struct gpm_page_finding {
  const char *name; /* as docs/PAGE.md lists them */
  char *text, *figure, *place, *place_to, *action, *to;
};
/* Appends a finding to `list`, and frees its texts. */
void gpm_page_findings_say(json_t *list, struct gpm_page_finding finding);
/* Those of the memory that page->profile, filter, lines and leaks are of. growth: null where it is
 * not known. */
void gpm_page_findings(const struct gpm_page *page, const struct gpm_growth *growth, json_t *list);

#endif
