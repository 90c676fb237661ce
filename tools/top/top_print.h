/* top_print.h - one refresh of a program as a table, JSON or CSV: `gpumemprof top --once`. */
#ifndef GPM_TOOLS_TOP_PRINT_H
#define GPM_TOOLS_TOP_PRINT_H

#include "input/command.h"
#include "top/top_order.h"

void gpm_top_print(struct gpm_top *top, const struct gpm_top_order *order,
                   const struct gpm_input *input);

#endif
