/* kernels.h - kernels by what launches pass to CUDA, and their records in the capture: see
 * kernels.c. Under gpm_uses_lock.
 */
#ifndef GPM_KERNELS_H
#define GPM_KERNELS_H

#include "base/lock.h"
#include "gpumemprof/hooks.h"

#include <stdint.h>

/* What launches need of a kernel. It is never freed, as threads remember it. */
struct gpm_kernel {
  const void *function; /* null: the object that it was in was closed */
  uint32_t number;      /* record of KERNELS */
  uint16_t words;
  struct gpm_kernel *next;
  struct {
    uint16_t parameter, offset;
  } word[];
};

extern struct gpm_lock gpm_uses_lock;
/* The kernel that is launched by this function or handle, whose record is made at its first launch;
 * null: no room. */
const struct gpm_kernel *gpm_kernels_of(const void *function);
/* The function is launched by this handle from now on. */
void gpm_kernels_named(const void *handle, const void *function);
void gpm_kernels_forget(const void *begin, const void *end); /* an object is unmapped */
void gpm_kernels_start(void);                                /* with a capture */

#endif /* GPM_KERNELS_H */
