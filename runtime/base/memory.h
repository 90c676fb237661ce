/* memory.h - private memory, from mmap: see memory.c.
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
void *gpm_memory_try(size_t bytes); /* the same, but recording continues when there are none */
/* Maps pages about `distance` bytes below other mappings, so that more can follow behind them; they
 * are of the file `fd`, or zeroed if that is -1. Returns MAP_FAILED and sets errno on failure. */
void *gpm_memory_map_below(size_t bytes, uint64_t distance, int fd);
/* Maps pages at exactly this address, of the file from `offset` on. Returns false and sets errno on
 * failure; EADDRINUSE: the addresses are in use. */
bool gpm_memory_behind(void *at, size_t bytes, int fd, uint64_t offset);
void gpm_memory_unmap(void *p, size_t bytes);
/* Maps a larger array of `bytes` for one that is full: copies its first `used` bytes, and unmaps
 * its `held` bytes. Null: there is no memory, and the array stays. */
void *gpm_memory_larger(void *array, size_t used, size_t held, size_t bytes);
void gpm_memory_forked(bool inside); /* in a forked child */

#endif /* GPM_MEMORY_H */
