/* ancestors.c - see ancestors.h (Myers, "An applicative random-access stack", 1983). */
#include "model/ancestors.h"

#include <stdbool.h>
#include <stdlib.h>

void gpm_ancestors_make(struct gpm_ancestors *t, size_t room) {
  t->node = gpm_memory_array(room, sizeof *t->node);
}

void gpm_ancestors_free(struct gpm_ancestors *t) {
  free(t->node);
}

void gpm_ancestors_add(struct gpm_ancestors *t, uint32_t node, uint32_t parent) {
  t->node[node].parent = parent;
  if (!node) return;
  uint32_t j = t->node[parent].jump, d = t->node[parent].depth;
  t->node[node].depth = d + 1;
  t->node[node].jump = d - t->node[j].depth == t->node[j].depth - t->node[t->node[j].jump].depth
                           ? t->node[j].jump
                           : parent;
}

uint32_t gpm_ancestors_at_depth(const struct gpm_ancestors *t, uint32_t node, uint32_t depth) {
  while (t->node[node].depth > depth)
    node = t->node[t->node[node].jump].depth >= depth ? t->node[node].jump : t->node[node].parent;
  return node;
}

uint32_t gpm_ancestors_common(const struct gpm_ancestors *t, uint32_t a, uint32_t b) {
  a = gpm_ancestors_at_depth(t, a, t->node[b].depth);
  b = gpm_ancestors_at_depth(t, b, t->node[a].depth);
  while (a != b) {
    bool far = t->node[a].jump != t->node[b].jump;
    a = far ? t->node[a].jump : t->node[a].parent;
    b = far ? t->node[b].jump : t->node[b].parent;
  }
  return a;
}
