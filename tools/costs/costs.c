/* costs.c - see costs.h. */
#include "costs/costs.h"

#include "rows/use_text.h"

#include <stdlib.h>

const struct gpm_cost_text gpm_cost_texts[GPM_COSTS] = {
#define GPM_COST(NAME, id, text) {id, text},
#include "costs/costs.def"
};

enum { LEAST_BLOCKS = 100, LEAST_RISES = 3 };

void gpm_costs_add(struct gpm_costs *c, struct gpm_cost cost) {
  c->cost = gpm_memory_resize(c->cost, c->count + (size_t)1, sizeof *c->cost);
  c->cost[c->count++] = cost;
}

/* ---- churn -------------------------------------------------------------------------------------
 */

struct repeated {
  uint64_t bytes, count;
  uint32_t first, latest; /* blocks */
  bool no;                /* it is not churn */
};

/* Adds a block to its line. A pool keeps what is freed, so that only direct allocations count. */
static void count_block(struct repeated *r, const struct gpm_uses *u, uint32_t *next,
                        uint32_t number) {
  const struct gpm_use_block *b = &u->block[number], *before = &u->block[r->latest];
  r->no |= b->kind != GPUMEMPROF_KIND_DEVICE || b->replaced || b->free_node == GPUMEMPROF_NONE ||
           (r->count && (b->bytes != r->bytes || b->begin < before->end));
  if (r->count) next[r->latest] = number;
  else r->first = number;
  r->bytes = b->bytes;
  r->latest = number;
  r->count++;
}

/* Adds the bytes of a block where none lives, between one of the line and the next. */
static void fill_gaps(const struct gpm_uses *u, struct gpm_peaks *p, const struct repeated *r,
                      const uint32_t *next, int64_t sign) {
  for (uint32_t i = r->first; i != r->latest; i = next[i])
    gpm_peaks_add(p, u->block[i].end, u->block[next[i]].begin, sign * (int64_t)r->bytes);
}

static void find_churn(struct gpm_costs *c, const struct gpm_uses *u, struct gpm_peaks *p,
                       uint32_t device) {
  const struct gpm_profile *profile = u->profile;
  struct repeated *of = gpm_memory_array(profile->node_count, sizeof *of);
  uint32_t *next = gpm_memory_array(u->count, sizeof *next); /* of its line, by block */
  for (uint32_t i = 0; i < u->count; i++)
    if (u->block[i].device == device) count_block(&of[u->block[i].node], u, next, i);
  for (uint32_t node = 0; node < profile->node_count; node++) {
    if (of[node].no || of[node].count < LEAST_BLOCKS ||
        !gpm_line_changes_site_is_known(profile->reader, profile->site[node]))
      continue;
    uint64_t before = (uint64_t)gpm_peaks_now(p);
    fill_gaps(u, p, &of[node], next, 1);
    gpm_costs_add(c, (struct gpm_cost){.rule = GPM_COST_CHURN,
                                       .device = device,
                                       .from = profile->site[node],
                                       .to = GPUMEMPROF_NONE,
                                       .calls = 2 * (of[node].count - 1),
                                       .bytes = of[node].bytes,
                                       .has_peaks = true,
                                       .before = before,
                                       .after = (uint64_t)gpm_peaks_now(p)});
    fill_gaps(u, p, &of[node], next, -1);
  }
  free(of);
  free(next);
}

/* ---- dead writes -------------------------------------------------------------------------------
 */

static bool is_whole_write(const struct gpm_use *u) {
  return u->access == GPM_ACCESS_WRITE && u->flags & GPM_USE_WHOLE && !(u->flags & GPM_USE_MAYBE);
}

static void count_dead(struct gpm_costs *c, struct gpm_map *numbers, const struct gpm_use_block *b,
                       uint32_t from, uint32_t to) {
  uint64_t key = gpm_map_mix(gpm_map_mix(from) + to) + b->device;
  for (;; key++) { /* another pair of lines may have the same key */
    uint64_t number = *gpm_map_at(numbers, key, c->count);
    if (number == c->count)
      gpm_costs_add(c,
                    (struct gpm_cost){
                        .rule = GPM_COST_DEAD_WRITE, .device = b->device, .from = from, .to = to});
    struct gpm_cost *cost = &c->cost[number];
    if (cost->from != from || cost->to != to || cost->device != b->device) continue;
    cost->calls++;
    cost->bytes += b->requested;
    return;
  }
}

