/* page_links.c - see page_links.h. */
#include "page/page_links.h"

#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* "0" or "host"; to be freed. */
static char *device_key(const struct gpm_reader *r, uint32_t device) {
  int ordinal = r->devices[device].ordinal;
  const char *not_gpu = gpm_locations_not_gpu(ordinal);
  return not_gpu ? gpm_memory_text(not_gpu) : gpm_memory_format("%d", ordinal);
}

char *gpm_page_link_state(const struct gpm_page *page, uint32_t device, uint64_t clock) {
  if (!gpm_page_has_events(page)) return gpm_memory_text("#/lines?sort=-at_peak");
  char *key = device_key(page->reader, device),
       *to = gpm_memory_format("#/state?device=%s&at=%" PRIu64, key, clock);
  free(key);
  return to;
}

char *gpm_page_link_path(const struct gpm_page *page, uint32_t node) {
  return gpm_memory_format("#/tree?node=%u", gpm_page_node(page, node));
}

char *gpm_page_link_site(const struct gpm_page *page, uint32_t site) {
  const struct gpumemprof_capture_site *s =
      site == GPUMEMPROF_NONE ? NULL : gpm_reader_site(page->reader, site);
  if (!s || !s->file || page->redacted) return NULL;
  char *file = gpm_locations_text(page->reader, s->file), *quoted = gpm_text_url(file),
       *to = gpm_memory_format("#/source?file=%s&line=%u", quoted, s->line);
  free(file);
  free(quoted);
  return to;
}

char *gpm_page_link_line(const struct gpm_page *page, uint32_t node) {
  char *to = gpm_page_link_site(page, page->profile->site[node]);
  return to ? to : gpm_page_link_path(page, node);
}

char *gpm_page_link_blocks(const struct gpm_page *page, uint32_t node) {
  uint32_t site = page->profile->site[node];
  if (!gpm_page_has_events(page) || site == GPUMEMPROF_NONE)
    return gpm_memory_text("#/lines?sort=-self_alloc");
  char *where = gpm_locations_node(page->profile, node), *quoted = gpm_text_url(where),
       *to = gpm_memory_format("#/timeline?search=line:%%22%s%%22", quoted);
  free(where);
  free(quoted);
  return to;
}
