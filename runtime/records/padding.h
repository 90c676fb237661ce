/* padding.h - the padding of live blocks, in bytes: see padding.c. Under the lock of the device.
 */
#ifndef GPM_PADDING_H
#define GPM_PADDING_H

#include "base/compiler.h"

#include <stdint.h>

struct gpm_block;
struct gpm_device;

GPM_COLD void gpm_padding_begins(struct gpm_device *device, struct gpm_block *block,
                                 uint64_t bytes);
uint64_t gpm_padding_of(const struct gpm_device *device, const struct gpm_block *block);
GPM_COLD void gpm_padding_ends(struct gpm_device *device, const struct gpm_block *block);
GPM_COLD void gpm_padding_resumes(struct gpm_device *device, const struct gpm_block *block);

#endif /* GPM_PADDING_H */