/* Counts what the lines of dead writes have written in all, a block at a time. */
static void count_writes(struct gpm_costs *c, const struct gpm_uses *u) {
  const struct gpm_reader *r = u->profile->reader;
  uint64_t *of = gpm_memory_array(r->sites.count + (size_t)1, sizeof *of);
  for (size_t i = 0; c->count && i < u->use_count; i++) {
    uint32_t site = gpm_use_text_record(r, u->use[i].record)->site;
    if (site != GPUMEMPROF_NONE && u->use[i].access == GPM_ACCESS_WRITE) of[site]++;
  }
  for (uint32_t i = 0; i < c->count; i++)
    if (c->cost[i].rule == GPM_COST_DEAD_WRITE) c->cost[i].of = of[c->cost[i].from];
  free(of);
}

static void find_dead(struct gpm_costs *c, const struct gpm_uses *u) {
  const struct gpm_reader *r = u->profile->reader;
  struct gpm_map numbers = {0};
  uint32_t record;
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (!gpm_advice_is_gpu(r, b->device) || gpm_line_changes_not_judged(u, b)) continue;
    for (uint32_t k = 0; k + 1 < b->count; k++) {
      const struct gpm_use *one = &u->use[b->first + k], *next = one + 1;
      if (!is_whole_write(one) || !is_whole_write(next)) continue;
      const struct gpumemprof_capture_use *from = gpm_use_text_record(r, one->record),
                                          *to = gpm_use_text_record(r, next->record);
      if (!gpm_uses_same_stream(u, one, next) || !gpm_line_changes_site_is_known(r, from->site) ||
          !gpm_line_changes_site_is_known(r, to->site) ||
          gpm_uses_first_maybe(u, b, one->at, next->at + 1, &record) != GPUMEMPROF_NONE)
        continue;
      count_dead(c, &numbers, b, from->site, to->site);
    }
  }
  gpm_map_free(&numbers);
  count_writes(c, u);
}

/* ---- pools -------------------------------------------------------------------------------------
 */

struct reserved {
  uint64_t latest, most, rises;
  bool fell;
};

static void find_regrown(struct gpm_costs *c, const struct gpm_reader *r) {
  struct reserved *of = gpm_memory_array(r->pools.count, sizeof *of);
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    if (s->pool == GPUMEMPROF_NONE) continue;
    struct reserved *p = &of[s->pool];
    p->rises += p->fell && s->total > p->latest;
    if (s->total != p->latest) p->fell = s->total < p->latest;
    if (s->total > p->most) p->most = s->total;
    p->latest = s->total;
  }
  at = (struct gpm_cursor){.records = &r->pools};
  for (const struct gpumemprof_capture_pool *p; (p = gpm_cursor_next(&at));) {
    const struct reserved *own = &of[at.number];
    if (own->rises < LEAST_RISES) continue;
    gpm_costs_add(c, (struct gpm_cost){.rule = GPM_COST_POOL_REGROW,
                                       .device = p->device,
                                       .from = p->site,
                                       .to = GPUMEMPROF_NONE,
                                       .calls = own->rises,
                                       .bytes = own->most});
  }
  free(of);
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static int most_first(const void *a, const void *b) {
  const struct gpm_cost *x = a, *y = b;
  if (x->rule != y->rule) return x->rule < y->rule ? -1 : 1;
  if (x->calls != y->calls) return x->calls > y->calls ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* Rules that count by pairs of lines do so in a list of their own. */
static void add_all(struct gpm_costs *c, const struct gpm_costs *own) {
  for (uint32_t i = 0; i < own->count; i++) gpm_costs_add(c, own->cost[i]);
  free(own->cost);
}

void gpm_costs_find(struct gpm_costs *c, const struct gpm_uses *u, struct gpm_advice *a,
                    struct gpm_reader *r, unsigned rules) {
  struct gpm_costs dead = {0}, lost = {0};
  *c = (struct gpm_costs){0};
  for (uint32_t i = 0; i < r->device_count; i++) {
    if (!gpm_advice_is_gpu(r, i)) continue;
    if (rules >> GPM_COST_CHURN & 1) find_churn(c, u, &a->changes[i].peaks, i);
    if (rules >> GPM_COST_MANAGED_DEVICE_ONLY & 1) gpm_costs_find_devices_only(c, u, i);
    if (rules >> GPM_COST_SYNC_ALLOC & 1) gpm_costs_find_sync_alloc(c, u, &a->changes[i].peaks, i);
  }
  if (rules >> GPM_COST_POOL_REGROW & 1) find_regrown(c, r);
  if (rules >> GPM_COST_DEAD_WRITE & 1) find_dead(&dead, u);
  if (rules >> GPM_COST_FRAGMENTED & 1) gpm_costs_find_fragmented(c, u);
  if (rules >> GPM_COST_ERROR_PATH_LEAK & 1) gpm_costs_find_error_paths(&lost, u, r);
  add_all(c, &dead);
  add_all(c, &lost);
  if (c->count) qsort(c->cost, c->count, sizeof *c->cost, most_first);
}

void gpm_costs_free(struct gpm_costs *c) {
  free(c->cost);
}
