/* answer.c - see answer.h. */
#include "answers/answer.h"

#include "analysis/budgets.h"
#include "analysis/conserve.h"
#include "analysis/holding.h"
#include "analysis/leaks.h"
#include "analysis/nothing.h"
#include "analysis/oom.h"
#include "analysis/oom_leaks.h"
#include "model/wrappers.h"
#include "rows/devices.h"
#include "rows/locations.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>

static struct gpm_answer_part part_of(struct gpm_holding *holding) {
  struct gpm_answer_part part = {.bytes = holding->all.bytes, .blocks = holding->all.blocks};
  if (!holding->count) return part;
  part.most = holding->line[0].bytes;
  part.line = gpm_locations_node(holding->profile, holding->line[0].node);
  return part;
}

/* ---- the peak ----------------------------------------------------------------------------------
 */

bool gpm_answer_is_fuller(const struct gpm_answer *a, const struct gpm_answer *other) {
  if (!a->gpus != !other->gpus) return a->gpus != 0;
  return gpumemprof_answer_is_larger(a->peak.bytes, a->memory, other->peak.bytes, other->memory);
}

static void find_peak(struct gpm_answer *a, const struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  uint32_t fullest = GPUMEMPROF_NONE;
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (!r->devices[device].peak) continue;
    a->simulated |= gpm_devices_is_simulated(r, device);
    a->gpus += r->devices[device].ordinal >= 0;
    if (fullest == GPUMEMPROF_NONE ||
        gpumemprof_answer_is_fuller(&r->devices[device], &r->devices[fullest]))
      fullest = device;
  }
  if (fullest == GPUMEMPROF_NONE) return;
  struct gpm_holding holding;
  gpm_holding_at_peak(&holding, p, fullest);
  a->peak = part_of(&holding);
  gpm_holding_free(&holding);
  a->peak.bytes = r->devices[fullest].peak;
  a->memory = r->devices[fullest].memory_total;
  a->device = gpm_locations_device(r, fullest);
}

/* ---- leaks and failures ------------------------------------------------------------------------
 */

static void find_leaks(struct gpm_answer *a, const struct gpm_profile *p) {
  struct gpm_leaks leaks;
  struct gpm_holding holding;
  gpm_leaks_find(&leaks, p, &(struct gpm_leaks_request){0});
  gpm_holding_begin(&holding, p);
  for (uint32_t i = 0; i < leaks.count; i++) {
    const struct gpm_row *row = &leaks.rows.row[i];
    gpm_holding_add(&holding, row->key, (uint64_t)row->value[GPM_FIGURE_leaked],
                    (uint64_t)row->value[GPM_FIGURE_leaked_blocks], 0);
  }
  gpm_holding_sort(&holding);
  a->leaks = part_of(&holding);
  gpm_holding_free(&holding);
  gpm_leaks_free(&leaks);
}

static void find_failures(struct gpm_answer *a, const struct gpm_profile *p) {
  struct gpm_holding holding;
  gpm_holding_begin(&holding, p);
  struct gpm_cursor at = {.records = &p->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    gpm_holding_add(&holding, (uint32_t)at.number, n->failed_bytes, n->failed_calls, 0);
  gpm_holding_sort(&holding);
  a->failed = part_of(&holding);
  gpm_holding_free(&holding);
  a->oom_calls = gpm_oom_count(p->reader);
  a->failed_frees = p->reader->header.counters[GPUMEMPROF_COUNTER_failed_frees];
}

static void judge_budgets(struct gpm_answer *a, const struct gpm_profile *p) {
  struct gpm_budgets budgets = gpm_budgets_judge(p);
  a->broken = budgets.broken;
  if (a->broken) a->budget = gpm_locations_node(p, budgets.budget[0].node);
  gpm_budgets_free(&budgets);
}

static void find_losses(struct gpm_answer *a, const struct gpm_reader *r) {
  a->lost = gpumemprof_answer_has_losses(r->header.counters);
  struct gpm_conservation sums = gpm_conserve(r);
  a->unbalanced = !sums.ok;
  free(sums.fault);
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

static enum gpumemprof_answer_next next_of(const struct gpm_answer *a,
                                           const struct gpm_profile *p) {
  const struct gpm_reader *r = p->reader;
  return gpumemprof_answer_next(&(struct gpumemprof_answer_facts){
      .nothing = gpm_nothing_why(p) != NULL,
      .built = r->modules.count != 0,
      .described = r->ooms.count != 0,
      .broken = a->broken != 0,
      .failed = a->failed.blocks != 0,
      .last_events = gpm_state_is_cut(a->state) && r->event_chunks,
      .leaks = a->leaks.bytes && !gpm_reader_is_midway(r),
      .allocated = a->device != NULL});
}

void gpm_answer_find(struct gpm_answer *a, struct gpm_reader *r) {
  const struct gpumemprof_capture_header *h = &r->header;
  const struct gpm_filter all = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  *a = (struct gpm_answer){
      .path = gpm_memory_text(r->path),
      .program = gpm_text_clean(*h->executable ? gpm_text_base(h->executable) : h->command_line),
      .pid = h->pid,
      .state = gpm_reader_state(r),
      .stop_reason = gpm_text_clean(h->stop_reason),
      .nothing_rebuilt = gpm_reader_has_nothing_rebuilt(r)};
  find_losses(a, r);
  gpm_wrappers_settle(r, &(struct gpm_hidden_wrappers){.hide = true});
  struct gpm_profile *p = gpm_profile_new(r, &all);
  judge_budgets(a, p);
  find_peak(a, p);
  find_leaks(a, p);
  a->ran_out = gpm_oom_leaks_ended(r);
  find_failures(a, p);
  a->next = next_of(a, p);
  gpm_profile_free(p);
}

void gpm_answer_free(struct gpm_answer *a) {
  char *texts[] = {a->path,        a->program,   a->name,       a->end,
                   a->stop_reason, a->peak.line, a->leaks.line, a->failed.line,
                   a->device,      a->budget,    a->remedy};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) free(texts[i]);
}
