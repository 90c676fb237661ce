/* job_print.c - prints the figures of several processes together, as text and as JSON. */
#include "print/job_print.h"
#include "output/json.h"
#include "output/summary.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NAMED = 8 };

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- for people --------------------------------------------------------------------------------
 */

/* Prints ", 6 of 8 ranks (no capture of 2, 5)". */
static void print_ranks(const struct gpm_processes *all) {
  uint32_t job = gpm_processes_job(all), first, last, gaps = 0;
  if (!all->by_rank) return;
  if (job > all->read) printf(", %u of %u ranks", all->read, job);
  else printf(", %s%u rank%s", job ? "all " : "", all->read, plural(all->read));
  for (uint32_t at = 0; gpm_processes_gap(all, &at, &first, &last); gaps++) {
    if (gaps > MOST_NAMED) continue;
    printf("%s", gaps == MOST_NAMED ? " and more" : gaps ? ", " : " (no capture of ");
    if (gaps == MOST_NAMED) continue;
    printf("%u", first);
    if (last > first) printf(" to %u", last);
  }
  if (gaps) putchar(')');
}

/* Prints "3 complete captures, 1 running". */
static void print_states(const struct gpm_job *job) {
  const char *comma = "";
  for (unsigned s = 0; s < sizeof job->states / sizeof job->states[0]; s++) {
    if (!job->states[s]) continue;
    if (s == GPM_STATE_COMPLETE)
      printf("%s%u complete capture%s", comma, job->states[s], gpm_text_s(job->states[s]));
    else if (s == GPM_STATE_ELSEWHERE)
      printf("%s%u of another host, without a clean exit so far", comma, job->states[s]);
    else printf("%s%u %s", comma, job->states[s], gpm_state_name((enum gpm_state)s));
    comma = ", ";
  }
  putchar('\n');
}

static void print_left_out(const struct gpm_processes *all) {
  uint32_t unread = all->count - all->read;
  if (unread)
    printf("LEFT OUT: %u of %u captures, which cannot be read (standard error says why)\n", unread,
           all->count);
  if (all->copies)
    printf("left out: %u cop%s made while a program ran, whose whole capture is here\n",
           all->copies, all->copies == 1 ? "y" : "ies");
  if (all->repeated)
    printf("left out: %u capture%s of a process that is here under another name\n", all->repeated,
           plural(all->repeated));
  if (all->twice) printf("left out: %u file%s named twice\n", all->twice, plural(all->twice));
}

static void print_programs(const struct gpm_job *job) {
  if (job->programs.count < 2) return;
  printf("of %u programs: ", job->programs.count);
  for (uint32_t i = 0; i < job->programs.count && i < MOST_NAMED; i++)
    printf("%s%s", i ? ", " : "", job->programs.text[i]);
  printf("%s. Rows are found again by file, line and function\n",
         job->programs.count > MOST_NAMED ? " and more" : "");
}

/* Processes that share a GPU may reach their peaks at the same time. */
static void print_shared(const struct gpm_job *job, unsigned style) {
  char peaks[GPM_TEXT_NUMBER], memory[GPM_TEXT_NUMBER];
  const struct gpm_job_gpu *most = NULL;
  for (uint32_t i = 0; i < job->gpus.count; i++) {
    const struct gpm_job_gpu *gpu = &job->gpu[i];
    if (!gpu->certain || gpu->processes < 2 || !gpu->peaks) continue;
    if (!most || gpu->peaks > most->peaks) most = gpu;
  }
  if (!most) return;
  printf("%s%s: the peaks of %u processes add up to %s",
         job->shared > 1 ? "shared GPUs, most on " : "shared ", job->gpus.text[most - job->gpu],
         most->processes, gpm_text_bytes(peaks, (int64_t)most->peaks, style));
  if (most->memory) printf(" of %s", gpm_text_bytes(memory, (int64_t)most->memory, style));
  printf(", if they came at once\n");
}

static bool has_several_gpus(const struct gpm_processes *all) {
  for (uint32_t i = 0; i < all->read; i++)
    if (all->process[i].gpus > 1) return true;
  return false;
}

static void print_peaks(const struct gpm_processes *all, const struct gpm_job_peaks *peaks,
                        unsigned style) {
  char min[GPM_TEXT_NUMBER], mean[GPM_TEXT_NUMBER], max[GPM_TEXT_NUMBER];
  const char *what = has_several_gpus(all) ? "highest GPU peak" : "GPU peak";
  gpm_text_bytes(max, (int64_t)peaks->max, style);
  if (peaks->min == peaks->max) printf("%s of each process: %s\n", what, max);
  else
    printf("%s of a process: %s (%s) to %s (%s), mean %s\n", what,
           gpm_text_bytes(min, (int64_t)peaks->min, style), all->process[peaks->min_of].name, max,
           all->process[peaks->max_of].name,
           gpm_text_bytes(mean, gpm_text_whole(peaks->mean), style));
}

