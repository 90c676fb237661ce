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
GPM_COLD void gpm_streams_lumped(void); /* memory was allocated for one of these; without a lock */
bool gpm_streams_is_own(const void *stream); /* a handle other than those of the default streams */

#endif /* GPM_STREAMS_H */
