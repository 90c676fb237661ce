/* sources.h - whether the host still has what was copied to a block when the block is used, with
 * uses=verify: see sources.c.
 */
#ifndef GPM_SOURCES_H
#define GPM_SOURCES_H

#include "base/compiler.h"

#include "gpumemprof/capture_uses.h"
#include "gpumemprof/hooks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A copy from the host: `depth` planes of `height` rows of `width` bytes; pitch and plane: bytes
 * from one to the next. */
struct gpm_source {
  uint64_t to, to_bytes; /* as its event has them */
  uint64_t from, pitch, plane;
  uint64_t width, height, depth;
};

extern _Atomic uint32_t gpm_sources_kept;

void gpm_sources_start(void); /* with a capture */
/* The host copies this now. It is a copy as gpm_uses_copy knows it, whose source can be read. */
void gpm_sources_copied(const struct gpm_source *source);

/* Whether there are copies to whose blocks an operation may be given an address. */
static inline bool gpm_sources_are_kept(void) {
  return GPM_UNLIKELY(atomic_load_explicit(&gpm_sources_kept, memory_order_relaxed) != 0);
}
/* An operation is recorded, with the values that its event has. Returns whether gpm_sources_compare
 * has something to do then. */
bool gpm_sources_given(enum gpumemprof_use what, uint32_t count, const uint64_t *value);
/* Compares what the operations since were given, before they are made. The calling thread is not
 * busy. */
void gpm_sources_compare(const struct gpumemprof_site *site);

#endif /* GPM_SOURCES_H */
