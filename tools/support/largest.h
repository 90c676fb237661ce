/* largest.h - keeps the records of greatest weight from a stream, in bounded memory. */
#ifndef GPM_TOOLS_LARGEST_H
#define GPM_TOOLS_LARGEST_H

#include <stddef.h>
#include <stdint.h>

struct gpm_largest {
  size_t size; /* bytes of a record */
  size_t most; /* how many are kept */
  /* Called for each record that is dropped or was not kept at all; may be null. */
  void (*drop)(void *data, const void *record);
  void *data;
  /* The kept records, as a heap: the lightest first. */
  size_t count, room;
  double *weight;
  unsigned char *record;
};

void gpm_largest_add(struct gpm_largest *largest, double weight, const void *record);
/* Weighs the kept records again, with `data` as it is passed to drop. */
void gpm_largest_weigh(struct gpm_largest *largest,
                       double (*weigh)(void *data, const void *record));
/* Drops the lightest records until so many are left. */
void gpm_largest_shrink(struct gpm_largest *largest, size_t most);
static inline void *gpm_largest_at(const struct gpm_largest *largest, size_t i) {
  return largest->record + i * largest->size;
}
/* Pointers to the kept records, sorted by `compare` as qsort calls it. The array is to be freed;
 * the records stay owned here. */
void **gpm_largest_sorted(const struct gpm_largest *largest,
                          int (*compare)(const void *, const void *));
void gpm_largest_free(struct gpm_largest *largest);

#endif
