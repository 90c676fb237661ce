/* page_findings.c - see page_findings.h. */
#include "page/page_findings.h"

#include "analysis/oom.h"
#include "analysis/oom_leaks.h"
#include "check/check.h"
#include "output/json.h"
#include "page/page_leaks.h"
#include "page/page_links.h"
#include "page/page_walk.h"
#include "rows/locations.h"
#include "rows/order.h"
#include "support/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF_A_KIND = 3 };               /* findings */
#define LARGE_SHARE 10.0                   /* percent of what a pool has reserved */
#define LARGE_POOL ((uint64_t)1024 * 1024) /* bytes */

static void put(json_t *one, const char *key, char *text) {
  json_object_set_new(one, key, text ? gpm_json_text(text) : json_null());
  free(text);
}

void gpm_page_findings_say(json_t *list, struct gpm_page_finding f) {
  json_t *one = gpm_page_say(list, f.text, f.to);
  json_object_set_new(one, "finding", json_string(f.name));
  put(one, "figure", f.figure);
  put(one, "place", f.place);
  put(one, "place_to", f.place_to);
  put(one, "action", f.action);
}

static char *bytes_text(uint64_t bytes) {
  char text[GPM_TEXT_NUMBER];
  return gpm_memory_text(gpm_text_bytes(text, (int64_t)bytes, 0));
}

/* ---- out of memory -----------------------------------------------------------------------------
 */

/* How many allocations were out of memory, and the first of them that has a record. Those of one
 * device are counted by their records; one whose device is not known may be of each. */
static uint64_t count_ooms(const struct gpm_page *page,
                           const struct gpumemprof_capture_oom **first) {
  struct gpm_cursor at = {.records = &page->reader->ooms};
  uint64_t count = 0;
  for (const struct gpumemprof_capture_oom *oom; (oom = gpm_cursor_next(&at));) {
    if (page->filter.device != GPM_ALL_DEVICES && oom->device != GPUMEMPROF_NONE &&
        oom->device != page->filter.device)
      continue;
    if (!*first) *first = oom;
    count++;
  }
  return page->filter.device == GPM_ALL_DEVICES ? gpm_oom_count(page->reader) : count;
}

static void find_ooms(const struct gpm_page *page, json_t *list) {
  const struct gpumemprof_capture_oom *first = NULL;
  uint64_t count = count_ooms(page, &first);
  const char *begin = count == 1 ? "allocation was" : "allocations were";
  struct gpm_page_finding f = {.name = "out_of_memory"};
  if (!count) return;
  if (!first) {
    f.text = gpm_memory_format("%" PRIu64 " %s out of memory.", count, begin);
    f.figure = gpm_memory_format("%" PRIu64, count);
    f.to = gpm_memory_text("#/overview");
    gpm_page_findings_say(list, f);
    return;
  }
  struct gpm_oom oom = gpm_oom_of(first);
  size_t texts;
  char **advice = gpm_oom_advice(page->profile, &oom, 0, &texts);
  f.figure = first->requested ? bytes_text(first->requested) : gpm_memory_format("%" PRIu64, count);
  f.place = gpm_locations_node(page->profile, first->node);
  f.place_to = gpm_page_link_line(page, first->node);
  const char *size = first->requested ? f.figure : "a size that is not known";
  f.text =
      count == 1
          ? gpm_memory_format("1 allocation of %s at %s was out of memory%s%s.", size, f.place,
                              texts ? ": " : "", texts ? advice[0] : "")
          : gpm_memory_format("%" PRIu64 " %s out of memory, the first of %s at %s%s%s.", count,
                              begin, size, f.place, texts ? ": " : "", texts ? advice[0] : "");
  f.action = gpm_memory_text("Free what held the memory then, or request less.");
  f.to = first->device == GPUMEMPROF_NONE ? gpm_memory_text("#/overview")
                                          : gpm_page_link_state(page, first->device, first->clock);
  for (size_t i = 0; i < texts; i++) free(advice[i]);
  free(advice);
  gpm_page_findings_say(list, f);
}

