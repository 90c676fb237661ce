/* page_of_devices.h - what the page says of one device at a time: findings, for the page's choice
 * of a device. page.c makes one for each device that has memory, if there are several; the walk
 * (page_walk.c) adds its growth, and page_findings.c finds in it what it finds in all. */
#ifndef GPM_TOOLS_PAGE_OF_DEVICES_H
#define GPM_TOOLS_PAGE_OF_DEVICES_H

#include "over_time/growth.h"

#include <stdio.h>

struct gpm_page;

struct gpm_page_of_device {
  uint32_t device;             /* record of DEVICES */
  struct gpm_profile *profile; /* of its memory alone */
  bool grows;                  /* growth is known */
  struct gpm_growth growth;
  struct gpm_growth_finding *finding; /* during the walk */
};
struct gpm_page_of_devices {
  struct gpm_page_of_device *one;
  uint32_t count; /* 0: there is only one device, or too many call paths */
};

/* Fills page->of_devices. */
void gpm_page_of_devices_make(struct gpm_page *page);
/* Writes `findings_of` of `profile`. */
void gpm_page_of_devices_write(const struct gpm_page *page, FILE *file);
void gpm_page_of_devices_free(struct gpm_page_of_devices *all);
/* Returns by record of DEVICES whether the page has memory of it; the caller frees it. *count: the
 * number of them. */
uint8_t *gpm_page_of_devices_with_memory(const struct gpm_page *page, uint32_t *count);

#endif
