/* holding_print.c - see holding_print.h. */
#include "output/holding_print.h"

#include "output/json.h"
#include "output/small_variables_print.h"
#include "output/table.h"
#include "rows/locations.h"
#include "support/text.h"
#include "terminal/fit.h"
#include "terminal/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_amount(const struct gpm_held *held, bool inside, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  printf("%12s", gpm_text_bytes(number, (int64_t)held->bytes, style));
  if (inside) printf("  %12s", gpm_text_bytes(number, (int64_t)held->inside, style));
  printf("  %8" PRIu64, held->blocks);
}

/* The columns that a location may take; 0: any. */
static uint32_t room_of(bool inside) {
  uint32_t before = inside ? 38 : 24, room = gpm_terminal_room();
  return room > before + 20 ? room - before : 0;
}

void gpm_holding_print(const struct gpm_holding *h, uint32_t count, bool inside, bool whole,
                       unsigned style) {
  printf("%12s%s  %8s  location\n", "live", inside ? "      in scope" : "", "blocks");
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_held *line = &h->line[i];
    char *where = gpm_locations_node_allocation(h->profile, line->node),
         *more = gpm_locations_more(line->sites), *text = gpm_memory_format("%s%s", where, more),
         *fitted = gpm_fit_location(text, whole ? 0 : room_of(inside));
    print_amount(line, inside, style);
    printf("  %s\n", fitted);
    free(more);
    free(where);
    free(text);
    free(fitted);
  }
  gpm_table_print_more(h->count, count, "line");
  gpm_small_rows_print(&h->small_rows, style);
  print_amount(&h->all, inside, style);
  printf("  in all\n");
}

json_t *gpm_holding_json(const struct gpm_holding *h, uint32_t count, bool inside) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_held *line = &h->line[i];
    json_t *one = gpm_json_location(h->profile, line->node);
    gpm_json_put(one, held_line, bytes, json_integer((json_int_t)line->bytes));
    gpm_json_put(one, held_line, blocks, json_integer((json_int_t)line->blocks));
    gpm_json_put(one, held_line, others, json_integer(line->sites ? line->sites - 1 : 0));
    if (inside) gpm_json_put(one, held_in_scope, in_it, json_integer((json_int_t)line->inside));
    json_array_append_new(list, one);
  }
  return list;
}
