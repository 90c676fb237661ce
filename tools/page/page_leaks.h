/* page_leaks.h - the finding of the overview about what is live at the end. page_findings.c calls
 * it.
 *
 * It names a line if that has more than half of the bytes, else a function whose lines together
 * have more than half, else the line that has the most. */
#ifndef GPM_TOOLS_PAGE_LEAKS_H
#define GPM_TOOLS_PAGE_LEAKS_H

#include "page/page.h"

/* Appends it to `list`, if anything is live at the end. ended: the program ended because it was out
 * of memory, so nothing is known to be a leak. */
void gpm_page_leaks_say(const struct gpm_page *page, bool ended, json_t *list);

#endif
