/* top_print.c - see top_print.h. The columns are those of the screen. JSON names them as
 * top_columns.def does, and has null for figures that are not known. */
#include "top/top_print.h"

#include "advise/advise.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/table.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a table -----------------------------------------------------------------------------------
 */

static void add_line(struct libscols_table *table, char **cells, unsigned count) {
  struct libscols_line *line = scols_table_new_line(table, NULL);
  if (!line) gpm_table_failed();
  for (unsigned i = 0; i < count; i++)
    if (scols_line_refer_data(line, i, cells[i])) gpm_table_failed();
}

static void print_rates(const struct gpm_top *t, unsigned style) {
  const struct gpm_top_model *m = &t->model;
  char took[GPM_TEXT_NUMBER], a[GPM_TEXT_NUMBER], f[GPM_TEXT_NUMBER], b[GPM_TEXT_NUMBER],
      c[GPM_TEXT_NUMBER];
  if (!m->has_before) return;
  printf("in %s: ", gpm_text_duration(took, m->interval_ns));
  if (m->has_rates)
    printf("%s allocations/s, %s frees/s, %s/s allocated; ",
           gpm_text_short_count(a, m->all.allocations), gpm_text_short_count(f, m->all.frees),
           gpm_text_bytes(b, gpm_text_whole(m->all.bytes), style));
  else printf("figures were reset; ");
  printf("%s live\n", gpm_text_bytes(c, m->all.change, style | GPM_TEXT_SIGN));
}

static void print_lines(struct gpm_top *t, const uint32_t *lines, uint32_t count, bool exact) {
  struct libscols_table *table = gpm_table_empty();
  for (unsigned c = 0; c < GPM_TOP_COLUMNS; c++)
    gpm_table_column(table, gpm_top_title(t, c), c != GPM_TOP_place, c == GPM_TOP_place);
  for (uint32_t i = 0; i < count; i++) {
    char *cells[GPM_TOP_COLUMNS];
    for (unsigned c = 0; c < GPM_TOP_COLUMNS; c++) cells[c] = gpm_top_cell(t, lines[i], c, exact);
    add_line(table, cells, GPM_TOP_COLUMNS);
  }
  gpm_table_print(table);
}

static void print_scopes(const struct gpm_top *t, unsigned style) {
  uint32_t count;
  struct gpm_top_scope *scopes = gpm_top_scopes(t, &count);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_top_scope *s = &scopes[i];
    char net[GPM_TEXT_NUMBER], peak[GPM_TEXT_NUMBER];
    char *where = gpm_locations_node(t->profile, s->node);
    if (!s->depth) printf("%sthread %u has open:\n", i ? "" : "\n", s->thread);
    printf("  %*s%s: net %s, own peak %s so far\n", (int)(s->depth < 40 ? s->depth * 2 : 80), "",
           where, gpm_text_bytes(net, s->net, style | GPM_TEXT_SIGN),
           gpm_text_bytes(peak, s->own_peak, style));
    free(where);
  }
  free(scopes);
}

