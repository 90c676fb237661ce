/* peaks.c - see peaks.h. */
#include "advice/peaks.h"

#include "support/memory.h"

#include <string.h>

enum { IN_LEAF = 8 }; /* 64 bytes */

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static uint32_t leaf_of(const struct gpm_peaks *p, uint32_t position) {
  return p->leaves + position / IN_LEAF;
}

/* Returns the highest of the totals from one to before another, as they are in the leaf. */
static int64_t highest(const struct gpm_peaks *p, uint32_t from, uint32_t to) {
  int64_t most = p->total[from];
  for (uint32_t i = from + 1; i < to; i++) most = larger(most, p->total[i]);
  return most;
}

void gpm_peaks_make(struct gpm_peaks *p, uint32_t positions) {
  uint32_t leaves = 1;
  while ((uint64_t)leaves * IN_LEAF < positions) leaves *= 2;
  *p = (struct gpm_peaks){.total = gpm_memory_array((size_t)leaves * IN_LEAF, sizeof *p->total),
                          .node = gpm_memory_array((size_t)leaves * 2, sizeof *p->node),
                          .leaves = leaves};
}

/* Totals behind the last position are 0, and none is higher than the peak. */
void gpm_peaks_set(struct gpm_peaks *p, const int64_t *total, uint32_t positions) {
  struct gpm_peak *n = p->node;
  if (positions) memcpy(p->total, total, positions * sizeof *total);
  for (uint32_t i = 0; i < p->leaves; i++)
    n[p->leaves + i] = (struct gpm_peak){.most = highest(p, i * IN_LEAF, (i + 1) * IN_LEAF)};
  for (uint32_t i = p->leaves; --i > 0;)
    n[i] = (struct gpm_peak){.most = larger(n[2 * i].most, n[2 * i + 1].most)};
}

void gpm_peaks_free(struct gpm_peaks *p) {
  free(p->total);
  free(p->node);
}

static void add_to_node(struct gpm_peaks *p, uint32_t node, int64_t bytes) {
  p->node[node].most += bytes;
  p->node[node].added += bytes;
}

/* Adds to some totals of a leaf. */
static void add_to_leaf(struct gpm_peaks *p, uint32_t from, uint32_t to, int64_t bytes) {
  struct gpm_peak *leaf = &p->node[leaf_of(p, from)];
  uint32_t first = from / IN_LEAF * IN_LEAF;
  for (uint32_t i = from; i < to; i++) p->total[i] += bytes;
  leaf->most = highest(p, first, first + IN_LEAF) + leaf->added;
}

static int64_t most_of(const struct gpm_peaks *p, uint32_t node) {
  const struct gpm_peak *n = p->node;
  return larger(n[2 * node].most, n[2 * node + 1].most) + n[node].added;
}

void gpm_peaks_add(struct gpm_peaks *p, uint32_t from, uint32_t to, int64_t bytes) {
  if (from >= to) return;
  uint32_t l = leaf_of(p, from), r = leaf_of(p, to - 1);
  if (l == r) add_to_leaf(p, from, to, bytes);
  else {
    add_to_leaf(p, from, (from / IN_LEAF + 1) * IN_LEAF, bytes);
    add_to_leaf(p, (to - 1) / IN_LEAF * IN_LEAF, to, bytes);
    while ((l ^ r) != 1) {
      if (!(l & 1)) add_to_node(p, l ^ 1, bytes);
      if (r & 1) add_to_node(p, r ^ 1, bytes);
      l /= 2;
      r /= 2;
      p->node[l].most = most_of(p, l);
      p->node[r].most = most_of(p, r);
    }
  }
  while (l /= 2) { /* until nothing changes any more */
    int64_t most = most_of(p, l);
    if (most == p->node[l].most) return;
    p->node[l].most = most;
  }
}

uint32_t gpm_peaks_at(const struct gpm_peaks *p) {
  uint32_t node = 1;
  int64_t above = 0, peak = gpm_peaks_now(p);
  while (node < p->leaves) {
    above += p->node[node].added;
    node *= 2;
    if (p->node[node].most + above != peak) node++;
  }
  uint32_t position = (node - p->leaves) * IN_LEAF;
  above += p->node[node].added;
  while (p->total[position] + above != peak) position++;
  return position;
}

int64_t gpm_peaks_between(const struct gpm_peaks *p, uint32_t from, uint32_t to) {
  if (from >= to) return INT64_MIN / 2;
  uint32_t l = leaf_of(p, from), r = leaf_of(p, to - 1);
  int64_t lower, upper; /* of what is beside l, and beside r */
  if (l == r) lower = highest(p, from, to) + p->node[l].added;
  else {
    lower = highest(p, from, (from / IN_LEAF + 1) * IN_LEAF) + p->node[l].added;
    upper = highest(p, (to - 1) / IN_LEAF * IN_LEAF, to) + p->node[r].added;
    while ((l ^ r) != 1) {
      if (!(l & 1)) lower = larger(lower, p->node[l ^ 1].most);
      if (r & 1) upper = larger(upper, p->node[r ^ 1].most);
      l /= 2;
      r /= 2;
      lower += p->node[l].added;
      upper += p->node[r].added;
    }
    lower = larger(lower, upper);
  }
  while (l /= 2) lower += p->node[l].added;
  return lower;
}