/* ---- budgets -----------------------------------------------------------------------------------
 */

/* A budget limits what a call needs of all devices: it belongs to each whose memory is allocated in
 * or below the call. */
static bool is_of_device(const struct gpm_page *page, uint32_t node) {
  const struct gpm_profile *p = page->profile;
  if (page->filter.device == GPM_ALL_DEVICES) return true;
  for (uint32_t c = 0; c < p->cell_count; c++)
    if (p->cell_shown[c] && gpm_ancestors_common(&p->tree, p->cell_node[c], node) == node)
      return true;
  return false;
}

static void find_budgets(const struct gpm_page *page, json_t *list) {
  static const char *const actions[] = {
      [GPUMEMPROF_BUDGET_BYTES] = "Allocate less in it and its calls, or raise its budget.",
      [GPUMEMPROF_BUDGET_NO_ALLOC] = "Allocate before it begins.",
      [GPUMEMPROF_BUDGET_NO_LEAK] = "Free what it allocates before it ends.",
  };
  const struct gpm_budgets *b = &page->budgets;
  uint32_t more = 0;
  for (uint32_t i = 0, said = 0; i < b->broken; i++) {
    const struct gpm_budget *one = &b->budget[i];
    if (!is_of_device(page, one->node)) continue;
    if (said++ >= MOST_OF_A_KIND) {
      more++;
      continue;
    }
    char *text = gpm_check_budget_text(page->profile, one, 0);
    gpm_page_findings_say(
        list, (struct gpm_page_finding){.name = "budget",
                                        .text = gpm_memory_format("%s.", text),
                                        .figure = bytes_text(one->bytes),
                                        .place = gpm_locations_node(page->profile, one->node),
                                        .place_to = gpm_page_link_line(page, one->node),
                                        .action = gpm_memory_text(actions[one->kind]),
                                        .to = gpm_page_link_path(page, one->node)});
    free(text);
  }
  if (more)
    gpm_page_findings_say(
        list, (struct gpm_page_finding){
                  .name = "budget",
                  .text = gpm_memory_format("%u more budget%s of the source %s broken.", more,
                                            gpm_text_s(more), more == 1 ? "was" : "were"),
                  .figure = gpm_memory_format("%u", more),
                  .to = gpm_memory_text("#/overview")});
}

/* ---- growth ------------------------------------------------------------------------------------
 */

static void find_growth(const struct gpm_page *page, const struct gpm_growth *g, json_t *list) {
  for (uint32_t i = 0; g && i < g->count && i < MOST_OF_A_KIND; i++) {
    const struct gpm_growth_line *line = &g->line[i];
    char first[GPM_TEXT_NUMBER], last[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER],
        *where = gpm_locations_node(page->profile, line->node);
    gpm_text_bytes(more, (int64_t)(line->last - line->first), 0);
    gpm_page_findings_say(
        list,
        (struct gpm_page_finding){
            .name = "growth",
            .text = gpm_memory_format("%s holds more from step to step: %s after step %u, %s "
                                      "after step %u, and it never fell.",
                                      where, gpm_text_bytes(first, (int64_t)line->first, 0),
                                      g->from, gpm_text_bytes(last, (int64_t)line->last, 0), g->to),
            .figure = gpm_memory_format("+%s", more),
            .place = where,
            .place_to = gpm_page_link_line(page, line->node),
            .action = gpm_memory_text("Free what a step allocates here in the same step, or "
                                      "keep a fixed number of blocks."),
            .to = gpm_page_link_blocks(page, line->node)});
  }
}

/* ---- advice ------------------------------------------------------------------------------------
 */

