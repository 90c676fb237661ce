/* peaks.c - see peaks.h. */
#include "advice/peaks.h"

#include "support/memory.h"

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* A leaf before the first position, and one behind the last, are no positions: an empty total. So
 * the neighbours of each range are there. */
static uint32_t leaf_of(const struct gpm_peaks *p, uint32_t position) {
  return p->leaves + 1 + position;
}

void gpm_peaks_make(struct gpm_peaks *p, uint32_t positions) {
  uint32_t leaves = 2;
  while (leaves < positions + 2) leaves *= 2;
  *p = (struct gpm_peaks){.node = gpm_memory_array((size_t)leaves * 2, sizeof *p->node),
                          .leaves = leaves};
}

void gpm_peaks_set(struct gpm_peaks *p, const int64_t *total, uint32_t positions) {
  struct gpm_peak *n = p->node;
  for (uint32_t i = 0; i < positions; i++) n[leaf_of(p, i)].most = total[i];
  for (uint32_t i = p->leaves; --i > 0;)
    n[i] = (struct gpm_peak){.most = larger(n[2 * i].most, n[2 * i + 1].most)};
}

void gpm_peaks_free(struct gpm_peaks *p) {
  free(p->node);
}

static void add_to_node(struct gpm_peaks *p, uint32_t node, int64_t bytes) {
  p->node[node].most += bytes;
  if (node < p->leaves) p->node[node].added += bytes;
}

static void update(struct gpm_peaks *p, uint32_t node) {
  p->node[node].most =
      larger(p->node[2 * node].most, p->node[2 * node + 1].most) + p->node[node].added;
}

void gpm_peaks_add(struct gpm_peaks *p, uint32_t from, uint32_t to, int64_t bytes) {
  if (from >= to) return;
  uint32_t first = leaf_of(p, from), last = leaf_of(p, to - 1);
  for (uint32_t l = first, r = last + 1; l < r; l /= 2, r /= 2) {
    if (l & 1) add_to_node(p, l++, bytes);
    if (r & 1) add_to_node(p, --r, bytes);
  }
  for (first /= 2, last /= 2; first != last; first /= 2, last /= 2) {
    update(p, first);
    update(p, last);
  }
  for (; first; first /= 2) update(p, first);
}

uint32_t gpm_peaks_at(const struct gpm_peaks *p) {
  uint32_t node = 1;
  int64_t above = 0;
  while (node < p->leaves) {
    above += p->node[node].added;
    node *= 2;
    if (p->node[node].most + above != p->node[1].most) node++;
  }
  return node <= p->leaves ? 0 : node - leaf_of(p, 0);
}

int64_t gpm_peaks_between(const struct gpm_peaks *p, uint32_t from, uint32_t to) {
  int64_t lower = INT64_MIN / 2, upper = INT64_MIN / 2; /* of what is beside l, and beside r */
  uint32_t l = leaf_of(p, from) - 1, r = leaf_of(p, to);
  if (from >= to) return lower;
  for (; (l ^ r) != 1; lower += p->node[l].added, upper += p->node[r].added) {
    if (!(l & 1)) lower = larger(lower, p->node[l ^ 1].most);
    if (r & 1) upper = larger(upper, p->node[r ^ 1].most);
    l /= 2;
    r /= 2;
  }
  lower = larger(lower, upper);
  while (l /= 2) lower += p->node[l].added;
  return lower;
}
