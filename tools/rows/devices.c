/* devices.c - see devices.h. */
#include "rows/devices.h"

#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <string.h>
#include <strings.h>

const char *const gpm_devices_kinds[] = {
#define GPUMEMPROF_KIND(NAME, name, on_device, text) name,
#include "gpumemprof/kinds.def"
    NULL};

/* Returns whether a device's UUID begins with the text, which has to be longer than "GPU-". */
static bool has_uuid(const struct gpm_reader *r, uint32_t device, const char *text) {
  char uuid[GPM_LOCATIONS_UUID];
  return strlen(text) > 4 && *gpm_locations_uuid(r, device, uuid) &&
         !strncasecmp(uuid, text, strlen(text));
}

/* Returns "host, 0 (GPU-0f1e...), 1"; the caller frees it. */
static char *list_devices(const struct gpm_reader *r) {
  char *known = gpm_memory_text(r->device_count ? "" : "none"), uuid[GPM_LOCATIONS_UUID];
  for (uint32_t i = 0; i < r->device_count; i++) {
    const char *not_gpu = gpm_locations_not_gpu(r->devices[i].ordinal), *comma = i ? ", " : "";
    bool unique = *gpm_locations_uuid(r, i, uuid);
    char *longer =
        not_gpu ? gpm_memory_format("%s%s%s", known, comma, not_gpu)
                : gpm_memory_format("%s%s%d%s%s%s", known, comma, r->devices[i].ordinal,
                                    unique ? " (" : "", unique ? uuid : "", unique ? ")" : "");
    free(known);
    known = longer;
  }
  return known;
}

char *gpm_devices_find(const struct gpm_reader *r, const char *text, uint32_t *device) {
  uint32_t number = 0, found = 0;
  bool valid = gpm_text_parse_count(text, INT32_MAX, &number);
  *device = GPM_NO_DEVICE;
  for (uint32_t i = 0; i < r->device_count; i++) {
    int ordinal = r->devices[i].ordinal;
    const char *not_gpu = gpm_locations_not_gpu(ordinal);
    if (not_gpu ? strcmp(text, not_gpu) != 0
                : !(valid && ordinal == (int)number) && !has_uuid(r, i, text))
      continue;
    *device = i;
    found++;
  }
  if (found == 1) return NULL;
  char *known = list_devices(r);
  char *wrong = gpm_memory_format("the capture has %s device `%s`; it has: %s",
                                  found ? "more than one" : "no", text, known);
  free(known);
  return wrong;
}

bool gpm_devices_is_simulated(const struct gpm_reader *reader, uint32_t device) {
  static const char mark[] = "gpumemprof-sim"; /* sim/device/device.c writes it */
  return !memcmp(reader->devices[device].uuid, mark, sizeof mark - 1);
}
