/* live_blocks.c - see live_blocks.h. A leaf that is full is divided, and one that is empty goes;
 * that moves the leaves behind it, which is seldom. */
#include "uses/live_blocks.h"

#include "support/memory.h"

#include <string.h>

void gpm_live_blocks_free(struct gpm_live_blocks *l) {
  for (size_t i = 0; i < l->count; i++) free(l->leaf[i].keys);
  free(l->leaf);
}

/* Returns the number of the last leaf that begins at or below an address; the first one if none
 * does. There is at least one. */
static size_t leaf_of(const struct gpm_live_blocks *l, uint64_t address) {
  const struct gpm_live_leaf *at = l->leaf;
  for (size_t left = l->count; left > 1;) {
    size_t half = left / 2;
    at = at[half].first <= address ? at + half : at;
    left -= half;
  }
  return (size_t)(at - l->leaf);
}

/* Returns how many addresses of a leaf are at or below one. */
static uint32_t count_until(const struct gpm_live_leaf *leaf, uint64_t address) {
  const uint64_t *at = leaf->keys->address;
  for (uint32_t left = leaf->count; left > 1;) {
    uint32_t half = left / 2;
    at = at[half] <= address ? at + half : at;
    left -= half;
  }
  return (uint32_t)(at - leaf->keys->address) + (*at <= address);
}

static void add_leaf(struct gpm_live_blocks *l, size_t at, uint64_t first) {
  if (l->count == l->room) {
    l->room = l->room ? l->room * 2 : 16;
    l->leaf = gpm_memory_resize(l->leaf, l->room, sizeof *l->leaf);
  }
  memmove(&l->leaf[at + 1], &l->leaf[at], (l->count++ - at) * sizeof *l->leaf);
  l->leaf[at] =
      (struct gpm_live_leaf){.first = first, .keys = gpm_memory_array(1, sizeof *l->leaf[at].keys)};
}

static void divide(struct gpm_live_blocks *l, size_t at) {
  enum { HALF = GPM_LIVE_LEAF / 2 };
  add_leaf(l, at + 1, l->leaf[at].keys->address[HALF]);
  struct gpm_live_leaf *leaf = &l->leaf[at], *next = leaf + 1;
  memcpy(next->keys->address, &leaf->keys->address[HALF], HALF * sizeof *leaf->keys->address);
  memcpy(next->keys->block, &leaf->keys->block[HALF], HALF * sizeof *leaf->keys->block);
  leaf->count = next->count = HALF;
}

void gpm_live_blocks_add(struct gpm_live_blocks *l, uint32_t block, uint64_t address) {
  if (!l->count) add_leaf(l, 0, address);
  size_t number = leaf_of(l, address);
  if (l->leaf[number].count == GPM_LIVE_LEAF) {
    divide(l, number);
    number += l->leaf[number + 1].first <= address;
  }
  struct gpm_live_leaf *leaf = &l->leaf[number];
  struct gpm_live_keys *k = leaf->keys;
  uint32_t at = leaf->count ? count_until(leaf, address) : 0, behind = leaf->count++ - at;
  memmove(&k->address[at + 1], &k->address[at], behind * sizeof *k->address);
  memmove(&k->block[at + 1], &k->block[at], behind * sizeof *k->block);
  k->address[at] = address;
  k->block[at] = block;
  leaf->first = k->address[0];
}

void gpm_live_blocks_remove(struct gpm_live_blocks *l, uint64_t address) {
  if (!l->count) return;
  size_t number = leaf_of(l, address);
  struct gpm_live_leaf *leaf = &l->leaf[number];
  struct gpm_live_keys *k = leaf->keys;
  uint32_t at = count_until(leaf, address);
  if (!at || k->address[at - 1] != address) return;
  uint32_t behind = leaf->count-- - at;
  memmove(&k->address[at - 1], &k->address[at], behind * sizeof *k->address);
  memmove(&k->block[at - 1], &k->block[at], behind * sizeof *k->block);
  leaf->first = k->address[0];
  if (leaf->count) return;
  free(k);
  memmove(leaf, leaf + 1, (--l->count - number) * sizeof *leaf);
}

uint32_t gpm_live_blocks_next(const struct gpm_live_blocks *l, uint64_t address) {
  if (!l->count) return GPUMEMPROF_NONE;
  size_t number = leaf_of(l, address);
  const struct gpm_live_leaf *leaf = &l->leaf[number];
  uint32_t at = count_until(leaf, address);
  if (at < leaf->count) return leaf->keys->block[at];
  return number + 1 < l->count ? leaf[1].keys->block[0] : GPUMEMPROF_NONE;
}

uint32_t gpm_live_blocks_find(const struct gpm_live_blocks *l, uint64_t address) {
  if (!l->count) return GPUMEMPROF_NONE;
  const struct gpm_live_leaf *leaf = &l->leaf[leaf_of(l, address)];
  uint32_t at = count_until(leaf, address);
  return at ? leaf->keys->block[at - 1] : GPUMEMPROF_NONE;
}
