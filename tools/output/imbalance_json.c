/* imbalance_json.c - see imbalance_json.h. */
#include "output/imbalance_json.h"

#include "output/json.h"

json_t *gpm_imbalance_json(const struct gpm_imbalance *i, const struct gpm_processes *all,
                           const struct gpm_job_peaks *peaks) {
  if (!i->known) return json_null();
  json_t *json = json_object();
  gpm_json_put(json, imbalance, process, json_string(all->process[peaks->max_of].name));
  gpm_json_put(json, imbalance, factor, json_real(i->factor));
  gpm_json_put(json, imbalance, bytes, json_integer((json_int_t)i->more));
  json_t *line = json_null();
  if (i->profile) {
    line = gpm_json_location(i->profile, i->node);
    gpm_json_put(line, imbalance_line, path, gpm_json_path(i->profile, i->node));
    gpm_json_put(line, imbalance_line, bytes, json_integer((json_int_t)i->bytes));
  }
  gpm_json_put(json, imbalance, line, line);
  return json;
}
