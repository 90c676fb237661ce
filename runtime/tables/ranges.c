/* ranges.c - address ranges in order, in a treap in which each node has the longest range of its
 * subtree.
 *
 * holes.c keeps free ranges here, and custom_pools.c keeps segments and, where necessary, pieces.
 * The rank of a range is a hash of its record's address, and higher ranks are nearer to the root.
 * So the tree is as balanced as one that was filled in random order, whatever the program does, and
 * a look-up writes nothing. The root has the longest range of the whole tree; a change is
 * propagated upwards until a node does not change.
 *
 * Method: Seidel and Aragon, "Randomized search trees" (1996).
 */
#include "tables/ranges.h"
#include "base/invariants.h"

#include <stdbool.h>
#include <stddef.h>

static uint64_t rank(const struct gpm_range *r) {
  uint64_t h = (uintptr_t)r;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ h >> 27) * 0x94d049bb133111ebULL;
  return h ^ h >> 31;
}

static uint64_t longer(uint64_t a, const struct gpm_range *b) {
  return b && b->longest > a ? b->longest : a;
}

static uint64_t longest_of(const struct gpm_range *r) {
  return longer(longer(r->bytes, r->left), r->right);
}

/* Updates `longest` from a range that may have changed up to the first node that does not
 * change. */
static void update_upwards(struct gpm_range *r) {
  for (; r; r = r->parent) {
    uint64_t longest = longest_of(r);
    if (r->longest == longest) return;
    r->longest = longest;
  }
}

/* Whether addresses are in order, higher ranks are nearer to the root, and `longest` is right. */
static inline bool is_right(const struct gpm_range *r) {
  const struct gpm_range *a = r->left, *b = r->right;
  return r->longest == longest_of(r) &&
         (!a || (a->parent == r && a->start <= r->start && rank(a) <= rank(r))) &&
         (!b || (b->parent == r && b->start >= r->start && rank(b) <= rank(r)));
}

static inline bool is_right_upwards(const struct gpm_range *r) {
  while (r && is_right(r)) r = r->parent;
  return !r;
}

static void put_below(struct gpm_range **tree, struct gpm_range *parent, struct gpm_range *old,
                      struct gpm_range *child) {
  if (child) child->parent = parent;
  if (!parent) *tree = child;
  else if (parent->left == old) parent->left = child;
  else parent->right = child;
}

/* Exchanges a range with its parent; the order of addresses stays the same. */
static void rotate(struct gpm_range **tree, struct gpm_range *r) {
  struct gpm_range *parent = r->parent;
  put_below(tree, parent->parent, parent, r);
  if (parent->left == r) {
    parent->left = r->right;
    if (r->right) r->right->parent = parent;
    r->right = parent;
  } else {
    parent->right = r->left;
    if (r->left) r->left->parent = parent;
    r->left = parent;
  }
  parent->parent = r;
  r->longest = parent->longest; /* the same ranges are below */
  parent->longest = longest_of(parent);
}

void gpm_ranges_insert(struct gpm_range **tree, struct gpm_range *range) {
  struct gpm_range **at = tree, *parent = NULL;
  while (*at) {
    parent = *at;
    at = range->start < parent->start ? &parent->left : &parent->right;
  }
  *at = range;
  range->parent = parent;
  range->left = range->right = NULL;
  range->longest = range->bytes;
  update_upwards(parent);
  for (uint64_t own = rank(range); range->parent && rank(range->parent) < own;) rotate(tree, range);
  GPM_ASSERT(is_right_upwards(range));
}

void gpm_ranges_remove(struct gpm_range **tree, struct gpm_range *range) {
  while (range->left && range->right)
    rotate(tree, rank(range->left) > rank(range->right) ? range->left : range->right);
  struct gpm_range *parent = range->parent;
  put_below(tree, parent, range, range->left ? range->left : range->right);
  update_upwards(parent);
  GPM_ASSERT(is_right_upwards(parent));
}

struct gpm_range *gpm_ranges_floor(struct gpm_range *tree, uint64_t address) {
  struct gpm_range *best = NULL;
  while (tree) {
    if (tree->start <= address) best = tree;
    tree = tree->start <= address ? tree->right : tree->left;
  }
  return best;
}

struct gpm_range *gpm_ranges_first(struct gpm_range *tree) {
  while (tree && tree->left) tree = tree->left;
  return tree;
}

struct gpm_range *gpm_ranges_next(struct gpm_range *range) {
  struct gpm_range *r = range->right;
  if (r) {
    while (r->left) r = r->left;
    return r;
  }
  for (r = range; r->parent && r->parent->right == r;) r = r->parent;
  return r->parent;
}

void gpm_ranges_resize(struct gpm_range *range, uint64_t start, uint64_t bytes) {
  range->start = start;
  range->bytes = bytes;
  update_upwards(range);
  GPM_ASSERT(is_right_upwards(range));
}
