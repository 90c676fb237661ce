/* cmd_tree.c - `gpumemprof tree`: the call tree with inclusive figures.
 *
 * Its levels are calls (file:line function). A scope has a level of its own where no recorded call
 * led to it: main, a thread's function, a GPUMEMPROF_SCOPE block.
 */
#include "analysis/nothing.h"
#include "analysis/small_variables.h"
#include "input/columns_asked.h"
#include "input/command.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/small_variables_print.h"
#include "output/summary.h"
#include "output/table.h"
#include "over_time/lifetimes.h"
#include "print/columns_print.h"
#include "rows/least.h"
#include "rows/order.h"
#include "rows/places.h"
#include "support/text.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_LAYOUT = 256 };
#define BY_WEIGHT GPM_COLUMN_COUNT
#define DEEPEST 200 /* levels of a printed tree */

struct tree {
  struct gpm_input input;
  bool cupy;
  struct gpm_choice choice;
  unsigned sort; /* a column, or BY_WEIGHT: by memory held and moved */
  /* The tree of shown levels. */
  const struct gpm_rows *rows;
  uint32_t *first_child, *next; /* by node; 0 for none */
  uint32_t *left;               /* branches left out right below; by node */
  /* Left out of a table without a line at their branch: ... */
  struct gpm_small_rows small_rows; /* ... variables in device memory that fill no page, ... */
  uint32_t zeros;                   /* ... branches that are 0 in every column */
};

const struct argp_option gpm_cmd_tree_options[] = {
    {"layout", OPTION_LAYOUT, "NAME", 0,
     "table (default) or cupy: file:line:function (requested, acquired)", 0},
    {0},
};

