/* merged.h - merges the rows of several captures: for each figure the lowest, the highest, their
 * sum, and the processes that had them.
 *
 * Rows are equal if their texts are (function, file, line; the call path; the kind, label, ...), so
 * that no capture has to stay open. Processes are added in order; memory grows with the number of
 * different rows, not of processes. A process that lacks a row counts as 0, except for figures that
 * belong to blocks and calls (GPM_MERGE_EACH): these count only the processes in which they apply.
 */
#ifndef GPM_TOOLS_MERGED_H
#define GPM_TOOLS_MERGED_H

#include "analysis/small_variables.h"
#include "comparison/compare.h"
#include "rows/paths.h"

/* The other text columns of a row, from the first process that has the row. */
enum { GPM_MERGED_TEXTS = 6 };
extern const unsigned gpm_merged_columns[GPM_MERGED_TEXTS];

struct gpm_merged_figure {
  int64_t min, max;        /* unsigned figures are stored as they are */
  uint64_t sum;            /* modulo 2^64, for signed figures as well */
  uint32_t min_of, max_of; /* the first process that has the minimum, and the maximum */
  uint32_t known; /* number of processes in which it applies; 0: the other members are not known */
};
struct gpm_merged_row {
  uint32_t processes; /* number of processes that have it */
  bool is_sum;        /* in one of them at_peak is a sum over several devices */
  uint32_t latest;    /* the latest process that has it; the first that lacks it, or NONE */
  uint32_t lacking;
  uint32_t path;     /* rows by path: the path */
  uint32_t location; /* word of the location column; by path, of what is allocated there */
  uint32_t text[GPM_MERGED_TEXTS]; /* words */
  uint32_t line;
  uint64_t total[GPM_TOTALS];       /* sums of the figures whose rows add up */
  struct gpm_small_variables small; /* sums, if each process has only small variables in it */
  bool matters;                     /* the row has other memory in some process */
};
struct gpm_merged {
  enum gpm_by by;
  const enum gpm_figure *figure;
  unsigned figures;
  struct gpm_words keys;  /* by row: the texts that identify it */
  struct gpm_words words; /* texts */
  struct gpm_merged_row *row;
  struct gpm_merged_figure *value; /* row by row, in the order of `figure` */
  uint32_t count, room;
};

/* Adds a process, with the paths of its nodes (paths.h). Its rows are by `by`. */
void gpm_merged_add(struct gpm_merged *merged, struct gpm_rows *rows, uint32_t process,
                    const uint32_t *path_of_node);
/* Call it after the last process. A row that a process lacks gets 0 as lowest or highest figure. */
void gpm_merged_end(struct gpm_merged *merged, uint32_t processes);
void gpm_merged_free(struct gpm_merged *merged);

static inline const struct gpm_merged_figure *gpm_merged_value(const struct gpm_merged *merged,
                                                               uint32_t row, unsigned number) {
  return &merged->value[(size_t)row * merged->figures + number];
}
/* Returns the mean of a figure over all processes, or over those in which it applies. */
double gpm_merged_mean(const struct gpm_merged *merged, uint32_t row, unsigned number,
                       uint32_t processes);
struct gpm_totals gpm_merged_totals(const struct gpm_merged *merged);

#endif
