/* cmd_pages.c - `gpumemprof pages`: which pages of each block kernels read and wrote. Rows:
 * pages.h. */
#include "events/walk.h"
#include "input/command.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/table.h"
#include "pages/pages.h"
#include "rows/devices.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

struct listed {
  struct gpm_input input;
  struct gpm_pages pages;
  const struct gpm_pages_block **row;
  uint32_t count;
};

const struct argp_option gpm_cmd_pages_options[] = {
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct listed *o = state->input;
  return gpm_input_parse(key, arg, state, &o->input);
}

static bool is_simulated(const struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->device_count; i++)
    if (gpm_devices_is_simulated(r, i)) return true;
  return false;
}

/* Whether the capture has what the command shows; false after it said what it lacks. */
static bool has_pages(const struct gpm_reader *r) {
  static const char how[] =
      "compile the program with -fplugin-arg-gpumemprof-uses=pages, and run it with "
      "GPUMEMPROF_OPTIONS=history=all:uses=on";
  static const char how_on_a_gpu[] =
      "no kernel runs on its simulated device; compile the program for a GPU with the flags of "
      "`gpumemprof flags clang` and -fplugin-arg-gpumemprof-uses=pages, and run it there with "
      "GPUMEMPROF_OPTIONS=history=all:uses=on";
  bool whole = gpm_walk_knows_all(r), good = whole && r->pages.count;
  char *path = good ? NULL : gpm_text_clean(r->path);
  if (!good)
    gpm_say("%s does not say which pages kernels used%s: %s", path,
            whole ? "" : ", nor has it all events", is_simulated(r) ? how_on_a_gpu : how);
  free(path);
  return good;
}

/* What has most unused at its end comes first. */
static int compare(const void *a, const void *b) {
  const struct gpm_pages_block *x = *(const struct gpm_pages_block *const *)a;
  const struct gpm_pages_block *y = *(const struct gpm_pages_block *const *)b;
  uint64_t of_x = gpm_pages_unused(x), of_y = gpm_pages_unused(y);
  if (of_x != of_y) return of_x < of_y ? 1 : -1;
  return x->allocated < y->allocated ? -1 : x->allocated > y->allocated;
}

static void choose(struct listed *o) {
  o->row = gpm_memory_array(o->pages.count, sizeof *o->row);
  for (uint32_t i = 0; i < o->pages.count; i++) {
    const struct gpm_pages_block *b = &o->pages.block[i];
    bool here = o->input.filter.device == GPM_ALL_DEVICES || o->input.filter.device == b->device;
    if (here && b->recorded && gpm_pages_unused(b) >= o->input.least) o->row[o->count++] = b;
  }
  if (o->count) qsort(o->row, o->count, sizeof *o->row, compare);
}

/* ---- formats ------------------------------------------------------------------------------------
 */

static json_t *json_runs(const struct gpm_pages *p, const struct gpm_pages_block *b) {
  json_t *runs = json_array();
  for (uint32_t i = b->first; i < b->first + b->count; i++) {
    const struct gpumemprof_capture_pages *r = p->run[i];
    json_t *one = json_object();
    bool used = r->flags & (GPUMEMPROF_PAGE_READ | GPUMEMPROF_PAGE_WRITTEN);
    gpm_json_put(one, page_run, first, json_integer(r->first));
    gpm_json_put(one, page_run, pages, json_integer(r->pages));
    gpm_json_put(one, page_run, read, json_boolean(r->flags & GPUMEMPROF_PAGE_READ));
    gpm_json_put(one, page_run, written, json_boolean(r->flags & GPUMEMPROF_PAGE_WRITTEN));
    gpm_json_put(one, page_run, last_use, used ? json_integer((json_int_t)r->last) : json_null());
    json_array_append_new(runs, one);
  }
  return runs;
}

static json_t *json_block(const struct gpm_profile *profile, const struct gpm_pages *p,
                          const struct gpm_pages_block *b) {
  json_t *one = gpm_json_location(profile, b->node);
  gpm_json_put(one, page_block, device, gpm_json_device_id(profile->reader, b->device));
  gpm_json_put(one, page_block, address, json_integer((json_int_t)b->address));
  gpm_json_put(one, page_block, allocated, json_integer((json_int_t)b->allocated));
  gpm_json_put(one, page_block, bytes, json_integer((json_int_t)b->bytes));
  gpm_json_put(one, page_block, pages, json_integer((json_int_t)b->pages));
  gpm_json_put(one, page_block, read, json_integer((json_int_t)b->read));
  gpm_json_put(one, page_block, written, json_integer((json_int_t)b->written));
  gpm_json_put(one, page_block, untouched, json_integer((json_int_t)b->untouched));
  gpm_json_put(one, page_block, used, json_integer((json_int_t)b->used));
  gpm_json_put(one, page_block, judged, json_boolean(!b->unseen));
  gpm_json_put(one, page_block, last_use,
               b->last ? json_integer((json_int_t)b->last) : json_null());
  gpm_json_put(one, page_block, runs, json_runs(p, b));
  return one;
}

