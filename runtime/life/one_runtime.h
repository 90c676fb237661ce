/* one_runtime.h - other copies of the runtime in the process: see one_runtime.c.
 */
#ifndef GPM_ONE_RUNTIME_H
#define GPM_ONE_RUNTIME_H

#include <stdbool.h>

bool gpm_one_runtime_begin(void);           /* false, after a message: another copy records */
void gpm_one_runtime_begun(bool recording); /* whether recording started */
bool gpm_one_runtime_is_only(void);         /* no other copy is in the process */

#endif /* GPM_ONE_RUNTIME_H */
