/* order.h - the rows that a report shows, and their order. */
#ifndef GPM_TOOLS_ORDER_H
#define GPM_TOOLS_ORDER_H

#include "rows/columns.h"

struct gpm_order {
  uint32_t *row; /* numbers of rows */
  uint32_t count;
};

/* Orders all rows that are shown: figures from high to low, texts from a to z. Rows that are equal
 * in the column are ordered by location, so that equal captures give equal reports. */
void gpm_order_make(struct gpm_order *order, const struct gpm_rows *rows, unsigned column,
                    bool positive);
/* Sorts numbers of rows into that order. */
void gpm_order_sort(uint32_t *row, uint32_t count, const struct gpm_rows *rows, unsigned column);

/* Compares two texts from a to z; an empty one comes last, as figures that do not apply do. */
int gpm_order_texts(const char *a, const char *b);
/* Compares two call paths by the innermost location that differs, which orders rows of equal
 * figures. */
int gpm_order_paths(const struct gpm_profile *profile, uint32_t a, uint32_t b);
/* A comparison as qsort_r calls it. It returns 0 only for an item and itself. */
typedef int gpm_order_compare(const void *a, const void *b, void *data);
/* Sorts the first `most` of all items to the front, and overwrites the others if there are more. */
void gpm_order_first(uint32_t *item, uint32_t count, uint32_t most, gpm_order_compare *compare,
                     void *data);
void gpm_order_free(struct gpm_order *order);

#endif
