/* unseen.h - code whose operations are not recorded, because the plugin did not compile it: see
 * unseen.c and unseen_parts.c.
 */
#ifndef GPM_UNSEEN_H
#define GPM_UNSEEN_H

#include "records/modules.h"
#include "uses/object_file.h"

#include "gpumemprof/capture_uses.h"

#include <stdbool.h>
#include <stdint.h>

void gpm_unseen_start(void);
bool gpm_unseen_has_checked(void); /* so that an operation was recorded before */
/* Finds it, the first time. By a busy thread, before an operation is recorded. */
void gpm_unseen_check(void);
/* Records that such code runs; function: that calls, or is called (capture_uses.h), or null. By a
 * busy thread. */
void gpm_unseen_add(enum gpumemprof_unseen what, const char *path, const char *function);
/* Whether this is a function of CUDA or of one of its libraries by which memory is used. */
bool gpm_unseen_is_use(const char *function);

/* unseen_parts.c: adds the functions of an object that call CUDA, but not through its thunks. path:
 * of the object; bias: added to the addresses of its file. */
void gpm_unseen_check_parts(const struct gpm_object_file *file, const char *path, uintptr_t bias,
                            const struct gpm_code_range *thunks);

#endif /* GPM_UNSEEN_H */
