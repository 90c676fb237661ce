/* job_print.h - prints the figures of the processes of several captures together (job.h), above and
 * below the rows of `gpumemprof merge`, and as JSON. */
#ifndef GPM_TOOLS_JOB_PRINT_H
#define GPM_TOOLS_JOB_PRINT_H

#include "comparison/job.h"

#include <jansson.h>

/* Print what precedes the rows, as text and as fields of a JSON report. `style` is that of
 * text.h. */
void gpm_job_print(const struct gpm_job *job, const struct gpm_processes *all,
                   const struct gpm_job_peaks *peaks, const char *imbalance, unsigned style);
void gpm_job_print_losses(const struct gpm_job *job, const struct gpm_processes *all,
                          unsigned style);
void gpm_job_json(json_t *report, const struct gpm_job *job, const struct gpm_processes *all);
json_t *gpm_job_process_json(const struct gpm_process *process, const struct gpm_job_peaks *peaks);

#endif
