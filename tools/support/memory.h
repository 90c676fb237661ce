/* memory.h - allocation that either succeeds or jumps to the thread's recovery point (recovery.h),
 * so that no caller has to check. */
#ifndef GPM_TOOLS_MEMORY_H
#define GPM_TOOLS_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
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

#endif
