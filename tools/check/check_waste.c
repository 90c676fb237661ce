/* check_waste.c - `gpumemprof check --max-waste SHARE`: the part of each GPU's peak that would not
 * have been there if each block had lived from its first use to its last. docs/ACCOUNTING.md
 * defines it; `gpumemprof advise` says which lines to change. */
#include "advice/advice.h"
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
  unsigned style;
};

/* Adds the finding that a peak is higher than it needs to be. */
static void find(const struct judging *j, struct gpm_limit *limit, uint32_t device, uint64_t peak,
                 uint64_t ideal) {
  char held[GPM_TEXT_NUMBER], needed[GPM_TEXT_NUMBER], more[GPM_TEXT_NUMBER];
  char *name = gpm_locations_device(j->side->reader, device);
  uint32_t node = j->side->reader->devices[device].peak_node;
  struct gpm_finding *f = gpm_limits_find_node(
      limit, j->side->profile, node,
      gpm_memory_format(
          "%s held %s at its peak, of which %s (%.1f%%) are waste, and %s are allowed: "
          "it would be %s if each block lived from its first use to its last; "
          "`gpumemprof advise` says which lines to change",
          name, gpm_text_bytes(held, (int64_t)peak, j->style),
          gpm_text_bytes(more, (int64_t)(peak - ideal), j->style),
          (double)(peak - ideal) / (double)peak * 100, j->asked->waste_as,
          gpm_text_bytes(needed, (int64_t)ideal, j->style)));
  f->value = peak - ideal;
  f->allowed = gpm_tolerance_bytes(&j->asked->waste, peak);
  free(name);
}

static void judge_device(const struct judging *j, const struct gpm_line_changes *c) {
  uint64_t peak = (uint64_t)gpm_peaks_now(&c->peaks), ideal = (uint64_t)c->ideal;
  char *name = gpm_locations_device(j->side->reader, c->device);
  struct gpm_limit *limit =
      gpm_limits_add(j->limits, GPM_RULE_MAX_WASTE,
                     gpm_memory_format("waste of %s at most %s", name, j->asked->waste_as));
  if (gpm_reader_is_midway(j->side->reader)) { /* what was not used so far may be used later */
    limit->verdict = GPM_VERDICT_UNDECIDED;
    limit->why = gpm_limits_midway;
  } else if (gpm_tolerance_exceeded(&j->asked->waste, peak, peak - ideal))
    find(j, limit, c->device, peak, ideal);
  free(name);
}

/* What is not judged counts as needed, so the waste may be larger than what was found. */
static void say_unjudged(const struct judging *j, const struct gpm_advice *advice) {
  for (uint32_t i = 0; i < advice->unjudged_count; i++) {
    const struct gpm_advice_unjudged *u = &advice->unjudged[i];
    char bytes[GPM_TEXT_NUMBER], *name = gpm_locations_device(j->side->reader, u->device);
    gpm_say("--max-waste counts %s at the peak of %s as needed, because it is not judged: %s",
            gpm_text_bytes(bytes, (int64_t)u->bytes, j->style), name, u->reason);
    free(name);
  }
}

bool gpm_limits_judge_waste(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                            struct gpm_side *side, unsigned style) {
  struct judging j = {limits, asked, side, style};
  struct gpm_uses uses;
  struct gpm_advice advice = {0};
  if (gpm_say_is_wrong(gpm_uses_lacks(side->reader, "--max-waste"))) return false;
  gpm_progress("reading what kernels do");
  gpm_kernel_code_add_modules(asked->code, side->reader);
  gpm_progress("finding what used which memory");
  bool ok = gpm_uses_read(&uses, side->reader, side->profile, asked->code);
  if (ok) gpm_advice_make(&advice, &uses, NULL, 0);
  for (uint32_t i = 0; ok && i < side->reader->device_count; i++) {
    uint32_t device = side->reader->device_order[i];
    if (gpm_advice_is_gpu(side->reader, device)) judge_device(&j, &advice.changes[device]);
  }
  say_unjudged(&j, &advice);
  gpm_advice_free(&advice);
  gpm_uses_free(&uses);
  return ok;
}
