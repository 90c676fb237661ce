/* imbalance.h - why one process needs more memory than the others: at which line.
 *
 * Of each capture is added what its GPU with the highest peak held then, by call path and by line.
 * Afterwards
 * the capture of the process with the highest peak is opened once more: its lines less the means
 * of all processes add up to what it has more, and the line with the most is named.
 */
#ifndef GPM_TOOLS_IMBALANCE_H
#define GPM_TOOLS_IMBALANCE_H

#include "comparison/job.h"
#include "rows/paths.h"

struct gpm_imbalance {
  uint64_t *by_path, *by_line; /* sums over processes, by path and by text of gpm_paths */
  uint32_t paths, lines;
  /* The result. */
  bool known;                  /* GPUs were used, by more than one process */
  bool even;                   /* the highest peak is less than 1.05x the mean */
  double factor;               /* that, to the mean */
  uint64_t more;               /* bytes above the mean */
  char *line;                  /* "main.c:44 solve  float *u = n * 4"; null: not known */
  char *callers;               /* of its path that has most of it; "" */
  bool most_callers;           /* other paths have some of it as well */
  uint64_t bytes;              /* that the line has above its mean */
  uint32_t node;               /* of that path, in ... */
  struct gpm_profile *profile; /* ... the process with the highest peak; null: not known */
  struct gpm_reader *reader;   /* of that profile */
};

/* The paths are those of the profile's nodes. */
void gpm_imbalance_add(struct gpm_imbalance *imbalance, const struct gpm_paths *paths,
                       const struct gpm_profile *profile, const uint32_t *path_of_node);
void gpm_imbalance_find(struct gpm_imbalance *imbalance, struct gpm_paths *paths,
                        const struct gpm_processes *all, const struct gpm_job_peaks *peaks,
                        bool short_names, struct gpm_host *host);
void gpm_imbalance_free(struct gpm_imbalance *imbalance);

/* "imbalance: rank 3 peaked at ..., 2.00x the mean of ...; most of the difference ...", "balanced:
 * ...", or "" of one process; to be freed. */
char *gpm_imbalance_text(const struct gpm_imbalance *imbalance, const struct gpm_processes *all,
                         const struct gpm_job_peaks *peaks, unsigned style);

#endif
