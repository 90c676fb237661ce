/* page_lists.c - lists in `profile`: leaks, lifetimes, histograms, pools, samples, marks, steps,
 * failures that were out of memory, budgets. What a command has is an item of that command's JSON.
 */
#include "analysis/leaks.h"
#include "analysis/oom.h"
#include "analysis/pools.h"
#include "check/check.h"
#include "events/walk.h"
#include "output/bins_json.h"
#include "output/json.h"
#include "output/leaks_json.h"
#include "output/pools_json.h"
#include "page/page_walk.h"

#include <inttypes.h>

/* The most steps of a leak's path. Its node has the whole path; to write all paths of a deep
 * recursion would take quadratic space. */
enum { MOST_STEPS = 200 };

static void end(FILE *f) {
  fputs("\n]", f);
}

static json_t *number(uint64_t value) {
  return json_integer((json_int_t)value);
}

static json_t *with_node(const struct gpm_page *page, json_t *item, uint32_t node) {
  json_object_set_new(item, "node", json_integer(gpm_page_node(page, node)));
  return item;
}

static void write_leaks(const struct gpm_page *page, FILE *f) {
  const struct gpm_leaks *l = &page->leaks;
  gpm_json_named_list("leaks");
  for (uint32_t i = 0; i < l->count; i++)
    gpm_json_item(with_node(page, gpm_leaks_json(&l->rows, i, MOST_STEPS), l->rows.row[i].key), !i);
  end(f);
  gpm_json_named_field("leaks_in_all",
                       json_pack("{sI sI sI}", "paths", (json_int_t)l->all, "bytes",
                                 (json_int_t)l->bytes, "blocks", (json_int_t)l->blocks));
  gpm_json_named_list("reachable");
  for (uint32_t i = 0; i < l->reachable_count; i++)
    gpm_json_item(with_node(page, gpm_leaks_reachable_json(page->profile, &l->reachable[i]),
                            l->reachable[i].node),
                  !i);
  end(f);
}

/* Fills columns of the rows by line that `report` does not fill. */
static void write_lifetimes(struct gpm_page *page, FILE *f) {
  if (!page->walk->has_lifetimes) {
    gpm_json_named_field("lifetimes", json_null());
    return;
  }
  enum gpm_lifetimes_source known = gpm_lifetimes_fill(&page->lines, page->walk->lifetimes, true);
  struct gpm_choice choice = gpm_lifetimes_choice(false, known);
  struct gpm_order order;
  gpm_lifetimes_order(&order, &page->lines, GPM_FIGURE_self_alloc);
  gpm_json_named_list("lifetimes");
  for (uint32_t i = 0; i < order.count; i++)
    gpm_json_item(gpm_json_row(&page->lines, &page->lines.row[order.row[i]], &choice), !i);
  end(f);
  gpm_order_free(&order);
}

/* Counts all blocks, also those that are not in the page one by one. */
static void write_histograms(const struct gpm_page *page, FILE *f) {
  struct gpm_bins sizes = {.count = 0};
  if (!page->walk->has_lifetimes) gpm_bins_sizes(&sizes, page->profile);
  gpm_json_named_list("histogram_of_size");
  gpm_bins_json(page->walk->has_lifetimes ? &page->walk->sizes : &sizes);
  end(f);
  gpm_bins_free(&sizes);
  if (page->walk->has_lifetimes) {
    gpm_json_named_list("histogram_of_lifetime");
    gpm_bins_json(&page->walk->ages);
    end(f);
  } else {
    gpm_json_named_field("histogram_of_lifetime", json_null());
  }
}

static void write_pools(const struct gpm_page *page, FILE *f) {
  gpm_json_named_list("pools");
  for (uint32_t i = 0; i < page->pools.count; i++)
    gpm_json_item(gpm_pools_json(page->reader, &page->pools.pool[i]), !i);
  end(f);
}

/* ---- what happened when ------------------------------------------------------------------------
 */

/* Writes the samples of whole devices as arrays, because there may be a million. */
static void write_samples(const struct gpm_page *page, FILE *f) {
  static const char *const names[] = {"device", "clock",    "time_ns",   "used",
                                      "ledger", "reserved", "by_monitor"};
  fputs(",\n\"samples\": {", f);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    fprintf(f, "%s\n\"%s\":[", i ? "," : "", names[i]);
    const char *comma = "";
    struct gpm_cursor at = {.records = &page->reader->samples};
    for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
      if (s->pool != GPUMEMPROF_NONE) continue;
      const uint64_t values[] = {gpm_page_device(page, s->device),
                                 s->clock,
                                 gpm_reader_time_ns(page->reader, s->ticks),
                                 s->used,
                                 s->ledger,
                                 s->pools,
                                 s->why == GPUMEMPROF_SAMPLE_MONITOR};
      fprintf(f, "%s%" PRIu64, comma, values[i]);
      comma = ",";
    }
    fputc(']', f);
  }
  fputc('}', f);
}

static json_t *moment(const struct gpm_reader *r, uint64_t clock, uint64_t ticks) {
  json_t *one = json_object();
  json_object_set_new(one, "clock", number(clock));
  json_object_set_new(one, "time_ns", number(gpm_reader_time_ns(r, ticks)));
  return one;
}

static void write_moments(const struct gpm_page *page, FILE *f) {
  const struct gpm_reader *r = page->reader;
  gpm_json_named_list("marks");
  struct gpm_cursor marks = {.records = &r->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&marks));) {
    json_t *one = moment(r, m->clock, m->ticks);
    json_object_set_new(one, "name", gpm_json_text(gpm_reader_string(r, m->name)));
    json_object_set_new(one, "thread", number(m->thread));
    gpm_json_item(one, !marks.number);
  }
  end(f);
  gpm_json_named_list("steps");
  struct gpm_cursor steps = {.records = &r->steps};
  for (const struct gpumemprof_capture_step *s; (s = gpm_cursor_next(&steps));) {
    json_t *one = moment(r, s->clock, s->ticks);
    json_object_set_new(one, "number", number(steps.number + 1));
    gpm_json_item(one, !steps.number);
  }
  end(f);
}

static void write_ooms(const struct gpm_page *page, FILE *f) {
  const struct gpm_reader *r = page->reader;
  gpm_json_named_list("ooms");
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));) {
    json_t *one = with_node(page, moment(r, o->clock, o->ticks), o->node), *advice = json_array();
    struct gpm_oom oom = gpm_oom_of(o);
    size_t count;
    char **text = gpm_oom_advice(page->profile, &oom, 0, &count);
    json_object_set_new(one, "device",
                        o->device == GPUMEMPROF_NONE ? json_null()
                                                     : number(gpm_page_device(page, o->device)));
    json_object_set_new(one, "bytes", o->requested ? number(o->requested) : json_null());
    for (size_t i = 0; i < count; i++) {
      json_array_append_new(advice, gpm_json_text(text[i]));
      free(text[i]);
    }
    free(text);
    json_object_set_new(one, "advice", advice);
    gpm_json_item(one, !at.number);
  }
  end(f);
}

static void write_budgets(const struct gpm_page *page, FILE *f) {
  gpm_json_named_list("budgets");
  for (uint32_t i = 0; i < page->budgets.count; i++)
    gpm_json_item(gpm_check_budget_json(page->profile, &page->budgets.budget[i]), !i);
  end(f);
}

void gpm_page_lists(struct gpm_page *page, FILE *f) {
  write_lifetimes(page, f);
  write_histograms(page, f);
  write_leaks(page, f);
  write_pools(page, f);
  write_samples(page, f);
  write_moments(page, f);
  write_ooms(page, f);
  write_budgets(page, f);
}
