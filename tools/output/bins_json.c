/* bins_json.c - see bins_json.h. */
#include "output/bins_json.h"

#include "output/json.h"

void gpm_bins_json(const struct gpm_bins *o) {
  bool first = true;
  for (uint32_t i = 0; i < o->count; i++) {
    const struct gpm_bin *b = &o->bin[i];
    if (!gpm_bins_shown(o, i)) continue;
    bool open = !b->ranged || b->below == UINT64_MAX;
    json_t *one = json_object();
    gpm_json_put(one, bin, text, json_string(b->text));
    gpm_json_put(one, bin, from, b->ranged ? json_integer((json_int_t)b->from) : json_null());
    gpm_json_put(one, bin, below, open ? json_null() : json_integer((json_int_t)b->below));
    gpm_json_put(one, bin, blocks, json_integer((json_int_t)b->blocks));
    gpm_json_put(one, bin, bytes, json_integer((json_int_t)b->bytes));
    gpm_json_put(one, bin, at_peak, json_integer((json_int_t)b->at_peak));
    gpm_json_item(one, first);
    first = false;
  }
}
