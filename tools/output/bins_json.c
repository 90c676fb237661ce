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
    json_object_set_new(one, "text", json_string(b->text));
    json_object_set_new(one, "from", b->ranged ? json_integer((json_int_t)b->from) : json_null());
    json_object_set_new(one, "below", open ? json_null() : json_integer((json_int_t)b->below));
    json_object_set_new(one, "blocks", json_integer((json_int_t)b->blocks));
    json_object_set_new(one, "bytes", json_integer((json_int_t)b->bytes));
    json_object_set_new(one, "at_peak", json_integer((json_int_t)b->at_peak));
    gpm_json_item(one, first);
    first = false;
  }
}
