/* capture_wrappers.h - a part of capture.h: which call is charged with what a wrapper of an
 * allocation allocates. The tool (tools/model/wrappers.h) and the runtime (runtime/answer/answer.h)
 * find it in the same way.
 */
#ifndef GPUMEMPROF_CAPTURE_WRAPPERS_H
#define GPUMEMPROF_CAPTURE_WRAPPERS_H

#include "gpumemprof/capture.h"
#include "gpumemprof/hooks.h"

#include <stdbool.h>

/* Where nodes and sites are found by their numbers. */
struct gpumemprof_call_tree {
  const void *of;
  const struct gpumemprof_capture_node *(*node)(const void *of, uint32_t number);
  const struct gpumemprof_capture_site *(*site)(const void *of, uint32_t number);
};

/* Null: a node without a site. */
static inline const struct gpumemprof_capture_site *
gpumemprof_call_tree_site(const struct gpumemprof_call_tree *tree,
                          const struct gpumemprof_capture_node *node) {
  return node->site == GPUMEMPROF_NONE ? NULL : tree->site(tree->of, node->site);
}

/* Whether calls of the site allocate for the caller of their function. */
static inline bool gpumemprof_wrappers_is_marked(const struct gpumemprof_capture_site *site) {
  return site && site->kind == GPUMEMPROF_SITE_CALL && site->flags & GPUMEMPROF_SITE_FOR_CALLER;
}

/* The call by which the function around a node was called; NONE: it is not known, or code that was
 * not rebuilt called it. Nor is a call charged that names no function, as that of a virtual method:
 * it does not know what is allocated for the method's own object, and decides on no size if it
 * passes no number. */
static inline uint32_t gpumemprof_wrappers_caller(const struct gpumemprof_call_tree *tree,
                                                  const struct gpumemprof_capture_node *node) {
  const struct gpumemprof_capture_site *allocates = gpumemprof_call_tree_site(tree, node);
  for (uint32_t above = node->parent; above; above = node->parent) {
    node = tree->node(tree->of, above);
    const struct gpumemprof_capture_site *scope = gpumemprof_call_tree_site(tree, node);
    if (!scope || scope->kind == GPUMEMPROF_SITE_BLOCK) continue;
    const struct gpumemprof_capture_site *call =
        gpumemprof_call_tree_site(tree, tree->node(tree->of, node->parent));
    bool unaware =
        call && !call->callee &&
        (allocates->flags & GPUMEMPROF_SITE_FOR_OBJECT || call->flags & GPUMEMPROF_SITE_NO_NUMBERS);
    bool charged = call && call->kind == GPUMEMPROF_SITE_CALL && !unaware;
    return charged ? node->parent : GPUMEMPROF_NONE;
  }
  return GPUMEMPROF_NONE;
}

#endif /* GPUMEMPROF_CAPTURE_WRAPPERS_H */
