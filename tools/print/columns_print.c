/* columns_print.c - see columns_print.h. */
#include "print/columns_print.h"

#include <stdio.h>

void gpm_columns_explain(const struct gpm_choice *choice) {
  for (unsigned i = 0; i < choice->count; i++) {
    const struct gpm_column *c = &gpm_columns[choice->column[i]];
    printf("%-16s %s\n", c->title, c->definition);
  }
}

void gpm_columns_say_sum(const unsigned *column, unsigned count) {
  bool shown = false;
  for (unsigned i = 0; i < count; i++) shown |= column[i] == GPM_FIGURE_at_peak;
  if (!shown) return;
  puts(
      "`at peak` of a row with memory of several devices, of which pinned host memory is one, is a "
      "sum:\neach device's at its own peak; --device N shows one alone");
}

void gpm_columns_say_machine(const unsigned *column, unsigned count, unsigned seen) {
  if (!seen || !gpm_columns_have_calls(column, count)) return;
  puts("functions that were not rebuilt: `calls` are those that the machine stack shows\n"
       "when memory moves, and `own peak` may be that of several consecutive calls");
  if (seen & GPM_ROW_INLINED) puts("- : calls of functions that were inlined are not seen");
}
