/* page_arrays.h - arrays of numbers as the page's `events` stores them (docs/PAGE.md):
 * little-endian, made so that they compress well. The code that adds an array chooses the encoding,
 * and the index names it for the viewer. */
#ifndef GPM_TOOLS_PAGE_ARRAYS_H
#define GPM_TOOLS_PAGE_ARRAYS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum {
  GPM_ARRAY_DELTA = 1,  /* each is stored as its difference to the one before */
  GPM_ARRAY_PLANES = 2, /* all lowest bytes, then all second ones, and so on */
};

struct gpm_arrays {
  json_t *index; /* by name */
  unsigned char *bytes;
  size_t size, room;
};

void gpm_arrays_make(struct gpm_arrays *arrays);
void gpm_arrays_free(struct gpm_arrays *arrays);
void gpm_arrays_u32(struct gpm_arrays *arrays, const char *name, const uint32_t *value,
                    size_t count, unsigned how);
/* Stores differences to another array of the same length, whose name is `base`. */
void gpm_arrays_u32_from(struct gpm_arrays *arrays, const char *name, const uint32_t *value,
                         const char *base, const uint32_t *from, size_t count, unsigned how);
/* Exact below 2^53. */
void gpm_arrays_f64(struct gpm_arrays *arrays, const char *name, const double *value, size_t count,
                    unsigned how);
/* Stores two arrays, NAME_low and NAME_high. */
void gpm_arrays_u64(struct gpm_arrays *arrays, const char *name, const uint64_t *value,
                    size_t count, unsigned how);
/* The name of the section, `head` (with the index as its `arrays`) and the bytes. */
void gpm_arrays_write(const struct gpm_arrays *arrays, json_t *head, FILE *file);

#endif
