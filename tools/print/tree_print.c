/* tree_print.c - prints the call tree as a table with branches, in the layout of CuPy, or as JSON
 * or CSV: see tree.h. */
#include "print/tree.h"

#include "analysis/nothing.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/small_variables_print.h"
#include "output/summary.h"
#include "output/table.h"
#include "print/columns_print.h"
#include "rows/locations.h"
#include "support/text.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

#define DEEPEST 200 /* levels of a printed tree */

struct table_state {
  struct libscols_table *table;
  struct libscols_line *lines[DEEPEST + 1]; /* by depth */
  uint32_t too_deep, left;
  bool has_sum;     /* a row of several devices */
  unsigned machine; /* gpm_row.machine of all rows */
};

static void add_to_table(struct gpm_tree *o, uint32_t node, unsigned depth, void *data) {
  struct table_state *t = data;
  if (depth > DEEPEST) {
    t->too_deep++;
    return;
  }
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  char *note = o->left[node] ? gpm_memory_format("%u branch%s left out", o->left[node],
                                                 o->left[node] == 1 ? "" : "es")
                             : NULL;
  char *location = gpm_locations_node_allocation(o->rows->profile, node);
  t->has_sum |= gpm_row_is_sum(&o->rows->row[node]);
  t->machine |= o->rows->row[node].machine;
  t->lines[depth] = gpm_table_add(t->table, depth > 1 ? t->lines[depth - 1] : NULL, &o->choice,
                                  o->rows, &o->rows->row[node], location, note, style);
  free(location);
  free(note);
}

static void print_table(struct gpm_tree *o) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(o->rows->profile, style, o->input.verbose);
  gpm_summary_print_failures(o->rows->profile, style);
  gpm_summary_print_losses(o->rows->profile->reader);
  gpm_summary_print_filter(o->rows->profile, style);
  if (!o->first_child[0] && !o->left[0] && !o->small_rows.rows && !o->zeros)
    return gpm_nothing_print(o->rows->profile, "nothing was allocated or freed");
  gpm_table_print_unit(o->input.exact);
  struct table_state t = {.table = gpm_table_new(&o->choice, true)};
  gpm_tree_visit(o, add_to_table, &t);
  if (o->input.verbose) gpm_table_print(t.table);
  else gpm_table_print_fitted(t.table);
  if (o->left[0]) printf("... and %u more at the top\n", o->left[0]);
  gpm_small_rows_print(&o->small_rows, style);
  if (o->zeros)
    printf("%u branch%s 0 in every column %s left out (--limit 0 shows %s)\n", o->zeros,
           o->zeros == 1 ? " that is" : "es that are", o->zeros == 1 ? "is" : "are",
           o->zeros == 1 ? "it" : "them");
  if (t.has_sum) gpm_columns_say_sum(o->choice.column, o->choice.count);
  gpm_columns_say_machine(o->choice.column, o->choice.count, t.machine);
  if (t.too_deep)
    printf("... and %u call%s deeper than %d levels (--format json has all)\n", t.too_deep,
           gpm_text_s(t.too_deep), DEEPEST);
}

static void print_cupy_line(struct gpm_tree *o, uint32_t node, unsigned depth, void *data) {
  (void)data;
  const struct gpm_row *row = &o->rows->row[node];
  struct gpm_key key = gpm_locations_key(o->rows, row);
  const struct gpm_reader *r = o->rows->profile->reader;
  char *file = gpm_text_file(r->host, gpm_reader_string(r, key.file)),
       *function = gpm_locations_text(r, key.function);
  char requested[GPM_TEXT_NUMBER], acquired[GPM_TEXT_NUMBER];
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  printf("%*s%s:%u:%s (%s, %s)\n", (int)(depth < DEEPEST ? depth : DEEPEST) * 4, "",
         *file ? file : "?", key.line, *function ? function : "?",
         gpm_text_bytes(requested, row->value[GPM_FIGURE_incl_requested], style),
         gpm_text_bytes(acquired, row->value[GPM_FIGURE_incl_alloc], style));
  free(file);
  free(function);
}

static void print_cupy(struct gpm_tree *o) {
  uint64_t requested = 0, acquired = 0;
  for (uint32_t n = 0; n < o->rows->count; n++) {
    requested += (uint64_t)o->rows->row[n].value[GPM_FIGURE_self_requested];
    acquired += (uint64_t)o->rows->row[n].value[GPM_FIGURE_self_alloc];
  }
  char first[GPM_TEXT_NUMBER], second[GPM_TEXT_NUMBER];
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  printf("_root (%s, %s)\n", gpm_text_bytes(first, (int64_t)requested, style),
         gpm_text_bytes(second, (int64_t)acquired, style));
  gpm_tree_visit(o, print_cupy_line, NULL);
}

/* A flat list in depth-first order with depths: nesting objects a thousand deep breaks JSON
 * readers. */
static void print_json_item(struct gpm_tree *o, uint32_t node, unsigned depth, void *data) {
  bool *first = data;
  json_t *item = gpm_json_row(o->rows, &o->rows->row[node], &o->choice);
  json_object_del(item, "path");
  json_t *responsible = gpm_json_responsible(o->rows, &o->rows->row[node]);
  if (responsible) gpm_json_put(item, branch, responsible, responsible);
  gpm_json_put(item, branch, depth, json_integer((json_int_t)depth));
  gpm_json_put(item, branch, id, json_integer((json_int_t)node));
  gpm_json_put(item, branch, parent, json_integer((json_int_t)gpm_tree_above(o, node)));
  gpm_json_put(item, branch, branches_left_out, json_integer((json_int_t)o->left[node]));
  gpm_json_item(item, *first);
  *first = false;
}

static void print_json(struct gpm_tree *o) {
  bool first = true;
  gpm_json_choose("branch", &o->choice);
  gpm_json_begin(o->rows->profile, tree, tree);
  gpm_tree_visit(o, print_json_item, &first);
  gpm_json_end(o->rows->profile);
}

void gpm_tree_print(struct gpm_tree *o) {
  if (o->input.format != GPM_FORMAT_TABLE) print_json(o);
  else if (o->cupy) print_cupy(o);
  else print_table(o);
}
