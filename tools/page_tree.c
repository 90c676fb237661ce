/* page_tree.c - call paths, cells and pairs in `profile`: arrays by number (docs/PAGE.md).
 *
 * Figures of a node are those of its row by path, as `report --by path` has them. There a function
 * is part of the call that entered it; here it has its own calls and own peak.
 */
#include "page.h"
#include "rows_make.h"

#include <inttypes.h>
#include <stddef.h>
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

/* The root is there, in a capture without a record too. */
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
    for (uint32_t n = 0; n < p->node_count; n++) {
      uint32_t value = 0;
      if (p->site[n] != GPUMEMPROF_NONE)
        memcpy(&value, (const char *)gpm_reader_site(p->reader, p->site[n]) + texts[t].at,
               sizeof value);
      put(a, line ? value : gpm_page_text(page, value));
    }
    end_nodes(a);
  }
}

/* An inclusive figure of the root, which has no row of a report: what is right there and below. */
static uint64_t sum_of(const struct gpm_page *page, enum gpm_figure inclusive,
                       enum gpm_figure self) {
  const struct gpm_ancestors *tree = &page->profile->tree;
  uint64_t sum = (uint64_t)page->paths.row[0].value[self];
  for (uint32_t n = 1; n < page->paths.count; n++)
    if (!tree->node[n].parent) sum += (uint64_t)page->paths.row[n].value[inclusive];
  return sum;
}

/* What a function did is told by the row of the line that called it, and here by itself. */
static void add_functions(struct gpm_page *page) {
  const struct gpm_profile *p = page->profile;
  struct gpm_activations_at at = {.nodes.records = &p->reader->nodes};
  for (struct gpm_activations one; gpm_rows_next_activations(p, &at, &one);) {
    if (kind_of(p, one.node) != FUNCTION || page->paths.grouping.entry[one.node] == one.node)
      continue;
    struct gpm_row *row = &page->paths.row[one.node];
    gpm_row_add(row, GPM_FIGURE_calls, one.calls);
    if (p->all_cells_shown) gpm_row_raise(row, GPM_FIGURE_own_peak_max, one.peak_max);
  }
}

static void write_figures(const struct gpm_page *page, struct array *a) {
  static const struct {
    const char *name;
    enum gpm_figure figure;
    int self; /* of an inclusive one, the same right there; else -1 */
  } figures[] = {
#define SELF(name) {#name, GPM_FIGURE_##name, -1}
#define INCLUSIVE(name, self) {#name, GPM_FIGURE_##name, GPM_FIGURE_##self}
      SELF(self_at_peak), INCLUSIVE(at_peak, self_at_peak),
      SELF(self_alloc),   INCLUSIVE(incl_alloc, self_alloc),
      SELF(leaked),       INCLUSIVE(escaped, leaked),
      SELF(own_peak_max), SELF(blocks),
      SELF(calls),
#undef SELF
#undef INCLUSIVE
  };
  const struct gpm_rows *paths = &page->paths;
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    begin(a, figures[i].name);
    for (uint32_t n = 0; n < paths->count; n++) {
      const struct gpm_row *row = &paths->row[n];
      if (!n && figures[i].self >= 0)
        put(a, sum_of(page, figures[i].figure, (enum gpm_figure)figures[i].self));
      else if (gpm_row_knows(row, figures[i].figure))
        put(a, (uint64_t)row->value[figures[i].figure]);
      else put_null(a);
    }
    end_nodes(a);
  }
}

static void write_tree(struct gpm_page *page, FILE *f) {
  const struct gpm_profile *p = page->profile;
  struct array a = {.file = f};
  fprintf(f, ",\n\"tree\": {");
  begin(&a, "parent");
  for (uint32_t n = 0; n < p->node_count; n++) put(&a, n ? p->tree.node[n].parent : 0);
  end_nodes(&a);
  begin(&a, "kind");
  for (uint32_t n = 0; n < p->node_count; n++) put(&a, kind_of(p, n));
  end_nodes(&a);
  write_texts(page, &a);
  add_functions(page);
  write_figures(page, &a);
  fprintf(f, "}");
}

/* ---- cells and pairs ---------------------------------------------------------------------------
 */

static void write_cells(struct gpm_page *page, FILE *f) {
  static const char *const names[] = {"node", "device", "kind", "label"};
  struct array a = {.file = f};
  fprintf(f, ",\n\"cells\": {");
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    begin(&a, names[i]);
    struct gpm_cursor at = {.records = &page->reader->cells};
    for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
      put(&a, i == 0   ? c->node
              : i == 1 ? gpm_page_device(page, c->device)
              : i == 2 ? c->kind
                       : gpm_page_text(page, c->label));
    end(&a);
  }
  fprintf(f, "}");
}

static void write_pairs(const struct gpm_page *page, FILE *f) {
  struct array a = {.file = f};
  fprintf(f, ",\n\"pairs\": {");
  for (unsigned i = 0; i < 2; i++) {
    begin(&a, i ? "node" : "cell");
    struct gpm_cursor at = {.records = &page->reader->pairs};
    for (const struct gpumemprof_capture_pair *p; (p = gpm_cursor_next(&at));)
      put(&a, i ? p->free_node : p->cell);
    end(&a);
  }
  fprintf(f, "}");
}

void gpm_page_tree(struct gpm_page *page, FILE *file) {
  write_tree(page, file);
  write_cells(page, file);
  write_pairs(page, file);
}
