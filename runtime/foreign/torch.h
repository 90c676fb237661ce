/* torch.h - what torch.c needs of torch_blocks.c: the driver's side of PyTorch's memory, and the
 * blocks whose free is not like others.
 *
 * Memory comes from the device's pool, in stream order: fast without a cache of our own, because
 * the pool is told to keep what is freed. Where a device has no pools it is cuMemAlloc's. In graphs
 * the driver knows best what lives when; torch instantiates them so that a launch frees what the
 * one before left. Who hears captures and launches (cupti.c) counts a graph's memory as such; else
 * it counts as live from its capture until torch frees it. Any thread; none needs the runtime to
 * record.
 */
#ifndef GPM_TORCH_H
#define GPM_TORCH_H

#include "base/program_calls.h"
#include "cuda/driver.h"

#include <stdbool.h>

/* Makes the device's primary context current, as torch has it: 0, or the driver's error. */
int gpm_torch_enter(const struct gpm_driver *d, int device, bool *pushed);
void gpm_torch_leave(const struct gpm_driver *d); /* if pushed */
/* With the device's context current: the driver's error; *pooled: by which call. */
int gpm_torch_take(const struct gpm_driver *d, uint64_t bytes, int device, gpm_stream stream,
                   gpm_deviceptr *p, bool *pooled);
bool gpm_torch_has_pools(const struct gpm_driver *d, int device);

#define GPM_TORCH_USERS 6u
struct gpm_torch_care { /* of a block whose free is not like others, or that waits to be freed */
  uint64_t address;
  int device;
  bool of_graph; /* a node of a graph allocated it */
  uint8_t users; /* GPM_TORCH_USERS + 1: more than there is room for */
  gpm_stream user[GPM_TORCH_USERS];
  gpm_stream stream; /* it waits for its free there */
  struct gpm_torch_care *next;
};
/* A block is going to be freed: what is known of it, zeros where that is nothing. */
void gpm_torch_take_care(uint64_t address, struct gpm_torch_care *care);
/* Of the stream where it is to be freed. Held up: by the capture of another one, because this is a
 * default stream or the block's user is that one. With the context current, as what follows. */
enum gpm_torch_stream { GPM_TORCH_FREE_STREAM, GPM_TORCH_CAPTURED, GPM_TORCH_HELD_UP };
enum gpm_torch_stream gpm_torch_captured(const struct gpm_driver *d,
                                         const struct gpm_torch_care *care, gpm_stream stream);
/* The driver's error. */
int gpm_torch_give_back(const struct gpm_driver *d, const struct gpm_torch_care *care,
                        gpm_stream stream, bool pooled);
void gpm_torch_free_later(const struct gpm_torch_care *care);
void gpm_torch_free_waiting(const struct gpm_driver *d); /* those whose capture is over */

void gpm_torch_forked(void); /* torch_blocks.c: in a forked child */

#endif /* GPM_TORCH_H */
