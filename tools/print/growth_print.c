/* growth_print.c - prints the lines whose memory grows, as text and as JSON. */
#include "output/json.h"
#include "output/summary.h"
#include "over_time/growth.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"
#include "terminal/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t per_step(const struct gpm_growth *g, const struct gpm_growth_line *line) {
  return (line->last - line->first) / (g->to - g->from);
}

static void print_line(const struct gpm_growth *g, const struct gpm_growth_line *line,
                       unsigned style) {
  const struct gpm_profile *p = g->profile;
  char rate[GPM_TEXT_NUMBER], first[GPM_TEXT_NUMBER], last[GPM_TEXT_NUMBER];
  char *above = gpm_locations_callers(p, line->node),
       *where = gpm_locations_node_allocation(p, line->node);
  printf("%s per step: %s\n", gpm_text_bytes(rate, (int64_t)per_step(g, line), style), where);
  printf("    %s live at the end of step %u, %s at the end of step %u; it grew in ",
         gpm_text_bytes(first, (int64_t)line->first, style), g->from,
         gpm_text_bytes(last, (int64_t)line->last, style), g->to);
  if (line->rises == g->to - g->from) printf("each of");
  else printf("%u of", line->rises);
  printf(" the %u steps after step %u\n", g->to - g->from, g->from);
  char more[64] = "";
  if (line->paths > 1)
    snprintf(more, sizeof more, ", and on %u more call path%s that grew", line->paths - 1,
             gpm_text_s(line->paths - 1));
  if (*above || *more)
    gpm_wrapped_print(6, "    called from %s%s", *above ? above : "nothing recorded", more);
  free(above);
  free(where);
}

void gpm_growth_print(const struct gpm_growth *g, unsigned style) {
  uint64_t rate = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    print_line(g, &g->line[i], style);
    rate += per_step(g, &g->line[i]);
  }
  char number[GPM_TEXT_NUMBER];
  const struct gpm_reader *r = g->profile->reader;
  const struct gpumemprof_capture_step *first = gpm_reader_record(&r->steps, g->from - 1);
  if (gpm_summary_is_before_reset(r, first->ticks))
    gpm_summary_print_before_reset(r, "the steps have");
  if (!g->count)
    printf("no line%s grows: none holds more and more at the ends of steps %u to %u\n",
           g->profile->all_cells_shown ? "" : " there", g->from, g->to);
  else
    printf("growing: %u line%s, by %s per step, from the end of step %u to the end of step %u\n",
           g->count, gpm_text_s(g->count), gpm_text_bytes(number, (int64_t)rate, style), g->from,
           g->to);
}

static json_t *json_line(const struct gpm_growth *g, const struct gpm_growth_line *line) {
  uint32_t every, points = gpm_growth_points(g, &every);
  json_t *one = gpm_json_location(g->profile, line->node), *live = json_array();
  gpm_json_put(one, growing_line, bytes_per_step, json_integer((json_int_t)per_step(g, line)));
  gpm_json_put(one, growing_line, first, json_integer((json_int_t)line->first));
  gpm_json_put(one, growing_line, last, json_integer((json_int_t)line->last));
  gpm_json_put(one, growing_line, rises, json_integer(line->rises));
  gpm_json_put(one, growing_line, path, gpm_json_path(g->profile, line->node));
  for (uint32_t i = 0; i < points; i++) {
    uint32_t step = i + 1 < points ? g->from + i * every : g->to;
    json_t *point = json_object();
    gpm_json_put(point, growth_point, step, json_integer(step));
    gpm_json_put(point, growth_point, bytes, json_integer((json_int_t)gpm_growth_live(line, step)));
    json_array_append_new(live, point);
  }
  gpm_json_put(one, growing_line, live, live);
  return one;
}

void gpm_growth_print_json(const struct gpm_growth *g) {
  gpm_json_head(g->profile);
  gpm_json_field(leaks_growth, steps, json_integer(g->steps));
  gpm_json_field(leaks_growth, from, json_integer(g->from));
  gpm_json_field(leaks_growth, to, json_integer(g->to));
  gpm_json_list(leaks_growth, growth);
  for (uint32_t i = 0; i < g->count; i++) gpm_json_item(json_line(g, &g->line[i]), !i);
  gpm_json_end(g->profile);
}
