/* job.c - see job.h. */
#include "comparison/job.h"

#include "model/split_cells.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

static char *program_of(const struct gpm_reader *r) {
  const struct gpumemprof_capture_header *h = &r->header;
  char *text = gpm_text_clean(h->command_line[0] ? h->command_line : h->executable);
  if (*text) return text;
  free(text);
  return gpm_memory_text("(unnamed program)");
}

/* Programs are distinguished by their file, since ranks may have different arguments. */
static void add_program(struct gpm_job *job, const struct gpm_reader *r) {
  const struct gpumemprof_capture_header *h = &r->header;
  const char *end = strchr(h->command_line, ' ');
  size_t length = end ? (size_t)(end - h->command_line) : strlen(h->command_line);
  char *name = h->executable[0] ? gpm_text_clean(h->executable)
                                : gpm_memory_format("%.*s", (int)length, h->command_line);
  gpm_words_exact(&job->programs, name);
  free(name);
}

static struct gpm_job_gpu *gpu_of(struct gpm_job *job, const struct gpm_reader *r, uint32_t i) {
  char uuid[GPM_LOCATIONS_UUID];
  bool certain = *gpm_locations_uuid(r, i, uuid);
  char *name = certain ? gpm_memory_text(uuid)
                       : gpm_memory_format("GPU %d of %s", r->devices[i].ordinal, r->header.host);
  uint32_t known = job->gpus.count, number = gpm_words_exact(&job->gpus, name);
  free(name);
  if (number == known) {
    job->gpu = gpm_memory_resize(job->gpu, (size_t)known + 1, sizeof *job->gpu);
    job->gpu[number] =
        (struct gpm_job_gpu){.memory = r->devices[i].memory_total, .certain = certain};
  }
  return &job->gpu[number];
}

uint32_t gpm_job_highest_gpu(const struct gpm_reader *r) {
  uint32_t highest = GPUMEMPROF_NONE;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (r->devices[device].ordinal < 0) continue;
    if (highest == GPUMEMPROF_NONE || r->devices[device].peak > r->devices[highest].peak)
      highest = device;
  }
  return highest;
}

static void add_gpus(struct gpm_job *job, struct gpm_process *process, const struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->device_count; i++) {
    if (r->devices[i].ordinal < 0) continue;
    struct gpm_job_gpu *gpu = gpu_of(job, r, i);
    gpu->peaks += r->devices[i].peak;
    job->shared += ++gpu->processes == 2 && gpu->certain;
    process->gpus++;
    process->peaks += r->devices[i].peak;
  }
  uint32_t highest = gpm_job_highest_gpu(r);
  process->gpu = highest == GPUMEMPROF_NONE ? -1 : r->devices[highest].ordinal;
  process->peak = highest == GPUMEMPROF_NONE ? 0 : r->devices[highest].peak;
}

static void add_sums(struct gpm_job *job, struct gpm_process *process, const struct gpm_reader *r) {
  struct gpm_conservation c = gpm_conserve(r);
  uint64_t *to[] = {&job->sums.allocated,    &job->sums.freed,
                    &job->sums.live,         &job->sums.allocated_blocks,
                    &job->sums.freed_blocks, &job->sums.live_blocks,
                    &job->sums.older,        &job->sums.older_blocks};
  const uint64_t from[] = {c.allocated,    c.freed,       c.live,  c.allocated_blocks,
                           c.freed_blocks, c.live_blocks, c.older, c.older_blocks};
  for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) *to[i] += from[i];
  job->is_part |= gpm_split_is_part(r);
  process->fault = c.fault;
  job->faults += !c.ok;
}

static void add_losses(struct gpm_job *job, uint32_t number, const struct gpm_reader *r) {
  for (unsigned i = 0; i < GPUMEMPROF_CAPTURE_COUNTERS; i++) {
    uint64_t lost = r->header.counters[i];
    struct gpm_job_loss *loss = &job->loss[i];
    if (!lost) continue;
    loss->all += lost;
    loss->processes++;
    if (lost <= loss->most) continue;
    loss->most = lost;
    loss->of = number;
  }
}

static void add_failures(struct gpm_job *job, const struct gpm_reader *r) {
  uint64_t before = job->failed_calls;
  struct gpm_cursor at = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));) {
    job->failed_calls += n->failed_calls;
    job->failed_bytes += n->failed_bytes;
  }
  job->failed += job->failed_calls != before;
}

void gpm_job_add(struct gpm_job *job, struct gpm_process *process, uint32_t number,
                 const struct gpm_reader *r) {
  process->state = gpm_reader_state(r);
  process->host = gpm_text_clean(r->header.host);
  process->program = program_of(r);
  process->pid = r->header.pid;
  job->states[process->state]++;
  gpm_words_exact(&job->hosts, process->host);
  add_program(job, r);
  add_gpus(job, process, r);
  add_sums(job, process, r);
  add_losses(job, number, r);
  add_failures(job, r);
}

void gpm_job_free(struct gpm_job *job) {
  gpm_words_free(&job->hosts);
  gpm_words_free(&job->programs);
  gpm_words_free(&job->gpus);
  free(job->gpu);
}

/* ---- peaks -------------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

bool gpm_job_is_outlier(const struct gpm_job_peaks *peaks, uint64_t peak) {
  uint64_t from = peak > peaks->median ? peak - peaks->median : peaks->median - peak;
  return from > peaks->median / 4;
}

struct gpm_job_peaks gpm_job_peaks(const struct gpm_processes *all) {
  struct gpm_job_peaks peaks = {0};
  uint64_t *value = gpm_memory_array(all->read ? all->read : 1, sizeof *value);
  double sum = 0;
  for (uint32_t i = 0; i < all->read; i++) {
    uint64_t peak = value[i] = all->process[i].peak;
    sum += (double)peak;
    if (!i || peak < peaks.min) peaks.min = peak, peaks.min_of = i;
    if (!i || peak > peaks.max) peaks.max = peak, peaks.max_of = i;
  }
  if (all->read) qsort(value, all->read, sizeof *value, by_value);
  peaks.mean = all->read ? sum / all->read : 0;
  peaks.median = value[all->read / 2];
  if (all->read && all->read % 2 == 0)
    peaks.median = value[all->read / 2 - 1] + (peaks.median - value[all->read / 2 - 1]) / 2;
  for (uint32_t i = 0; i < all->read; i++)
    peaks.outliers += gpm_job_is_outlier(&peaks, all->process[i].peak);
  free(value);
  return peaks;
}
