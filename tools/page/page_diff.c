/* page_diff.c - the section `diff` of a page: what `gpumemprof diff` says of another capture and
 * this one, by line and by function. */
#include "output/json.h"
#include "page/page.h"
#include "print/diff_print.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

struct gpm_page_diff {
  struct gpm_profile *before;
  struct gpm_diff by[2]; /* line, function */
};

struct gpm_page_diff *gpm_page_diff_make(struct gpm_reader *before,
                                         const struct gpm_filter *before_filter,
                                         const struct gpm_page *page) {
  static const enum gpm_by by[] = {GPM_BY_LINE, GPM_BY_FUNCTION};
  struct gpm_page_diff *d = gpm_memory_array(1, sizeof *d);
  d->before = gpm_profile_new(before, before_filter);
  for (unsigned i = 0; i < 2; i++) {
    d->by[i] = (struct gpm_diff){.by = by[i], .sort = GPM_FIGURE_at_peak};
    gpm_diff_take_all(&d->by[i]);
    d->by[i].side[0] =
        (struct gpm_side){.reader = before, .filter = *before_filter, .profile = d->before};
    d->by[i].side[1] = (struct gpm_side){.reader = page->reader,
                                         .filter = page->filter,
                                         .profile = (struct gpm_profile *)(uintptr_t)page->profile};
    for (unsigned k = 0; k < 2; k++)
      gpm_rows_make(&d->by[i].side[k].rows, d->by[i].side[k].profile, by[i]);
    gpm_diff_make(&d->by[i]);
  }
  return d;
}

void gpm_page_diff_free(struct gpm_page_diff *d) {
  if (!d) return;
  for (unsigned i = 0; i < 2; i++) {
    gpm_diff_free(&d->by[i]);
    for (unsigned k = 0; k < 2; k++) gpm_rows_free(&d->by[i].side[k].rows);
  }
  gpm_profile_free(d->before);
  free(d);
}

/* The name of the file without its folder, because a page is given to other people. */
static json_t *before_json(const struct gpm_side *side) {
  json_t *json = gpm_diff_side_json(side);
  json_object_set_new(json, "capture", gpm_json_text(gpm_text_base(side->reader->path)));
  return json;
}

bool gpm_page_diff_write(const struct gpm_page *page, uint64_t *size) {
  struct gpm_page_section section;
  if (!gpm_page_section_begin(&section, page->file, "diff")) return false;
  gpm_json_to(section.file);
  fputs("{\"before\":", section.file);
  gpm_json_item(before_json(&page->diff->by[0].side[0]), true);
  for (unsigned i = 0; i < 2; i++) {
    const struct gpm_diff *d = &page->diff->by[i];
    gpm_json_named_list(gpm_rows_by(d->by));
    for (uint32_t k = 0; k < d->shown; k++) gpm_json_item(gpm_diff_row_json(d, &d->row[k]), !k);
    fputs("\n]", section.file);
  }
  fputs("}\n", section.file);
  gpm_json_to(NULL);
  bool ok = gpm_page_section_end(&section);
  *size = section.size;
  return ok;
}

char *gpm_page_diff_text(const struct gpm_page *page, uint32_t device) {
  const struct gpm_diff *d = &page->diff->by[0];
  const struct gpm_reader *before = d->side[0].reader;
  uint32_t was = gpm_compare_device(before, page->reader->devices[device].ordinal);
  if (was == GPUMEMPROF_NONE) return NULL;
  int64_t by = (int64_t)(page->reader->devices[device].peak - before->devices[was].peak);
  if (!by) return NULL;
  char *name = gpm_locations_device(page->reader, device),
       *base = gpm_text_clean(gpm_text_base(before->path)), size[GPM_TEXT_NUMBER],
       now[GPM_TEXT_NUMBER];
  char *text =
      gpm_memory_format("The peak of %s %s by %s to %s since %s.", name, by > 0 ? "grew" : "fell",
                        gpm_text_bytes(size, by < 0 ? -by : by, 0),
                        gpm_text_bytes(now, (int64_t)page->reader->devices[device].peak, 0), base);
  free(name);
  free(base);
  return text;
}
