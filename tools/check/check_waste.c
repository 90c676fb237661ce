/* check_waste.c - `gpumemprof check --max-waste SHARE`: the part of each GPU's peak that would not
 * have been there if each block had lived from its first use to its last. docs/ACCOUNTING.md
 * defines it; `gpumemprof advise` says which lines to change.
 *
 *   waste that is known   more than is allowed: the limit is broken
 *   what is not judged    may be waste, too. If that could break the limit, it is undecided
 */
#include "advice/advice.h"
#include "advice/bounds.h"
#include "check/check_limits.h"
#include "input/command.h"
#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

bool gpm_check_asked_waste(struct gpm_check_asked *asked, const char *text) {
  asked->waste_as = text;
  return gpm_tolerance_parse(&asked->waste, text) && !strchr(text, ',') && strchr(text, '%') &&
         asked->waste.percent <= 100;
}

struct judging {
  struct gpm_limits *limits;
  const struct gpm_check_asked *asked;
  struct gpm_side *side;
  const struct gpm_uses *uses;
  const struct gpm_advice *advice;
  unsigned style;
};

/* What is found about one GPU. */
struct judged {
  uint64_t peak, waste, not_decided;
  enum gpm_verdict verdict;
};

static struct judged judge(const struct judging *j, uint32_t device) {
  const struct gpm_line_changes *c = &j->advice->changes[device];
  struct judged found = {.peak = (uint64_t)gpm_peaks_now(&c->peaks)};
  found.waste = found.peak - (uint64_t)c->ideal;
  found.not_decided = gpm_bounds_not_decided(j->uses, device);
  if (gpm_reader_is_midway(j->side->reader)) /* what was not used so far may be used later */
    found.verdict = GPM_VERDICT_UNDECIDED;
  else if (gpm_tolerance_exceeded(&j->asked->waste, found.peak, found.waste))
    found.verdict = GPM_VERDICT_BROKEN;
  else if (gpm_tolerance_exceeded(&j->asked->waste, found.peak, found.waste + found.not_decided))
    found.verdict = GPM_VERDICT_UNDECIDED;
  return found;
}

/* The lowest peak to which `gpumemprof advise` brings the device, with copies to the host or
 * without them. */
static uint64_t lowest_of(const struct judging *j, uint32_t device, bool copies, uint64_t peak) {
  uint64_t lowest = peak;
  for (uint32_t i = 0; i < j->advice->count; i++) {
    const struct gpm_advice_finding *f = &j->advice->finding[i];
    bool is_listed = f->changes == &j->advice->changes[device] &&
                     gpm_advice_saving(f) >= f->before / 100 && gpm_advice_copies(f) <= copies;
    if (is_listed && gpm_advice_after(f) < lowest) lowest = gpm_advice_after(f);
  }
  return lowest;
}

static bool has_finding(const struct judging *j, uint32_t device) {
  for (uint32_t i = 0; i < j->advice->count; i++)
    if (j->advice->finding[i].changes->device == device) return true;
  return false;
}

/* Returns what `advise` can do about it, which the caller frees. Its figure is another one than
 * that of the waste: it also finds memory that is idle between two uses, and a line is only named
 * where its change can be made. */
static char *remedy_of(const struct judging *j, uint32_t device, uint64_t peak) {
  char one[GPM_TEXT_NUMBER], other[GPM_TEXT_NUMBER];
  uint64_t plain = lowest_of(j, device, false, peak), lowest = lowest_of(j, device, true, peak);
  gpm_text_bytes(one, (int64_t)plain, j->style);
  gpm_text_bytes(other, (int64_t)lowest, j->style);
  if (lowest == peak)
    return gpm_memory_text(has_finding(j, device)
                               ? "`gpumemprof advise --min 0` says which lines to change"
                               : "`gpumemprof advise` names no line that lowers it");
  if (plain == peak)
    return gpm_memory_format(
        "`gpumemprof advise` says which lines to change for a peak of %s, with "
        "copies to the host",
        other);
  bool copies = strcmp(one, other) != 0; /* else they save too little more */
  return gpm_memory_format("`gpumemprof advise` says which lines to change for a peak of %s%s%s",
                           one, copies ? ", or with copies to the host " : "", copies ? other : "");
}

/* Adds the finding that a peak is higher than it needs to be. */
static void find(const struct judging *j, struct gpm_limit *limit, uint32_t device,
                 const struct judged *found) {
  char held[GPM_TEXT_NUMBER], needed[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER];
  char *name = gpm_locations_device(j->side->reader, device),
       *remedy = remedy_of(j, device, found->peak);
  uint32_t node = j->side->reader->devices[device].peak_node;
  struct gpm_finding *f = gpm_limits_find_node(
      limit, j->side->profile, node,
      gpm_memory_format(
          "%s held %s at its peak, of which %s (%.1f%%) are waste, and %s are allowed: "
          "it would be %s without memory before its first use and after its last; %s",
          name, gpm_text_bytes(held, (int64_t)found->peak, j->style),
          gpm_text_bytes(more, (int64_t)found->waste, j->style),
          (double)found->waste / (double)found->peak * 100, j->asked->waste_as,
          gpm_text_bytes(needed, (int64_t)(found->peak - found->waste), j->style), remedy));
  f->value = found->waste;
  f->allowed = gpm_tolerance_bytes(&j->asked->waste, found->peak);
  free(remedy);
  free(name);
}

