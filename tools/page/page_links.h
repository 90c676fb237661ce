/* page_links.h - links from one part of the page to another (docs/PAGE.md, Links). */
#ifndef GPM_TOOLS_PAGE_LINKS_H
#define GPM_TOOLS_PAGE_LINKS_H

#include "page/page.h"

/* Each returns a text that the caller frees. */

/* What a device held after an event. */
char *gpm_page_link_state(const struct gpm_page *page, uint32_t device, uint64_t clock);
/* The source of the line of a site; null where the page has no source. */
char *gpm_page_link_site(const struct gpm_page *page, uint32_t site);
/* The source of the line of a node; its call path where the page has no source. */
char *gpm_page_link_line(const struct gpm_page *page, uint32_t node);
/* The call path of a node, and what is below it. */
char *gpm_page_link_path(const struct gpm_page *page, uint32_t node);
/* When the blocks of a line lived; the tables where the page has no events. */
char *gpm_page_link_blocks(const struct gpm_page *page, uint32_t node);

#endif