static const unsigned columns[] = {
    GPM_FIGURE_at_peak, GPM_FIGURE_incl_alloc, GPM_FIGURE_incl_net, GPM_FIGURE_own_peak_max,
    GPM_FIGURE_calls,   GPM_FIGURE_leaked,     GPM_TEXT_location};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const layouts[] = {"table", "cupy", NULL};
  struct tree *o = state->input;
  switch (key) {
  case OPTION_LAYOUT:
    o->cupy = gpm_say_choice("layout", arg, layouts) == 1;
    return 0;
  case ARGP_KEY_END:
    if (o->cupy && o->input.columns) argp_error(state, "--layout cupy has columns of its own");
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* ---- which levels ------------------------------------------------------------------------------
 */

static bool is_level(const struct tree *o, uint32_t n) {
  const struct gpm_profile *p = o->rows->profile;
  if (!n) return false;
  if (!gpm_profile_is_scope(p, n)) return true;
  if (o->cupy) return false;
  uint32_t above = p->tree.node[n].parent;
  return p->kind[n] == GPUMEMPROF_SITE_BLOCK || !above || gpm_profile_is_scope(p, above);
}

static uint32_t level_above(const struct tree *o, uint32_t n) {
  do n = o->rows->profile->tree.node[n].parent;
  while (n && !is_level(o, n));
  return n;
}

static uint64_t weight(const struct gpm_row *row, enum gpm_figure figure) {
  return (uint64_t)row->value[figure];
}

/* Whether a column of the table is not 0, an allocation failed, or memory was freed. */
static bool is_any(const struct gpm_row *row) {
  for (size_t i = 0; i < COLUMNS; i++)
    if (columns[i] < GPM_FIGURE_COUNT && row->value[columns[i]]) return true;
  return row->value[GPM_FIGURE_failed_calls] || row->value[GPM_FIGURE_incl_freed];
}

static int heavier(const void *a, const void *b, void *data) {
  const struct gpm_rows *rows = data;
  uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
  const struct gpm_row *x = &rows->row[m], *y = &rows->row[n];
  const enum gpm_figure figures[] = {GPM_FIGURE_at_peak, GPM_FIGURE_incl_alloc,
                                     GPM_FIGURE_incl_freed};
  for (int i = 0; i < 3; i++)
    if (weight(x, figures[i]) != weight(y, figures[i]))
      return weight(x, figures[i]) > weight(y, figures[i]) ? -1 : 1;
  return m < n ? -1 : m > n;
}

/* What a table does not show, by node: 1 a variable that fills no page, or a branch of these alone;
 * 2 a branch that is 0 in every column, and so is all below it. Null: it shows all. */
static uint8_t *find_hidden(struct tree *o, struct gpm_rows *rows) {
  const struct gpm_profile *p = rows->profile;
  if (gpm_input_shows_all(&o->input) || o->cupy) return NULL;
  struct gpm_small_variables *of_row = gpm_small_variables_of_rows(rows);
  uint8_t *hidden = gpm_memory_array(p->node_count, 1);
  uint8_t *matters = gpm_memory_array(p->node_count, 1); /* the node, or a node below it */
  uint64_t *small = gpm_memory_array(p->node_count, sizeof *small);
  for (uint32_t n = 1; n < p->node_count; n++)
    if (of_row[n].variables)
      gpm_small_rows_add(&o->small_rows, of_row[n].variables, of_row[n].bytes);
  bool many = gpm_small_rows_are_many(&o->small_rows);
  o->small_rows = (struct gpm_small_rows){.rows = 0};
  for (uint32_t n = p->node_count; n-- > 1;) {
    const struct gpm_row *row = &rows->row[n];
    if (many) small[n] += of_row[n].bytes;
    bool only_small = small[n] && weight(row, GPM_FIGURE_incl_alloc) == small[n] &&
                      weight(row, GPM_FIGURE_incl_freed) <= small[n] &&
                      !row->value[GPM_FIGURE_failed_calls];
    if (only_small && of_row[n].variables)
      gpm_small_rows_add(&o->small_rows, of_row[n].variables, of_row[n].bytes);
    matters[n] |= !only_small && is_any(row);
    hidden[n] = only_small ? 1 : matters[n] || o->input.columns ? 0 : 2;
    small[p->tree.node[n].parent] += small[n];
    matters[p->tree.node[n].parent] |= matters[n];
  }
  free(of_row);
  free(matters);
  free(small);
  return hidden;
}

static void sort_levels(const struct tree *o, uint32_t *level, uint32_t count) {
  if (o->sort != BY_WEIGHT) gpm_order_sort(level, count, o->rows, o->sort);
  else if (count) qsort_r(level, count, sizeof *level, heavier, (void *)(uintptr_t)o->rows);
}

/* --min */
static bool is_small(const struct tree *o, const struct gpm_row *row) {
  if (o->sort == BY_WEIGHT)
    return weight(row, GPM_FIGURE_incl_alloc) + weight(row, GPM_FIGURE_incl_freed) < o->input.least;
  enum gpm_figure figure = gpm_least_of(o->sort);
  return gpm_least_hides(o->input.least, figure, gpm_row_knows(row, figure), row->value[figure]);
}

/* All levels that a filter leaves, without hidden nodes. The caller frees them. */
static uint32_t *find_levels(struct tree *o, const uint8_t *hidden, uint32_t *count) {
  const struct gpm_profile *p = o->rows->profile;
  uint32_t *level = gpm_memory_array(p->node_count, sizeof *level);
  *count = 0;
  for (uint32_t n = 1; n < p->node_count; n++) {
    const struct gpm_row *row = &o->rows->row[n];
    uint64_t allocated = weight(row, GPM_FIGURE_incl_alloc),
             moved = allocated + weight(row, GPM_FIGURE_incl_freed);
    bool held =
        moved ||
        weight(row, GPM_FIGURE_at_peak); /* within a window it may have been live from the begin */
    if (!is_level(o, n) || (o->cupy && !allocated) || (!held && !p->all_cells_shown)) continue;
    if (hidden && hidden[n]) o->zeros += hidden[n] == 2;
    else level[(*count)++] = n;
  }
  return level;
}

/* The levels that are kept, by node; to be freed. A level is kept together with its ancestors; if
 * there is no room for all of these, the innermost levels are dropped. */
static uint8_t *keep(const struct tree *o, const uint32_t *level, uint32_t count) {
  uint8_t *kept = gpm_memory_array(o->rows->profile->node_count, 1);
  uint32_t room = gpm_input_shown_in(&o->input, o->cupy ? GPM_FORMAT_JSON : o->input.format, count);
  for (uint32_t i = 0; i < count && room; i++) {
    uint32_t needed = 0, n = level[i];
    if (is_small(o, &o->rows->row[n])) continue;
    for (uint32_t above = n; above && !kept[above]; above = level_above(o, above)) needed++;
    for (; needed > room; needed--) n = level_above(o, n);
    for (room -= needed; n && !kept[n]; n = level_above(o, n)) kept[n] = 1;
  }
  return kept;
}

/* Links the levels that are kept, the first child first. */
static void link_levels(struct tree *o, const uint8_t *hidden) {
  uint32_t nodes = o->rows->profile->node_count, count, *level = find_levels(o, hidden, &count);
  o->first_child = gpm_memory_array(nodes, sizeof *o->first_child);
  o->next = gpm_memory_array(nodes, sizeof *o->next);
  o->left = gpm_memory_array(nodes, sizeof *o->left);
  sort_levels(o, level, count);
  uint8_t *kept = keep(o, level, count);
  for (uint32_t i = count; i-- > 0;) {
    uint32_t above = level_above(o, level[i]);
    if (!kept[level[i]]) {
      o->left[above]++;
      continue;
    }
    o->next[level[i]] = o->first_child[above];
    o->first_child[above] = level[i];
  }
  free(kept);
  free(level);
}

/* Visits the linked levels depth-first, without recursion. depth starts at 1. */
typedef void visitor(struct tree *o, uint32_t node, unsigned depth, void *data);
static void visit(struct tree *o, visitor *act, void *data) {
  uint32_t n = o->first_child[0];
  unsigned depth = 1;
  while (n) {
    act(o, n, depth, data);
    if (o->first_child[n]) {
      n = o->first_child[n];
      depth++;
      continue;
    }
    while (n && !o->next[n]) {
      n = level_above(o, n);
      depth--;
    }
    n = n ? o->next[n] : 0;
  }
}

/* ---- layouts -----------------------------------------------------------------------------------
 */

struct table_state {
  struct libscols_table *table;
  struct libscols_line *lines[DEEPEST + 1]; /* by depth */
  uint32_t too_deep, left;
  bool has_sum; /* a row of several devices */
};

static void add_to_table(struct tree *o, uint32_t node, unsigned depth, void *data) {
  struct table_state *t = data;
  if (depth > DEEPEST) {
    t->too_deep++;
    return;
  }
  unsigned style = (o->input.exact ? GPM_TEXT_EXACT : 0) | GPM_TEXT_BARE_MIB;
  char *note = o->left[node] ? gpm_memory_format("%u branch%s left out", o->left[node],
                                                 o->left[node] == 1 ? "" : "es")
                             : NULL;
  char *location = gpm_places_node_allocation(o->rows->profile, node);
  t->has_sum |= gpm_row_is_sum(&o->rows->row[node]);
  t->lines[depth] = gpm_table_add(t->table, depth > 1 ? t->lines[depth - 1] : NULL, &o->choice,
                                  o->rows, &o->rows->row[node], location, note, style);
  free(location);
  free(note);
}

/* The branches are drawn in the last column. */
static struct gpm_choice choose(const struct gpm_input *input) {
  struct gpm_choice choice = {.count = 0}, named = {.count = COLUMNS};
  if (!input->columns && input->format != GPM_FORMAT_TABLE) return gpm_columns_all();
  if (input->columns) named = gpm_asked_columns(input->columns);
  else memcpy(named.column, columns, sizeof columns);
  if (input->format != GPM_FORMAT_TABLE) return named;
  for (unsigned i = 0; i < named.count; i++)
    if (named.column[i] != GPM_TEXT_location) choice.column[choice.count++] = named.column[i];
  choice.column[choice.count++] = GPM_TEXT_location;
  return choice;
}

static void print_table(struct tree *o) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(o->rows->profile, style);
  gpm_summary_print_failures(o->rows->profile, style);
  gpm_summary_print_losses(o->rows->profile->reader);
  if (!o->first_child[0] && !o->left[0] && !o->small_rows.rows && !o->zeros)
    return gpm_nothing_print(o->rows->profile, "nothing was allocated or freed");
  gpm_table_print_unit(o->input.exact);
  struct table_state t = {.table = gpm_table_new(&o->choice, true)};
  visit(o, add_to_table, &t);
  gpm_table_print(t.table);
  if (o->left[0]) printf("... and %u more at the top\n", o->left[0]);
  gpm_small_rows_print(&o->small_rows, style);
  if (o->zeros)
    printf("%u branch%s 0 in every column %s left out (--limit 0 shows %s)\n", o->zeros,
           o->zeros == 1 ? " that is" : "es that are", o->zeros == 1 ? "is" : "are",
           o->zeros == 1 ? "it" : "them");
  if (t.has_sum) gpm_columns_say_sum(o->choice.column, o->choice.count);
  if (t.too_deep)
    printf("... and %u call%s deeper than %d levels (--format json has all)\n", t.too_deep,
           gpm_text_s(t.too_deep), DEEPEST);
}