static void print_outliers(const struct gpm_processes *all, const struct gpm_job_peaks *peaks,
                           unsigned style) {
  char bytes[GPM_TEXT_NUMBER];
  uint32_t named = 0;
  if (all->read < 3 || !peaks->outliers) return;
  printf("outliers, more than a quarter from the median of %s: ",
         gpm_text_bytes(bytes, (int64_t)peaks->median, style));
  for (uint32_t i = 0; i < all->read && named < MOST_NAMED; i++) {
    const struct gpm_process *p = &all->process[i];
    if (!gpm_job_is_outlier(peaks, p->peak)) continue;
    printf("%s%s %s", named++ ? ", " : "", p->name, gpm_text_bytes(bytes, (int64_t)p->peak, style));
  }
  if (named < peaks->outliers) printf(" and %u more", peaks->outliers - named);
  putchar('\n');
}

static void print_sums(const struct gpm_job *job, const struct gpm_processes *all, unsigned style) {
  gpm_summary_print_balance(&job->sums, job->is_part, style);
  if (!job->faults) printf(": balanced in each process\n");
  else printf(": NOT BALANCED in %u process%s\n", job->faults, job->faults == 1 ? "" : "es");
  uint32_t named = 0;
  for (uint32_t i = 0; i < all->read && named < MOST_NAMED; i++)
    if (all->process[i].fault) {
      printf("  %s: %s\n", all->process[i].name, all->process[i].fault);
      named++;
    }
}

void gpm_job_print(const struct gpm_job *job, const struct gpm_processes *all,
                   const struct gpm_job_peaks *peaks, const char *imbalance, unsigned style) {
  printf("%u process%s of %s", all->read, all->read == 1 ? "" : "es",
         job->programs.count > 1 ? "several programs" : all->process[0].program);
  print_ranks(all);
  printf(", %u host%s, %u GPU%s: ", job->hosts.count, plural(job->hosts.count), job->gpus.count,
         plural(job->gpus.count));
  print_states(job);
  print_left_out(all);
  print_programs(job);
  print_peaks(all, peaks, style);
  if (*imbalance) printf("%s\n", imbalance);
  print_outliers(all, peaks, style);
  print_shared(job, style);
  print_sums(job, all, style);
}

void gpm_job_print_losses(const struct gpm_job *job, const struct gpm_processes *all,
                          unsigned style) {
  char bytes[GPM_TEXT_NUMBER];
  if (job->failed_calls)
    printf("%" PRIu64 " allocation%s failed (%s) in %u process%s (`gpumemprof report "
           "CAPTURE` shows where)\n",
           job->failed_calls, plural(job->failed_calls),
           gpm_text_bytes(bytes, (int64_t)job->failed_bytes, style), job->failed,
           job->failed == 1 ? "" : "es");
  for (unsigned i = 0; gpm_counters[i].name; i++) {
    const struct gpm_job_loss *loss = &job->loss[i];
    if (!loss->all || gpm_counters[i].class == GPM_COUNTER_OTHER) continue;
    char *counted = gpm_text_counted(loss->all, gpm_counters[i].text);
    printf("%s: %s, in %u process%s", gpm_counter_words[gpm_counters[i].class], counted,
           loss->processes, loss->processes == 1 ? "" : "es");
    free(counted);
    if (gpm_counters[i].class == GPM_COUNTER_LOSS)
      printf(", most in %s (%" PRIu64 ")", all->process[loss->of].name, loss->most);
    putchar('\n');
  }
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static json_t *words_json(const struct gpm_words *words) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < words->count; i++)
    json_array_append_new(list, gpm_json_text(words->text[i]));
  return list;
}

static json_t *captures_json(const struct gpm_processes *all) {
  json_t *json = json_object(), *unread = json_array();
  for (uint32_t i = all->read; i < all->count; i++)
    json_array_append_new(unread, gpm_json_text(all->process[i].path));
  gpm_json_put(json, merged_captures, found, json_integer(all->count));
  gpm_json_put(json, merged_captures, merged, json_integer(all->read));
  gpm_json_put(json, merged_captures, unread, unread);
  gpm_json_put(json, merged_captures, copies_left_out, json_integer(all->copies));
  gpm_json_put(json, merged_captures, same_process_left_out, json_integer(all->repeated));
  gpm_json_put(json, merged_captures, named_twice, json_integer(all->twice));
  return json;
}

static json_t *ranks_json(const struct gpm_processes *all) {
  if (!all->by_rank) return json_null();
  uint32_t job = gpm_processes_job(all), first, last;
  json_t *json = json_object(), *missing = json_array();
  gpm_json_put(json, merged_ranks, job, job ? json_integer(job) : json_null());
  for (uint32_t at = 0; gpm_processes_gap(all, &at, &first, &last);)
    json_array_append_new(missing, json_pack("[II]", (json_int_t)first, (json_int_t)last));
  gpm_json_put(json, merged_ranks, missing, missing);
  return json;
}

