/* summary.h - what stands above every report: program, state, devices, conservation, losses,
 * failures. */
#ifndef GPM_TOOLS_SUMMARY_H
#define GPM_TOOLS_SUMMARY_H

#include "profile.h"

/* style: text.h. */
void gpm_summary_print(const struct gpm_profile *profile, unsigned style);
/* Losses, limits that were reached and failed allocations, which come last so that they are seen.
 */
void gpm_summary_print_losses(const struct gpm_reader *reader);
void gpm_summary_print_failures(const struct gpm_profile *profile, unsigned style);

/* "complete", "running", ...: one word or two, and the sentence for people. */
const char *gpm_summary_state(enum gpm_state state);

struct gpm_counter {
  const char *name, *unit, *text;
  bool is_loss;
  bool is_limit;     /* totals are exact, but not everything has a row of its own */
  bool is_unchecked; /* a check that was asked for could not be made */
};
/* By number in the header; ended by an entry without a name. */
extern const struct gpm_counter gpm_counters[];

#endif
