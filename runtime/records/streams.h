/* streams.h - the streams that memory was allocated for: see streams.c. Under gpm_tree_lock.
 */
#ifndef GPM_STREAMS_H
#define GPM_STREAMS_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_device;

void gpm_streams_start(void);
/* The record of a stream of a device, + 1; 0: no room. *stream becomes what stands for all streams
 * without a record of their own if it is one of them. */
uint32_t gpm_streams_record(const struct gpm_device *device, const void **stream);
GPM_COLD void gpm_streams_lumped(void); /* memory was allocated for one of those; without a lock */
bool gpm_streams_is_own(const void *stream); /* a handle that is none of the default streams' */

#endif /* GPM_STREAMS_H */
