/* uses.h - which operations used which memory, with uses=on: see uses.c.
 *
 * cuda_uses.def names the functions gpm_uses_* that follow, which are called before the operation,
 * by the thread that asks for it. site: of the call, or null where that is in code that has no
 * sites; then it is the line of the program that called such code.
 */
#ifndef GPM_USES_H
#define GPM_USES_H

#include "base/compiler.h"
#include "cuda/cuda_query.h"
#include "cuda/effects.h"

#include "gpumemprof/capture_uses.h"
#include "gpumemprof/cuda_types.h"
#include "gpumemprof/hooks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

void gpm_uses_start(void); /* with a capture */
void gpm_uses_forked(void);
void gpm_uses_forget(const void *begin, const void *end); /* an object is unmapped */

/* An operation that is no launch, and the addresses that it was given (capture_uses.h). */
void gpm_uses_record(enum gpumemprof_use what, const struct gpumemprof_site *site,
                     gpm_stream stream, uint32_t count, const uint64_t *value);

/* ---- launches.c ---------------------------------------------------------------------------------
 * `<<<>>>` at this site: the launch follows. */
void gpm_uses_launch_begins(const struct gpumemprof_site *site);
/* arguments: the addresses of the kernel's parameters. */
void gpm_uses_launch(const struct gpumemprof_site *site, const void *function, void **arguments,
                     gpm_stream stream);
/* The same as the configuration says. own: its default stream is that of the thread. */
void gpm_uses_launch_config(const struct gpumemprof_site *site, const void *function,
                            void **arguments, const struct gpm_launch_config *config, bool own);
void gpm_uses_launch_driver_config(const struct gpumemprof_site *site, const void *function,
                                   void **arguments, const struct gpm_driver_config *config,
                                   bool own);
void gpm_launches_forget(const void *begin, const void *end); /* under gpm_uses_lock */

/* ---- copies.c: copies, fills and prefetches -----------------------------------------------------
 * kind: as cudaMemcpyKind, and whether the source is read after the call has returned. */
enum { GPM_COPY_UPLOAD = 1, GPM_COPY_DEFAULT = 4, GPM_COPY_KIND = 7, GPM_COPY_LATER = 8 };
void gpm_uses_copy(const struct gpumemprof_site *site, void *to, const void *from, uint64_t bytes,
                   unsigned kind, gpm_stream stream);
void gpm_uses_copy_rows(const struct gpumemprof_site *site, void *to, uint64_t to_pitch,
                        const void *from, uint64_t from_pitch, uint64_t width, uint64_t height,
                        unsigned kind, gpm_stream stream);
/* Each address and number of bytes of a batch. */
void gpm_uses_copy_all(const struct gpumemprof_site *site, void *const *to, const void *const *from,
                       const size_t *bytes, size_t count, gpm_stream stream);
/* The runtime's and the driver's structures of copies of two and three dimensions. */
void gpm_uses_copy_3d(const struct gpumemprof_site *site, const struct gpm_copy_3d *p,
                      unsigned kind, gpm_stream stream);
void gpm_uses_copy_peer(const struct gpumemprof_site *site, const struct gpm_copy_peer *p,
                        gpm_stream stream);
void gpm_uses_copy_plane(const struct gpumemprof_site *site, const struct gpm_copy_plane *p,
                         unsigned kind, gpm_stream stream);
void gpm_uses_copy_space(const struct gpumemprof_site *site, const struct gpm_copy_space *p,
                         unsigned kind, gpm_stream stream);
void gpm_uses_fill(const struct gpumemprof_site *site, void *to, uint64_t bytes, gpm_stream stream);
void gpm_uses_fill_rows(const struct gpumemprof_site *site, void *to, uint64_t pitch,
                        uint64_t width, uint64_t height, gpm_stream stream);
void gpm_uses_prefetch(const struct gpumemprof_site *site, const void *at, uint64_t bytes,
                       gpm_stream stream);
/* A stream waits until a word has some value, or writes one, which may be an address. */
void gpm_uses_wait_word(const struct gpumemprof_site *site, gpm_deviceptr at, uint64_t bytes,
                        gpm_stream stream);
void gpm_uses_write_word(const struct gpumemprof_site *site, gpm_deviceptr at, uint64_t bytes,
                         uint64_t value, gpm_stream stream);

/* ---- current_devices.c: the calling thread makes a device current: its ordinal, or the address of
 * a context ---- */
void gpm_uses_current_devices_start(void);
void gpm_uses_current_device(uint64_t which);

/* ---- other_uses.c: what is neither a launch nor a copy ------------------------------------------
 * An operation that may use any memory: what it uses is not in its arguments. */
void gpm_uses_any(const struct gpumemprof_site *site, gpm_stream stream);
void gpm_uses_stream_ends(const struct gpumemprof_site *site, gpm_stream stream);
/* The address is where kernels find it: in a texture object, a descriptor. */
void gpm_uses_address(const struct gpumemprof_site *site, const void *address);
/* Another process may use the block. */
void gpm_uses_shared(const struct gpumemprof_site *site, const void *address);
/* A function of the host runs in a stream. It may change what a copy that was asked for earlier
 * reads. */
void gpm_uses_host_function(void);

/* Whether the call makes a node of a graph, and nothing is copied or filled now. */
static inline bool gpm_uses_captured(gpm_stream stream) {
  bool any = atomic_load_explicit(&gpm_pool_calls_differ, memory_order_relaxed) != 0;
  return GPM_UNLIKELY(any) && gpm_graphs_is_captured(stream);
}

/* What is known and has no event: UNSEEN, MANAGED_VARIABLES, DEVICE_CODE or CURRENT_DEVICE
 * (capture_uses.h). */
struct gpm_known_use {
  enum gpumemprof_use what;
  enum gpumemprof_unseen unseen;
  const char *path, *function; /* or null */
  uint64_t number;             /* the hash of device code; a device */
};
void gpm_uses_add_known(const struct gpm_known_use *known);
/* unseen.c, when the program ends: it may have loaded others since. */
void gpm_uses_end(void);

#endif /* GPM_USES_H */