/* "The peak of GPU 0 then falls from 80.00 MiB to 64.00 MiB."; to be freed. */
static char *peaks_text(const struct gpm_page *page, const struct gpm_advice_finding *f) {
  char before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER],
      *name = gpm_locations_device(page->reader, f->changes->device),
      *text = gpm_memory_format("The peak of %s then falls from %s to %s.", name,
                                gpm_text_bytes(before, (int64_t)f->before, 0),
                                gpm_text_bytes(after, (int64_t)gpm_advice_after(f), 0));
  free(name);
  return text;
}

/* "Free A_gpu after line 195 instead: mm2_kernel1 was its last use."; to be freed. */
static char *action_text(const struct gpm_advise *a, const struct gpm_advice_finding *f,
                         const struct gpm_line_change *change) {
  char *action = gpm_advise_action(a, f->changes, change), *why = gpm_advise_why(a, f, change),
       *text = gpm_memory_format("%c%s: %s.", toupper((unsigned char)*action), action + 1, why);
  free(action);
  free(why);
  return text;
}

/* number: of the finding in the section `advice`. */
static void say_advice(const struct gpm_page *page, const struct gpm_advice_finding *f,
                       uint32_t number, json_t *list) {
  struct gpm_page_finding one = {.name = "advice",
                                 .text = peaks_text(page, f),
                                 .figure = bytes_text(gpm_advice_saving(f)),
                                 .to = gpm_memory_format("#/advice?finding=%u", number)};
  if (f->count == 1) {
    const struct gpm_advise *a = &page->advice->advise;
    const struct gpm_line_change *change = &f->changes->change[f->step[0]];
    uint32_t from = gpm_advise_from(change);
    one.place = gpm_locations_node(a->profile, from);
    one.place_to = gpm_page_link_line(page, from);
    one.action = action_text(a, f, change);
  } else one.action = gpm_memory_format("Make %u changes together.", f->count);
  gpm_page_findings_say(list, one);
}

/* In the order of `gpumemprof advise`: the changes of one line that save most, and several together
 * where they save more than all before them. */
static void find_advice(const struct gpm_page *page, json_t *list) {
  uint64_t most = 0;
  uint32_t said = 0;
  for (uint32_t i = 0; page->advice && i < page->advice->advise.count; i++) {
    const struct gpm_advice_finding *f = page->advice->advise.finding[i];
    if (page->filter.device != GPM_ALL_DEVICES && page->filter.device != f->changes->device)
      continue;
    bool says = f->count == 1 ? said++ < MOST_OF_A_KIND : gpm_advice_saving(f) > most;
    if (says) say_advice(page, f, i + 1, list);
    if (gpm_advice_saving(f) > most) most = gpm_advice_saving(f);
  }
}

/* ---- waste -------------------------------------------------------------------------------------
 */

/* The advice ends with ": REMEDY", which a finding has as its action. */
static void cut_remedy(char *advice, const char *remedy) {
  size_t length = strlen(advice), end = strlen(remedy) + 2;
  if (length > end && !strcmp(advice + length - end + 2, remedy)) advice[length - end] = 0;
}

static void find_temporaries(const struct gpm_page *page, json_t *list) {
  struct gpm_temporaries found;
  struct gpm_order order;
  gpm_temporaries_find(&found, &page->lines, page->walk->temporaries);
  gpm_order_make(&order, &page->lines, GPM_FIGURE_temporary_blocks, true);
  for (uint32_t i = 0, said = 0; i < order.count && said < MOST_OF_A_KIND; i++) {
    const struct gpm_temporary *line = &found.line[order.row[i]];
    char *advice = gpm_temporaries_advice(&found, &page->lines, order.row[i], 0);
    if (!advice) continue;
    char *action = gpm_memory_format("%s.", gpm_temporaries_remedy(line));
    cut_remedy(advice, gpm_temporaries_remedy(line));
    action[0] = (char)toupper((unsigned char)action[0]);
    int64_t times = page->lines.row[order.row[i]].value[GPM_FIGURE_temporary_blocks];
    gpm_page_findings_say(
        list, (struct gpm_page_finding){.name = "temporaries",
                                        .text = gpm_memory_format("%s.", advice),
                                        .figure = gpm_memory_format("%" PRId64 " times", times),
                                        .place = gpm_locations_node(page->profile, line->node),
                                        .place_to = gpm_page_link_line(page, line->node),
                                        .action = action,
                                        .to = gpm_page_link_blocks(page, line->node)});
    free(advice);
    said++;
  }
  gpm_order_free(&order);
  gpm_temporaries_free(&found);
}

