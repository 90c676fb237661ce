/* one_change.c - which blocks one change of a line is about (line_changes.h): an edit of the source
 * concerns all call paths on which its lines are reached, so lines are compared by their sites.
 */
#include "advice/line_changes.h"

#include "rows/use_text.h"

uint32_t gpm_line_changes_site(const struct gpm_line_changes *c, uint32_t node) {
  return node == GPUMEMPROF_NONE ? node : gpm_uses_place(c->uses, c->uses->profile->site[node]);
}

uint32_t gpm_line_changes_site_of_use(const struct gpm_line_changes *c, uint32_t record) {
  if (record == GPUMEMPROF_NONE) return record;
  return gpm_uses_place(c->uses, gpm_use_text_record(c->uses->profile->reader, record)->site);
}

static uint32_t freed_of(const struct gpm_line_changes *c, enum gpm_advice_rule rule,
                         uint32_t free_node) {
  return rule == GPM_ADVICE_LATE_FREE ? gpm_line_changes_site(c, free_node) : GPUMEMPROF_NONE;
}

struct gpm_changed_lines gpm_line_changes_lines(const struct gpm_line_changes *c,
                                                const struct gpm_line_change *o) {
  uint32_t to = o->rule == GPM_ADVICE_WRITE_ONLY ? GPUMEMPROF_NONE : o->to;
  return (struct gpm_changed_lines){
      gpm_line_changes_site(c, o->node), freed_of(c, o->rule, o->free_node),
      gpm_line_changes_site_of_use(c, to), gpm_line_changes_site_of_use(c, o->back)};
}

static bool is_same(const struct gpm_line_change *a, const struct gpm_line_change *b,
                    const struct gpm_changed_lines *of_b) {
  const struct gpm_changed_lines *x = &a->lines;
  return a->rule == b->rule && a->sure == b->sure && x->allocated == of_b->allocated &&
         x->freed == of_b->freed && x->to == of_b->to && x->back == of_b->back;
}

/* Returns the number of the change with these lines; c->count: there is none. *key: where it is in
 * the map, or belongs. */
static size_t find_change(const struct gpm_line_changes *c, const struct gpm_line_change *wanted,
                          const struct gpm_changed_lines *l, uint64_t *key) {
  uint64_t k = gpm_map_mix((wanted->rule * 2u + wanted->sure + (uint64_t)1) << 32 ^ l->allocated);
  k = gpm_map_mix(k + l->freed);
  k = gpm_map_mix(gpm_map_mix(k + l->to) + l->back);
  for (;; k++) { /* another change may have the same key */
    uint64_t number = gpm_map_find(&c->by_key, k, c->count);
    *key = k;
    if (number == c->count || is_same(&c->change[number], wanted, l)) return number;
  }
}

/* Returns where the latest change of a rule and of an allocating line is kept. */
static uint32_t *recent_of(struct gpm_line_changes *c, enum gpm_advice_rule rule,
                           uint32_t allocated) {
  size_t sites = c->uses->profile->reader->sites.count;
  if (!c->recent) c->recent = gpm_memory_array(sites * GPM_ADVICE_RULES, sizeof *c->recent);
  return &c->recent[(size_t)allocated * GPM_ADVICE_RULES + rule];
}

/* Blocks of one line mostly have the same changes. */
struct gpm_line_change *gpm_line_changes_one(struct gpm_line_changes *c,
                                             const struct gpm_line_change *wanted, bool may_make) {
  uint64_t key;
  struct gpm_changed_lines l = gpm_line_changes_lines(c, wanted);
  uint32_t *recent = recent_of(c, wanted->rule, l.allocated);
  if (*recent && is_same(&c->change[*recent - 1], wanted, &l)) return &c->change[*recent - 1];
  size_t number = find_change(c, wanted, &l, &key);
  if (number == c->count && !may_make) return NULL;
  if (number == c->count) {
    gpm_map_at(&c->by_key, key, c->count);
    number = gpm_line_changes_add(c, wanted);
  }
  *recent = (uint32_t)number + 1;
  return &c->change[number];
}

bool gpm_line_changes_concerns(const struct gpm_line_changes *c,
                               const struct gpm_line_change *change,
                               const struct gpm_use_block *b) {
  return gpm_line_changes_site(c, b->node) == change->lines.allocated &&
         freed_of(c, change->rule, b->free_node) == change->lines.freed;
}

void gpm_line_changes_add_block(struct gpm_line_changes *c, struct gpm_line_change *change,
                                const struct gpm_use_block *b) {
  uint32_t number = (uint32_t)(b - c->uses->block);
  if (change->latest == number) return;
  bool same_path =
      change->latest != GPUMEMPROF_NONE && c->uses->block[change->latest].node == b->node;
  change->latest = number;
  if (!change->blocks) {
    change->earliest = number;
    change->smallest = change->largest = b->bytes;
  }
  if (b->bytes < change->smallest) change->smallest = b->bytes;
  if (b->bytes > change->largest) change->largest = b->bytes;
  change->blocks++;
  change->bytes += b->bytes;
  if (same_path) return;
  uint64_t key = (uint64_t)(change - c->change) << 32 | b->node;
  uint64_t *known = gpm_map_at(&c->paths, key, 0);
  change->paths += !*known;
  *known = 1;
}
