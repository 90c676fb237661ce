/* page_tree.c - call paths, cells and pairs in `profile`: arrays by number (docs/PAGE.md).
 *
 * Figures of a node are those of its row by path, as `report --by path` has them. There a function
 * is part of the call that entered it; here it has its own calls and own peak.
 */
#include "page/page.h"
#include "rows/columns.h"
#include "rows/rows_make.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* "NAME": [ ... ], number by number. */
struct array {
  FILE *file;
  bool any, later;
};

static void begin(struct array *a, const char *name) {
  fprintf(a->file, "%s\"%s\":[", a->later ? ",\n" : "\n", name);
  a->any = false;
  a->later = true;
}

static void put(struct array *a, uint64_t value) {
  fprintf(a->file, a->any ? ",%" PRIu64 : "%" PRIu64, value);
  a->any = true;
}

static void put_null(struct array *a) {
  fputs(a->any ? ",null" : "null", a->file);
  a->any = true;
}

static void end(struct array *a) {
  fputc(']', a->file);
}

/* The root exists even in a capture without records. */
static void end_nodes(struct array *a) {
  if (!a->any) put(a, 0);
  end(a);
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

enum node_kind { ROOT, FUNCTION, BLOCK, CALL, NATIVE, UNKNOWN };

static enum node_kind kind_of(const struct gpm_profile *p, uint32_t node) {
  switch (p->kind[node]) {
  case GPUMEMPROF_SITE_FUNCTION:
    return FUNCTION;
  case GPUMEMPROF_SITE_BLOCK:
    return BLOCK;
  case GPUMEMPROF_SITE_CALL:
    return CALL;
  case GPUMEMPROF_SITE_NATIVE:
    return NATIVE;
  default:
    return node ? UNKNOWN : ROOT;
  }
}

static void write_texts(struct gpm_page *page, struct array *a) {
  static const struct {
    const char *name;
    size_t at;
  } texts[] = {
#define TEXT(name) {#name, offsetof(struct gpumemprof_capture_site, name)}
      TEXT(name), TEXT(file),      TEXT(function), TEXT(variable),
      TEXT(type), TEXT(size_expr), TEXT(callee),   TEXT(line),
#undef TEXT
  };
  const struct gpm_profile *p = page->profile;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    bool line = texts[t].at == offsetof(struct gpumemprof_capture_site, line);
    begin(a, texts[t].name);
    for (uint32_t i = 0; i < page->paths.nodes.count; i++) {
      uint32_t n = page->paths.nodes.record[i], value = 0;
      if (p->site[n] != GPUMEMPROF_NONE)
        memcpy(&value, (const char *)gpm_reader_site(p->reader, p->site[n]) + texts[t].at,
               sizeof value);
      put(a, line ? value : gpm_page_text(page, value));
    }
    end_nodes(a);
  }
}

/* An inclusive figure of the root, which has no row in a report. False: the figure is not an
 * inclusive one. */
static bool is_of_root(const struct gpm_page *page, enum gpm_figure figure, uint64_t *value) {
  switch (figure) {
  case GPM_FIGURE_at_peak:
    *value = page->paths.at_peak;
    return true;
  case GPM_FIGURE_incl_alloc:
    *value = page->paths.allocated;
    return true;
  case GPM_FIGURE_escaped:
    *value = page->paths.escaped;
    return true;
  default:
    return false;
  }
}

/* A report has the calls and own peak of a function in the row of the line that called it; here the
 * function's own node has them. */
static void add_functions(struct gpm_page *page) {
  const struct gpm_profile *p = page->profile;
  struct gpm_activations_at at = {.nodes.records = &p->reader->nodes};
  for (struct gpm_activations one; gpm_rows_next_activations(p, &at, &one);) {
    uint32_t above = p->tree.node[one.node].parent, number = page->paths.nodes.number[one.node];
    if (kind_of(p, one.node) != FUNCTION || !above || gpm_profile_is_scope(p, above)) continue;
    if (page->paths.nodes.record[number] != one.node)
      continue; /* the node is left out of the page */
    struct gpm_row *row = &page->paths.rows.row[number];
    gpm_row_add(row, GPM_FIGURE_calls, one.calls);
    if (p->all_cells_shown) gpm_row_raise(row, GPM_FIGURE_own_peak_max, one.peak_max);
  }
}

static void write_figures(const struct gpm_page *page, struct array *a) {
  static const enum gpm_figure figures[] = {
      GPM_FIGURE_self_at_peak, GPM_FIGURE_at_peak, GPM_FIGURE_self_alloc,
      GPM_FIGURE_incl_alloc,   GPM_FIGURE_leaked,  GPM_FIGURE_escaped,
      GPM_FIGURE_own_peak_max, GPM_FIGURE_blocks,  GPM_FIGURE_calls,
  };
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    begin(a, gpm_columns[figures[i]].key);
    for (uint32_t n = 0; n < page->paths.nodes.count; n++) {
      const struct gpm_row *row = &page->paths.rows.row[n];
      uint64_t value;
      if (!n && is_of_root(page, figures[i], &value)) put(a, value);
      else if (gpm_row_knows(row, figures[i])) put(a, (uint64_t)row->value[figures[i]]);
      else put_null(a);
    }
    end_nodes(a);
  }
}

