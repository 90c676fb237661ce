/* torch.h - what torch.c needs of torch_blocks.c: the driver's side of PyTorch's memory, and the
 * blocks whose frees need special treatment.
 *
 * Memory comes from the device's pool, in stream order. This is fast without a cache in the
 * runtime, because the pool is set to keep freed memory. On a device without pools, memory comes
 * from cuMemAlloc. The driver manages the memory of graphs; torch instantiates them so that a
 * launch frees what the previous one left. With cupti=on, which reports captures and launches, a
 * graph's memory is counted as such; otherwise it counts as live from its capture until torch frees
 * it. Any thread may call these functions, also when nothing is recorded.
 */
#ifndef GPM_TORCH_H
#define GPM_TORCH_H

#include "base/program_calls.h"
#include "cuda/driver.h"

#include <stdbool.h>

/* Makes the device's primary context current, as torch has it: 0, or the driver's error. */
int gpm_torch_enter(const struct gpm_driver *d, int device, bool *pushed);
void gpm_torch_leave(const struct gpm_driver *d); /* if pushed */
/* Allocates, with the device's context current. Returns 0 or the driver's error; *pooled: from a
 * pool, not by cuMemAlloc. */
int gpm_torch_take(const struct gpm_driver *d, uint64_t bytes, int device, gpm_stream stream,
                   gpm_deviceptr *p, bool *pooled);
bool gpm_torch_has_pools(const struct gpm_driver *d, int device);

#define GPM_TORCH_USERS 6u
struct gpm_torch_care { /* a block whose free needs special treatment, or waits */
  uint64_t address;
  int device;
  bool of_graph; /* a node of a graph allocated it */
  uint8_t users; /* GPM_TORCH_USERS + 1: too many to list */
  gpm_stream user[GPM_TORCH_USERS];
  gpm_stream stream; /* where it waits for its free */
  struct gpm_torch_care *next;
};
/* Call before a block is freed: removes its record and returns it in *care; zeros if there was
 * none. */
void gpm_torch_take_care(uint64_t address, struct gpm_torch_care *care);
/* The state of the stream where a block is to be freed. Held up: another stream is being captured,
 * and this is a default stream or the block was used by that stream. With the context current, as
 * below. */
enum gpm_torch_stream { GPM_TORCH_FREE_STREAM, GPM_TORCH_CAPTURED, GPM_TORCH_HELD_UP };
enum gpm_torch_stream gpm_torch_captured(const struct gpm_driver *d,
                                         const struct gpm_torch_care *care, gpm_stream stream);
/* Frees a block. Returns 0 or the driver's error. */
int gpm_torch_give_back(const struct gpm_driver *d, const struct gpm_torch_care *care,
                        gpm_stream stream, bool pooled);
void gpm_torch_free_later(const struct gpm_torch_care *care);
void gpm_torch_free_waiting(const struct gpm_driver *d); /* those whose capture is over */

void gpm_torch_forked(void); /* torch_blocks.c: in a forked child */

#endif /* GPM_TORCH_H */
