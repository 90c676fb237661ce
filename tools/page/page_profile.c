/* page_profile.c - the section `profile` of a page: everything that needs no events.
 *
 * Every figure is one that a command prints, made and written by the same code: rows (rows.h,
 * json.h), leaks, pools, budgets. It is written as it is made, row by row.
 */
#include "analysis/conserve.h"
#include "analysis/nothing.h"
#include "analysis/small_variables.h"
#include "events/walk.h"
#include "output/json.h"
#include "output/summary.h"
#include "page/page.h"
#include "rows/locations.h"
#include "rows/order.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

static const char *history_of(const struct gpm_reader *r) {
  return !r->event_chunks       ? "none"
         : gpm_split_is_part(r) ? "window"
         : gpm_walk_is_whole(r) ? "all"
                                : "part";
}

/* The highest value in the capture, or in the window. After a reset the sums of the capture do not
 * cover the whole run. */
static uint64_t clock_of(const struct gpm_reader *r) {
  if (gpm_split_is_part(r)) return r->split->last_clock;
  struct gpm_conservation sums = gpm_conserve(r);
  uint64_t clock = sums.allocated_blocks + sums.freed_blocks;
  free(sums.fault);
  for (uint32_t i = 0; i < r->device_count; i++)
    if (r->devices[i].peak_clock > clock) clock = r->devices[i].peak_clock;
  struct gpm_cursor steps = {.records = &r->steps};
  for (const struct gpumemprof_capture_step *s; (s = gpm_cursor_next(&steps));)
    if (s->clock > clock) clock = s->clock;
  return clock;
}

static json_t *about(const struct gpm_page *page) {
  const struct gpm_reader *r = page->reader;
  const struct gpumemprof_capture_header *h = &r->header;
  json_t *json = json_object();
  json_object_set_new(json, "format", json_integer(1));
  json_object_set_new(json, "generator", json_string("gpumemprof " GPM_VERSION));
  json_object_set_new(json, "capture", gpm_json_text(gpm_text_base(r->path)));
  json_object_set_new(json, "program", gpm_json_text(gpm_text_base(h->executable)));
  json_object_set_new(json, "command", gpm_json_text(h->command_line));
  json_object_set_new(json, "pid", json_integer((json_int_t)h->pid));
  json_object_set_new(json, "host", gpm_json_text(h->host));
  json_object_set_new(json, "duration_ns",
                      json_integer((json_int_t)gpm_reader_time_ns(r, h->last_ticks)));
  json_object_set_new(json, "clock", json_integer((json_int_t)clock_of(r)));
  json_object_set_new(json, "resets", json_integer((json_int_t)h->resets));
  json_object_set_new(json, "history", json_string(history_of(r)));
  const char *nothing = gpm_nothing_why(page->profile);
  json_object_set_new(json, "nothing", nothing ? json_string(nothing) : json_null());
  json_object_set_new(json, "only", page->only ? gpm_json_text(page->only) : json_null());
  json_object_set_new(json, "redacted", json_boolean(page->redacted));
  json_object_set_new(json, "paths",
                      json_pack("{sI sI}", "kept", (json_int_t)page->paths.nodes.count, "seen",
                                (json_int_t)page->profile->node_count));
  json_object_set_new(json, "max_size", json_integer((json_int_t)page->most));
  return json;
}

static json_t *loss_texts(void) {
  json_t *json = json_object();
  for (unsigned i = 0; gpm_counters[i].name; i++)
    if (gpm_counters[i].class == GPM_COUNTER_LOSS)
      json_object_set_new(json, gpm_counters[i].name, json_string(gpm_counters[i].text));
  return json;
}

static json_t *kinds(void) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < GPUMEMPROF_KIND_COUNT; i++)
    json_array_append_new(list, json_string(gpm_locations_kind(i)));
  return list;
}

static json_t *columns(void) {
  static const char *const units[] = {"bytes", "signed", "count", "percent", "time"};
  json_t *list = json_array();
  for (unsigned i = 0; i < GPM_FIGURE_COUNT; i++) {
    const struct gpm_column *c = &gpm_columns[i];
    json_array_append_new(list, json_pack("{ss ss ss ss}", "key", c->key, "title", c->title, "unit",
                                          units[c->unit], "definition", c->definition));
  }
  return list;
}

