/* streams.h - the streams that memory was allocated for: see streams.c. Under gpm_tree_lock.
 */
#ifndef GPM_STREAMS_H
#define GPM_STREAMS_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_device;

void gpm_streams_start(void);
/* The number of the stream's record on the device, plus 1; 0: no room. If the stream has no record
 * of its own, *stream is replaced by the handle that represents all such streams. */
uint32_t gpm_streams_record(const struct gpm_device *device, const void **stream);
/* Counts an allocation for a stream without a record of its own; call without a lock. */
GPM_COLD void gpm_streams_lumped(void);
bool gpm_streams_is_own(const void *stream); /* a handle other than those of the default streams */

#endif /* GPM_STREAMS_H */
