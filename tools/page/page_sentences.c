/* page_sentences.c - findings about a capture, for the overview of the page: sentences with the
 * figures that they follow from, each with the link to the view that shows it (docs/PAGE.md,
 * Links). */
#include "analysis/conserve.h"
#include "analysis/holding.h"
#include "analysis/in_use.h"
#include "analysis/oom.h"
#include "check/check.h"
#include "events/walk.h"
#include "model/patterns.h"
#include "output/json.h"
#include "output/summary.h"
#include "page/page_walk.h"
#include "rows/locations.h"
#include "rows/order.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF_A_KIND = 3 }; /* sentences */
#define LARGE_SHARE 10.0     /* percent of what a device has in use */

struct sentences {
  const struct gpm_page *page;
  json_t *list;
};

/* Takes ownership of both texts. */
static void say(struct sentences *s, char *text, char *to) {
  json_t *one = json_object();
  json_object_set_new(one, "text", gpm_json_text(text));
  json_object_set_new(one, "to", gpm_json_text(to));
  json_array_append_new(s->list, one);
  free(text);
  free(to);
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- links -------------------------------------------------------------------------------------
 */

/* "0" or "host"; to be freed. */
static char *device_key(const struct gpm_reader *r, uint32_t device) {
  int ordinal = r->devices[device].ordinal;
  const char *not_gpu = gpm_locations_not_gpu(ordinal);
  return not_gpu ? gpm_memory_text(not_gpu) : gpm_memory_format("%d", ordinal);
}

/* What a device held after a tick. */
static char *to_state(const struct gpm_page *page, uint32_t device, uint64_t clock) {
  if (!gpm_page_has_events(page)) return gpm_memory_text("#/lines?sort=-at_peak");
  char *key = device_key(page->reader, device),
       *to = gpm_memory_format("#/state?device=%s&at=%" PRIu64, key, clock);
  free(key);
  return to;
}

static char *to_line(const struct gpm_page *page, uint32_t node) {
  uint32_t site = page->profile->site[node];
  const struct gpumemprof_capture_site *s =
      site == GPUMEMPROF_NONE ? NULL : gpm_reader_site(page->reader, site);
  if (!s || !s->file || page->redacted)
    return gpm_memory_format("#/tree?node=%u", gpm_page_node(page, node));
  char *file = gpm_locations_text(page->reader, s->file), *quoted = gpm_text_url(file),
       *to = gpm_memory_format("#/source?file=%s&line=%u", quoted, s->line);
  free(file);
  free(quoted);
  return to;
}

/* ---- what is shown, peaks, leaks ----------------------------------------------------------------
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
        to_state(page, device, d->peak_clock));
    free(name);
    free(where);
    free(way);
    free(share);
  }
  gpm_holding_free(&holding);
}

static void say_leaks(struct sentences *s) {
  const struct gpm_page *page = s->page;
  const struct gpm_leaks *l = &page->leaks;
  uint64_t bytes = l->bytes, blocks = l->blocks;
  if (!blocks) return;
  const struct gpm_row *worst = NULL;
  for (uint32_t i = 0; i < page->lines.count; i++) {
    const struct gpm_row *row = &page->lines.row[i];
    if (row->value[GPM_FIGURE_leaked_blocks] &&
        (!worst || row->value[GPM_FIGURE_leaked] > worst->value[GPM_FIGURE_leaked]))
      worst = row;
  }
  char all[GPM_TEXT_NUMBER], most[GPM_TEXT_NUMBER],
      *where =
          worst ? gpm_locations_row(&page->lines, worst) : gpm_memory_text("unknown locations");
  const char *state = gpm_reader_is_midway(page->reader)
                          ? blocks == 1 ? "is live at this moment" : "are live at this moment"
                      : blocks == 1 ? "was never freed"
                                    : "were never freed";
  int64_t of_worst = worst ? worst->value[GPM_FIGURE_leaked_blocks] : 0;
  say(s,
      worst && (uint64_t)of_worst == blocks
          ? gpm_memory_format("%s in %" PRIu64 " block%s %s, all from %s.",
                              gpm_text_bytes(all, (int64_t)bytes, 0), blocks, plural(blocks), state,
                              where)
          : gpm_memory_format("%s in %" PRIu64 " block%s %s; most of it, %s in %" PRId64
                              " block%s, from %s.",
                              gpm_text_bytes(all, (int64_t)bytes, 0), blocks, plural(blocks), state,
                              gpm_text_bytes(most, worst ? worst->value[GPM_FIGURE_leaked] : 0, 0),
                              of_worst, plural((uint64_t)of_worst), where),
      gpm_memory_text("#/leaks"));
  free(where);
}

/* ---- what went wrong ---------------------------------------------------------------------------
 */

static void say_ooms(struct sentences *s) {
  const struct gpm_page *page = s->page;
  uint64_t count = gpm_oom_count(page->reader);
  struct gpm_cursor at = {.records = &page->reader->ooms};
  const struct gpumemprof_capture_oom *first = gpm_cursor_next(&at);
  if (!count) return;
  char *text = gpm_memory_format("%" PRIu64 " allocation%s out of memory.", count,
                                 count == 1 ? " was" : "s were");
  if (first) {
    struct gpm_oom oom = gpm_oom_of(first);
    size_t texts;
    char **advice = gpm_oom_advice(page->profile, &oom, 0, &texts),
         *where = gpm_locations_node(page->profile, first->node), asked[GPM_TEXT_NUMBER];
    free(text);
    text = gpm_memory_format("%" PRIu64 " allocation%s out of memory, the first of %s at %s%s%s.",
                             count, count == 1 ? " was" : "s were",
                             first->requested ? gpm_text_bytes(asked, (int64_t)first->requested, 0)
                                              : "a size that is not known",
                             where, texts ? ": " : "", texts ? advice[0] : "");
    for (size_t i = 0; i < texts; i++) free(advice[i]);
    free(advice);
    free(where);
  }
  say(s, text,
      first && first->device != GPUMEMPROF_NONE ? to_state(page, first->device, first->clock)
                                                : gpm_memory_text("#/overview"));
}

static void say_budgets(struct sentences *s) {
  const struct gpm_budgets *b = &s->page->budgets;
  for (uint32_t i = 0; i < b->broken && i < MOST_OF_A_KIND; i++) {
    char *text = gpm_check_budget_text(s->page->profile, &b->budget[i], 0);
    say(s, gpm_memory_format("%s.", text), to_line(s->page, b->budget[i].node));
    free(text);
  }
  uint32_t more = b->broken > MOST_OF_A_KIND ? b->broken - MOST_OF_A_KIND : 0;
  if (more)
    say(s,
        gpm_memory_format("%u more budget%s of the source %s broken.", more, plural(more),
                          more == 1 ? "was" : "were"),
        gpm_memory_text("#/overview"));
}

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

/* ---- habits ------------------------------------------------------------------------------------
 */

static void say_temporaries(struct sentences *s) {
  const struct gpm_page *page = s->page;
  struct gpm_temporaries found;
  struct gpm_order order;
  gpm_temporaries_find(&found, &page->lines, page->walk->temporaries);
  gpm_order_make(&order, &page->lines, GPM_FIGURE_temporary_blocks, true);
  for (uint32_t i = 0, said = 0; i < order.count && said < MOST_OF_A_KIND; i++) {
    char *advice = gpm_temporaries_advice(&found, &page->lines, order.row[i], 0);
    if (!advice) continue;
    say(s, gpm_memory_format("%s.", advice), to_line(page, found.line[order.row[i]].node));
    free(advice);
    said++;
  }
  gpm_order_free(&order);
  gpm_temporaries_free(&found);
}

static void say_growth(struct sentences *s) {
  const struct gpm_page *page = s->page;
  const struct gpm_growth *g = &page->walk->growth;
  for (uint32_t i = 0; page->walk->grows && i < g->count && i < MOST_OF_A_KIND; i++) {
    const struct gpm_growth_line *line = &g->line[i];
    char first[GPM_TEXT_NUMBER], last[GPM_TEXT_NUMBER],
        *where = gpm_locations_node(page->profile, line->node);
    say(s,
        gpm_memory_format("%s holds more from step to step: %s after step %u, %s after step %u, "
                          "and it never fell.",
                          where, gpm_text_bytes(first, (int64_t)line->first, 0), g->from,
                          gpm_text_bytes(last, (int64_t)line->last, 0), g->to),
        to_line(page, line->node));
    free(where);
  }
}

static void say_pools(struct sentences *s) {
  for (uint32_t i = 0; i < s->page->pools.count; i++) {
    const struct gpm_pool *p = &s->page->pools.pool[i];
    uint64_t times = p->value[GPM_POOL_FRAGMENTED];
    char need[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
    if (!gpm_pool_knows(p, GPM_POOL_FRAGMENTED) || !times) continue;
    say(s,
        gpm_memory_format("Pool %s grew %" PRIu64 " time%s though it had enough free bytes, in "
                          "holes too small: the latest time for %s, when the largest hole was %s.",
                          p->name, times, plural(times),
                          gpm_text_bytes(need, (int64_t)p->value[GPM_POOL_GROWTH_NEED], 0),
                          gpm_text_bytes(hole, (int64_t)p->value[GPM_POOL_GROWTH_HOLE], 0)),
        gpm_memory_text("#/overview"));
  }
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
  say_ooms(&s);
  say_leaks(&s);
  say_growth(&s);
  say_budgets(&s);
  say_temporaries(&s);
  say_pools(&s);
  for (uint32_t i = 0; i < r->device_count; i++)
    if (page->filter.device == GPM_ALL_DEVICES || page->filter.device == r->device_order[i])
      say_unaccounted(&s, r->device_order[i]);
  say_losses(&s);
  return s.list;
}