/* How many other nodes each node represents. */
static void write_left_out(const struct gpm_page *page, struct array *a) {
  const struct gpm_page_numbers *nodes = &page->paths.nodes;
  uint32_t *left_out = gpm_memory_array(nodes->count, sizeof *left_out);
  for (uint32_t n = 0; n < page->profile->node_count; n++)
    left_out[nodes->number[n]] += nodes->record[nodes->number[n]] != n;
  begin(a, "left_out");
  for (uint32_t i = 0; i < nodes->count; i++) put(a, left_out[i]);
  end(a);
  free(left_out);
}

static void write_tree(struct gpm_page *page, FILE *f) {
  const struct gpm_profile *p = page->profile;
  struct array a = {.file = f};
  fprintf(f, ",\n\"tree\": {");
  begin(&a, "parent");
  const struct gpm_page_numbers *nodes = &page->paths.nodes;
  for (uint32_t i = 0; i < nodes->count; i++)
    put(&a, i ? nodes->number[p->tree.node[nodes->record[i]].parent] : 0);
  end_nodes(&a);
  begin(&a, "kind");
  for (uint32_t i = 0; i < nodes->count; i++) put(&a, kind_of(p, nodes->record[i]));
  end_nodes(&a);
  write_texts(page, &a);
  if (!page->paths.all) write_left_out(page, &a);
  add_functions(page);
  write_figures(page, &a);
  fprintf(f, "}");
}

/* ---- cells and pairs ---------------------------------------------------------------------------
 */

/* Several records may share one number. The order is that of the first record of each. */
static bool is_first(const struct gpm_page_numbers *numbers, uint64_t record) {
  return numbers->record[numbers->number[record]] == record;
}

/* Figures of a cell that add up to those of its node. */
enum cell_figure { AT_PEAK, ALLOCATED, LEAKED, BLOCKS, CELL_FIGURES };

static void write_cell_figures(const struct gpm_page *page, struct array *a) {
  static const char *const names[] = {"self_at_peak", "self_alloc", "leaked", "blocks"};
  const struct gpm_page_numbers *cells = &page->paths.cells;
  uint64_t (*sums)[CELL_FIGURES] = gpm_memory_array(cells->count + 1, sizeof *sums);
  struct gpm_cursor at = {.records = &page->reader->cells};
  for (struct gpm_addend one; gpm_rows_next_cell(page->profile, &at, &one);) {
    uint64_t *sum = sums[cells->number[one.id]];
    sum[AT_PEAK] += one.at_peak;
    sum[ALLOCATED] += one.allocated.bytes;
    if (one.cell->kind != GPUMEMPROF_KIND_STATIC) sum[LEAKED] += one.left.bytes;
    sum[BLOCKS] += one.allocated.blocks;
  }
  for (unsigned figure = 0; figure < CELL_FIGURES; figure++) {
    begin(a, names[figure]);
    for (uint32_t i = 0; i < cells->count; i++) put(a, sums[i][figure]);
    end(a);
  }
  free(sums);
}

static void write_cells(struct gpm_page *page, FILE *f) {
  static const char *const names[] = {"node", "device", "kind", "label"};
  struct array a = {.file = f};
  fprintf(f, ",\n\"cells\": {");
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    begin(&a, names[i]);
    struct gpm_cursor at = {.records = &page->reader->cells};
    for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
      if (is_first(&page->paths.cells, at.number))
        put(&a, i == 0   ? page->paths.nodes.number[c->node]
                : i == 1 ? gpm_page_device(page, c->device)
                : i == 2 ? c->kind
                         : gpm_page_text(page, c->label));
    end(&a);
  }
  write_cell_figures(page, &a);
  fprintf(f, "}");
}

static void write_pairs(const struct gpm_page *page, FILE *f) {
  struct array a = {.file = f};
  fprintf(f, ",\n\"pairs\": {");
  for (unsigned i = 0; i < 2; i++) {
    begin(&a, i ? "node" : "cell");
    struct gpm_cursor at = {.records = &page->reader->pairs};
    for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&at));)
      if (is_first(&page->paths.pairs, at.number))
        put(&a, i ? page->paths.nodes.number[p->free_node] : page->paths.cells.number[p->cell]);
    end(&a);
  }
  fprintf(f, "}");
}

void gpm_page_tree(struct gpm_page *page, FILE *file) {
  write_tree(page, file);
  write_cells(page, file);
  write_pairs(page, file);
}
