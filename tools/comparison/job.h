/* job.h - what the processes of several captures are together: hosts, GPUs, states, sums of what
 * was allocated and of what was lost, peaks. Captures are added one after the other.
 */
#ifndef GPM_TOOLS_JOB_H
#define GPM_TOOLS_JOB_H

#include "analysis/conserve.h"
#include "capture/processes.h"
#include "support/words.h"

struct gpm_job {
  struct gpm_words hosts, programs;
  struct gpm_words gpus; /* by UUID; one without is of its host and number */
  struct gpm_job_gpu {   /* by word of these */
    uint32_t processes;
    uint64_t peaks; /* of these processes, added up */
    uint64_t memory;
    bool certain; /* it has a UUID, so that it is one */
  } *gpu;
  uint32_t shared; /* certain ones that several processes used */
  uint32_t states[GPM_STATE_ELSEWHERE + 1];
  struct gpm_conservation sums; /* of all; ok: in each of them */
  bool is_part;                 /* of the runs (window.h) */
  uint32_t faults;              /* processes in which something does not add up */
  struct gpm_job_loss {
    uint64_t all, most;
    uint32_t processes, of; /* in how many, and which has most */
  } loss[GPUMEMPROF_CAPTURE_COUNTERS];
  uint64_t failed_calls, failed_bytes;
  uint32_t failed; /* processes in which an allocation failed */
};

/* One more capture, the whole of it; fills what of the process is its. */
void gpm_job_add(struct gpm_job *job, struct gpm_process *process, uint32_t number,
                 const struct gpm_reader *reader);
void gpm_job_free(struct gpm_job *job);
/* The record of the GPU with the highest peak, of equal ones the first; NONE: it used no GPU. */
uint32_t gpm_job_highest_gpu(const struct gpm_reader *reader);

/* The highest GPU peaks of processes: each is of one GPU, so that it is no more than a GPU has. One
 * is an outlier if that is more than a quarter above or below the median. */
struct gpm_job_peaks {
  uint64_t min, max, median;
  double mean;
  uint32_t min_of, max_of; /* the first process that has it */
  uint32_t outliers;
};
struct gpm_job_peaks gpm_job_peaks(const struct gpm_processes *all);
bool gpm_job_is_outlier(const struct gpm_job_peaks *peaks, uint64_t peak);

#endif
