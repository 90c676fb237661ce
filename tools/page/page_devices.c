/* page_devices.c - `by_device` in `profile`: the figures of tables of one device at a time, as
 * `report --device N` has them, for the page's choice of a device.
 *
 * A table of a device has the rows of the table of all devices, in its order. So only figures are
 * written, as arrays by row; a row that has nothing of the device has null in all of them.
 */
#include "page/page.h"
#include "rows/columns.h"
#include "rows/order.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_ROWS = 200000 }; /* of all devices, in a page of the usual size */

static const enum gpm_by tables[] = {GPM_BY_LINE, GPM_BY_FUNCTION, GPM_BY_FILE};
enum { TABLES = sizeof tables / sizeof *tables };

/* As gpm_json_figure has them; there may be millions. */
static void write_figure(FILE *f, const struct gpm_order *order, const struct gpm_rows *rows,
                         enum gpm_figure figure) {
  bool percent = gpm_columns[figure].unit == GPM_UNIT_PERCENT;
  const char *comma = "";
  for (uint32_t i = 0; i < order->count; i++, comma = ",") {
    const struct gpm_row *row = &rows->row[order->row[i]];
    if (!gpm_row_knows(row, figure) || !gpm_rows_is_shown(rows, order->row[i]))
      fprintf(f, "%snull", comma);
    else if (percent) fprintf(f, "%s%.17g", comma, (double)row->value[figure] / 100);
    else fprintf(f, "%s%" PRId64, comma, row->value[figure]);
  }
}

/* order: of the table of all devices. */
static void write_table(FILE *f, const struct gpm_order *order, const struct gpm_rows *rows) {
  struct gpm_choice all = gpm_columns_all_of(rows->by);
  const char *comma = "";
  fprintf(f, ",\n\"%s\":{", gpm_rows_by(rows->by));
  for (unsigned i = 0; i < all.count; i++) {
    if (all.column[i] >= GPM_FIGURE_COUNT) continue;
    fprintf(f, "%s\n\"%s\":[", comma, gpm_columns[all.column[i]].key);
    write_figure(f, order, rows, (enum gpm_figure)all.column[i]);
    fputc(']', f);
    comma = ",";
  }
  fputc('}', f);
}

static void write_device(struct gpm_page *page, FILE *f, const struct gpm_order *orders,
                         uint32_t device) {
  struct gpm_filter filter = page->filter;
  filter.device = device;
  struct gpm_profile *profile = gpm_profile_new(page->reader, &filter);
  fprintf(f, "\n{\"device\":%" PRIu32, gpm_page_device(page, device));
  for (unsigned i = 0; i < TABLES; i++) {
    struct gpm_rows rows;
    gpm_rows_make(&rows, profile, tables[i]);
    write_table(f, &orders[i], &rows);
    gpm_rows_free(&rows);
  }
  fputc('}', f);
  gpm_profile_free(profile);
}

void gpm_page_devices(struct gpm_page *page, FILE *file) {
  struct gpm_order orders[TABLES];
  uint32_t count;
  size_t rows = 0;
  uint8_t *has = gpm_page_of_devices_with_memory(page, &count);
  for (unsigned i = 0; i < TABLES; i++) {
    struct gpm_rows of_all;
    gpm_rows_make(&of_all, page->profile, tables[i]);
    gpm_order_make(&orders[i], &of_all, GPM_FIGURE_at_peak, false);
    rows += (size_t)orders[i].count * count;
    gpm_rows_free(&of_all);
  }
  fputs(",\n\"by_device\":[", file);
  bool fits = count > 1 && rows <= gpm_page_most(page, MOST_ROWS), later = false;
  for (uint32_t i = 0; fits && i < page->reader->device_count; i++) {
    if (!has[page->reader->device_order[i]]) continue;
    if (later) fputc(',', file);
    write_device(page, file, orders, page->reader->device_order[i]);
    later = true;
  }
  fputc(']', file);
  for (unsigned i = 0; i < TABLES; i++) gpm_order_free(&orders[i]);
  free(has);
}
