/* cmd_tree.c - `gpumemprof tree`: the call tree with inclusive figures.
 *
 * Its levels are calls (file:line function). A scope has a level of its own where no recorded call
 * led to it: main, a thread's function, a GPUMEMPROF_SCOPE block.
 */
#include "command.h"
#include "json.h"
#include "order.h"
#include "places.h"
#include "summary.h"
#include "table.h"
#include "text.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_LAYOUT = 256, OPTION_MIN };
#define TABLE_LIMIT 200
#define DEEPEST 200 /* levels of a printed tree */

struct tree {
  struct gpm_input input;
  bool cupy;
  struct gpm_shown limit;
  uint64_t least; /* bytes */
  struct gpm_choice choice;
  /* The tree of shown levels. */
  const struct gpm_rows *rows;
  uint32_t *first_child, *next; /* by node; 0 for none */
  uint32_t *left;               /* branches left out right below; by node */
};

const struct argp_option gpm_cmd_tree_options[] = {
    {"layout", OPTION_LAYOUT, "NAME", 0,
     "table (default) or cupy: file:line:function (requested, acquired)", 0},
    {"limit", 'n', "N", 0,
     "at most N branches, those that held or allocated most; 0 for all (default 200 in tables)", 0},
    {"min", OPTION_MIN, "SIZE", 0, "leave out branches that allocated and freed less: 1MiB", 0},
    GPM_PART_OPTIONS,
    GPM_INPUT_OPTIONS,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const layouts[] = {"table", "cupy", NULL};
  struct tree *o = state->input;
  switch (key) {
  case OPTION_LAYOUT:
    o->cupy = gpm_command_choice("layout", arg, layouts) == 1;
    return 0;
  case OPTION_MIN:
    if (!gpm_text_parse_size(arg, &o->least))
      argp_error(state, "--min wants a size with its unit such as 1MiB, not `%s`", arg);
    return 0;
  case 'n':
    gpm_shown_parse(&o->limit, arg, state);
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

/* Keeps the heaviest levels; a level is never heavier than the one above it, and ids grow
 * downwards, so the ones above a kept level are kept. Links them, the heaviest child first. */
static void link_levels(struct tree *o) {
  const struct gpm_profile *p = o->rows->profile;
  uint32_t *levels = gpm_memory_array(p->node_count, sizeof *levels), count = 0;
  o->first_child = gpm_memory_array(p->node_count, sizeof *o->first_child);
  o->next = gpm_memory_array(p->node_count, sizeof *o->next);
  o->left = gpm_memory_array(p->node_count, sizeof *o->left);
  for (uint32_t n = 1; n < p->node_count; n++) {
    const struct gpm_row *row = &o->rows->row[n];
    uint64_t allocated = weight(row, GPM_FIGURE_incl_alloc),
             moved = allocated + weight(row, GPM_FIGURE_incl_freed);
    if (!is_level(o, n) || (o->cupy && !allocated) || (!moved && !p->all_cells_shown)) continue;
    if (moved >= o->least) levels[count++] = n;
    else o->left[level_above(o, n)]++;
  }
  if (count) qsort_r(levels, count, sizeof *levels, heavier, (void *)(uintptr_t)o->rows);
  uint32_t kept = gpm_shown_of(&o->limit, o->input.format, o->cupy ? 0 : TABLE_LIMIT, count);
  for (uint32_t i = count; i-- > 0;) {
    uint32_t above = level_above(o, levels[i]);
    if (i >= kept) {
      o->left[above]++;
      continue;
    }
    o->next[levels[i]] = o->first_child[above];
    o->first_child[above] = levels[i];
  }
  free(levels);
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
  char *where = gpm_places_node(o->rows->profile, node);
  char *what = gpm_places_allocation(o->rows->profile->reader, o->rows->row[node].site);
  char *location = gpm_memory_format("%s%s%s", where, *what ? "  " : "", what);
  t->has_sum |= o->rows->row[node].peak_device == GPM_SEVERAL_DEVICES;
  t->lines[depth] = gpm_table_add(t->table, depth > 1 ? t->lines[depth - 1] : NULL, &o->choice,
                                  o->rows, &o->rows->row[node], location, note, style);
  free(where);
  free(what);
  free(location);
  free(note);
}

static void print_table(struct tree *o) {
  static const unsigned columns[] = {
      GPM_FIGURE_at_peak, GPM_FIGURE_incl_alloc, GPM_FIGURE_incl_net, GPM_FIGURE_own_peak_max,
      GPM_FIGURE_calls,   GPM_FIGURE_leaked,     GPM_TEXT_location};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    o->choice.column[o->choice.count++] = columns[i];
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(o->rows->profile, style);
  gpm_summary_print_failures(o->rows->profile, style);
  gpm_summary_print_losses(o->rows->profile->reader);
  printf("\n%s\n", o->input.exact ? "bytes" : "MiB unless a unit stands there");
  struct table_state t = {.table = gpm_table_new(&o->choice, true)};
  visit(o, add_to_table, &t);
  gpm_table_print(t.table);
  if (o->left[0]) printf("... and %u more at the top\n", o->left[0]);
  if (t.has_sum) gpm_columns_say_sum();
  if (t.too_deep)
    printf("... and %u calls deeper than %d levels (--format json has them)\n", t.too_deep,
           DEEPEST);
}

static void print_cupy_line(struct tree *o, uint32_t node, unsigned depth, void *data) {
  (void)data;
  const struct gpm_row *row = &o->rows->row[node];
  struct gpm_key key = gpm_places_key(o->rows, row);
  const struct gpm_reader *r = o->rows->profile->reader;
  char *file = gpm_text_file(gpm_reader_string(r, key.file)),
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
  struct gpm_choice all = gpm_columns_all();
  json_t *item = gpm_json_row(o->rows, &o->rows->row[node], &all);
  json_object_del(item, "path");
  json_object_set_new(item, "depth", json_integer((json_int_t)depth));
  json_object_set_new(item, "id", json_integer((json_int_t)node));
  json_object_set_new(item, "parent", json_integer((json_int_t)level_above(o, node)));
  json_object_set_new(item, "branches_left_out", json_integer((json_int_t)o->left[node]));
  gpm_json_item(item, *first);
  *first = false;
}

int gpm_cmd_tree_run(const struct gpm_command *command, int argc, char **argv) {
  struct tree o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, GPM_BY_PATH);
  o.rows = &rows;
  if (o.input.format != GPM_FORMAT_TABLE) o.cupy = false;
  link_levels(&o);
  gpm_progress(NULL);
  if (o.input.format != GPM_FORMAT_TABLE) {
    bool first = true;
    gpm_json_begin(o.input.reader, "tree");
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
