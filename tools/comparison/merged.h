/* merged.h - rows of several captures as one: for each figure the lowest, the highest, their sum,
 * and which process had them.
 *
 * A row is what its place says (function, file, line; the call path; the kind, label, ...), so that
 * no capture has to stay open. Processes are added in order; memory grows with different rows, not
 * with processes. What a row lacks in a process counts 0 there, but for figures that are of blocks
 * and calls (GPM_MERGE_EACH): those are of the processes in which they apply.
 */
#ifndef GPM_TOOLS_MERGED_H
#define GPM_TOOLS_MERGED_H

#include "analysis/trifles.h"
#include "comparison/compare.h"
#include "rows/paths.h"

/* What else is told of a row: text columns, from the first process that has it. */
enum { GPM_MERGED_TEXTS = 6 };
extern const unsigned gpm_merged_columns[GPM_MERGED_TEXTS];

struct gpm_merged_figure {
  int64_t min, max;        /* unsigned figures are stored as they are */
  uint64_t sum;            /* of signed ones as well: modulo 2^64 */
  uint32_t min_of, max_of; /* number of the first process that has it */
  uint32_t known;          /* processes in which it applies; 0: nothing of this is known */
};
struct gpm_merged_row {
  uint32_t processes; /* that have it */
  bool is_sum;        /* in one of them at_peak is of several devices */
  uint32_t latest;    /* process; and the first that lacks it, or NONE */
  uint32_t lacking;
  uint32_t path;                   /* rows by path: which */
  uint32_t place;                  /* word: the location column; by path what is allocated there */
  uint32_t text[GPM_MERGED_TEXTS]; /* words */
  uint32_t line;
  uint64_t total[GPM_TOTALS]; /* sums of the figures whose rows add up */
  struct gpm_trifle trifle;   /* sums, where it is one in each process that has it */
  bool matters;               /* it is none in some process */
};
struct gpm_merged {
  enum gpm_by by;
  const enum gpm_figure *figure;
  unsigned figures;
  struct gpm_words keys;  /* by row: what its place says */
  struct gpm_words words; /* texts */
  struct gpm_merged_row *row;
  struct gpm_merged_figure *value; /* row by row, in the order of `figure` */
  uint32_t count, room;
};

/* One more process, with the paths of its nodes (paths.h); its rows are by `by`. */
void gpm_merged_add(struct gpm_merged *merged, struct gpm_rows *rows, uint32_t process,
                    const uint32_t *path_of_node);
/* After the last one: zeros of processes that lack a row become lowest and highest figures. */
void gpm_merged_end(struct gpm_merged *merged, uint32_t processes);
void gpm_merged_free(struct gpm_merged *merged);

static inline const struct gpm_merged_figure *gpm_merged_value(const struct gpm_merged *merged,
                                                               uint32_t row, unsigned number) {
  return &merged->value[(size_t)row * merged->figures + number];
}
/* The mean of a figure: over all processes, or those in which it applies. */
double gpm_merged_mean(const struct gpm_merged *merged, uint32_t row, unsigned number,
                       uint32_t processes);
struct gpm_totals gpm_merged_totals(const struct gpm_merged *merged);

#endif
