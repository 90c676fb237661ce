/* strings.h - text in the capture, each distinct string once: see strings.c.
 */
#ifndef GPM_STRINGS_H
#define GPM_STRINGS_H

#include <stdint.h>

uint32_t gpm_strings_intern(const char *text); /* returns the offset; 0 for null, "" or no room */
/* The text at an offset, which lies in the capture; null for 0. Any thread. */
const char *gpm_strings_text(uint32_t offset);
const char *gpm_strings_keep(uint32_t offset); /* a copy that stays, also in a forked child */
void gpm_strings_reset(void);                  /* in a forked child */

#endif /* GPM_STRINGS_H */
