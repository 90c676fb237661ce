/* job.h - totals of several processes, one capture each: hosts, GPUs, states, peaks, and sums of
 * what was allocated and what was lost. Captures are added one after the other.
 */
#ifndef GPM_TOOLS_JOB_H
#define GPM_TOOLS_JOB_H

#include "analysis/conserve.h"
#include "capture/processes.h"
#include "support/words.h"

struct gpm_job {
  struct gpm_words hosts, programs;
  struct gpm_words gpus; /* GPUs by UUID; one without a UUID is named by its host and number */
  struct gpm_job_gpu {   /* by index of that word */
    uint32_t processes;
    uint64_t peaks; /* sum of the peaks of its processes */
    uint64_t memory;
    bool certain; /* it has a UUID, so it is certainly one GPU */
  } *gpu;
  uint32_t shared; /* number of GPUs with a UUID that several processes used */
  uint32_t states[GPM_STATE_ELSEWHERE + 1];
  struct gpm_conservation sums; /* sums over all processes; ok: each process is balanced */
  bool is_part;                 /* figures are those of a window (window.h) */
  uint32_t faults;              /* number of processes that are not balanced */
  struct gpm_job_loss {
    uint64_t all, most;
    uint32_t processes, of; /* number of processes with this loss, and the one with the most */
  } loss[GPUMEMPROF_CAPTURE_COUNTERS];
  uint64_t failed_calls, failed_bytes;
  uint32_t failed; /* number of processes in which an allocation failed */
};

/* Adds one capture, with all its figures, and fills the members of `process` that follow from it.
 */
void gpm_job_add(struct gpm_job *job, struct gpm_process *process, uint32_t number,
                 const struct gpm_reader *reader);
void gpm_job_free(struct gpm_job *job);
/* Returns the record of the GPU with the highest peak, the first of equal ones; NONE if no GPU was
 * used. */
uint32_t gpm_job_highest_gpu(const struct gpm_reader *reader);

/* The highest GPU peak of each process. Each is the peak of one GPU, so that it cannot exceed the
 * memory of a GPU. A process is an outlier if its peak is more than a quarter above or below the
 * median. */
struct gpm_job_peaks {
  uint64_t min, max, median;
  double mean;
  uint32_t min_of, max_of; /* the first process that has the minimum, and the maximum */
  uint32_t outliers;
};
struct gpm_job_peaks gpm_job_peaks(const struct gpm_processes *all);
bool gpm_job_is_outlier(const struct gpm_job_peaks *peaks, uint64_t peak);

#endif
