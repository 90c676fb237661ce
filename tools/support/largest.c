/* largest.c - see largest.h. A binary heap, in which a heavier record replaces the lightest. */
#include "support/largest.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static void put(struct gpm_largest *l, size_t i, double weight, const void *record) {
  l->weight[i] = weight;
  if (record != gpm_largest_at(l, i)) memcpy(gpm_largest_at(l, i), record, l->size);
}

/* Sifts up from i, which is empty. */
static void rise(struct gpm_largest *l, size_t i, double weight, const void *record) {
  while (i) {
    size_t above = (i - 1) / 2;
    if (l->weight[above] <= weight) break;
    put(l, i, l->weight[above], gpm_largest_at(l, above));
    i = above;
  }
  put(l, i, weight, record);
}

/* Sifts down from the top, which is empty. */
static void sink(struct gpm_largest *l, double weight, const void *record) {
  size_t i = 0;
  for (;;) {
    size_t below = 2 * i + 1;
    if (below >= l->count) break;
    if (below + 1 < l->count && l->weight[below + 1] < l->weight[below]) below++;
    if (l->weight[below] >= weight) break;
    put(l, i, l->weight[below], gpm_largest_at(l, below));
    i = below;
  }
  put(l, i, weight, record);
}

static void drop(const struct gpm_largest *l, const void *record) {
  if (l->drop) l->drop(l->data, record);
}

void gpm_largest_add(struct gpm_largest *l, double weight, const void *record) {
  if (!l->most || (l->count == l->most && weight <= l->weight[0])) return drop(l, record);
  if (l->count == l->most) {
    drop(l, l->record);
    return sink(l, weight, record);
  }
  if (l->count == l->room) {
    l->room = l->room ? 2 * l->room : 256;
    l->weight = gpm_memory_resize(l->weight, l->room, sizeof *l->weight);
    l->record = gpm_memory_resize(l->record, l->room, l->size);
  }
  rise(l, l->count++, weight, record);
}

void gpm_largest_weigh(struct gpm_largest *l, double (*weigh)(void *data, const void *record)) {
  struct gpm_largest old = *l;
  l->count = l->room = 0;
  l->weight = NULL;
  l->record = NULL;
  for (size_t i = 0; i < old.count; i++)
    gpm_largest_add(l, weigh(l->data, gpm_largest_at(&old, i)), gpm_largest_at(&old, i));
  gpm_largest_free(&old);
}

void gpm_largest_shrink(struct gpm_largest *l, size_t most) {
  l->most = most;
  while (l->count > most) {
    drop(l, l->record);
    l->count--;
    if (l->count) sink(l, l->weight[l->count], gpm_largest_at(l, l->count));
  }
}

void **gpm_largest_sorted(const struct gpm_largest *l, int (*compare)(const void *, const void *)) {
  void **record = gpm_memory_array(l->count, sizeof *record);
  for (size_t i = 0; i < l->count; i++) record[i] = gpm_largest_at(l, i);
  if (l->count) qsort(record, l->count, sizeof *record, compare);
  return record;
}

void gpm_largest_free(struct gpm_largest *l) {
  free(l->weight);
  free(l->record);
}