/* ---- tables ------------------------------------------------------------------------------------
 */

/* Limits the list of rows whose memory a row frees, which may be as long as the table itself. */
enum { MOST_FOREIGN = 20 };

static json_t *row_json(struct gpm_rows *rows, struct gpm_row *row, const struct gpm_choice *all) {
  uint32_t count = row->foreign_count, most = MOST_FOREIGN;
  row->foreign_count = count < most ? count : most; /* the largest */
  json_t *json = gpm_json_row(rows, row, all);
  row->foreign_count = count;
  if (count > most) json_object_set_new(json, "frees_of_more", json_integer(count - most));
  return json;
}

/* Writes the rows of `report --by`, without --limit. Rows of small variables are marked. Unlike
 * lists, these rows name whose memory they free. */
static void write_rows(FILE *f, struct gpm_rows *rows, bool first) {
  struct gpm_choice all = gpm_columns_all_of(rows->by);
  struct gpm_order order;
  gpm_order_make(&order, rows, GPM_FIGURE_at_peak, false);
  gpm_owners_name_losers(rows, order.row, order.count);
  struct gpm_small_variables *small = gpm_small_variables_of_rows(rows);
  fprintf(f, "%s\"%s\": [", first ? "" : ",\n", gpm_rows_by(rows->by));
  for (uint32_t i = 0; i < order.count; i++) {
    json_t *row = row_json(rows, &rows->row[order.row[i]], &all);
    uint64_t variables = small[order.row[i]].variables;
    if (variables) json_object_set_new(row, "small_variables", json_integer((json_int_t)variables));
    gpm_json_item(row, !i);
  }
  fprintf(f, "]");
  free(small);
  gpm_order_free(&order);
}

static void write_tables(struct gpm_page *page, FILE *f) {
  static const enum gpm_by others[] = {GPM_BY_FUNCTION, GPM_BY_FILE,  GPM_BY_KIND,
                                       GPM_BY_DEVICE,   GPM_BY_LABEL, GPM_BY_VARIABLE,
                                       GPM_BY_TYPE,     GPM_BY_STREAM};
  fprintf(f, ",\n\"tables\": {");
  write_rows(f, &page->lines, true);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct gpm_rows rows;
    gpm_rows_make(&rows, page->profile, others[i]);
    write_rows(f, &rows, false);
    gpm_rows_free(&rows);
  }
  fprintf(f, "}");
}

/* ---- texts -------------------------------------------------------------------------------------
 */

uint32_t gpm_page_text(struct gpm_page *page, uint32_t offset) {
  if (!page->texts.count) gpm_words_exact(&page->texts, "");
  if (!offset) return 0;
  uint64_t *known = gpm_map_at(&page->text, offset, UINT64_MAX);
  if (*known == UINT64_MAX)
    *known = gpm_words_exact(&page->texts, gpm_reader_string(page->reader, offset));
  return (uint32_t)*known;
}

static void write_texts(struct gpm_page *page) {
  gpm_page_text(page, 0);
  gpm_json_named_list("texts");
  for (uint32_t i = 0; i < page->texts.count; i++)
    gpm_json_item(gpm_json_text(page->texts.text[i]), !i);
}

static void write(struct gpm_page *page, FILE *f) {
  fputs("{", f);
  gpm_json_about(page->reader);
  gpm_json_sums(page->profile);
  gpm_json_named_field("page", about(page));
  gpm_json_named_field("loss_texts", loss_texts());
  gpm_json_named_field("kinds", kinds());
  gpm_json_named_field("columns", columns());
  gpm_page_lists(page, f);
  write_tables(page, f);
  gpm_page_devices(page, f);
  gpm_page_of_devices_write(page, f);
  gpm_page_tree(page, f);
  gpm_json_named_field("sentences", gpm_page_sentences(page));
  write_texts(page);
  fputs("]}\n", f);
}

bool gpm_page_profile(struct gpm_page *page, uint64_t *size) {
  struct gpm_page_section section;
  if (!gpm_page_section_begin(&section, page->file, "profile")) return false;
  gpm_json_to(section.file);
  write(page, section.file);
  gpm_json_to(NULL);
  bool ok = gpm_page_section_end(&section);
  *size = section.size;
  return ok;
}
