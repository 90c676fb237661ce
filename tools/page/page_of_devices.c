/* page_of_devices.c - see page_of_devices.h. */
#include "page/page_of_devices.h"

#include "output/json.h"
#include "page/page_findings.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_NODES = 4000000 }; /* of all devices, in a page of the usual size */

uint8_t *gpm_page_of_devices_with_memory(const struct gpm_page *page, uint32_t *count) {
  uint8_t *has = gpm_memory_array(page->reader->device_count, sizeof *has);
  struct gpm_cursor at = {.records = &page->reader->cells};
  *count = 0;
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!page->profile->cell_shown[at.number] || has[c->device]) continue;
    has[c->device] = 1;
    ++*count;
  }
  return has;
}

void gpm_page_of_devices_make(struct gpm_page *page) {
  const struct gpm_reader *r = page->reader;
  uint32_t count;
  uint8_t *has = gpm_page_of_devices_with_memory(page, &count);
  struct gpm_page_of_devices *all = &page->of_devices;
  *all = (struct gpm_page_of_devices){.count = 0};
  if (count > 1 && (size_t)count * page->profile->node_count <= gpm_page_most(page, MOST_NODES)) {
    all->one = gpm_memory_array(count, sizeof *all->one);
    for (uint32_t i = 0; i < r->device_count; i++) {
      struct gpm_filter filter = page->filter;
      filter.device = r->device_order[i];
      if (!has[filter.device]) continue;
      struct gpm_profile *profile = gpm_profile_new(r, &filter);
      all->one[all->count++] = (struct gpm_page_of_device){
          .device = filter.device, .profile = profile, .growth = {.profile = profile}};
    }
  }
  free(has);
}

void gpm_page_of_devices_write(const struct gpm_page *page, FILE *file) {
  fputs(",\n\"findings_of\":[", file);
  for (uint32_t i = 0; i < page->of_devices.count; i++) {
    const struct gpm_page_of_device *part = &page->of_devices.one[i];
    struct gpm_page of = *page; /* the same page with the figures of the device */
    json_t *one = json_object(), *list = json_array();
    of.profile = part->profile;
    of.filter.device = part->device;
    gpm_rows_make(&of.lines, part->profile, GPM_BY_LINE);
    gpm_leaks_find(&of.leaks, part->profile, &(struct gpm_leaks_request){.most = 1});
    gpm_page_findings(&of, part->grows ? &part->growth : NULL, list);
    gpm_leaks_free(&of.leaks);
    gpm_rows_free(&of.lines);
    json_object_set_new(one, "device", json_integer(gpm_page_device(page, part->device)));
    json_object_set_new(one, "findings", list);
    gpm_json_item(one, !i);
  }
  fputc(']', file);
}

void gpm_page_of_devices_free(struct gpm_page_of_devices *all) {
  for (uint32_t i = 0; i < all->count; i++) {
    gpm_growth_free(&all->one[i].growth);
    gpm_profile_free(all->one[i].profile);
  }
  free(all->one);
}
