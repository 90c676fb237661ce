/* leaks_json.c - see leaks_json.h. */
#include "output/leaks_json.h"

#include "output/json.h"

json_t *gpm_leaks_json(const struct gpm_rows *rows, uint32_t number, size_t steps) {
  const struct gpm_row *row = &rows->row[number];
  json_t *one = gpm_json_place(rows->profile, row->key);
  json_object_set_new(one, "bytes", gpm_json_figure(row, GPM_FIGURE_leaked));
  json_object_set_new(one, "blocks", gpm_json_figure(row, GPM_FIGURE_leaked_blocks));
  json_object_set_new(one, "path", gpm_json_inner_path(rows->profile, row->key, steps));
  return one;
}

json_t *gpm_leaks_reachable_json(const struct gpm_profile *p, const struct gpm_reachable *r) {
  json_t *one = gpm_json_place(p, r->node);
  json_object_set_new(one, "bytes", json_integer((json_int_t)r->bytes));
  json_object_set_new(one, "blocks", json_integer((json_int_t)r->blocks));
  return one;
}
