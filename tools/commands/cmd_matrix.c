/* cmd_matrix.c - `gpumemprof matrix`: which scope frees what another scope allocated.
 *
 * The pairs of the capture (a cell, and where it is freed), added up by the scopes around both
 * ends. Memory that was not freed is listed under "(not freed)". Every byte that was allocated is
 * in one entry.
 */
#include "input/command.h"
#include "model/keys.h"
#include "output/json.h"
#include "output/summary.h"
#include "print/fields_order.h"
#include "print/selection.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
  struct gpm_input input;
  struct gpm_fields fields; /* --columns */
  bool lines;               /* --by line */
};

const struct argp_option gpm_cmd_matrix_options[] = {
    {"by", 'B', "LOCATIONS", 0, "function (default) or line", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const by[] = {"function", "line", NULL};
  struct matrix *o = state->input;
  switch (key) {
  case 'B':
    o->lines = gpm_say_choice("kind of locations", arg, by) == 1;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* ---- entries -----------------------------------------------------------------------------------
 */

struct entry {
  uint32_t from, to; /* nodes that represent the locations; to: NONE, not freed */
  uint64_t bytes, blocks;
};
struct entries {
  const struct gpm_profile *profile;
  bool lines;
  struct gpm_keys keys;
  struct gpm_map by_locations;
  struct entry *entry;
  uint32_t count, hidden;
  struct entry all, not_freed;
};

/* The node that names a location: the call, or the scope around it. */
static uint32_t named_by(const struct entries *m, uint32_t node) {
  uint32_t scope = m->profile->scope[node];
  return m->lines || scope == GPUMEMPROF_NONE ? node : scope;
}

static uint32_t key_of(struct entries *m, uint32_t node) {
  uint32_t at = named_by(m, node), site = m->profile->site[at];
  struct gpm_key key = {0}; /* code that was not rebuilt */
  if (site != GPUMEMPROF_NONE && m->profile->kind[at]) {
    const struct gpumemprof_capture_site *s = gpm_reader_site(m->profile->reader, site);
    key = (struct gpm_key){.file = s->file, .function = s->function};
    if (gpm_profile_is_scope(m->profile, at)) key.name = s->name;
    else key.line = s->line;
  }
  return gpm_keys_get(&m->keys, key);
}

static void add(struct entries *m, uint32_t from, uint32_t to,
                const struct gpumemprof_capture_amount *moved) {
  if (!moved->bytes && !moved->blocks) return;
  bool freed = to != GPUMEMPROF_NONE;
  uint64_t locations = (uint64_t)key_of(m, from) << 32 | (freed ? key_of(m, to) + 1 : 0);
  uint64_t *at = gpm_map_at(&m->by_locations, locations, m->count);
  if (*at == m->count) {
    m->entry = gpm_memory_resize(m->entry, (size_t)m->count + 1, sizeof *m->entry);
    m->entry[m->count++] = (struct entry){.from = from, .to = to};
  }
  struct entry *sums[] = {&m->entry[*at], &m->all, freed ? NULL : &m->not_freed};
  for (size_t i = 0; i < sizeof sums / sizeof *sums && sums[i]; i++) {
    sums[i]->bytes += moved->bytes;
    sums[i]->blocks += moved->blocks;
  }
}

static int by_bytes(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

static int by_blocks(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->blocks != y->blocks) return x->blocks < y->blocks ? 1 : -1;
  return by_bytes(a, b);
}

/* --min */
static void hide_small(struct entries *m, uint64_t least) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < m->count; i++)
    if (m->entry[i].bytes >= least) m->entry[left++] = m->entry[i];
  m->hidden = m->count - left;
  m->count = left;
}

static char *name_of(const struct entries *m, uint32_t node) {
  if (node == GPUMEMPROF_NONE)
    return gpm_memory_text(gpm_reader_is_midway(m->profile->reader) ? "(live)" : "(not freed)");
  return gpm_locations_node(m->profile, named_by(m, node));
}

struct printing {
  const struct entries *entries;
  unsigned style;
};

static char *cell(void *data, uint32_t row, enum gpm_field_id field) {
  const struct printing *p = data;
  const struct entry *e = &p->entries->entry[row];
  char number[GPM_TEXT_NUMBER];
  switch (field) {
  case GPM_FIELD_matrix_bytes:
    return gpm_memory_text(gpm_text_bytes(number, (int64_t)e->bytes, p->style));
  case GPM_FIELD_matrix_blocks:
    return gpm_memory_format("%" PRIu64, e->blocks);
  default:
    return name_of(p->entries, field == GPM_FIELD_matrix_allocated_in ? e->from : e->to);
  }
}

static uint32_t node_of(void *data, uint32_t row, enum gpm_field_id field) {
  const struct printing *p = data;
  const struct entry *e = &p->entries->entry[row];
  uint32_t node = field == GPM_FIELD_matrix_allocated_in ? e->from : e->to;
  return node == GPUMEMPROF_NONE ? node : named_by(p->entries, node);
}

/* The entries are sorted by bytes. */
static void sort_by_text(struct entries *m, enum gpm_field_id by) {
  struct printing printing = {.entries = m};
  struct gpm_fields_rows rows = {m->profile, cell, node_of, &printing};
  uint32_t *order = gpm_fields_order(&rows, m->count, by);
  struct entry *entry = gpm_memory_array(m->count, sizeof *entry);
  for (uint32_t i = 0; i < m->count; i++) entry[i] = m->entry[order[i]];
  free(order);
  free(m->entry);
  m->entry = entry;
}

static void sort(struct entries *m, enum gpm_field_id by) {
  bool blocks = by == GPM_FIELD_matrix_blocks;
  if (m->count) qsort(m->entry, m->count, sizeof *m->entry, blocks ? by_blocks : by_bytes);
  if (gpm_fields_is_text(by)) sort_by_text(m, by);
}

static void make(struct entries *m, const struct gpm_profile *p, bool lines) {
  *m = (struct entries){.profile = p, .lines = lines, .keys.reader = p->reader};
  struct gpm_cursor pairs = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    if (p->cell_shown[q->cell]) add(m, p->cell_node[q->cell], q->free_node, &q->freed);
  struct gpm_cursor cells = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    struct gpumemprof_capture_amount left = {c->allocated.bytes - c->freed.bytes,
                                             c->allocated.blocks - c->freed.blocks};
    if (p->cell_shown[cells.number] && !gpm_split_is_older(p->reader, cells.number))
      add(m, c->node, GPUMEMPROF_NONE, &left);
  }
}

