/* memory.h - allocation that either succeeds or goes on where the thread's recovery says
 * (recovery.h), so that no caller has to check. Also the one hash map everything else uses. */
#ifndef GPM_TOOLS_MEMORY_H
#define GPM_TOOLS_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* count * size bytes, zeroed; never null: does not return when there is no memory. */
void *gpm_memory_array(size_t count, size_t size);
void *gpm_memory_resize(void *old, size_t count, size_t size);
char *gpm_memory_text(const char *text);
/* What was taken here, or by the C library (realpath, getline, ...), or null. */
void gpm_memory_free(void *block);
/* So that no block is given back behind its owner's back (recovery.h). */
#define free(block) gpm_memory_free(block)
/* printf into a fresh string. */
char *gpm_memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *gpm_memory_format_list(const char *format, va_list list)
    __attribute__((format(printf, 1, 0)));

/* Open addressing from a 64-bit key to a number. A zeroed struct is an empty map. */
struct gpm_map {
  struct gpm_map_slot {
    uint64_t key;
    uint64_t value;
    uint64_t taken;
  } *slots;
  size_t room; /* power of two */
  size_t count;
};

/* The value of the key, entered as `fresh` when it is new. Valid until the next call. */
uint64_t *gpm_map_at(struct gpm_map *map, uint64_t key, uint64_t fresh);
void gpm_map_free(struct gpm_map *map);
uint64_t gpm_map_mix(uint64_t h);

#endif
