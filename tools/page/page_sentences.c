/* page_sentences.c - what the overview of the page says of a capture: sentences with the figures
 * that they follow from, each with the link to the view that shows it (docs/PAGE.md, Links): what
 * is shown, the peaks, the findings (page_findings.h), what is missing. */
#include "analysis/conserve.h"
#include "analysis/holding.h"
#include "analysis/in_use.h"
#include "model/patterns.h"
#include "output/json.h"
#include "output/summary.h"
#include "page/page_findings.h"
#include "page/page_links.h"
#include "page/page_walk.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_SHARE 10.0 /* percent of what a device has in use */

struct sentences {
  const struct gpm_page *page;
  json_t *list;
};

json_t *gpm_page_say(json_t *list, char *text, char *to) {
  json_t *one = json_object();
  json_object_set_new(one, "text", gpm_json_text(text));
  json_object_set_new(one, "to", gpm_json_text(to));
  json_array_append_new(list, one);
  free(text);
  free(to);
  return one;
}

static void say(struct sentences *s, char *text, char *to) {
  gpm_page_say(s->list, text, to);
}

/* ---- what is shown, peaks ----------------------------------------------------------------
 */

/* ", the largest part of that (22.0 %) through main.cu:9 step"; "" if no caller is recorded.
 * To be freed. */
static char *through(const struct gpm_page *page, uint32_t device, struct gpm_holding *holding) {
  const struct gpm_held *line = &holding->line[0];
  struct gpm_through_paths paths = {.count = 0};
  gpm_holding_paths(holding, 0, device, &paths);
  struct gpm_through most = gpm_through_find(page->profile, &paths, 0);
  char *text = !*most.caller ? gpm_memory_text("")
               : most.bytes == line->bytes
                   ? gpm_memory_format(", through %s", most.caller)
                   : gpm_memory_format(", the largest part of that (%.1f %%) through %s",
                                       100 * (double)most.bytes / (double)line->bytes, most.caller);
  free(most.caller);
  gpm_through_paths_free(&paths);
  return text;
}

static void say_only(struct sentences *s) {
  const struct gpm_page *page = s->page;
  if (!page->only) return;
  struct gpm_left left = gpm_patterns_left(page->profile);
  struct gpm_conservation all = gpm_conserve(page->reader);
  char shown[GPM_TEXT_NUMBER], whole[GPM_TEXT_NUMBER];
  say(s,
      gpm_memory_format("Only memory of %s is in this page: %s of the %s that were allocated.",
                        page->only, gpm_text_bytes(shown, (int64_t)left.allocated.bytes, 0),
                        gpm_text_bytes(whole, (int64_t)all.allocated, 0)),
      gpm_memory_text("#/overview"));
  free(all.fault);
}

/* "GPU 0", "Pinned host memory"; to be freed. */
static char *name_of(const struct gpm_reader *r, uint32_t device) {
  int ordinal = r->devices[device].ordinal;
  return ordinal == GPUMEMPROF_HOST       ? gpm_memory_text("Pinned host memory")
         : ordinal == GPUMEMPROF_IMPORTED ? gpm_memory_text("Imported memory")
                                          : gpm_locations_device(r, device);
}

static void say_peak(struct sentences *s, uint32_t device) {
  const struct gpm_page *page = s->page;
  const struct gpumemprof_capture_device *d = &page->reader->devices[device];
  struct gpm_holding holding;
  gpm_holding_at_peak(&holding, page->profile, device);
  if (holding.count && holding.all.bytes) {
    const struct gpm_held *most = &holding.line[0];
    bool whole = holding.all.bytes == d->peak, all = most->bytes == holding.all.bytes;
    char peak[GPM_TEXT_NUMBER], when[GPM_SUMMARY_WHEN], held[GPM_TEXT_NUMBER],
        *name = name_of(page->reader, device),
        *where = gpm_locations_node(page->profile, most->node),
        *way = through(page, device, &holding),
        *share = all ? gpm_memory_text("all of it")
                     : gpm_memory_format("%s of it (%.1f %%)",
                                         gpm_text_bytes(held, (int64_t)most->bytes, 0),
                                         100 * (double)most->bytes / (double)holding.all.bytes);
    say(s,
        gpm_memory_format("%s held %s%s at its peak, %s: %s from %s%s.", name,
                          gpm_text_bytes(peak, (int64_t)holding.all.bytes, 0),
                          whole ? "" : " of what is shown here",
                          gpm_summary_when(when, page->reader, d), share, where, way),
        gpm_page_link_state(page, device, d->peak_clock));
    free(name);
    free(where);
    free(way);
    free(share);
  }
  gpm_holding_free(&holding);
}

/* ---- what is missing ---------------------------------------------------------------------------
 */

static void say_losses(struct sentences *s) {
  static const char *const begins[] = {NULL, "Figures are incomplete", "A limit was reached",
                                       "Not checked"};
  const struct gpm_reader *r = s->page->reader;
  for (enum gpm_counter_class class = GPM_COUNTER_LOSS; class < GPM_COUNTER_CLASSES; class++)
    for (unsigned i = 0; gpm_counters[i].name; i++)
      if (gpm_counters[i].class == class && r->header.counters[i]) {
        char *counted = gpm_text_counted(r->header.counters[i], gpm_counters[i].text);
        say(s, gpm_memory_format("%s: %s.", begins[class], counted), gpm_memory_text("#/overview"));
        free(counted);
      }
  struct gpm_conservation c = gpm_conserve(r);
  if (c.fault)
    say(s, gpm_memory_format("The sums of this capture do not add up: %s.", c.fault),
        gpm_memory_text("#/overview"));
  free(c.fault);
}

static void say_unaccounted(struct sentences *s, uint32_t device) {
  struct gpm_in_use u;
  if (!gpm_in_use(s->page->reader, device, &u) || u.unaccounted <= 0 ||
      100 * (double)u.unaccounted < LARGE_SHARE * (double)u.used)
    return;
  char *name = gpm_locations_device(s->page->reader, device), bytes[GPM_TEXT_NUMBER],
       used[GPM_TEXT_NUMBER];
  say(s,
      gpm_memory_format("%s had %s in use %s, and %s of that are in no recorded allocation: the "
                        "context, libraries, other processes.",
                        name, gpm_text_bytes(used, (int64_t)u.used, 0), u.when,
                        gpm_text_bytes(bytes, u.unaccounted, 0)),
      gpm_memory_text("#/overview"));
  free(name);
}

json_t *gpm_page_sentences(const struct gpm_page *page) {
  struct sentences s = {.page = page, .list = json_array()};
  const struct gpm_reader *r = page->reader;
  say_only(&s);
  for (uint32_t i = 0; i < r->device_count; i++) say_peak(&s, r->device_order[i]);
  for (uint32_t i = 0; page->diff && i < r->device_count; i++) {
    char *text = gpm_page_diff_text(page, r->device_order[i]);
    if (text) say(&s, text, gpm_memory_text("#/diff"));
  }
  gpm_page_findings(page, page->walk->grows ? &page->walk->growth : NULL, s.list);
  for (uint32_t i = 0; i < r->device_count; i++)
    if (page->filter.device == GPM_ALL_DEVICES || page->filter.device == r->device_order[i])
      say_unaccounted(&s, r->device_order[i]);
  say_losses(&s);
  return s.list;
}
