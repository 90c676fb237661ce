/* order.h - which rows a report shows, in which order. */
#ifndef GPM_TOOLS_ORDER_H
#define GPM_TOOLS_ORDER_H

#include "columns.h"

struct gpm_order {
  uint32_t *row; /* numbers of rows */
  uint32_t count;
};

/* All shown rows: figures from high to low, texts from a to z; then by place, so that equal
 * captures give equal reports. */
void gpm_order_make(struct gpm_order *order, const struct gpm_rows *rows, unsigned column,
                    bool positive);
/* Numbers of rows, in that order. */
void gpm_order_sort(uint32_t *row, uint32_t count, const struct gpm_rows *rows, unsigned column);
void gpm_order_free(struct gpm_order *order);

#endif
