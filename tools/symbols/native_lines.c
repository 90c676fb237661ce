/* native_lines.c - see native_sites.h. Records of lines where code was not rebuilt.
 *
 * How much of a line was live at once is recorded by address, and addresses and lines of source
 * need not correspond: two calls of a line have an address each, and in a program with a static
 * CUDA runtime one address, in there, allocates for all lines. Where they correspond the record
 * takes the name of the line. Other records cannot be added or divided, so they are dropped, and
 * the live peak of such a line is not known.
 */
#include "symbols/native_sites.h"

#include <stdlib.h>

#define SEVERAL (GPUMEMPROF_NONE - 1)

struct matching {
  struct gpm_reader *reader;
  uint32_t *line_of; /* by site: the only record of a line, NONE or SEVERAL */
  uint32_t *site_of; /* by record of a line: the same */
  uint8_t *touched;  /* by record of a line: it has memory that has another site now */
};

static void join(uint32_t *only, uint32_t with) {
  *only = *only == GPUMEMPROF_NONE || *only == with ? with : SEVERAL;
}

static void match_cells(struct matching *m, const struct gpm_made_nodes *made,
                        const struct gpumemprof_capture_node *nodes) {
  const struct gpm_reader *r = m->reader;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    const struct gpumemprof_capture_node *then = gpm_reader_record(&r->nodes, c->node);
    uint32_t site = nodes[made->now[c->node]].site;
    if (then->site == GPUMEMPROF_NONE) continue;
    uint32_t line = gpm_reader_site(r, then->site)->line_id;
    if (line == GPUMEMPROF_NONE) continue;
    m->touched[line] |= site != then->site;
    join(&m->site_of[line], site == GPUMEMPROF_NONE ? SEVERAL : site);
    if (site != GPUMEMPROF_NONE) join(&m->line_of[site], line);
  }
}

/* The casts are safe: the reader owns this memory. */
static struct gpumemprof_capture_line *line_at(const struct gpm_reader *r, uint32_t line) {
  return (struct gpumemprof_capture_line *)(uintptr_t)gpm_reader_record(&r->lines, line);
}
static struct gpumemprof_capture_site *site_at(const struct gpm_reader *r, uint32_t site) {
  return (struct gpumemprof_capture_site *)(uintptr_t)gpm_reader_record(&r->sites, site);
}

static bool is_pair(const struct matching *m, uint32_t line) {
  return m->site_of[line] < SEVERAL && m->line_of[m->site_of[line]] == line;
}

static void settle_line(const struct matching *m, uint32_t line) {
  struct gpumemprof_capture_line *l = line_at(m->reader, line);
  if (!is_pair(m, line)) {
    *l = (struct gpumemprof_capture_line){0};
    return;
  }
  struct gpumemprof_capture_site *s = site_at(m->reader, m->site_of[line]);
  s->line_id = line;
  l->file = s->file;
  l->line = s->line;
  l->function = s->function;
}

void gpm_native_lines_name(struct gpm_reader *r, const struct gpm_native_sites *sites,
                           const struct gpm_made_nodes *made,
                           const struct gpumemprof_capture_node *nodes) {
  struct matching m = {.reader = r};
  m.line_of = gpm_memory_array(r->sites.count, sizeof *m.line_of);
  m.site_of = gpm_memory_array(r->lines.count, sizeof *m.site_of);
  m.touched = gpm_memory_array(r->lines.count, 1);
  for (uint64_t i = 0; i < r->sites.count; i++) m.line_of[i] = GPUMEMPROF_NONE;
  for (uint64_t i = 0; i < r->lines.count; i++) m.site_of[i] = GPUMEMPROF_NONE;
  match_cells(&m, made, nodes);
  /* A line that was rebuilt, and called a CUDA runtime that was not, has memory of both. */
  for (uint32_t s = 0; s < sites->recorded; s++) {
    uint32_t line = gpm_reader_site(r, s)->line_id;
    if (m.line_of[s] != SEVERAL || line == GPUMEMPROF_NONE) continue;
    m.touched[line] = 1;
    m.site_of[line] = SEVERAL;
  }
  for (uint32_t i = 0; i < r->lines.count; i++)
    if (m.touched[i]) settle_line(&m, i);
  for (uint32_t s = 0; s < r->sites.count; s++) {
    uint32_t line = gpm_reader_site(r, s)->line_id;
    if (line != GPUMEMPROF_NONE && m.touched[line] && m.site_of[line] != s)
      site_at(r, s)->line_id = GPUMEMPROF_NONE;
  }
  free(m.line_of);
  free(m.site_of);
  free(m.touched);
}

/* ---- out of memory -----------------------------------------------------------------------------
 */

static bool are_one_line(const struct gpm_reader *r, uint32_t a, uint32_t b) {
  const struct gpumemprof_capture_node *m = gpm_reader_record(&r->nodes, a),
                                       *n = gpm_reader_record(&r->nodes, b);
  if (m->site == n->site || m->site == GPUMEMPROF_NONE || n->site == GPUMEMPROF_NONE)
    return m->site == n->site;
  const struct gpumemprof_capture_site *x = gpm_reader_site(r, m->site),
                                       *y = gpm_reader_site(r, n->site);
  return x->file == y->file && x->line == y->line && x->function == y->function;
}

static void add_path(const struct gpm_reader *r, struct gpumemprof_capture_oom *o,
                     const struct gpumemprof_capture_oom_path *path) {
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, path->cell);
  uint32_t i = 0;
  while (i < o->lines && !are_one_line(r, o->line[i].node, c->node)) i++;
  if (i == o->lines) /* the largest path of a line comes first */
    o->line[o->lines++] = (struct gpumemprof_capture_oom_line){
        .line = GPUMEMPROF_NONE, .node = c->node, .node_bytes = path->live.bytes};
  o->line[i].live.bytes += path->live.bytes;
  o->line[i].live.blocks += path->live.blocks;
  o->line[i].kinds |= (uint32_t)1 << c->kind;
}

static int by_bytes(const void *a, const void *b) {
  const struct gpumemprof_capture_oom_line *x = a, *y = b;
  return x->live.bytes < y->live.bytes ? 1 : -(x->live.bytes > y->live.bytes);
}

/* The list of lines is one of addresses. That of call paths has the same memory, so lines are made
 * of it; what is beyond it has no line. */
void gpm_native_lines_of_ooms(struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *found; (found = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_oom *o = (struct gpumemprof_capture_oom *)(uintptr_t)found;
    o->lines = 0;
    for (uint32_t i = 0; i < o->paths; i++) add_path(r, o, &o->path[i]);
    if (o->lines) qsort(o->line, o->lines, sizeof *o->line, by_bytes);
    o->other_lines = o->other_paths;
  }
}
