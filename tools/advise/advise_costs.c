/* advise_costs.c - what is about something else than the peak of the run (costs/costs.h), as text
 * and as JSON. See advise.h. */
#include "advise/advise.h"

#include "output/json.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool gpm_advise_shows_cost(const struct gpm_advise *a, const struct gpm_cost *c) {
  return a->device == GPM_ALL_DEVICES || a->device == c->device;
}

uint32_t gpm_advise_costs(const struct gpm_advise *a) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < a->costs->count; i++)
    count += gpm_advise_shows_cost(a, &a->costs->cost[i]);
  return count;
}

/* Returns "a.cu:12 main", "a pool of GPU 0", or "pool arena". */
static char *where_of(const struct gpm_advise *a, const struct gpm_cost *c) {
  const struct gpm_reader *r = a->profile->reader;
  if (c->rule == GPM_COST_FRAGMENTED) {
    const struct gpumemprof_capture_custom_pool *p = gpm_reader_record(&r->custom_pools, 0);
    char *name = gpm_locations_text(r, p->name), *text = gpm_memory_format("pool %s", name);
    free(name);
    return text;
  }
  if (c->from == GPUMEMPROF_NONE) {
    char *device = gpm_locations_device(r, c->device);
    char *text = gpm_memory_format("a pool of %s", device);
    free(device);
    return text;
  }
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, c->from);
  char *file = gpm_text_file(r->host, gpm_reader_string(r, s->file)),
       *function = gpm_locations_text(r, s->function),
       *text = gpm_memory_format("%s:%u%s%s", file, s->line, *function ? " " : "", function);
  free(file);
  free(function);
  return text;
}

static char *fragmented(const struct gpm_advise *a, const struct gpm_cost *c, const char *where) {
  const struct gpumemprof_capture_custom_pool *p =
      gpm_reader_record(&a->profile->reader->custom_pools, 0);
  char need[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER], before[GPM_TEXT_NUMBER],
      after[GPM_TEXT_NUMBER];
  return gpm_memory_format(
      "%s: it grew %" PRIu64
      " time%s though enough was free, the last time for %s with no hole above "
      "%s: an arena in which each piece has one offset (%s) needs less: peak of what it takes %s "
      "-> "
      "%s",
      where, c->calls, gpm_text_s(c->calls), gpm_advise_bytes(need, p->growth_need, a->style),
      gpm_advise_bytes(hole, p->growth_hole, a->style), gpm_advise_packing_way(c->way),
      gpm_advise_bytes(before, c->before, a->style), gpm_advise_bytes(after, c->after, a->style));
}

static char *managed_device_only(const struct gpm_advise *a, const struct gpm_cost *c,
                                 const char *where) {
  const struct gpm_reader *r = a->profile->reader;
  const struct gpumemprof_capture_site *s = gpm_reader_record(&r->sites, c->from);
  char bytes[GPM_TEXT_NUMBER],
      *variable = gpm_text_clean(gpm_reader_string(r, s->variable)),
      *text = gpm_memory_format("%s: allocate %s with cudaMalloc instead, because the host "
                                "neither reads nor writes it (%" PRIu64
                                " block%s, %s): the same bytes, and no page has to move",
                                where, *variable ? variable : "the memory", c->calls,
                                gpm_text_s(c->calls), gpm_advise_bytes(bytes, c->bytes, a->style));
  free(variable);
  return text;
}

