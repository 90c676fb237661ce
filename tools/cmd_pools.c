/* cmd_pools.c - `gpumemprof pools`: what allocators hold, use, and waste in holes.
 *
 * One row for each pool of the program's own (custom_pools.c of the runtime) and each of CUDA's
 * (stream_pools.c): of stream-ordered memory, and what it keeps for graphs. A row is figures under
 * the names of the table below, which JSON has all of and the table some; CUDA does not tell all.
 */
#include "command.h"
#include "json.h"
#include "places.h"
#include "summary.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_LIMIT 40

struct pools {
  struct gpm_input input;
  struct gpm_shown limit;
};

const struct argp_option gpm_cmd_pools_options[] = {
    {"limit", 'n', "N", 0, "at most N pools; 0 for all (default 40 in tables, else all)", 0},
    {"device", 'd', "N", 0, "only this device: its number, GPU-UUID, or `host` for pinned memory",
     0},
    {"bytes", 'b', NULL, 0, "exact bytes instead of MiB", 0},
    {"format", 'f', "FORMAT", 0, "table, json or csv", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct pools *o = state->input;
  if (key != 'n') return gpm_input_parse(key, arg, state, &o->input);
  gpm_shown_parse(&o->limit, arg, state);
  return 0;
}

/* ---- rows --------------------------------------------------------------------------------------
 */
enum figure {
  USED,
  RESERVED,
  SLACK,
  HOLE,
  USED_PEAK,
  RESERVED_PEAK,
  PEAK_FREE,
  PEAK_HOLE,
  PIECES,
  ALL_PIECES,
  SEGMENTS,
  ALL_SEGMENTS,
  OUTSIDE,
  GROWTHS,
  FRAGMENTED,
  PASSED_OVER,
  GROWTH_NEED,
  GROWTH_FREE,
  GROWTH_HOLE,
  FIGURES
};
static const struct column {
  const char *key;   /* in JSON */
  const char *title; /* in the table, or null */
  bool bytes;
} columns[FIGURES] = {
    [USED] = {"used", "used", true},
    [RESERVED] = {"reserved", "reserved", true},
    [SLACK] = {"slack", "slack", true},
    [HOLE] = {"largest_hole", "hole", true},
    [USED_PEAK] = {"used_peak", "peak used", true},
    [RESERVED_PEAK] = {"reserved_peak", "peak reserved", true},
    [PEAK_FREE] = {"free_at_reserved_peak", NULL, true},
    [PEAK_HOLE] = {"largest_hole_at_reserved_peak", NULL, true},
    [PIECES] = {"pieces", "pieces", false},
    [ALL_PIECES] = {"pieces_ever", "ever", false},
    [SEGMENTS] = {"segments", "segments", false},
    [ALL_SEGMENTS] = {"segments_ever", "ever", false},
    [OUTSIDE] = {"used_outside_known_memory", NULL, true},
    [GROWTHS] = {"growths_with_free_bytes", NULL, false},
    [FRAGMENTED] = {"growths_for_holes_too_small", NULL, false},
    [PASSED_OVER] = {"growths_passing_over_a_hole", NULL, false},
    [GROWTH_NEED] = {"last_growth_bytes_needed", NULL, true},
    [GROWTH_FREE] = {"last_growth_free", NULL, true},
    [GROWTH_HOLE] = {"last_growth_largest_hole", NULL, true},
};

struct row {
  char *name, *device;
  json_t *device_id;
  uint64_t handle, number; /* of its record */
  bool several_devices;
  const char *source; /* "custom" or "cuda" */
  uint64_t known;     /* bit f: value[f] is known */
  uint64_t value[FIGURES];
};

static void fill_custom(struct row *row, const struct gpm_reader *r,
                        const struct gpumemprof_capture_custom_pool *p, uint64_t number) {
  bool known = p->device != GPUMEMPROF_NONE;
  row->name = gpm_places_text(r, p->name);
  row->device = known ? gpm_places_device(r, p->device) : gpm_memory_text("not known");
  row->device_id = known ? gpm_json_device_id(r, p->device) : json_null();
  row->handle = p->handle;
  row->number = number;
  row->several_devices = p->flags & GPUMEMPROF_CUSTOM_POOL_SEVERAL_DEVICES;
  row->source = "custom";
  row->known = ~(uint64_t)0;
  const uint64_t value[FIGURES] = {
      [USED] = p->used.bytes,
      [RESERVED] = p->reserved.bytes,
      [SLACK] = p->reserved.bytes - (p->used.bytes - p->outside.bytes),
      [HOLE] = p->hole,
      [USED_PEAK] = p->used_peak,
      [RESERVED_PEAK] = p->reserved_peak,
      [PEAK_FREE] = p->peak_free,
      [PEAK_HOLE] = p->peak_hole,
      [PIECES] = p->used.blocks,
      [ALL_PIECES] = p->pieces,
      [SEGMENTS] = p->reserved.blocks,
      [ALL_SEGMENTS] = p->segments,
      [OUTSIDE] = p->outside.bytes,
      [GROWTHS] = p->growths,
      [FRAGMENTED] = p->fragmented,
      [PASSED_OVER] = p->passed_over,
      [GROWTH_NEED] = p->growth_need,
      [GROWTH_FREE] = p->growth_free,
      [GROWTH_HOLE] = p->growth_hole,
  };
  memcpy(row->value, value, sizeof value);
}

static void fill_cuda(struct row *row, const struct gpm_reader *r,
                      const struct gpumemprof_capture_pool *p, uint64_t number) {
  row->name = gpm_places_pool(r, p);
  row->device = gpm_places_device(r, p->device);
  row->device_id = gpm_json_device_id(r, p->device);
  row->handle = p->handle;
  row->number = number;
  row->source = "cuda";
  const uint64_t value[FIGURES] = {[USED] = p->used,
                                   [RESERVED] = p->reserved,
                                   [SLACK] = p->reserved - p->used,
                                   [USED_PEAK] = p->used_high,
                                   [RESERVED_PEAK] = p->reserved_high};
  for (unsigned f = 0; f < FIGURES; f++)
    if (f == USED || f == RESERVED || f == SLACK || f == USED_PEAK || f == RESERVED_PEAK)
      row->known |= (uint64_t)1 << f;
  memcpy(row->value, value, sizeof value);
}

static bool is_known(const struct row *row, unsigned figure) {
  return row->known >> figure & 1;
}

/* The largest first; pools of one size stay in the order in which they came. */
static int by_size(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  for (unsigned i = 0; i < 2; i++) {
    enum figure f = i ? USED_PEAK : RESERVED_PEAK;
    if (x->value[f] != y->value[f]) return x->value[f] < y->value[f] ? 1 : -1;
  }
  return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t make_rows(struct row *rows, const struct gpm_reader *r,
                          const struct gpm_filter *filter) {
  uint32_t count = 0;
  struct gpm_cursor at = {.records = &r->custom_pools};
  for (const struct gpumemprof_capture_custom_pool *p; (p = gpm_cursor_next(&at));)
    if (filter->device == GPM_ALL_DEVICES || filter->device == p->device)
      fill_custom(&rows[count++], r, p, at.number);
  struct gpm_cursor cuda = {.records = &r->pools};
  for (const struct gpumemprof_capture_pool *p; (p = gpm_cursor_next(&cuda));)
    if (p->reserved_high && (filter->device == GPM_ALL_DEVICES || filter->device == p->device))
      fill_cuda(&rows[count++], r, p, r->custom_pools.count + cuda.number);
  if (count) qsort(rows, count, sizeof *rows, by_size);
  return count;
}

static void free_rows(struct row *rows, uint32_t count) {
  for (size_t i = 0; i < count; i++) {
    free(rows[i].name);
    free(rows[i].device);
    json_decref(rows[i].device_id);
  }
  free(rows);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static void put(struct libscols_line *line, unsigned column, char *text) {
  if (!scols_line_refer_data(line, column, text)) return;
  gpm_say("out of memory for the table; --format json needs less");
  exit(GPM_EXIT_USAGE);
}

static void print_rows(const struct row *rows, uint32_t count, unsigned style) {
  struct libscols_table *table = scols_new_table();
  if (!table) return;
  scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
  scols_table_set_column_separator(table, "  ");
  for (unsigned c = 0; c < FIGURES; c++)
    if (columns[c].title) scols_table_new_column(table, columns[c].title, 0.01, SCOLS_FL_RIGHT);
  scols_table_new_column(table, "device", 0.1, 0);
  scols_table_new_column(table, "pool", 0.4, 0);
  for (size_t i = 0; i < count; i++) {
    const struct row *row = &rows[i];
    struct libscols_line *line = scols_table_new_line(table, NULL);
    unsigned at = 0;
    char number[GPM_TEXT_NUMBER];
    for (unsigned c = 0; c < FIGURES; c++) {
      if (!columns[c].title) continue;
      if (!is_known(row, c)) snprintf(number, sizeof number, "-");
      else if (columns[c].bytes) gpm_text_bytes(number, (int64_t)row->value[c], style);
      else snprintf(number, sizeof number, "%" PRIu64, row->value[c]);
      put(line, at++, gpm_memory_text(number));
    }
    put(line, at++, gpm_memory_format("%s%s", row->device, row->several_devices ? " ..." : ""));
    put(line, at,
        row->handle ? gpm_memory_format("%s at 0x%" PRIx64, row->name, row->handle)
                    : gpm_memory_text(row->name));
  }
  scols_print_table(table);
  scols_unref_table(table);
}

/* What holes cost, and what is not known. */
static void print_notes(const struct row *row, unsigned style) {
  char need[GPM_TEXT_NUMBER], free_now[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
  const uint64_t *v = row->value;
  if (v[GROWTHS])
    printf("%s: grew %" PRIu64 " time%s with free bytes: %" PRIu64
           " with enough in holes too small, %" PRIu64
           " with a hole large enough; the latest for %s, with %s free, %s in the largest hole\n",
           row->name, v[GROWTHS], v[GROWTHS] == 1 ? "" : "s", v[FRAGMENTED], v[PASSED_OVER],
           gpm_text_bytes(need, (int64_t)v[GROWTH_NEED], style),
           gpm_text_bytes(free_now, (int64_t)v[GROWTH_FREE], style),
           gpm_text_bytes(hole, (int64_t)v[GROWTH_HOLE], style));
  if (v[OUTSIDE])
    printf("%s: %s of it lie in memory whose allocation was not seen; reserved is without that\n",
           row->name, gpm_text_bytes(need, (int64_t)v[OUTSIDE], style));
}

static void print_table(const struct pools *o, const struct gpm_profile *p, const struct row *rows,
                        uint32_t count) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(p, style);
  gpm_summary_print_losses(p->reader);
  if (!count) {
    printf("\nno pool of CUDA's was used, and no allocator of the program's own was told; "
           "gpumemprof.h "
           "has GPUMEMPROF_ALLOCATES and gpumemprof_pool_create for that\n");
    return;
  }
  uint32_t shown = gpm_shown_of(&o->limit, GPM_FORMAT_TABLE, TABLE_LIMIT, count);
  printf("\n%s\n", o->input.exact ? "bytes" : "MiB unless a unit stands there");
  print_rows(rows, shown, style | GPM_TEXT_BARE_MIB);
  for (uint32_t i = 0; i < shown; i++) print_notes(&rows[i], style);
  if (shown < count) printf("... and %u more pools (--limit 0 shows all)\n", count - shown);
}

static void print_json(const struct pools *o, const struct gpm_profile *p, const struct row *rows,
                       uint32_t count) {
  uint32_t shown = gpm_shown_of(&o->limit, GPM_FORMAT_JSON, 0, count);
  gpm_json_begin(p->reader, "pools");
  for (uint32_t i = 0; i < shown; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "name", gpm_json_text(rows[i].name));
    json_object_set_new(one, "source", json_string(rows[i].source));
    json_object_set(one, "device", rows[i].device_id);
    json_object_set_new(one, "several_devices", json_boolean(rows[i].several_devices));
    json_object_set_new(one, "handle", json_integer((json_int_t)rows[i].handle));
    for (unsigned c = 0; c < FIGURES; c++)
      json_object_set_new(one, columns[c].key,
                          is_known(&rows[i], c) ? json_integer((json_int_t)rows[i].value[c])
                                                : json_null());
    gpm_json_item(one, !i);
  }
  gpm_json_end(p);
}

int gpm_cmd_pools_run(const struct gpm_command *command, int argc, char **argv) {
  struct pools o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  struct row *rows =
      gpm_memory_array(reader->custom_pools.count + reader->pools.count, sizeof *rows);
  uint32_t count = make_rows(rows, reader, &o.input.filter);
  gpm_progress(NULL);
  if (o.input.format != GPM_FORMAT_TABLE) print_json(&o, profile, rows, count);
  else print_table(&o, profile, rows, count);
  free_rows(rows, count);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return GPM_EXIT_OK;
}
