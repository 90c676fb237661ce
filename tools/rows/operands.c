/* operands.c - see operands.h. */
#include "rows/operands.h"

#include "rows/locations.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *gpm_operands_number(char out[GPM_OPERANDS_NUMBER],
                                const struct gpumemprof_capture_operands *o, unsigned i,
                                uint64_t value) {
  if (o->is_signed >> i & 1) snprintf(out, GPM_OPERANDS_NUMBER, "%" PRId64, (int64_t)value);
  else snprintf(out, GPM_OPERANDS_NUMBER, "%" PRIu64, value);
  return out;
}

const struct gpumemprof_capture_operands *gpm_operands_next(struct gpm_cursor *at, uint32_t site) {
  const struct gpumemprof_capture_operands *o;
  while ((o = gpm_cursor_next(at)))
    if (o->site == site && o->recorded) return o;
  return NULL;
}

char *gpm_operands_range(const struct gpm_reader *r, uint32_t site) {
  char *text = gpm_memory_text(""), min[GPM_OPERANDS_NUMBER], max[GPM_OPERANDS_NUMBER];
  struct gpm_cursor at = {.records = &r->operands};
  for (const struct gpumemprof_capture_operands *o; (o = gpm_operands_next(&at, site));)
    for (unsigned i = 0; i < o->count; i++) {
      bool same = o->min[i] == o->max[i];
      char *name = gpm_locations_text(r, o->name[i]);
      char *longer = gpm_memory_format("%s%s%s %s%s%s", text, *text ? ", " : "", name,
                                       gpm_operands_number(min, o, i, o->min[i]), same ? "" : "..",
                                       same ? "" : gpm_operands_number(max, o, i, o->max[i]));
      free(name);
      free(text);
      text = longer;
    }
  return text;
}

static const struct gpumemprof_capture_operands *record_of(const struct gpm_reader *r,
                                                           uint32_t record) {
  return gpm_reader_record(&r->operands, record);
}

char *gpm_operands_of_call(const struct gpm_reader *r, uint32_t record,
                           const uint64_t values[GPUMEMPROF_OPERANDS]) {
  const struct gpumemprof_capture_operands *o = record_of(r, record);
  char *text = gpm_memory_text(""), value[GPM_OPERANDS_NUMBER];
  for (unsigned i = 0; i < o->count; i++) {
    char *name = gpm_locations_text(r, o->name[i]);
    char *longer = gpm_memory_format("%s%s%s=%s", text, i ? " " : "", name,
                                     gpm_operands_number(value, o, i, values[i]));
    free(name);
    free(text);
    text = longer;
  }
  return text;
}
