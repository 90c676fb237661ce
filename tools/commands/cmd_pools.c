/* cmd_pools.c - `gpumemprof pools`: what allocators hold, use, and waste in holes. Rows: pools.h.
 */
#include "analysis/pools.h"
#include "input/command.h"
#include "output/json.h"
#include "output/pools_json.h"
#include "output/summary.h"
#include "output/table.h"
#include "support/text.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pools {
  struct gpm_input input;
};

const struct argp_option gpm_cmd_pools_options[] = {
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct pools *o = state->input;
  return gpm_input_parse(key, arg, state, &o->input);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static void put(struct libscols_line *line, unsigned column, char *text) {
  if (!scols_line_refer_data(line, column, text)) return;
  gpm_say("out of memory for the table; --format json needs less");
  exit(GPM_EXIT_USAGE);
}

static void print_rows(const struct gpm_pools *pools, uint32_t count, unsigned style) {
  struct libscols_table *table = scols_new_table();
  if (!table) return;
  scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
  scols_table_set_column_separator(table, "  ");
  for (unsigned c = 0; c < GPM_POOL_FIGURES; c++)
    if (gpm_pools_columns[c].title)
      scols_table_new_column(table, gpm_pools_columns[c].title, 0.01, SCOLS_FL_RIGHT);
  scols_table_new_column(table, "device", 0.1, 0);
  scols_table_new_column(table, "pool", 0.4, 0);
  for (size_t i = 0; i < count; i++) {
    const struct gpm_pool *row = &pools->pool[i];
    struct libscols_line *line = scols_table_new_line(table, NULL);
    unsigned at = 0;
    char number[GPM_TEXT_NUMBER];
    for (unsigned c = 0; c < GPM_POOL_FIGURES; c++) {
      if (!gpm_pools_columns[c].title) continue;
      if (!gpm_pool_knows(row, c)) snprintf(number, sizeof number, "-");
      else if (gpm_pools_columns[c].bytes) gpm_text_bytes(number, (int64_t)row->value[c], style);
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
static void print_notes(const struct gpm_pool *row, unsigned style) {
  char need[GPM_TEXT_NUMBER], free_now[GPM_TEXT_NUMBER], hole[GPM_TEXT_NUMBER];
  const uint64_t *v = row->value;
  if (v[GPM_POOL_GROWTHS])
    printf("%s: grew %" PRIu64 " time%s with free bytes: %" PRIu64
           " with enough in holes too small, %" PRIu64
           " with a hole large enough; the latest for %s, with %s free, %s in the largest hole\n",
           row->name, v[GPM_POOL_GROWTHS], v[GPM_POOL_GROWTHS] == 1 ? "" : "s",
           v[GPM_POOL_FRAGMENTED], v[GPM_POOL_PASSED_OVER],
           gpm_text_bytes(need, (int64_t)v[GPM_POOL_GROWTH_NEED], style),
           gpm_text_bytes(free_now, (int64_t)v[GPM_POOL_GROWTH_FREE], style),
           gpm_text_bytes(hole, (int64_t)v[GPM_POOL_GROWTH_HOLE], style));
  if (v[GPM_POOL_OUTSIDE])
    printf("%s: %s of it lie in memory whose allocation was not seen; reserved is without that\n",
           row->name, gpm_text_bytes(need, (int64_t)v[GPM_POOL_OUTSIDE], style));
}

static void print_table(const struct pools *o, const struct gpm_profile *p,
                        const struct gpm_pools *pools) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(p, style);
  gpm_summary_print_losses(p->reader);
  if (!pools->count) {
    printf("\nno pool of CUDA's was used, and no allocator of the program's own was told; "
           "gpumemprof.h "
           "has GPUMEMPROF_ALLOCATES and gpumemprof_pool_create for that\n");
    return;
  }
  uint32_t shown = gpm_input_shown(&o->input, pools->count);
  printf("\n%s\n", o->input.exact ? "bytes" : "MiB unless a unit stands there");
  print_rows(pools, shown, style | GPM_TEXT_BARE_MIB);
  for (uint32_t i = 0; i < shown; i++) print_notes(&pools->pool[i], style);
  if (shown < pools->count)
    printf("... and %u more pools (--limit 0 shows all)\n", pools->count - shown);
}

static void print_json(const struct pools *o, const struct gpm_profile *p,
                       const struct gpm_pools *pools) {
  uint32_t shown = gpm_input_shown(&o->input, pools->count);
  gpm_json_begin(p->reader, "pools");
  for (uint32_t i = 0; i < shown; i++)
    gpm_json_item(gpm_pools_json(p->reader, &pools->pool[i]), !i);
  gpm_json_end(p);
}

int gpm_cmd_pools_run(const struct gpm_command *command, int argc, char **argv) {
  struct pools o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  struct gpm_pools pools;
  gpm_pools_make(&pools, reader, &o.input.filter);
  gpm_progress(NULL);
  if (o.input.format != GPM_FORMAT_TABLE) print_json(&o, profile, &pools);
  else print_table(&o, profile, &pools);
  gpm_pools_free(&pools);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return GPM_EXIT_OK;
}
