/* held_rows.c - see held_rows.h. */
#include "print/held_rows.h"

#include "output/holding_print.h"
#include "output/small_variables_print.h"
#include "output/table.h"
#include "print/fields_order.h"
#include "print/selection.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gpm_held_rows_choose(struct gpm_held_rows *rows, const struct gpm_input *input, bool inside) {
  *rows = (struct gpm_held_rows){.input = input, .inside = inside};
  if (!gpm_fields_choose(&rows->fields, input)) return false;
  rows->by = gpm_fields_sort(input);
  return true;
}

/* ---- which, in which order ---------------------------------------------------------------------
 */

static uint64_t value_of(enum gpm_field_id field, const struct gpm_held *line) {
  return field == GPM_FIELD_peak_blocks  ? line->blocks
         : field == GPM_FIELD_peak_in_it ? line->inside
                                         : line->bytes;
}

static int compare(const void *a, const void *b, void *data) {
  const struct gpm_held_rows *rows = data;
  const enum gpm_field_id fields[] = {rows->by, GPM_FIELD_peak_bytes};
  for (unsigned i = 0; i < 2; i++) {
    uint64_t x = value_of(fields[i], a), y = value_of(fields[i], b);
    if (x != y) return x < y ? 1 : -1;
  }
  uint32_t x = ((const struct gpm_held *)a)->node, y = ((const struct gpm_held *)b)->node;
  return x < y ? -1 : x > y;
}

/* Returns the field that --min applies to. */
static enum gpm_field_id least_of(const struct gpm_held_rows *rows) {
  return rows->by == GPM_FIELD_peak_in_it ? rows->by : GPM_FIELD_peak_bytes;
}

struct printing {
  const struct gpm_holding *holding;
  unsigned style;
};

static char *cell(void *data, uint32_t row, enum gpm_field_id field) {
  const struct printing *p = data;
  const struct gpm_held *line = &p->holding->line[row];
  char number[GPM_TEXT_NUMBER];
  if (field == GPM_FIELD_peak_blocks) return gpm_memory_format("%" PRIu64, line->blocks);
  char *part = gpm_fields_location(p->holding->profile, line->node, field);
  if (part) return part;
  if (field != GPM_FIELD_peak_location)
    return gpm_memory_text(gpm_text_bytes(number, (int64_t)value_of(field, line), p->style));
  char *where = gpm_locations_node_allocation(p->holding->profile, line->node),
       *more = gpm_locations_more(line->sites);
  char *text = gpm_memory_format("%s%s", where, more);
  free(where);
  free(more);
  return text;
}

static uint32_t node_of(void *data, uint32_t row, enum gpm_field_id field) {
  const struct printing *p = data;
  (void)field;
  return p->holding->line[row].node;
}

static void sort_by_text(enum gpm_field_id by, struct gpm_holding *h) {
  struct printing printing = {.holding = h};
  uint32_t *order = gpm_fields_order(
      &(struct gpm_fields_rows){h->profile, cell, node_of, &printing}, h->count, by);
  struct gpm_held *line = gpm_memory_array(h->count, sizeof *line);
  for (uint32_t i = 0; i < h->count; i++) line[i] = h->line[order[i]];
  memcpy(h->line, line, h->count * sizeof *line);
  free(line);
  free(order);
}

static void sort(const struct gpm_held_rows *rows, struct gpm_holding *h) {
  if (!h->count || rows->by == GPM_FIELD_peak_bytes) return;
  if (gpm_fields_is_text(rows->by)) return sort_by_text(rows->by, h);
  qsort_r(h->line, h->count, sizeof *h->line, compare, (void *)(uintptr_t)rows);
}

uint32_t gpm_held_rows_arrange(const struct gpm_held_rows *rows, struct gpm_holding *h) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < h->count; i++)
    if (value_of(least_of(rows), &h->line[i]) >= rows->input->least) h->line[left++] = h->line[i];
  uint32_t hidden = h->count - left;
  h->count = left;
  sort(rows, h);
  /* The table of a device leaves out lines that do not matter, unless all are to be shown. */
  if (!rows->inside && !gpm_input_shows_all(rows->input)) gpm_holding_leave_out(h);
  return hidden;
}

/* ---- formats -----------------------------------------------------------------------------------
 */

void gpm_held_rows_print(const struct gpm_held_rows *rows, const struct gpm_holding *h,
                         uint32_t hidden) {
  unsigned style = rows->input->exact ? GPM_TEXT_EXACT : 0;
  uint32_t count = gpm_input_shown(rows->input, h->count);
  if (!rows->fields.count) gpm_holding_print(h, count, rows->inside, rows->input->verbose, style);
  else {
    gpm_fields_print(&rows->fields, count, cell, &(struct printing){h, style});
    gpm_table_print_more(h->count, count, "line");
    gpm_small_rows_print(&h->small_rows, style);
  }
  gpm_selection_print_hidden(rows->input, hidden, gpm_fields[least_of(rows)].title);
}

json_t *gpm_held_rows_json(const struct gpm_held_rows *rows, const struct gpm_holding *h) {
  json_t *list = gpm_holding_json(h, gpm_input_shown(rows->input, h->count), rows->inside),
         *taken = json_array(), *line;
  size_t i;
  json_array_foreach(list, i, line)
      json_array_append_new(taken, gpm_fields_take(&rows->fields, json_incref(line)));
  json_decref(list);
  return taken;
}