char *gpm_advise_of_cost(const struct gpm_advise *a, const struct gpm_cost *c) {
  char bytes[GPM_TEXT_NUMBER], before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER];
  char *where = where_of(a, c), *text;
  gpm_advise_bytes(bytes, c->bytes, a->style);
  switch (c->rule) {
  case GPM_COST_CHURN:
    text = gpm_memory_format(
        "%s: allocate one block of %s before the loop: saves %" PRIu64
        " calls of cudaMalloc and cudaFree, each of which may wait for the device; peak %s -> %s",
        where, bytes, c->calls, gpm_advise_bytes(before, c->before, a->style),
        gpm_advise_bytes(after, c->after, a->style));
    break;
  case GPM_COST_DEAD_WRITE: {
    struct gpm_cost other = {.device = c->device, .from = c->to};
    char *to = where_of(a, &other);
    char *which =
        c->calls < c->of ? gpm_memory_format(" of its %" PRIu64, c->of) : gpm_memory_text("");
    bool several = c->calls > 1 || c->calls < c->of;
    text = gpm_memory_format("%s: what it writes is overwritten at %s before anything reads it: "
                             "saves %" PRIu64 "%s operation%s that write%s %s",
                             where, to, c->calls, which, several ? "s" : "",
                             c->calls == 1 ? "s" : "", bytes);
    free(which);
    free(to);
    break;
  }
  case GPM_COST_SYNC_ALLOC:
    text = gpm_memory_format("%s: allocate with cudaMallocAsync, and free with cudaFreeAsync, in "
                             "the stream that uses the "
                             "memory: saves %" PRIu64
                             " calls of cudaMalloc and cudaFree, each of which may wait for the "
                             "device; a pool that keeps its memory needs %s, peak %s -> %s",
                             where, c->calls, bytes, gpm_advise_bytes(before, c->before, a->style),
                             gpm_advise_bytes(after, c->after, a->style));
    break;
  case GPM_COST_FRAGMENTED:
    text = fragmented(a, c, where);
    break;
  case GPM_COST_MANAGED_DEVICE_ONLY:
    text = managed_device_only(a, c, where);
    break;
  case GPM_COST_ERROR_PATH_LEAK: {
    struct gpm_cost other = {.device = c->device, .from = c->to};
    char *to = where_of(a, &other);
    text = gpm_memory_format("%s: free it where the allocation at %s fails, too: %" PRIu64
                             " block%s, %s, %s lost then, and no other of this line",
                             where, to, c->calls, gpm_text_s(c->calls), bytes,
                             c->calls == 1 ? "was" : "were");
    free(to);
    break;
  }
  default:
    text = gpm_memory_format(
        "%s gave memory back and took it again %" PRIu64
        " times or more: set its release threshold (cudaMemPoolAttrReleaseThreshold) to %s, the "
        "most that it held",
        where, c->calls, bytes);
  }
  free(where);
  return text;
}

void gpm_advise_print_costs(const struct gpm_advise *a) {
  uint32_t count = gpm_advise_costs(a), left = a->shown_costs;
  if (!count) printf("these rules found nothing\n");
  uint32_t more = count - left;
  for (uint32_t i = 0; i < a->costs->count && left; i++) {
    if (!gpm_advise_shows_cost(a, &a->costs->cost[i])) continue;
    char *text = gpm_advise_of_cost(a, &a->costs->cost[i]);
    printf("%s\n", text);
    free(text);
    left--;
  }
  if (more) printf("... and %" PRIu32 " more (--limit 0 shows all)\n", more);
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

void gpm_advise_print_costs_json(const struct gpm_advise *a) {
  const struct gpm_reader *r = a->profile->reader;
  bool first = true;
  for (uint32_t i = 0; i < a->costs->count; i++) {
    const struct gpm_cost *c = &a->costs->cost[i];
    if (!gpm_advise_shows_cost(a, c)) continue;
    json_t *one = json_object();
    char *text = gpm_advise_of_cost(a, c);
    gpm_json_put(one, cost, rule, json_string(gpm_cost_texts[c->rule].id));
    gpm_json_put(one, cost, device, gpm_json_device_id(r, c->device));
    gpm_json_put(one, cost, from, gpm_advise_json_line(r, c->from));
    gpm_json_put(one, cost, to, gpm_advise_json_line(r, c->to));
    gpm_json_put(one, cost, calls, json_integer((json_int_t)c->calls));
    gpm_json_put(one, cost, bytes, json_integer((json_int_t)c->bytes));
    gpm_json_put(one, cost, peak_before,
                 c->has_peaks ? json_integer((json_int_t)c->before) : json_null());
    gpm_json_put(one, cost, peak_after,
                 c->has_peaks ? json_integer((json_int_t)c->after) : json_null());
    gpm_json_put(one, cost, reason, gpm_json_text(text));
    free(text);
    gpm_json_item(one, first);
    first = false;
  }
}
