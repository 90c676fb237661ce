/* grouping.c - see grouping.h. One walk over the tree, depth first, so that "is this key already on
 * the path" is one test of a counter; no step depends on the depth of a recursion. */
#include "model/grouping.h"

#include "support/map.h"

#include <stdlib.h>

/* ---- keys of nodes -----------------------------------------------------------------------------
 */

static struct gpm_key function_of(const struct gpm_profile *p, uint32_t scope) {
  if (scope == GPUMEMPROF_NONE) return (struct gpm_key){0};
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[scope]);
  return (struct gpm_key){
      .file = s->file, .function = s->function, .name = s->name, .scope_line = s->line};
}

/* The key that a node adds to its path, or NONE: calls add lines, scopes add functions. An unknown
 * location is charged to line 0 of the enclosing function. */
static uint32_t line_key(struct gpm_keys *keys, const struct gpm_profile *p, uint32_t node,
                         uint32_t *by_site) {
  uint32_t site = p->site[node];
  if (gpm_profile_is_call(p, node)) {
    if (by_site[site] == GPUMEMPROF_NONE) {
      const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, site);
      by_site[site] = gpm_keys_get(
          keys, (struct gpm_key){.file = s->file, .line = s->line, .function = s->function});
    }
    return by_site[site];
  }
  if (!p->events[node] && (!node || gpm_profile_is_scope(p, node))) return GPUMEMPROF_NONE;
  struct gpm_key location = function_of(p, p->scope[node]);
  location.name = 0;
  return gpm_keys_get(keys, location);
}

static uint32_t function_key(struct gpm_keys *keys, const struct gpm_profile *p, uint32_t node,
                             uint32_t *by_site) {
  if (gpm_profile_is_scope(p, node)) {
    uint32_t site = p->site[node];
    if (by_site[site] == GPUMEMPROF_NONE) by_site[site] = gpm_keys_get(keys, function_of(p, node));
    return by_site[site];
  }
  if (!p->events[node] || p->scope[node] != GPUMEMPROF_NONE) return GPUMEMPROF_NONE;
  struct gpm_key location = {
      0}; /* in no scope: a location of the runtime's own ("(static)"), or none */
  if (gpm_profile_is_call(p, node)) {
    const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
    location = (struct gpm_key){.file = s->file, .function = s->function};
  }
  return gpm_keys_get(keys, location);
}

/* Lines and functions add their file; an unknown location adds the file of its function, or none.
 */
static uint32_t file_key(struct gpm_keys *keys, const struct gpm_profile *p, uint32_t node,
                         uint32_t *by_site) {
  uint32_t site = p->site[node];
  if (!gpm_profile_is_scope(p, node) && !gpm_profile_is_call(p, node)) {
    if (!node && !p->events[node]) return GPUMEMPROF_NONE;
    return gpm_keys_get(keys, (struct gpm_key){.file = function_of(p, p->scope[node]).file});
  }
  if (by_site[site] == GPUMEMPROF_NONE)
    by_site[site] =
        gpm_keys_get(keys, (struct gpm_key){.file = gpm_reader_site(p->reader, site)->file});
  return by_site[site];
}

/* Fills direct and entry, and returns by node the key it adds to its path. */
static uint32_t *find_keys(struct gpm_grouping *g, const struct gpm_profile *p) {
  uint32_t *on_path = gpm_memory_array(p->node_count, sizeof *on_path);
  uint32_t *by_site = gpm_memory_array(p->reader->sites.count, sizeof *by_site);
  for (uint64_t i = 0; i < p->reader->sites.count; i++) by_site[i] = GPUMEMPROF_NONE;
  g->keys.reader = p->reader;
  for (uint32_t n = 0; n < p->node_count; n++) {
    bool scope = gpm_profile_is_scope(p, n);
    switch (g->by) {
    case GPM_BY_LINE:
      on_path[n] = line_key(&g->keys, p, n, by_site);
      break;
    case GPM_BY_FUNCTION:
      on_path[n] = function_key(&g->keys, p, n, by_site);
      break;
    case GPM_BY_FILE:
      on_path[n] = file_key(&g->keys, p, n, by_site);
      break;
    default:
      on_path[n] = n;
      break;
    }
    g->direct[n] = on_path[n];
    g->entry[n] = GPUMEMPROF_NONE;
    if (g->by == GPM_BY_FUNCTION) {
      if (on_path[n] == GPUMEMPROF_NONE && n) g->direct[n] = g->direct[p->tree.node[n].parent];
      if (scope) g->entry[n] = on_path[n];
    } else if (g->by == GPM_BY_FILE) {
      if (scope) g->entry[n] = on_path[n];
    } else if (scope && n) { /* its figures are those of the call that started it */
      bool called = p->tree.node[n].parent && !gpm_profile_is_scope(p, p->tree.node[n].parent);
      if (called) g->entry[n] = on_path[p->tree.node[n].parent];
      else if (g->by == GPM_BY_PATH) g->entry[n] = n;
    } else if (p->spans[n]) {
      g->entry[n] = on_path[n];
    }
  }
  g->key_count = g->by == GPM_BY_PATH ? p->node_count : g->keys.count;
  free(by_site);
  return on_path;
}

