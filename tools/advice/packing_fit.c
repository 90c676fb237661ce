/* packing_fit.c - offsets in the order of time (packing.h): each block is placed in the smallest
 * free range that is large enough when it begins.
 *
 * Ranges lie side by side, in a list: those of live blocks, and free ones, of which no two are
 * neighbours. The free ones are also in a treap, by size and offset.
 */
#include "advice/packing.h"
#include "support/map.h"
#include "support/memory.h"

#include <stdbool.h>

enum { NONE = UINT32_MAX };

struct range {
  uint64_t offset, bytes;
  uint32_t before, after; /* in the list */
  uint32_t left, right;   /* in the treap */
  bool is_free;
};

struct arena {
  struct range *range;
  uint32_t count, unused; /* unused: a list of ranges by `after` */
  uint32_t root, last;
};

/* ---- free ranges by size -----------------------------------------------------------------------
 */

static bool is_smaller(const struct range *r, uint64_t bytes, uint64_t offset) {
  return r->bytes != bytes ? r->bytes < bytes : r->offset < offset;
}

static void split(struct arena *a, uint32_t tree, const struct range *by, uint32_t *smaller,
                  uint32_t *others) {
  while (tree != NONE) {
    struct range *r = &a->range[tree];
    bool is_below = is_smaller(r, by->bytes, by->offset);
    *(is_below ? smaller : others) = tree;
    tree = is_below ? r->right : r->left;
    if (is_below) smaller = &r->right;
    else others = &r->left;
  }
  *smaller = *others = NONE;
}

static void merge(struct arena *a, uint32_t *to, uint32_t smaller, uint32_t others) {
  while (smaller != NONE && others != NONE) {
    bool takes_smaller = gpm_map_mix(smaller) > gpm_map_mix(others);
    *to = takes_smaller ? smaller : others;
    struct range *r = &a->range[*to];
    to = takes_smaller ? &r->right : &r->left;
    if (takes_smaller) smaller = *to;
    else others = *to;
  }
  *to = smaller == NONE ? others : smaller;
}

static void insert(struct arena *a, uint32_t number) {
  struct range *r = &a->range[number];
  uint32_t *at = &a->root;
  while (*at != NONE && gpm_map_mix(*at) > gpm_map_mix(number))
    at = is_smaller(&a->range[*at], r->bytes, r->offset) ? &a->range[*at].right
                                                         : &a->range[*at].left;
  split(a, *at, r, &r->left, &r->right);
  *at = number;
}

static void take_out(struct arena *a, uint32_t number) {
  const struct range *r = &a->range[number];
  uint32_t *at = &a->root;
  while (*at != number)
    at = is_smaller(&a->range[*at], r->bytes, r->offset) ? &a->range[*at].right
                                                         : &a->range[*at].left;
  merge(a, at, r->left, r->right);
}

/* Returns the smallest free range of at least so many bytes, or NONE. */
static uint32_t smallest_for(const struct arena *a, uint64_t bytes) {
  uint32_t found = NONE;
  for (uint32_t at = a->root; at != NONE;) {
    bool fits = a->range[at].bytes >= bytes;
    if (fits) found = at;
    at = fits ? a->range[at].left : a->range[at].right;
  }
  return found;
}

/* ---- the list ----------------------------------------------------------------------------------
 */

/* Adds a range behind another one. */
static uint32_t add_after(struct arena *a, uint32_t before, uint64_t offset, uint64_t bytes) {
  uint32_t number = a->unused, after = before == NONE ? NONE : a->range[before].after;
  if (number == NONE) number = a->count++;
  else a->unused = a->range[number].after;
  a->range[number] =
      (struct range){.offset = offset, .bytes = bytes, .before = before, .after = after};
  if (before != NONE) a->range[before].after = number;
  if (after != NONE) a->range[after].before = number;
  else a->last = number;
  return number;
}

static void drop(struct arena *a, uint32_t number) {
  const struct range r = a->range[number];
  if (r.before != NONE) a->range[r.before].after = r.after;
  if (r.after != NONE) a->range[r.after].before = r.before;
  else a->last = r.before;
  a->range[number].after = a->unused;
  a->unused = number;
}

/* A free neighbour becomes a part of a range that is free now. */
static void absorb(struct arena *a, uint32_t number, uint32_t neighbour) {
  if (neighbour == NONE || !a->range[neighbour].is_free) return;
  take_out(a, neighbour);
  if (a->range[neighbour].offset < a->range[number].offset)
    a->range[number].offset = a->range[neighbour].offset;
  a->range[number].bytes += a->range[neighbour].bytes;
  drop(a, neighbour);
}

static void give_back(struct arena *a, uint32_t number) {
  absorb(a, number, a->range[number].before);
  absorb(a, number, a->range[number].after);
  a->range[number].is_free = true;
  insert(a, number);
}

/* Returns the range of a block. If no free one is large enough the arena grows, from a free range
 * at its end if there is one. */
static uint32_t take(struct arena *a, uint64_t bytes) {
  uint32_t number = smallest_for(a, bytes);
  if (number == NONE && a->last != NONE && a->range[a->last].is_free) {
    number = a->last;
    take_out(a, number);
    a->range[number].bytes = bytes;
  } else if (number == NONE) {
    uint64_t end = a->last == NONE ? 0 : a->range[a->last].offset + a->range[a->last].bytes;
    return add_after(a, a->last, end, bytes);
  } else take_out(a, number);
  uint64_t rest = a->range[number].bytes - bytes;
  a->range[number].bytes = bytes;
  a->range[number].is_free = false;
  if (rest) {
    uint32_t left = add_after(a, number, a->range[number].offset + bytes, rest);
    a->range[left].is_free = true;
    insert(a, left);
  }
  return number;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

struct ending {
  uint32_t to, block;
};

static int earliest_first(const void *a, const void *b) {
  const struct ending *x = a, *y = b;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return x->block < y->block ? -1 : x->block > y->block;
}

uint64_t gpm_packing_best_fit(struct gpm_packed *block, uint32_t count) {
  struct arena a = {.range = gpm_memory_array((size_t)count * 2 + 1, sizeof *a.range),
                    .unused = NONE,
                    .root = NONE,
                    .last = NONE};
  struct ending *ending = gpm_memory_array(count, sizeof *ending);
  uint32_t *range = gpm_memory_array(count, sizeof *range), ended = 0;
  uint64_t size = 0;
  for (uint32_t i = 0; i < count; i++) ending[i] = (struct ending){block[i].to, i};
  if (count) qsort(ending, count, sizeof *ending, earliest_first);
  for (uint32_t i = 0; i < count; i++) {
    while (ending[ended].to <= block[i].from) give_back(&a, range[ending[ended++].block]);
    range[i] = take(&a, block[i].bytes);
    block[i].offset = a.range[range[i]].offset;
    if (block[i].offset + block[i].bytes > size) size = block[i].offset + block[i].bytes;
  }
  free(a.range);
  free(ending);
  free(range);
  return size;
}
