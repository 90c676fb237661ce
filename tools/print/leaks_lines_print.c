/* leaks_lines_print.c - see leaks_lines_print.h. */
#include "print/leaks_lines_print.h"

#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>

#define PATHS_OF_LINE 10 /* paths printed of a line that has more */

static void print_path(const struct gpm_rows *rows, const struct gpm_row *row, unsigned style) {
  char number[GPM_TEXT_NUMBER], *above = gpm_locations_callers(rows->profile, row->key);
  int64_t blocks = row->value[GPM_FIGURE_leaked_blocks];
  gpm_wrapped_print(6, "    %s in %" PRId64 " block%s%s%s",
                    gpm_text_bytes(number, row->value[GPM_FIGURE_leaked], style), blocks,
                    blocks == 1 ? "" : "s",
                    *above ? " called from " : ", called by nothing recorded", above);
  free(above);
}

static void print_paths(const struct gpm_leaks_lines *l, const struct gpm_leaks_line *line,
                        const struct gpm_rows *rows, bool all, unsigned style) {
  uint32_t shown = all || line->count < PATHS_OF_LINE ? line->count : PATHS_OF_LINE;
  uint64_t hidden = 0;
  for (uint32_t i = 0; i < line->count; i++) {
    const struct gpm_row *row = &rows->row[l->row[line->first + i]];
    if (i < shown) print_path(rows, row, style);
    else hidden += (uint64_t)row->value[GPM_FIGURE_leaked];
  }
  char number[GPM_TEXT_NUMBER];
  if (shown < line->count)
    printf("    ... and %u more call path%s with %s (--limit 0 shows all)\n", line->count - shown,
           line->count - shown == 1 ? "" : "s", gpm_text_bytes(number, (int64_t)hidden, style));
}

uint64_t gpm_leaks_lines_print(const struct gpm_leaks_lines *l, const struct gpm_rows *rows,
                               uint32_t most, bool all, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  uint64_t others = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const struct gpm_leaks_line *line = &l->line[i];
    if (i >= most) {
      others += line->bytes;
      continue;
    }
    gpm_wrapped_print(2, "%s in %" PRIu64 " block%s: %s",
                      gpm_text_bytes(number, (int64_t)line->bytes, style), line->blocks,
                      line->blocks == 1 ? "" : "s", line->headline);
    if (line->count > 1) {
      print_paths(l, line, rows, all, style);
      continue;
    }
    char *above = gpm_locations_callers(rows->profile, rows->row[l->row[line->first]].key);
    if (*above) gpm_wrapped_print(6, "    called from %s", above);
    free(above);
  }
  return others;
}
