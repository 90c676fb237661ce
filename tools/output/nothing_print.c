/* nothing_print.c - see nothing_print.h. */
#include "output/nothing_print.h"

#include <stdio.h>

void gpm_nothing_print(const struct gpm_profile *p, const char *what) {
  const char *why = gpm_nothing_why(p);
  printf("\n%s%s\n", what, p->all_cells_shown ? "" : " there");
  if (why) printf("%s\n", why);
}