/* "pool Cache"; CUDA's pools may have such names already. To be freed. */
static char *pool_name(const struct gpm_pool *p) {
  return strncmp(p->name, "pool ", 5) ? gpm_memory_format("pool %s", p->name)
                                      : gpm_memory_text(p->name);
}

static void find_holes(const struct gpm_pool *p, json_t *list) {
  uint64_t times = p->value[GPM_POOL_FRAGMENTED];
  char need[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
  if (!gpm_pool_knows(p, GPM_POOL_FRAGMENTED) || !times) return;
  char *name = pool_name(p);
  gpm_text_bytes(need, (int64_t)p->value[GPM_POOL_GROWTH_NEED], 0);
  gpm_page_findings_say(
      list,
      (struct gpm_page_finding){
          .name = "pool",
          .text = gpm_memory_format(
              "P%s grew %" PRIu64 " time%s although it had enough free bytes, because they were in "
              "holes that were too small: the latest time for %s, when the largest hole was %s.",
              name + 1, times, gpm_text_s(times), need,
              gpm_text_bytes(hole, (int64_t)p->value[GPM_POOL_GROWTH_HOLE], 0)),
          .figure = gpm_memory_text(need),
          .place = name,
          .action = gpm_memory_text("Take long-lived blocks from another pool, so that they do "
                                    "not split its free memory."),
          .to = gpm_memory_text("#/overview")});
}

/* A pool never used a large part of what it reserved at most. */
static void find_unused(const struct gpm_pool *p, json_t *list) {
  uint64_t used = p->value[GPM_POOL_USED_PEAK], reserved = p->value[GPM_POOL_RESERVED_PEAK];
  char most[GPM_TEXT_NUMBER], of[GPM_TEXT_NUMBER];
  if (!gpm_pool_knows(p, GPM_POOL_USED_PEAK) || !gpm_pool_knows(p, GPM_POOL_RESERVED_PEAK) ||
      used >= reserved || reserved - used < LARGE_POOL ||
      100 * (double)(reserved - used) < LARGE_SHARE * (double)reserved)
    return;
  char *name = pool_name(p);
  gpm_page_findings_say(
      list,
      (struct gpm_page_finding){
          .name = "pool",
          .text = gpm_memory_format("P%s reserved up to %s and never used more than %s of it.",
                                    name + 1, gpm_text_bytes(of, (int64_t)reserved, 0),
                                    gpm_text_bytes(most, (int64_t)used, 0)),
          .figure = bytes_text(reserved - used),
          .place = name,
          .action = gpm_memory_text(
              !strcmp(p->source, "cuda")
                  ? "Lower its release threshold, or trim it with cudaMemPoolTrimTo."
                  : "Reserve less at a time, or release what is not used."),
          .to = gpm_memory_text("#/overview")});
}

void gpm_page_findings(const struct gpm_page *page, const struct gpm_growth *growth, json_t *list) {
  bool ended = gpm_oom_leaks_ended(page->profile->reader);
  find_ooms(page, list);
  find_budgets(page, list);
  find_growth(page, growth, list);
  if (!ended) gpm_page_leaks_say(page, false, list);
  find_advice(page, list);
  find_temporaries(page, list);
  for (uint32_t i = 0; i < page->pools.count; i++) {
    const struct gpm_pool *p = &page->pools.pool[i];
    if (page->filter.device != GPM_ALL_DEVICES && page->filter.device != p->device_number &&
        !p->several_devices)
      continue;
    find_holes(p, list);
    find_unused(p, list);
  }
  if (ended) gpm_page_leaks_say(page, true, list);
}
