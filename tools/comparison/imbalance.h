/* imbalance.h - finds the line at which one process needs more memory than the others.
 *
 * For each capture, what its GPU with the highest peak held at that peak is added by call path and
 * by line. Afterwards the capture of the process with the highest peak is opened a second time: its
 * lines minus the means over all processes add up to the bytes that it has more, and the line with
 * the largest difference is named.
 */
#ifndef GPM_TOOLS_IMBALANCE_H
#define GPM_TOOLS_IMBALANCE_H

#include "comparison/job.h"
#include "model/wrappers.h"
#include "rows/paths.h"

struct gpm_imbalance {
  uint64_t *by_path, *by_line; /* sums over processes, by path and by text of gpm_paths */
  uint32_t paths, lines;
  /* The result. */
  bool known;                  /* more than one process used GPUs */
  bool even;                   /* the highest peak is less than 1.05x the mean */
  double factor;               /* the highest peak divided by the mean */
  uint64_t more;               /* bytes of the highest peak above the mean */
  char *line;                  /* "main.c:44 solve  float *u = n * 4"; null: not known */
  char *callers;               /* callers on the path that has most of the line's bytes; "" */
  bool most_callers;           /* other paths have some of the bytes as well */
  uint64_t bytes;              /* bytes of the line above its mean */
  uint32_t node;               /* the node of that path, in ... */
  struct gpm_profile *profile; /* ... the process with the highest peak; null: not known */
  struct gpm_reader *reader;   /* the reader of that profile */
};

/* path_of_node: by node of the profile, its path in `paths`. */
void gpm_imbalance_add(struct gpm_imbalance *imbalance, const struct gpm_paths *paths,
                       const struct gpm_profile *profile, const uint32_t *path_of_node);
void gpm_imbalance_find(struct gpm_imbalance *imbalance, struct gpm_paths *paths,
                        const struct gpm_processes *all, const struct gpm_job_peaks *peaks,
                        bool short_names, const struct gpm_hidden_wrappers *wrappers,
                        struct gpm_host *host);
void gpm_imbalance_free(struct gpm_imbalance *imbalance);

/* Returns "imbalance: rank 3 peaked at ..., 2.00x the mean of ...; most of the difference ...",
 * "balanced: ...", or "" for a single process; the caller frees it. */
char *gpm_imbalance_text(const struct gpm_imbalance *imbalance, const struct gpm_processes *all,
                         const struct gpm_job_peaks *peaks, unsigned style);

#endif
