/* merged.c - see merged.h. */
#include "comparison/merged.h"

#include "rows/columns.h"
#include "rows/locations.h"

#include <stdlib.h>

const unsigned gpm_merged_columns[GPM_MERGED_TEXTS] = {GPM_TEXT_file,   GPM_TEXT_function,
                                                       GPM_TEXT_callee, GPM_TEXT_variable,
                                                       GPM_TEXT_type,   GPM_TEXT_size_expr};

/* ---- which row ---------------------------------------------------------------------------------
 */

static char *key_of(struct gpm_merged *m, const struct gpm_rows *rows, const struct gpm_row *row,
                    const uint32_t *path_of_node) {
  const struct gpm_reader *r = rows->profile->reader;
  if (rows->by == GPM_BY_PATH) return gpm_memory_format("%u", path_of_node[row->key]);
  if (gpm_by_is_text(rows->by))
    return gpm_memory_text(gpm_reader_string(r, gpm_locations_name(rows, row)));
  if (gpm_by_is_flat(rows->by)) return gpm_locations_row(rows, row);
  struct gpm_key key = gpm_locations_key(rows, row);
  return gpm_memory_format("%u:%u:%u:%u",
                           gpm_words_exact(&m->words, gpm_reader_string(r, key.file)),
                           gpm_words_exact(&m->words, gpm_reader_string(r, key.function)),
                           gpm_words_exact(&m->words, gpm_reader_string(r, key.name)), key.line);
}

static void describe(struct gpm_merged *m, struct gpm_merged_row *new, const struct gpm_rows *rows,
                     const struct gpm_row *row, const uint32_t *path_of_node) {
  bool paths = rows->by == GPM_BY_PATH;
  char *location = paths ? gpm_locations_allocation(rows->profile->reader, row->site)
                         : gpm_locations_row(rows, row);
  new->location = gpm_words_exact(&m->words, location);
  free(location);
  new->path = paths ? path_of_node[row->key] : GPUMEMPROF_NONE;
  for (unsigned i = 0; i < GPM_MERGED_TEXTS; i++) {
    char *text = gpm_columns_text(rows, row, gpm_merged_columns[i]);
    new->text[i] = gpm_words_exact(&m->words, text);
    free(text);
  }
  char *line = gpm_columns_text(rows, row, GPM_TEXT_line);
  new->line = (uint32_t)strtoul(line, NULL, 10);
  free(line);
}

static uint32_t find(struct gpm_merged *m, const struct gpm_rows *rows, const struct gpm_row *row,
                     const uint32_t *path_of_node) {
  char *key = key_of(m, rows, row, path_of_node);
  uint32_t number = gpm_words_exact(&m->keys, key);
  free(key);
  if (number < m->count) return number;
  if (m->count == m->room) {
    size_t more = m->figures ? m->figures : 1;
    m->room = m->room ? m->room * 2 : 256;
    m->row = gpm_memory_resize(m->row, m->room, sizeof *m->row);
    m->value = gpm_memory_resize(m->value, m->room * more, sizeof *m->value);
  }
  struct gpm_merged_row *new = &m->row[m->count];
  *new = (struct gpm_merged_row){.latest = GPUMEMPROF_NONE, .lacking = GPUMEMPROF_NONE};
  for (unsigned f = 0; f < m->figures; f++)
    m->value[(size_t)m->count * m->figures + f] = (struct gpm_merged_figure){.known = 0};
  describe(m, new, rows, row, path_of_node);
  return m->count++;
}

/* ---- figures -----------------------------------------------------------------------------------
 */

/* Of several processes with the same figure, the first is named. */
static void add_value(struct gpm_merged_figure *v, int64_t value, uint32_t process, bool first) {
  if (first || value < v->min || (value == v->min && process < v->min_of)) {
    v->min = value;
    v->min_of = process;
  }
  if (first || value > v->max || (value == v->max && process < v->max_of)) {
    v->max = value;
    v->max_of = process;
  }
}

static void add_figures(struct gpm_merged *m, uint32_t number, const struct gpm_row *row,
                        uint32_t process) {
  const struct gpm_merged_row *merged = &m->row[number];
  for (unsigned f = 0; f < m->figures; f++) {
    struct gpm_merged_figure *v = &m->value[(size_t)number * m->figures + f];
    enum gpm_figure figure = m->figure[f];
    bool known = gpm_row_knows(row, figure), each = gpm_columns[figure].merge == GPM_MERGE_EACH;
    if (!known && each) continue;
    int64_t value = known ? row->value[figure] : 0;
    add_value(v, value, process, each ? !v->known : merged->processes == 1);
    v->sum += (uint64_t)value;
    v->known += known;
  }
}

static void add_small_variables(struct gpm_merged_row *row, const struct gpm_small_variables *one) {
  row->small.variables += one->variables;
  row->small.bytes += one->bytes;
  row->matters |= !one->variables;
}

void gpm_merged_add(struct gpm_merged *m, struct gpm_rows *rows, uint32_t process,
                    const uint32_t *path_of_node) {
  struct gpm_small_variables *small = gpm_small_variables_of_rows(rows);
  for (uint32_t i = 0; i < rows->count; i++) {
    if (!gpm_rows_is_shown(rows, i)) continue;
    const struct gpm_row *row = &rows->row[i];
    uint32_t number = find(m, rows, row, path_of_node);
    struct gpm_merged_row *merged = &m->row[number];
    uint32_t next = merged->processes ? merged->latest + 1 : 0;
    if (merged->lacking == GPUMEMPROF_NONE && next < process) merged->lacking = next;
    merged->latest = process;
    merged->processes++;
    merged->is_sum |= gpm_row_is_sum(row);
    add_small_variables(merged, &small[i]);
    for (unsigned t = 0; t < GPM_TOTALS; t++)
      merged->total[t] += (uint64_t)row->value[gpm_total_figures[t]];
    add_figures(m, number, row, process);
  }
  free(small);
}

void gpm_merged_end(struct gpm_merged *m, uint32_t processes) {
  for (uint32_t i = 0; i < m->count; i++) {
    struct gpm_merged_row *row = &m->row[i];
    if (row->lacking == GPUMEMPROF_NONE && row->latest + 1 < processes)
      row->lacking = row->latest + 1;
    if (row->lacking == GPUMEMPROF_NONE) continue;
    for (unsigned f = 0; f < m->figures; f++)
      if (gpm_columns[m->figure[f]].merge != GPM_MERGE_EACH)
        add_value(&m->value[(size_t)i * m->figures + f], 0, row->lacking, false);
  }
}

double gpm_merged_mean(const struct gpm_merged *m, uint32_t row, unsigned number,
                       uint32_t processes) {
  const struct gpm_merged_figure *v = gpm_merged_value(m, row, number);
  const struct gpm_column *column = &gpm_columns[m->figure[number]];
  double sum = column->unit == GPM_UNIT_SIGNED ? (double)(int64_t)v->sum : (double)v->sum;
  uint32_t of = column->merge == GPM_MERGE_EACH ? v->known : processes;
  return of ? sum / of : 0;
}

struct gpm_totals gpm_merged_totals(const struct gpm_merged *m) {
  struct gpm_totals totals = {{0}};
  for (uint32_t i = 0; i < m->count; i++)
    for (unsigned t = 0; t < GPM_TOTALS; t++) totals.value[t] += m->row[i].total[t];
  return totals;
}

void gpm_merged_free(struct gpm_merged *m) {
  gpm_words_free(&m->keys);
  gpm_words_free(&m->words);
  free(m->row);
  free(m->value);
}
