/* in_use.c - see in_use.h. Printed by summary.c and json.c. */
#include "analysis/in_use.h"

static const char *moment(unsigned why) {
  switch (why) {
  case GPUMEMPROF_SAMPLE_FIRST:
    return "when it was first seen";
  case GPUMEMPROF_SAMPLE_EXIT:
    return "at exit";
  case GPUMEMPROF_SAMPLE_MONITOR:
    return "at the monitor's last sample";
  default:
    return "when its pools changed last";
  }
}

bool gpm_in_use(const struct gpm_reader *reader, uint32_t device, struct gpm_in_use *result) {
  const struct gpumemprof_capture_sample *latest = NULL;
  struct gpm_cursor at = {.records = &reader->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));)
    if (s->device == device && s->pool == GPUMEMPROF_NONE &&
        s->rounding != GPUMEMPROF_ROUNDING_UNKNOWN)
      latest = s;
  if (!latest) return false;
  *result = (struct gpm_in_use){.when = moment(latest->why),
                                .used = latest->used,
                                .recorded = latest->ledger,
                                .pool_slack = (int64_t)(latest->pools - latest->pooled),
                                .rounding = (int64_t)latest->rounding,
                                .managed = latest->managed,
                                .managed_here = latest->managed_here,
                                .managed_elsewhere = latest->managed_elsewhere};
  result->unaccounted =
      (int64_t)(latest->used - latest->ledger - latest->pools + latest->pooled - latest->rounding);
  return true;
}
