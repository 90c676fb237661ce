/* fields_order.c - see fields_order.h. */
#include "print/fields_order.h"

#include "rows/order.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

struct item {
  uint32_t row, node;
  char *text;   /* null: the field is a location */
  bool numbers; /* of the text are compared by value */
};

static int compare_locations(const struct gpm_profile *profile, uint32_t a, uint32_t b) {
  if (a == b) return 0;
  if (a == GPUMEMPROF_NONE || b == GPUMEMPROF_NONE) return a == GPUMEMPROF_NONE ? 1 : -1;
  return gpm_order_paths(profile, a, b);
}

static int compare_texts(const struct item *x, const struct item *y) {
  return x->numbers && *x->text && *y->text ? strverscmp(x->text, y->text)
                                            : gpm_order_texts(x->text, y->text);
}

static int compare(const void *a, const void *b, void *profile) {
  const struct item *x = a, *y = b;
  int by = x->text ? compare_texts(x, y) : 0;
  if (!by) by = compare_locations(profile, x->node, y->node);
  return by ? by : x->row < y->row ? -1 : x->row > y->row;
}

static bool is_location(enum gpm_field_id field) {
  static const char *const locations[] = {"location", "file",         "line",
                                          "path",     "allocated_in", "freed_in"};
  for (size_t i = 0; i < sizeof locations / sizeof *locations; i++)
    if (!strcmp(gpm_fields[field].key, locations[i])) return true;
  return false;
}

/* "GPU 2" is before "GPU 10", and "a.c:9 main" before "a.c:10 main". */
static bool has_numbers(enum gpm_field_id field) {
  return field == GPM_FIELD_pools_device || field == GPM_FIELD_temporaries_freed_by;
}

uint32_t *gpm_fields_order(const struct gpm_fields_rows *rows, uint32_t count,
                           enum gpm_field_id field) {
  struct item *item = gpm_memory_array(count, sizeof *item);
  bool locations = rows->node && is_location(field);
  for (uint32_t i = 0; i < count; i++)
    item[i] = (struct item){
        .row = i,
        .node = rows->node ? rows->node(rows->data, i, field) : GPUMEMPROF_NONE,
        .text = locations ? NULL : rows->cell(rows->data, i, field),
        .numbers = has_numbers(field),
    };
  if (count) qsort_r(item, count, sizeof *item, compare, (void *)(uintptr_t)rows->profile);
  uint32_t *order = gpm_memory_array(count, sizeof *order);
  for (uint32_t i = 0; i < count; i++) {
    order[i] = item[i].row;
    free(item[i].text);
  }
  free(item);
  return order;
}