static void drop(struct entries *m) {
  gpm_keys_free(&m->keys);
  gpm_map_free(&m->by_locations);
  free(m->entry);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static void print_entries(const struct entries *m, uint32_t count, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  printf("%14s %10s  allocated in -> freed in\n", "allocated", "blocks");
  for (uint32_t i = 0; i < count; i++) {
    const struct entry *e = &m->entry[i];
    char *from = name_of(m, e->from), *to = name_of(m, e->to);
    printf("%14s %10" PRIu64 "  %s -> %s\n", gpm_text_bytes(number, (int64_t)e->bytes, style),
           e->blocks, from, to);
    free(from);
    free(to);
  }
}

static void print_table(const struct matrix *o, const struct entries *m, uint32_t count) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  char number[GPM_TEXT_NUMBER];
  gpm_summary_print(m->profile, style, o->input.verbose);
  gpm_summary_print_losses(m->profile->reader);
  gpm_summary_print_filter(m->profile, style);
  putchar('\n');
  if (o->fields.count) gpm_fields_print(&o->fields, count, cell, &(struct printing){m, style});
  else print_entries(m, count, style);
  if (count < m->count) printf("... and %u more (--limit 0 shows all)\n", m->count - count);
  gpm_selection_print_hidden(&o->input, m->hidden, "allocated");
  printf("%14s %10" PRIu64 "  in all", gpm_text_bytes(number, (int64_t)m->all.bytes, style),
         m->all.blocks);
  printf(", %s of it not freed\n", gpm_text_bytes(number, (int64_t)m->not_freed.bytes, style));
}

static json_t *location(const struct entries *m, uint32_t node) {
  return node == GPUMEMPROF_NONE ? json_null() : gpm_json_location(m->profile, named_by(m, node));
}

static void print_json(const struct matrix *o, const struct entries *m, uint32_t count) {
  if (o->input.format == GPM_FORMAT_CSV) gpm_fields_as_csv(&o->fields, "matrix_entry");
  gpm_json_begin(m->profile, matrix, matrix);
  for (uint32_t i = 0; i < count; i++) {
    const struct entry *e = &m->entry[i];
    json_t *one = json_object();
    gpm_json_put(one, matrix_entry, allocated_in, location(m, e->from));
    gpm_json_put(one, matrix_entry, freed_in, location(m, e->to));
    gpm_json_put(one, matrix_entry, bytes, json_integer((json_int_t)e->bytes));
    gpm_json_put(one, matrix_entry, blocks, json_integer((json_int_t)e->blocks));
    gpm_json_item(gpm_fields_take(&o->fields, one), !i);
  }
  gpm_json_end(m->profile);
}

int gpm_cmd_matrix_run(const struct gpm_command *command, int argc, char **argv) {
  struct matrix o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!gpm_fields_choose(&o.fields, &o.input)) return GPM_EXIT_OK;
  enum gpm_field_id by = gpm_fields_sort(&o.input);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  struct entries m;
  make(&m, profile, o.lines);
  hide_small(&m, o.input.least);
  sort(&m, by);
  gpm_progress(NULL);
  uint32_t count = gpm_input_shown(&o.input, m.count);
  if (o.input.format == GPM_FORMAT_TABLE) print_table(&o, &m, count);
  else print_json(&o, &m, count);
  drop(&m);
  return gpm_input_close(&o.input, profile);
}
