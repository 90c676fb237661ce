/* allocator.h - a line that looks like an allocator of the program, which the plugin could not
 * prove to be a wrapper: next.c names it, as the report is about who called it.
 *
 *   main:9 > make:4 > Pool::get:2 > cudaMalloc    almost all of a peak, by several paths: Pool::get
 *   main:7 > load:5 > Pool::get:2 > cudaMalloc    is called by two lines, which --wrapper charges
 *
 * Where one line alone calls the function, as where Vector::Vector calls Pool::get, that line says
 * as little, and the function to name is the one that it is in. */
#ifndef GPM_TOOLS_ALLOCATOR_H
#define GPM_TOOLS_ALLOCATOR_H

#include "model/profile.h"

struct gpm_allocator {
  char *line;     /* "pool.c:2", which holds the memory */
  char *function; /* "Pool::get", for --wrapper */
};

/* Returns false where no line has more than 90 % of a GPU's peak, all of it came by one path, or
 * the callers would not differ by line. Otherwise the caller frees both texts. */
bool gpm_allocator_find(const struct gpm_profile *profile, struct gpm_allocator *found);

#endif