static void print_cupy_line(struct tree *o, uint32_t node, unsigned depth, void *data) {
  (void)data;
  const struct gpm_row *row = &o->rows->row[node];
  struct gpm_key key = gpm_places_key(o->rows, row);
  const struct gpm_reader *r = o->rows->profile->reader;
  char *file = gpm_text_file(r->host, gpm_reader_string(r, key.file)),
       *function = gpm_places_text(r, key.function);
  char requested[GPM_TEXT_NUMBER], acquired[GPM_TEXT_NUMBER];
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  printf("%*s%s:%u:%s (%s, %s)\n", (int)(depth < DEEPEST ? depth : DEEPEST) * 4, "",
         *file ? file : "?", key.line, *function ? function : "?",
         gpm_text_bytes(requested, row->value[GPM_FIGURE_incl_requested], style),
         gpm_text_bytes(acquired, row->value[GPM_FIGURE_incl_alloc], style));
  free(file);
  free(function);
}

static void print_cupy(struct tree *o) {
  uint64_t requested = 0, acquired = 0;
  for (uint32_t n = 0; n < o->rows->count; n++) {
    requested += weight(&o->rows->row[n], GPM_FIGURE_self_requested);
    acquired += weight(&o->rows->row[n], GPM_FIGURE_self_alloc);
  }
  char first[GPM_TEXT_NUMBER], second[GPM_TEXT_NUMBER];
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  printf("_root (%s, %s)\n", gpm_text_bytes(first, (int64_t)requested, style),
         gpm_text_bytes(second, (int64_t)acquired, style));
  visit(o, print_cupy_line, NULL);
}

