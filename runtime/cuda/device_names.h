/* device_names.h - devices as programs name them: see device_names.c. By a thread that is not busy.
 */
#ifndef GPM_DEVICE_NAMES_H
#define GPM_DEVICE_NAMES_H

#include <stdbool.h>

bool gpm_device_exists(int ordinal);
/* Says that there is no such device, and which ones there are. */
void gpm_device_names_say(const char *call, int ordinal);

#endif /* GPM_DEVICE_NAMES_H */
