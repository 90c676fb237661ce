/* use_values.h - the values of the latest event of each record of USES in a thread's chunk, which
 * an event with GPUMEMPROF_USE_AGAIN repeats (capture_events.h). history.c has one for each thread.
 */
#ifndef GPM_TOOLS_USE_VALUES_H
#define GPM_TOOLS_USE_VALUES_H

#include "support/map.h"

#include <stdint.h>

/* A zeroed struct has no values. */
struct gpm_use_values {
  struct gpm_map by_record;
  struct gpm_use_value_list {
    uint64_t chunk; /* in which they were recorded */
    uint64_t *value;
  } *list;
  size_t count, room;
  uint64_t chunk; /* number of the present one */
};

/* What earlier chunks recorded is not repeated. */
static inline void gpm_use_values_next_chunk(struct gpm_use_values *values) {
  values->chunk++;
}
/* Returns where the `count` values of the record are to be written. */
uint64_t *gpm_use_values_write(struct gpm_use_values *values, uint32_t record, uint32_t count);
/* Returns the values that were written last in this chunk; null: none were. */
const uint64_t *gpm_use_values_repeat(struct gpm_use_values *values, uint32_t record);
void gpm_use_values_free(struct gpm_use_values *values);

#endif
