/* drawn_changes.c - where a change removes drawn blocks: see advice_picture.h.
 *
 * A stretch of a change does not say which block it is of. It is one of those that the block can
 * have, and equal ones of blocks that are allocated and freed on the same lines are changed
 * together.
 */
#include "advice_picture/advice_picture.h"

#include "advice/used_span.h"
#include "support/map.h"

#include <stdlib.h>

struct drawn_stretch {
  uint32_t drawn; /* number of the block */
  uint32_t from, to;
  uint64_t bytes;
  uint32_t next; /* another one with the same key, or NONE */
  bool removed;
};

struct drawn_stretches {
  struct drawn_stretch *one;
  uint32_t count, room;
  struct gpm_map by_key;
};

static uint64_t key_of(uint32_t from, uint32_t to, uint64_t bytes) {
  return gpm_map_mix(gpm_map_mix((uint64_t)from << 32 | to) + bytes);
}

static void add(struct drawn_stretches *all, uint32_t drawn, uint64_t bytes, uint32_t from,
                uint32_t to) {
  if (from >= to) return;
  if (all->count == all->room) {
    all->room = all->room ? all->room * 2 : 16;
    all->one = gpm_memory_resize(all->one, all->room, sizeof *all->one);
  }
  uint64_t *first = gpm_map_at(&all->by_key, key_of(from, to, bytes), GPUMEMPROF_NONE);
  all->one[all->count] = (struct drawn_stretch){drawn, from, to, bytes, (uint32_t)*first, false};
  *first = all->count++;
}

static void add_gaps(struct drawn_stretches *all, const struct gpm_uses *u, uint32_t drawn,
                     const struct gpm_use_block *b) {
  for (uint32_t i = 0; i + 1 < b->count; i++)
    add(all, drawn, b->bytes, u->use[b->first + i].at + 1, u->use[b->first + i + 1].at);
}

/* Whether a rule is about blocks that something uses. */
static bool is_about_used(enum gpm_advice_rule rule) {
  return rule == GPM_ADVICE_WRITE_ONLY || gpm_advice_moves(rule);
}

/* Adds the stretches of a block that a change by this rule may remove. */
static void add_block(struct drawn_stretches *all, const struct gpm_uses *u, uint32_t drawn,
                      const struct gpm_use_block *b, enum gpm_advice_rule rule) {
  struct gpm_used_span s = gpm_used_span_of(u, b);
  uint32_t body = s.body == GPUMEMPROF_NONE ? s.last : s.body;
  if (s.used ? rule == GPM_ADVICE_UNUSED : is_about_used(rule)) return;
  if (!s.used) return add(all, drawn, b->bytes, b->begin, b->end);
  switch (rule) {
  case GPM_ADVICE_LATE_FREE:
  case GPM_ADVICE_NEVER_FREED:
    return add(all, drawn, b->bytes, s.last + 1, b->end);
  case GPM_ADVICE_EARLY_ALLOC:
    return add(all, drawn, b->bytes, b->begin, s.first);
  case GPM_ADVICE_IDLE:
  case GPM_ADVICE_IDLE_COPY:
    return add_gaps(all, u, drawn, b);
  case GPM_ADVICE_IDLE_OUT:
    if (b->count > 1) add(all, drawn, b->bytes, u->use[b->first + b->count - 2].at + 1, s.last + 1);
    return add(all, drawn, b->bytes, s.last + 1, b->end);
  case GPM_ADVICE_EARLY_ALLOC_FILL:
    add(all, drawn, b->bytes, b->begin, s.first);
    return add(all, drawn, b->bytes, s.first, body);
  default: /* all of it, in one piece or in several */
    add(all, drawn, b->bytes, b->begin, b->end);
    add(all, drawn, b->bytes, b->begin, s.first);
    add(all, drawn, b->bytes, s.first, body);
    add(all, drawn, b->bytes, body, s.last + 1);
    add(all, drawn, b->bytes, s.last + 1, b->end);
  }
}

static void mark(struct drawn_stretches *all, const struct gpm_stretch *s) {
  uint64_t i = gpm_map_find(&all->by_key, key_of(s->from, s->to, s->bytes), GPUMEMPROF_NONE);
  for (; i != GPUMEMPROF_NONE; i = all->one[i].next)
    all->one[i].removed |=
        all->one[i].from == s->from && all->one[i].to == s->to && all->one[i].bytes == s->bytes;
}

json_t *gpm_advice_picture_removed(const struct gpm_advice_picture_blocks *d,
                                   const struct gpm_line_change *change) {
  const struct gpm_line_changes *c = d->changes;
  const struct gpm_uses *u = c->uses;
  struct drawn_stretches all = {.count = 0};
  json_t *list = json_array();
  for (uint32_t i = 0; i < d->count; i++) {
    const struct gpm_use_block *b = &u->block[d->block[i]];
    if (gpm_line_changes_concerns(c, change, b)) add_block(&all, u, i, b, change->rule);
  }
  for (uint32_t m = change->first; all.count && m != GPUMEMPROF_NONE; m = c->member[m].next)
    mark(&all, &c->stretch[c->member[m].stretch]);
  for (uint32_t i = 0; i < all.count; i++)
    if (all.one[i].removed)
      json_array_append_new(list,
                            json_pack("[I,I,I]", (json_int_t)all.one[i].drawn,
                                      (json_int_t)all.one[i].from, (json_int_t)all.one[i].to));
  gpm_map_free(&all.by_key);
  free(all.one);
  return list;
}