/* ---- groups ------------------------------------------------------------------------------------
 */

static void add_group(struct gpm_grouping *g, uint32_t parent, uint32_t key) {
  uint32_t id = g->group_count++;
  gpm_ancestors_add(&g->tree, id, parent);
  g->key[id] = key;
}

/* Makes every node its own group: the rows are the nodes. */
static void groups_are_nodes(struct gpm_grouping *g, const struct gpm_profile *p) {
  for (uint32_t n = 0; n < p->node_count; n++) {
    add_group(g, n ? p->tree.node[n].parent : 0, n ? n : GPUMEMPROF_NONE);
    g->group[n] = n;
  }
  if (p->node_count && p->events[0]) g->key[0] = 0;
}

struct walk {
  uint32_t *first_child, *next; /* by node */
  uint32_t *marks;              /* by key: how many nodes of the path have it */
  struct gpm_map children;      /* (group, key) -> group */
};

static void enter(struct gpm_grouping *g, struct walk *w, uint32_t node, uint32_t above,
                  uint32_t key) {
  g->group[node] = above;
  if (key == GPUMEMPROF_NONE || w->marks[key]++) return;
  uint64_t *child = gpm_map_at(&w->children, (uint64_t)above << 32 | key, g->group_count);
  if (*child == g->group_count) add_group(g, above, key);
  g->group[node] = (uint32_t)*child;
}

static void fold_nodes(struct gpm_grouping *g, const struct gpm_profile *p,
                       const uint32_t *on_path) {
  struct walk w = {.first_child = gpm_memory_array(p->node_count, sizeof(uint32_t)),
                   .next = gpm_memory_array(p->node_count, sizeof(uint32_t)),
                   .marks = gpm_memory_array(g->key_count, sizeof(uint32_t))};
  for (uint32_t n = p->node_count;
       n-- > 1;) { /* 0, the root, has no parent, so it ends the lists */
    w.next[n] = w.first_child[p->tree.node[n].parent];
    w.first_child[p->tree.node[n].parent] = n;
  }
  add_group(g, 0, GPUMEMPROF_NONE);
  for (uint32_t n = 0; n < p->node_count;) {
    enter(g, &w, n, n ? g->group[p->tree.node[n].parent] : 0, on_path[n]);
    if (w.first_child[n]) {
      n = w.first_child[n];
      continue;
    }
    for (;;) { /* leave n and every last child above it */
      if (on_path[n] != GPUMEMPROF_NONE) w.marks[on_path[n]]--;
      if (!n || w.next[n]) break;
      n = p->tree.node[n].parent;
    }
    if (!n) break;
    n = w.next[n];
  }
  free(w.first_child);
  free(w.next);
  free(w.marks);
  gpm_map_free(&w.children);
}

void gpm_grouping_make(struct gpm_grouping *g, const struct gpm_profile *p, enum gpm_by by) {
  *g = (struct gpm_grouping){.by = by};
  size_t room = (size_t)p->node_count + 1; /* the root of an empty tree */
  uint32_t **arrays[] = {&g->direct, &g->entry, &g->group, &g->key};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    *arrays[i] = gpm_memory_array(room, sizeof(uint32_t));
  gpm_ancestors_make(&g->tree, room);
  uint32_t *on_path = find_keys(g, p);
  if (by == GPM_BY_PATH) groups_are_nodes(g, p);
  else fold_nodes(g, p, on_path);
  free(on_path);
}

void gpm_grouping_narrow(struct gpm_grouping *g, const struct gpm_profile *p, const uint32_t *node,
                         uint32_t count) {
  uint32_t *key = gpm_memory_array((size_t)p->node_count + 1, sizeof *key); /* by node */
  for (uint32_t n = 0; n < p->node_count; n++) key[n] = GPUMEMPROF_NONE;
  for (uint32_t i = 0; i < count; i++) key[node[i]] = i;
  for (uint32_t n = 0; n < p->node_count; n++) {
    g->direct[n] = key[n] == GPUMEMPROF_NONE ? count : key[n];
    if (g->entry[n] != GPUMEMPROF_NONE) g->entry[n] = key[g->entry[n]];
    if (g->key[n] != GPUMEMPROF_NONE) g->key[n] = key[n];
  }
  g->key_count = count + 1;
  free(key);
}

void gpm_grouping_free(struct gpm_grouping *g) {
  uint32_t *arrays[] = {g->direct, g->entry, g->group, g->key};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  gpm_ancestors_free(&g->tree);
  gpm_keys_free(&g->keys);
}
