/* advise_bounds.c - how low the peak could be (advice/bounds.h), as text and as JSON. See advise.h.
 */
#include "advise/advise.h"

#include "output/json.h"
#include "rows/locations.h"
#include "support/progress.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *gpm_advise_packing_way(enum gpm_packing_way way) {
  return way == GPM_PACKING_BY_SIZE ? "greedy by size" : "best fit in time order";
}

static const char *size(const struct gpm_advise *a, char out[GPM_TEXT_NUMBER], uint64_t bytes) {
  return gpm_advise_bytes(out, bytes, a->style);
}

/* ---- text --------------------------------------------------------------------------------------
 */

static void print_bound(const struct gpm_advise *a, uint64_t bytes, const char *what) {
  char number[GPM_TEXT_NUMBER];
  printf("  %12s  %s\n", size(a, number, bytes), what);
}

/* What was found, and the least that it could be. */
static void print_packing(const struct gpm_advise *a, const struct gpm_packing *p,
                          const char *what) {
  char lower[GPM_TEXT_NUMBER], *text;
  bool least = p->upper == p->lower;
  const char *placed = p->way == GPM_PACKING_BY_SIZE ? "the largest block first"
                                                     : "in the order in which they were allocated";
  text = least ? gpm_memory_format("for the blocks %s: equal to their peak, the smallest possible",
                                   what)
               : gpm_memory_format("for the blocks %s, placed %s; it cannot be less than their "
                                   "peak, %s",
                                   what, placed, size(a, lower, p->lower));
  print_bound(a, p->upper, text);
  free(text);
}

/* Lists what is not judged at the peaks of the run, as text of `advise` does. */
static void print_not_judged(const struct gpm_advise *a, const struct gpm_advice *advice,
                             uint32_t device) {
  char number[GPM_TEXT_NUMBER];
  for (uint32_t i = 0; i < advice->unjudged_count; i++) {
    const struct gpm_advice_unjudged *u = &advice->unjudged[i];
    if (u->device != device) continue;
    printf("not judged, so counted as needed: %" PRIu64 " block%s, %s: %s\n", u->blocks,
           gpm_text_s(u->blocks), size(a, number, u->bytes), u->reason);
  }
}

/* Whether the peak could be lower than what is printed, because something is not known. */
static bool is_open(const struct gpm_advise *a) {
  for (uint32_t i = 0; i < a->profile->reader->device_count; i++)
    if (gpm_advise_shows(a, i) && gpm_bounds_not_decided(a->uses, i)) return true;
  return false;
}

void gpm_advise_print_bounds(const struct gpm_advise *a) {
  struct gpm_advice advice = {0};
  gpm_progress("finding how low the peak can be");
  if (is_open(a)) gpm_advice_make(&advice, a->uses, NULL, 0);
  for (uint32_t i = 0; i < a->profile->reader->device_count; i++) {
    uint32_t device = a->profile->reader->device_order[i];
    if (!gpm_advise_shows(a, device)) continue;
    gpm_progress("finding how low the peak can be");
    struct gpm_bounds b = gpm_bounds_find(a->uses, device);
    gpm_progress(NULL);
    char *name = gpm_locations_device(a->profile->reader, device);
    printf("%s\n", name);
    print_bound(a, b.peak, "peak of this run: the most memory that was allocated at one time");
    print_bound(a, b.ideal,
                "peak if only allocations and frees move: each block is allocated right before its "
                "first use, and freed right after its last");
    print_bound(a, b.fills_moved,
                "the same, if the copy or fill that initialises a block moves with its allocation: "
                "right before the first use that needs its content");
    print_bound(a, b.working_set,
                "working set: what the kernel, copy or other operation that uses most memory uses "
                "by itself; moving allocations and frees cannot go below it");
    printf("  packing: how large one allocation must be to hold all blocks so that no two live "
           "ones overlap\n");
    print_packing(a, &b.run, "of this run");
    print_packing(a, &b.at_ideal, "with allocations and frees moved");
    print_not_judged(a, &advice, device);
    free(name);
  }
  gpm_progress(NULL);
  gpm_advice_free(&advice);
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static json_t *json_packing(const struct gpm_packing *p) {
  json_t *one = json_object();
  gpm_json_put(one, packing, lower, json_integer((json_int_t)p->lower));
  gpm_json_put(one, packing, upper, json_integer((json_int_t)p->upper));
  gpm_json_put(one, packing, gap, json_integer((json_int_t)(p->upper - p->lower)));
  gpm_json_put(one, packing, way, json_string(gpm_advise_packing_way(p->way)));
  return one;
}

void gpm_advise_print_bounds_json(const struct gpm_advise *a) {
  const struct gpm_reader *r = a->profile->reader;
  bool first = true;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (!gpm_advise_shows(a, device)) continue;
    struct gpm_bounds b = gpm_bounds_find(a->uses, device);
    json_t *one = json_object();
    gpm_json_put(one, bounds, device, gpm_json_device_id(r, device));
    gpm_json_put(one, bounds, peak, json_integer((json_int_t)b.peak));
    gpm_json_put(one, bounds, ideal_peak, json_integer((json_int_t)b.ideal));
    gpm_json_put(one, bounds, fills_moved, json_integer((json_int_t)b.fills_moved));
    gpm_json_put(one, bounds, working_set, json_integer((json_int_t)b.working_set));
    gpm_json_put(one, bounds, packing_of_run, json_packing(&b.run));
    gpm_json_put(one, bounds, packing_of_ideal, json_packing(&b.at_ideal));
    gpm_json_item(one, first);
    first = false;
  }
}
