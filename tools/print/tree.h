/* tree.h - the call tree of `gpumemprof tree`: tree_levels.c finds what of it is shown, and in
 * which order; tree_print.c prints that.
 *
 * Its levels are calls (file:line function). A scope has a level of its own where no recorded call
 * led to it: main, a thread's function, a GPUMEMPROF_SCOPE block.
 */
#ifndef GPM_TOOLS_TREE_H
#define GPM_TOOLS_TREE_H

#include "analysis/small_variables.h"
#include "input/command.h"
#include "rows/columns.h"

#define GPM_TREE_BY_WEIGHT GPM_COLUMN_COUNT
enum { GPM_TREE_COLUMNS = 7 };
extern const unsigned gpm_tree_columns[GPM_TREE_COLUMNS]; /* of a table without --columns */

struct gpm_tree {
  struct gpm_input input;
  bool cupy;
  struct gpm_choice choice;
  unsigned sort; /* a column, or GPM_TREE_BY_WEIGHT: by memory held and moved */
  /* The tree of shown levels. */
  const struct gpm_rows *rows;
  uint32_t *first_child, *next; /* by node; 0 for none */
  uint32_t *left;               /* branches left out right below; by node */
  /* Left out of a table without a line at their branch: ... */
  struct gpm_small_rows small_rows; /* ... variables in device memory that fill no page, ... */
  uint32_t zeros;                   /* ... branches that are 0 in every column */
};

/* tree_levels.c: links the levels of the tree of these rows, by path, that are shown. */
void gpm_tree_make(struct gpm_tree *tree, struct gpm_rows *rows);
void gpm_tree_free(struct gpm_tree *tree);
/* The level that a node is below; 0 for none. */
uint32_t gpm_tree_above(const struct gpm_tree *tree, uint32_t node);
/* Visits the linked levels depth-first, without recursion. depth starts at 1. */
typedef void gpm_tree_visitor(struct gpm_tree *o, uint32_t node, unsigned depth, void *data);
void gpm_tree_visit(struct gpm_tree *tree, gpm_tree_visitor *act, void *data);

/* tree_print.c: prints what was linked, as --format and --layout have it. */
void gpm_tree_print(struct gpm_tree *tree);

#endif
