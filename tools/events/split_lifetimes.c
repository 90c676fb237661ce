/* split_lifetimes.c - lifetimes of blocks where cells are split (split.h). Each lifetime is
 * reported with the part that it belongs to, and with a window only as far as it lies in the
 * window.
 *
 *   window            |<------------->|
 *   block 1      a----+-f                    older: live when the window began
 *   block 2           |  a---f        |
 *   block 3           |       a-------+--f   live at the end of the window
 *   block 4   a---f   |               |      not in it, as are blocks after it
 */
#include "events/block_lifetimes.h"
#include "events/split.h"
#include "events/walk.h"
#include "model/sizes.h"
#include "support/map.h"

struct parts {
  const struct gpm_reader *reader;
  const struct gpm_split *split;
  struct gpm_map cells, pairs; /* (recorded cell, key, flags) and (recorded pair, cell) -> number */
  struct gpm_map threads;      /* number -> index */
  void (*deliver)(void *data, const struct gpm_lifetime *life);
  void *data;
};

static uint64_t code_of(uint32_t cell, uint32_t key, unsigned flags) {
  return (uint64_t)cell << 32 | key << 3 | flags;
}

static void find_parts(struct parts *p) {
  const struct gpm_split *a = p->split;
  struct gpm_cursor cells = {.records = &p->reader->cells};
  while (gpm_cursor_next(&cells)) {
    uint32_t n = (uint32_t)cells.number;
    if (a->flags[n]) gpm_map_at(&p->cells, code_of(a->whole_cell[n], a->key[n], a->flags[n]), n);
  }
  struct gpm_cursor pairs = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    gpm_map_at(&p->pairs, (uint64_t)a->whole_pair[pairs.number] << 32 | q->cell, pairs.number);
  for (uint32_t i = 0; i < a->thread_count; i++) gpm_map_at(&p->threads, a->thread[i], i);
}

static uint32_t key_of(struct parts *p, const struct gpm_lifetime *life) {
  return p->split->by == GPM_BY_SIZE     ? gpm_sizes_class(life->bytes)
         : p->split->by == GPM_BY_THREAD ? (uint32_t)*gpm_map_at(&p->threads, life->thread, 0)
                                         : 0;
}

/* Replaces the recorded cell and pair by those of the part. They stay if the cell was not split. */
static void find_part(struct parts *p, struct gpm_lifetime *life) {
  unsigned flags = GPM_SPLIT_KNOWN | (life->older ? GPM_SPLIT_OLDER : 0);
  if (p->split->patterns && !gpm_patterns_take(p->split->patterns, life->bytes))
    flags |= GPM_SPLIT_OUTSIDE;
  uint32_t cell = life->cell;
  life->cell = (uint32_t)*gpm_map_at(&p->cells, code_of(cell, key_of(p, life), flags), cell);
  if (life->pair != GPUMEMPROF_NONE)
    life->pair =
        (uint32_t)*gpm_map_at(&p->pairs, (uint64_t)life->pair << 32 | life->cell, life->pair);
}

/* Cuts a lifetime to the window. Returns false if it is not in the window. */
static bool cut(const struct parts *p, uint32_t device, struct gpm_lifetime *life) {
  const struct gpm_split *a = p->split;
  uint64_t freed = life->clock + life->age, before = a->allocations[0][device];
  bool is_freed = life->pair != GPUMEMPROF_NONE;
  if (life->clock > a->last_clock || (is_freed && freed < a->first_clock)) return false;
  life->older = life->clock < a->first_clock;
  if (life->older) life->temporary = false;
  if (is_freed && freed > a->last_clock) {
    life->pair = GPUMEMPROF_NONE;
    life->seen = life->temporary = false;
    is_freed = false;
  }
  if (!is_freed) life->before = a->allocations[1][device];
  life->before -= before;
  return true;
}

static void add_lifetime(void *data, const struct gpm_lifetime *lifetime) {
  struct parts *p = data;
  struct gpm_lifetime life = *lifetime;
  const struct gpumemprof_capture_cell *cell = gpm_reader_record(&p->reader->cells, life.cell);
  if (p->split->is_part && !cut(p, cell->device, &life)) return;
  find_part(p, &life);
  p->deliver(p->data, &life);
}

bool gpm_block_lifetimes_of_parts(struct gpm_reader *r,
                                  void (*deliver)(void *data, const struct gpm_lifetime *life),
                                  void *data) {
  struct parts p = {.reader = r, .split = r->split, .deliver = deliver, .data = data};
  struct gpm_listener listener = gpm_block_lifetimes_listener(r, add_lifetime, &p);
  if (p.split->is_part) listener.stops = false;
  find_parts(&p);
  bool all = gpm_walk_read(r, &listener, 1);
  struct gpm_map *maps[] = {&p.cells, &p.pairs, &p.threads};
  for (unsigned i = 0; i < 3; i++) gpm_map_free(maps[i]);
  return all;
}