static void print_json(const struct listed *o, const struct gpm_profile *profile, uint32_t shown) {
  gpm_json_begin(profile, pages, blocks);
  for (uint32_t i = 0; i < shown; i++) gpm_json_item(json_block(profile, &o->pages, o->row[i]), !i);
  gpm_json_list_end();
  gpm_json_field(pages, not_recorded, json_integer(o->pages.unrecorded));
  gpm_json_field(
      pages, own_bytes,
      json_integer(
          (json_int_t)profile->reader->header.counters[GPUMEMPROF_COUNTER_own_device_memory]));
  gpm_json_close();
}

static void put(struct libscols_line *line, unsigned column, char *text) {
  if (!line || scols_line_refer_data(line, column, text)) gpm_table_failed();
}

static char *bytes_text(uint64_t bytes, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  return gpm_memory_text(gpm_text_bytes(number, (int64_t)bytes, style));
}

static char *place_text(const struct gpm_profile *p, const struct gpm_pages_block *b) {
  char *line = gpm_locations_node(p, b->node);
  char *variable =
      gpm_locations_text(p->reader, gpm_reader_site(p->reader, p->site[b->node])->variable);
  char *text = gpm_memory_format("%s%s%s", line, *variable ? ": " : "", variable);
  free(line);
  free(variable);
  return text;
}

static void print_rows(const struct listed *o, const struct gpm_profile *p, uint32_t shown,
                       unsigned style) {
  static const char *const titles[] = {"unused end", "size",    "pages",
                                       "read",       "written", "untouched"};
  enum { COUNTS = sizeof titles / sizeof *titles };
  struct libscols_table *table = gpm_table_empty();
  for (unsigned c = 0; c < COUNTS; c++) gpm_table_column(table, titles[c], true, false);
  gpm_table_column(table, "allocated at", false, true);
  for (uint32_t i = 0; i < shown; i++) {
    const struct gpm_pages_block *b = o->row[i];
    const uint64_t count[] = {b->pages, b->read, b->written, b->untouched};
    struct libscols_line *line = scols_table_new_line(table, NULL);
    put(line, 0, b->unseen ? gpm_memory_text("?") : bytes_text(gpm_pages_unused(b), style));
    put(line, 1, bytes_text(b->bytes, style));
    for (unsigned c = 0; c < 4; c++) put(line, 2 + c, gpm_memory_format("%" PRIu64, count[c]));
    put(line, COUNTS, place_text(p, b));
  }
  gpm_table_print_fitted(table);
}

static void print_table(const struct listed *o, const struct gpm_profile *p, uint32_t shown) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  char number[GPM_TEXT_NUMBER];
  uint64_t own = p->reader->header.counters[GPUMEMPROF_COUNTER_own_device_memory];
  uint64_t unseen = 0, between = 0;
  for (uint32_t i = 0; i < o->count; i++) {
    unseen += o->row[i]->unseen;
    between += o->row[i]->between;
  }
  printf("%" PRIu32
         " block%s, page by page (4 KiB each); the marks took %s of device memory for themselves\n",
         o->count, gpm_text_s(o->count), gpm_text_bytes(number, (int64_t)own, 0));
  if (!o->count) return;
  gpm_table_print_unit(o->input.exact);
  print_rows(o, p, shown, style);
  gpm_table_print_more(o->count, shown, "block");
  if (between)
    printf("%" PRIu64 " untouched page%s, %s, before the last that a kernel used: a smaller size "
           "cannot save %s\n",
           between, gpm_text_s(between),
           gpm_text_bytes(number, (int64_t)(between * GPUMEMPROF_PAGE_SIZE), style),
           between == 1 ? "it" : "them");
  if (unseen)
    printf("?: the host, a graph, a library, another process, or a kernel without marks or with "
           "what the compiler does not see may have used the block otherwise, too\n");
  if (o->pages.unrecorded)
    printf(
        "of %" PRIu32
        " block%s it is not known: the program was killed, or CUDA did not let the marks be read\n",
        o->pages.unrecorded, gpm_text_s(o->pages.unrecorded));
}

int gpm_cmd_pages_run(const struct gpm_command *command, int argc, char **argv) {
  struct listed o = {.count = 0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  int status = GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return status;
  gpm_progress(NULL);
  if (has_pages(o.input.reader) && gpm_pages_read(&o.pages, o.input.reader)) {
    choose(&o);
    uint32_t shown = gpm_input_shown(&o.input, o.count);
    if (o.input.format == GPM_FORMAT_JSON) print_json(&o, profile, shown);
    else print_table(&o, profile, shown);
    status = GPM_EXIT_OK;
  }
  free(o.row);
  gpm_pages_free(&o.pages);
  gpm_input_close(&o.input, profile);
  return status;
}
