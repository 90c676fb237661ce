/* small_variables_print.c - see small_variables_print.h. */
#include "output/small_variables_print.h"

#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>

void gpm_small_rows_print(const struct gpm_small_rows *t, unsigned style) {
  char bytes[GPM_TEXT_NUMBER];
  if (t->rows)
    printf("%" PRIu64 " variables in device memory of less than 4 KiB, %s in all, have no row "
           "(--limit 0 shows them)\n",
           t->sum.variables, gpm_text_bytes(bytes, (int64_t)t->sum.bytes, style));
}
