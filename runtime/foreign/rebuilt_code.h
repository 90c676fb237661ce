/* rebuilt_code.h - which functions were compiled with the plugin: see rebuilt_code.c.
 */
#ifndef GPM_REBUILT_CODE_H
#define GPM_REBUILT_CODE_H

#include "foreign/places.h"

/* Whether the function of the place has a frame of its own on the shadow stack, or of a function
 * that was inlined into it. True, too, where that cannot be found out. The place's object is
 * loaded. The caller holds no
 * lock. */
bool gpm_place_is_rebuilt(struct gpm_place *place);

#endif /* GPM_REBUILT_CODE_H */
