/* memory.h - private memory, from mmap, never given back: see memory.c.
 */
#ifndef GPM_MEMORY_H
#define GPM_MEMORY_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

GPM_NOINLINE void *
gpm_memory_get(size_t bytes);       /* zeroed, 64-byte aligned; null when there is none */
void *gpm_memory_map(size_t bytes); /* zeroed pages of their own; null when there are none */
void *gpm_memory_try(size_t bytes); /* the same, and recording goes on without */
/* Pages far away from what else is mapped, so that more can follow behind them; of a file, or -1
 * and zeroed. MAP_FAILED: there are none, and errno says why. */
void *gpm_memory_apart(size_t bytes, uint64_t distance, int fd);
/* Pages exactly there, of the file from `offset` on. False: there are none, and errno says why;
 * EADDRINUSE: something else is there. */
bool gpm_memory_behind(void *at, size_t bytes, int fd, uint64_t offset);
void gpm_memory_unmap(void *p, size_t bytes);
/* Other pages for an array that is full: `used` bytes are copied and its `held` given back. Null:
 * there are none, and the array stays. */
void *gpm_memory_larger(void *array, size_t used, size_t held, size_t bytes);
void gpm_memory_forked(bool inside); /* in a forked child */

#endif /* GPM_MEMORY_H */
