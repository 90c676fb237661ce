/* devices.h - parses the names of devices and kinds of memory: `--device`, `--kind`. */
#ifndef GPM_TOOLS_DEVICES_H
#define GPM_TOOLS_DEVICES_H

#include "model/profile.h"

/* By enum gpumemprof_kind, ended by null: "device", "pool", ... */
extern const char *const gpm_devices_kinds[];

/* The device called `text`: its number, its GPU-UUID or how that begins, `host`, `imported` or
 * `custom`. Null, or what is wrong, to be freed; then *device is GPM_NO_DEVICE if no device
 * matches, and one of them if several do. */
char *gpm_devices_find(const struct gpm_reader *reader, const char *text, uint32_t *device);

#endif
