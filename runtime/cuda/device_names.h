/* device_names.h - devices as programs name them: see device_names.c. By a thread that is not busy.
 */
#ifndef GPM_DEVICE_NAMES_H
#define GPM_DEVICE_NAMES_H

#include <stdbool.h>

bool gpm_device_exists(int ordinal);
void gpm_device_names_say(const char *call,
                          int ordinal); /* that there is none, and which there are */

#endif /* GPM_DEVICE_NAMES_H */