static json_t *gpus_json(const struct gpm_job *job) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < job->gpus.count; i++) {
    const struct gpm_job_gpu *gpu = &job->gpu[i];
    json_t *one = json_object();
    gpm_json_put(one, merged_gpu, gpu, gpm_json_text(job->gpus.text[i]));
    gpm_json_put(one, merged_gpu, processes, json_integer(gpu->processes));
    gpm_json_put(one, merged_gpu, peaks, json_integer((json_int_t)gpu->peaks));
    gpm_json_put(one, merged_gpu, memory_total,
                 gpu->memory ? json_integer((json_int_t)gpu->memory) : json_null());
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *conservation_json(const struct gpm_job *job) {
  const struct gpm_conservation *c = &job->sums;
  json_t *json = json_object();
  gpm_json_put(json, merged_conservation, allocated, json_integer((json_int_t)c->allocated));
  gpm_json_put(json, merged_conservation, freed, json_integer((json_int_t)c->freed));
  gpm_json_put(json, merged_conservation, live, json_integer((json_int_t)c->live));
  gpm_json_put(json, merged_conservation, allocated_blocks,
               json_integer((json_int_t)c->allocated_blocks));
  gpm_json_put(json, merged_conservation, freed_blocks, json_integer((json_int_t)c->freed_blocks));
  gpm_json_put(json, merged_conservation, live_blocks, json_integer((json_int_t)c->live_blocks));
  gpm_json_put(json, merged_conservation, ok, json_boolean(!job->faults));
  if (job->is_part) {
    gpm_json_put(json, merged_conservation, live_before, json_integer((json_int_t)c->older));
    gpm_json_put(json, merged_conservation, live_blocks_before,
                 json_integer((json_int_t)c->older_blocks));
  }
  return json;
}

static json_t *losses_json(const struct gpm_job *job) {
  json_t *losses = json_object();
  for (unsigned i = 0; gpm_counters[i].name; i++)
    if (gpm_counters[i].class == GPM_COUNTER_LOSS)
      json_object_set_new(losses, gpm_counters[i].name, json_integer((json_int_t)job->loss[i].all));
  return losses;
}

static json_t *failed_json(const struct gpm_job *job) {
  json_t *json = json_object();
  gpm_json_put(json, merged_failed, calls, json_integer((json_int_t)job->failed_calls));
  gpm_json_put(json, merged_failed, bytes, json_integer((json_int_t)job->failed_bytes));
  gpm_json_put(json, merged_failed, processes, json_integer((json_int_t)job->failed));
  return json;
}

void gpm_job_json(json_t *report, const struct gpm_job *job, const struct gpm_processes *all) {
  gpm_json_put(report, merge, captures, captures_json(all));
  gpm_json_put(report, merge, ranks, ranks_json(all));
  gpm_json_put(report, merge, hosts, words_json(&job->hosts));
  gpm_json_put(report, merge, programs, words_json(&job->programs));
  gpm_json_put(report, merge, gpus, gpus_json(job));
  gpm_json_put(report, merge, conservation, conservation_json(job));
  gpm_json_put(report, merge, losses, losses_json(job));
  gpm_json_put(report, merge, failed, failed_json(job));
}

json_t *gpm_job_process_json(const struct gpm_process *p, const struct gpm_job_peaks *peaks) {
  json_t *json = json_object();
  gpm_json_put(json, merged_process, name, json_string(p->name));
  gpm_json_put(json, merged_process, rank, p->ranked ? json_integer(p->rank) : json_null());
  gpm_json_put(json, merged_process, capture, gpm_json_text(p->path));
  gpm_json_put(json, merged_process, host, json_string(p->host));
  gpm_json_put(json, merged_process, pid, json_integer((json_int_t)p->pid));
  gpm_json_put(json, merged_process, program, json_string(p->program));
  gpm_json_put(json, merged_process, state, json_string(gpm_state_name(p->state)));
  gpm_json_put(json, merged_process, gpus, json_integer(p->gpus));
  gpm_json_put(json, merged_process, peak, json_integer((json_int_t)p->peak));
  gpm_json_put(json, merged_process, peak_device, p->gpu < 0 ? json_null() : json_integer(p->gpu));
  gpm_json_put(json, merged_process, peaks, json_integer((json_int_t)p->peaks));
  gpm_json_put(json, merged_process, outlier, json_boolean(gpm_job_is_outlier(peaks, p->peak)));
  gpm_json_put(json, merged_process, fault, p->fault ? json_string(p->fault) : json_null());
  return json;
}
