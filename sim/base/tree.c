/* tree.c - ranges of addresses in a treap that is ordered by start. Each node has the size of the
 * largest range below it, so that both "which range holds this address" and "the first range of
 * this size" descend once. Callers hold the lock.
 */
#include "base/tree.h"

static uint64_t largest(const struct gpm_sim_range *r) {
  return r ? r->largest : 0;
}

static void update(struct gpm_sim_range *r) {
  r->largest = r->size;
  if (largest(r->left) > r->largest) r->largest = r->left->largest;
  if (largest(r->right) > r->largest) r->largest = r->right->largest;
}

static uint32_t next_priority(void) {
  static uint32_t state = 2463534242u; /* xorshift: cheap and the same in every run */
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/* Everything that starts before `start` goes left, the rest right. */
static void split(struct gpm_sim_range *r, uint64_t start, struct gpm_sim_range **left,
                  struct gpm_sim_range **right) {
  if (!r) {
    *left = *right = NULL;
  } else if (r->start < start) {
    split(r->right, start, &r->right, right);
    *left = r;
    update(r);
  } else {
    split(r->left, start, left, &r->left);
    *right = r;
    update(r);
  }
}

static struct gpm_sim_range *merge(struct gpm_sim_range *left, struct gpm_sim_range *right) {
  if (!left) return right;
  if (!right) return left;
  if (left->priority > right->priority) {
    left->right = merge(left->right, right);
    update(left);
    return left;
  }
  right->left = merge(left, right->left);
  update(right);
  return right;
}

static struct gpm_sim_range *insert(struct gpm_sim_range *at, struct gpm_sim_range *r) {
  if (!at || r->priority > at->priority) {
    split(at, r->start, &r->left, &r->right);
    update(r);
    return r;
  }
  if (r->start < at->start) at->left = insert(at->left, r);
  else at->right = insert(at->right, r);
  update(at);
  return at;
}

void gpm_sim_tree_insert(struct gpm_sim_tree *tree, struct gpm_sim_range *range) {
  range->left = range->right = NULL;
  range->priority = next_priority();
  tree->root = insert(tree->root, range);
}

static struct gpm_sim_range *remove_from(struct gpm_sim_range *at, struct gpm_sim_range *r) {
  if (!at) return NULL;
  if (at == r) return merge(at->left, at->right);
  if (r->start < at->start) at->left = remove_from(at->left, r);
  else at->right = remove_from(at->right, r);
  update(at);
  return at;
}

void gpm_sim_tree_remove(struct gpm_sim_tree *tree, struct gpm_sim_range *range) {
  tree->root = remove_from(tree->root, range);
}

struct gpm_sim_range *gpm_sim_tree_find(const struct gpm_sim_tree *tree, uint64_t address) {
  struct gpm_sim_range *r = tree->root;
  while (r) {
    if (address < r->start) r = r->left;
    else if (address - r->start < r->size) return r;
    else r = r->right;
  }
  return NULL;
}

struct gpm_sim_range *gpm_sim_tree_next(const struct gpm_sim_tree *tree, uint64_t address) {
  struct gpm_sim_range *best = NULL;
  for (struct gpm_sim_range *r = tree->root; r;) {
    if (r->start >= address) {
      best = r;
      r = r->left;
    } else {
      r = r->right;
    }
  }
  return best;
}

struct gpm_sim_range *gpm_sim_tree_fit(const struct gpm_sim_tree *tree, uint64_t size) {
  struct gpm_sim_range *r = tree->root;
  if (largest(r) < size) return NULL;
  for (;;) {
    if (largest(r->left) >= size) r = r->left;
    else if (r->size >= size) return r;
    else r = r->right;
  }
}