static void print_table(struct gpm_top *t, const uint32_t *lines, uint32_t count, uint32_t shown,
                        bool exact) {
  unsigned style = exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(t->profile, style, true);
  gpm_summary_print_losses(t->reader);
  print_rates(t, style);
  printf("\n%s\n", !count  ? "nothing was allocated yet"
                   : exact ? "bytes"
                           : "K, M, G, T: KiB, MiB, GiB, TiB");
  if (shown) print_lines(t, lines, shown, exact);
  gpm_table_print_more(count, shown, "row");
  print_scopes(t, style);
  char *advice = gpm_top_runs(t) ? NULL : gpm_advise_best(t->reader, t->profile, style);
  if (advice) printf("\ngpumemprof advise: %s\n", advice);
  free(advice);
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static json_t *known(bool is, int64_t value) {
  return is ? json_integer(value) : json_null();
}

static json_t *rate(const struct gpm_top_model *m, double value) {
  return m->has_rates ? json_real(value) : json_null();
}

static json_t *all(const struct gpm_top_model *m) {
  const struct gpm_top_change *a = &m->all;
  json_t *json = json_object();
  gpm_json_put(json, top_all, live, json_integer((json_int_t)a->now.live));
  gpm_json_put(json, top_all, blocks, json_integer((json_int_t)a->now.blocks));
  gpm_json_put(json, top_all, growth, known(m->has_before, a->growth));
  gpm_json_put(json, top_all, change, known(m->has_before, a->change));
  gpm_json_put(json, top_all, old, known(m->has_old, (int64_t)a->old));
  gpm_json_put(json, top_all, allocations_per_s, rate(m, a->allocations));
  gpm_json_put(json, top_all, frees_per_s, rate(m, a->frees));
  gpm_json_put(json, top_all, allocated_per_s, rate(m, a->bytes));
  gpm_json_put(json, top_all, freed_per_s, rate(m, a->freed));
  return json;
}

static json_t *line_json(struct gpm_top *t, uint32_t line) {
  static const struct gpm_choice choice = {
      .column = {GPM_TEXT_file, GPM_TEXT_line, GPM_TEXT_function, GPM_TEXT_variable,
                 GPM_TEXT_size_expr, GPM_TEXT_type, GPM_FIGURE_live_peak, GPM_FIGURE_self_at_peak,
                 GPM_FIGURE_self_alloc},
      .count = 9};
  static const struct gpm_row none = {.site = GPUMEMPROF_NONE, .known = ~(uint64_t)0};
  const struct gpm_top_model *m = &t->model;
  const struct gpm_top_change *c = &m->line[line];
  bool has_row = t->row[line] != GPUMEMPROF_NONE, runs = gpm_top_runs(t);
  json_t *json = has_row ? gpm_json_row(&t->rows, gpm_top_row(t, line), &choice) : json_object();
  const struct gpm_row *row = has_row ? gpm_top_row(t, line) : &none;
  gpm_json_put(json, top_line, place, gpm_json_text(gpm_top_place(t, line)));
  gpm_json_put(json, top_line, live, json_integer((json_int_t)c->now.live));
  gpm_json_put(json, top_line, blocks, json_integer((json_int_t)c->now.blocks));
  uint64_t share = gpm_top_share(t, t->figures[line].at_peak);
  gpm_json_put(json, top_line, share, t->peaks ? json_real((double)share / 100) : json_null());
  gpm_json_put(json, top_line, growth, known(m->has_before, c->growth));
  gpm_json_put(json, top_line, change, known(m->has_before, c->change));
  gpm_json_put(json, top_line, growing,
               m->has_before ? json_boolean(gpm_top_is_growing(c)) : json_null());
  gpm_json_put(json, top_line, allocations, rate(m, c->allocations));
  gpm_json_put(json, top_line, frees, rate(m, c->frees));
  gpm_json_put(json, top_line, old, known(m->has_old, (int64_t)c->old));
  gpm_json_put(json, top_line, leaked,
               known(!runs && !gpm_reader_is_midway(t->reader), row->value[GPM_FIGURE_leaked]));
  return json;
}

static json_t *scope_json(const struct gpm_top *t, const struct gpm_top_scope *s) {
  const struct gpm_profile *p = t->profile;
  const struct gpumemprof_capture_site none = {0}, *site = &none;
  if (p->site[s->node] != GPUMEMPROF_NONE) site = gpm_reader_site(p->reader, p->site[s->node]);
  const char *block = gpm_reader_string(p->reader, site->name);
  json_t *json = json_object();
  gpm_json_put(json, top_scope, thread, json_integer(s->thread));
  gpm_json_put(json, top_scope, depth, json_integer(s->depth));
  gpm_json_put(json, top_scope, file, gpm_json_text(gpm_reader_string(p->reader, site->file)));
  gpm_json_put(json, top_scope, line, json_integer(site->line));
  gpm_json_put(json, top_scope, function,
               gpm_json_text(gpm_reader_string(p->reader, site->function)));
  gpm_json_put(json, top_scope, block, *block ? gpm_json_text(block) : json_null());
  gpm_json_put(json, top_scope, net, json_integer(s->net));
  gpm_json_put(json, top_scope, own_peak, json_integer(s->own_peak));
  gpm_json_put(json, top_scope, shared, json_boolean(s->shared));
  gpm_json_put(json, top_scope, attached, json_boolean(s->attached));
  return json;
}

static void print_json(struct gpm_top *t, const uint32_t *lines, uint32_t shown, bool csv) {
  const struct gpm_top_model *m = &t->model;
  gpm_json_head(t->profile);
  gpm_json_field(top, pid, json_integer((json_int_t)t->reader->header.pid));
  gpm_json_field(top, capture, gpm_json_text(t->path));
  gpm_json_field(top, age_ns, json_integer((json_int_t)gpm_top_age_ns(t)));
  gpm_json_field(top, interval_ns, known(m->has_before, (int64_t)m->interval_ns));
  gpm_json_field(top, look_ns, json_integer((json_int_t)t->took_ns));
  gpm_json_field(top, old_ns, json_integer((json_int_t)m->old_ns));
  gpm_json_field(top, all, all(m));
  gpm_json_list(top, lines);
  for (uint32_t i = 0; i < shown; i++) gpm_json_item(line_json(t, lines[i]), !i);
  if (!csv) {
    uint32_t count;
    struct gpm_top_scope *scopes = gpm_top_scopes(t, &count);
    gpm_json_next(top, scopes);
    for (uint32_t i = 0; i < count; i++) gpm_json_item(scope_json(t, &scopes[i]), !i);
    free(scopes);
  }
  gpm_json_end(t->profile);
}

void gpm_top_print(struct gpm_top *t, const struct gpm_top_order *order,
                   const struct gpm_input *input) {
  enum gpm_format format = input->format;
  uint32_t count, *lines = gpm_top_sort(t, order, &count);
  uint32_t shown = gpm_input_shown(input, count);
  if (format == GPM_FORMAT_CSV) gpm_json_as_csv();
  if (format == GPM_FORMAT_TABLE) print_table(t, lines, count, shown, input->exact);
  else print_json(t, lines, shown, format == GPM_FORMAT_CSV);
  free(lines);
}
