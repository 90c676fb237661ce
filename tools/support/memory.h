/* memory.h - allocation that either succeeds or jumps to the thread's recovery point (recovery.h),
 * so that no caller has to check. Also the one hash map that all of the tool uses. */
#ifndef GPM_TOOLS_MEMORY_H
#define GPM_TOOLS_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* count * size bytes, zeroed. Never null: it does not return if there is no memory. */
void *gpm_memory_array(size_t count, size_t size);
void *gpm_memory_resize(void *old, size_t count, size_t size);
char *gpm_memory_text(const char *text);
/* Frees a block that came from here or from the C library (realpath, getline, ...); null is
 * allowed. */
void gpm_memory_free(void *block);
/* Redirects free, so that its owner (recovery.h) learns of every block that is freed. */
#define free(block) gpm_memory_free(block)
/* printf into a new string. */
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

/* The value of the key, which is inserted with the value `fresh` if it is new. The pointer is valid
 * until the next call. */
uint64_t *gpm_map_at(struct gpm_map *map, uint64_t key, uint64_t fresh);
void gpm_map_free(struct gpm_map *map);
uint64_t gpm_map_mix(uint64_t h);

#endif
