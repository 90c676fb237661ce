/* devices.h - parses the names of devices and kinds of memory: `--device`, `--kind`; and which
 * devices are simulated. */
#ifndef GPM_TOOLS_DEVICES_H
#define GPM_TOOLS_DEVICES_H

#include "model/profile.h"

/* The names of the kinds, "device", "pool" and so on, by enum gpumemprof_kind. A null ends them. */
extern const char *const gpm_devices_kinds[];

/* Finds the device that `text` names: by its number, its GPU-UUID or the beginning of that, or as
 * `host`, `imported` or `custom`. Returns null, or what is wrong, which the caller frees; *device
 * is then GPM_NO_DEVICE if no device matches, and one of them if several do. */
char *gpm_devices_find(const struct gpm_reader *reader, const char *text, uint32_t *device);

/* Whether it is a simulated device (sim/), on which kernels compute nothing. Its UUID says so,
 * whatever name it was given. */
bool gpm_devices_is_simulated(const struct gpm_reader *reader, uint32_t device);

#endif
