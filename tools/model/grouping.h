/* grouping.h - the keys (lines, functions, files, call paths) to which each node of the call tree
 * belongs.
 *
 * An event at a node belongs to every distinct key on the node's path, once. So nodes are folded
 * into groups: the tree in which a key that is already on the path adds no level. In it every key
 * occurs at most once per path, and an inclusive figure of a key is the sum over the subtrees of
 * its groups.
 *
 *   nodes   main > f > f > g > f > h        (recursion of f)
 *   groups  main > f > g > h                the 2nd and 3rd f are in the first one's group, or g's
 */
#ifndef GPM_TOOLS_GROUPING_H
#define GPM_TOOLS_GROUPING_H

#include "model/keys.h"
#include "model/profile.h"

enum gpm_by {
#define GPM_BY(NAME, name, text) GPM_BY_##NAME,
#include "model/by.def"
  GPM_BY_COUNT
};

/* Whether rows need no call tree. */
static inline bool gpm_by_is_flat(enum gpm_by by) {
  return by >= GPM_BY_KIND;
}
/* Of these, rows whose key is a text: its name. */
static inline bool gpm_by_is_text(enum gpm_by by) {
  return by == GPM_BY_LABEL || by == GPM_BY_VARIABLE || by == GPM_BY_TYPE;
}
/* Whether only events record the key for every block. */
static inline bool gpm_by_needs_events(enum gpm_by by) {
  return by == GPM_BY_SIZE || by == GPM_BY_THREAD;
}
/* Whether a row is the same thing in several processes: a stream is a handle, and rows by what only
 * events record are those of one process. */
static inline bool gpm_by_merges(enum gpm_by by) {
  return by != GPM_BY_STREAM && !gpm_by_needs_events(by);
}
/* Whether the calls and own peaks of rows are those of functions. */
static inline bool gpm_by_is_scopes(enum gpm_by by) {
  return by == GPM_BY_FUNCTION || by == GPM_BY_FILE;
}

struct gpm_grouping {
  enum gpm_by by;       /* LINE, FUNCTION, FILE or PATH */
  struct gpm_keys keys; /* also of rows by a text; for PATH a key is a node */
  uint32_t key_count;
  uint32_t *
      direct; /* by node: the key an event right there is charged to as self; NONE: cannot happen */
  uint32_t *entry; /* by node: the key its activations belong to, or NONE */
  uint32_t *group; /* by node */
  uint32_t group_count;
  uint32_t *key;             /* by group; NONE for the root */
  struct gpm_ancestors tree; /* of groups; group 0 is the root */
};

void gpm_grouping_make(struct gpm_grouping *grouping, const struct gpm_profile *profile,
                       enum gpm_by by);
/* Narrows a grouping by path to the given nodes: the keys are indices of the list, and events at
 * any other node are charged to one more key after them. */
void gpm_grouping_narrow(struct gpm_grouping *grouping, const struct gpm_profile *profile,
                         const uint32_t *node, uint32_t count);
void gpm_grouping_free(struct gpm_grouping *grouping);

#endif
