/* leaks_json.c - see leaks_json.h. */
#include "output/leaks_json.h"

#include "output/json.h"

json_t *gpm_leaks_json(const struct gpm_rows *rows, uint32_t number, size_t steps) {
  const struct gpm_row *row = &rows->row[number];
  json_t *one = gpm_json_location(rows->profile, row->key);
  gpm_json_put(one, leak, bytes, gpm_json_figure(row, GPM_FIGURE_leaked));
  gpm_json_put(one, leak, blocks, gpm_json_figure(row, GPM_FIGURE_leaked_blocks));
  gpm_json_put(one, leak, path, gpm_json_inner_path(rows->profile, row->key, steps));
  json_t *responsible = gpm_json_responsible(rows, row);
  if (responsible) gpm_json_put(one, leak, responsible, responsible);
  return one;
}

json_t *gpm_leaks_reachable_json(const struct gpm_profile *p, const struct gpm_reachable *r) {
  json_t *one = gpm_json_location(p, r->node);
  gpm_json_put(one, reachable, bytes, json_integer((json_int_t)r->bytes));
  gpm_json_put(one, reachable, blocks, json_integer((json_int_t)r->blocks));
  return one;
}