/* A flat list in depth-first order with depths: nesting objects a thousand deep breaks JSON
 * readers. */
static void print_json_item(struct tree *o, uint32_t node, unsigned depth, void *data) {
  bool *first = data;
  json_t *item = gpm_json_row(o->rows, &o->rows->row[node], &o->choice);
  json_object_del(item, "path");
  gpm_json_put(item, branch, depth, json_integer((json_int_t)depth));
  gpm_json_put(item, branch, id, json_integer((json_int_t)node));
  gpm_json_put(item, branch, parent, json_integer((json_int_t)level_above(o, node)));
  gpm_json_put(item, branch, branches_left_out, json_integer((json_int_t)o->left[node]));
  gpm_json_item(item, *first);
  *first = false;
}

int gpm_cmd_tree_run(const struct gpm_command *command, int argc, char **argv) {
  struct tree o = {.sort = BY_WEIGHT};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (gpm_asked_print_help(&o.input)) return GPM_EXIT_OK;
  o.choice = choose(&o.input);
  if (o.input.sort) o.sort = gpm_asked_column("column", o.input.sort);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, GPM_BY_PATH);
  if (gpm_columns_have_lifetimes(&o.choice) || gpm_columns_are_lifetimes(o.sort))
    gpm_lifetimes_add(&rows, o.input.reader);
  o.rows = &rows;
  if (o.input.format != GPM_FORMAT_TABLE) o.cupy = false;
  uint8_t *hidden = find_hidden(&o, &rows);
  link_levels(&o, hidden);
  free(hidden);
  gpm_progress(NULL);
  if (o.input.format != GPM_FORMAT_TABLE) {
    bool first = true;
    gpm_json_choose("branch", &o.choice);
    gpm_json_begin(o.input.reader, tree, tree);
    visit(&o, print_json_item, &first);
    gpm_json_end(profile);
  } else if (o.cupy) print_cupy(&o);
  else print_table(&o);
  free(o.first_child);
  free(o.next);
  free(o.left);
  gpm_rows_free(&rows);
  gpm_input_close(&o.input, profile);
  return GPM_EXIT_OK;
}