/* ---- what is not judged ------------------------------------------------------------------------
 */

/* Returns the largest part of the peak that is not judged, or null. */
static const struct gpm_advice_unjudged *largest_of(const struct judging *j, uint32_t device) {
  for (uint32_t i = 0; i < j->advice->unjudged_count; i++)
    if (j->advice->unjudged[i].device == device) return &j->advice->unjudged[i];
  return NULL;
}

/* Says what may be waste, why it is not known, and how the limit can be decided. */
static void leave_open(const struct judging *j, struct gpm_limit *limit, uint32_t device,
                       const struct judged *found) {
  char bytes[GPM_TEXT_NUMBER], *name = gpm_locations_device(j->side->reader, device);
  const struct gpm_advice_unjudged *largest = largest_of(j, device);
  limit->why = limit->made_why = gpm_memory_format(
      "up to %s more at the peak of %s may be waste, which could not be judged: %s "
      "(--allow-incomplete counts it as needed)",
      gpm_text_bytes(bytes, (int64_t)found->not_decided, j->style), name,
      largest ? largest->reason : "`gpumemprof advise` says why");
  free(name);
}

/* What is not judged counts as needed, so the waste may be larger than what was found: that is said
 * where it could be. */
static void say_unjudged(const struct judging *j, uint32_t device, const struct judged *found) {
  const struct gpm_advice_unjudged *said =
      found->verdict == GPM_VERDICT_UNDECIDED ? largest_of(j, device) : NULL;
  for (uint32_t i = 0; found->not_decided && i < j->advice->unjudged_count; i++) {
    const struct gpm_advice_unjudged *u = &j->advice->unjudged[i];
    if (u->device != device || u == said) continue;
    char bytes[GPM_TEXT_NUMBER], *name = gpm_locations_device(j->side->reader, device);
    gpm_say("--max-waste counts %s at the peak of %s as needed, because it is not judged: %s",
            gpm_text_bytes(bytes, (int64_t)u->bytes, j->style), name, u->reason);
    free(name);
  }
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void add_limit(const struct judging *j, uint32_t device) {
  struct judged found = judge(j, device);
  char *name = gpm_locations_device(j->side->reader, device);
  struct gpm_limit *limit =
      gpm_limits_add(j->limits, GPM_RULE_MAX_WASTE,
                     gpm_memory_format("waste of %s at most %s", name, j->asked->waste_as));
  limit->verdict = found.verdict;
  if (gpm_reader_is_midway(j->side->reader)) limit->why = gpm_limits_midway;
  else if (found.verdict == GPM_VERDICT_BROKEN) find(j, limit, device, &found);
  else if (found.verdict == GPM_VERDICT_UNDECIDED) leave_open(j, limit, device, &found);
  say_unjudged(j, device, &found);
  free(name);
}

/* Whether a limit is not met, so that it is asked which lines to change and what is not judged. */
static bool needs_advice(const struct judging *j) {
  for (uint32_t i = 0; i < j->side->reader->device_count; i++)
    if (gpm_advice_is_gpu(j->side->reader, i) && judge(j, i).verdict != GPM_VERDICT_KEPT)
      return true;
  return false;
}

bool gpm_limits_judge_waste(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                            struct gpm_side *side, unsigned style) {
  struct gpm_uses uses;
  struct gpm_advice advice = {0};
  struct judging j = {limits, asked, side, &uses, &advice, style};
  if (gpm_say_is_wrong(gpm_uses_lacks(side->reader, "--max-waste"))) return false;
  gpm_progress("reading what kernels do");
  gpm_kernel_code_add_modules(asked->code, side->reader);
  gpm_progress("finding what used which memory");
  bool ok = gpm_uses_read(&uses, side->reader, side->profile, asked->code);
  gpm_progress("finding what is waste");
  if (ok) gpm_advice_make(&advice, &uses, NULL, 0);
  if (ok && needs_advice(&j)) {
    gpm_progress("trying what lowers the peak");
    gpm_advice_free(&advice);
    gpm_advice_make(&advice, &uses, NULL, GPM_ADVICE_BY_DEFAULT);
  }
  for (uint32_t i = 0; ok && i < side->reader->device_count; i++) {
    uint32_t device = side->reader->device_order[i];
    if (gpm_advice_is_gpu(side->reader, device)) add_limit(&j, device);
  }
  gpm_advice_free(&advice);
  gpm_uses_free(&uses);
  return ok;
}
