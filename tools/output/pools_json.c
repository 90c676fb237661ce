/* pools_json.c - see pools_json.h. */
#include "output/pools_json.h"

#include "output/json.h"

json_t *gpm_pools_json(const struct gpm_reader *reader, const struct gpm_pool *pool) {
  json_t *one = json_object();
  gpm_json_put(one, pool, name, gpm_json_text(pool->name));
  gpm_json_put(one, pool, source, json_string(pool->source));
  gpm_json_put(one, pool, device,
               pool->device_number == GPUMEMPROF_NONE
                   ? json_null()
                   : gpm_json_device_id(reader, pool->device_number));
  gpm_json_put(one, pool, several_devices, json_boolean(pool->several_devices));
  gpm_json_put(one, pool, handle, json_integer((json_int_t)pool->handle));
  for (unsigned c = 0; c < GPM_POOL_FIGURES; c++)
    json_object_set_new(one, gpm_pools_columns[c].key,
                        gpm_pool_knows(pool, c) ? json_integer((json_int_t)pool->value[c])
                                                : json_null());
  return one;
}
