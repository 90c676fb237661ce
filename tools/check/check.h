/* check.h - how `gpumemprof check` shows its findings. check_budgets.c prints the budgets of the
 * source, check_formats.c and check_sarif.c print all limits. */
#ifndef GPM_TOOLS_CHECK_H
#define GPM_TOOLS_CHECK_H

#include "check/check_limits.h"
#include "input/command.h"
#include "output/json.h"

enum { GPM_CHECK_LIMIT = 10 }; /* findings per limit in a table without --limit */

/* Prints the first line, which says what the exit status says: "failed: 1 of 2 limits is broken",
 * "not decided: ..." or "passed: ...". */
void gpm_check_print_verdict(const struct gpm_budgets *budgets, const struct gpm_limits *limits,
                             bool allow_incomplete);
/* Prints the budgets. `other_limits` is true if the command line asked for other limits too: then a
 * source without budgets needs no remark. `shown` limits how many broken budgets are printed; the
 * others are only counted. */
void gpm_check_print_budgets(const struct gpm_profile *profile, const struct gpm_budgets *budgets,
                             bool other_limits, const struct gpm_shown *shown, unsigned style);
/* Returns one sentence that says how a budget was broken. The caller frees it. */
char *gpm_check_budget_text(const struct gpm_profile *profile, const struct gpm_budget *budget,
                            unsigned style);
json_t *gpm_check_budget_json(const struct gpm_profile *profile, const struct gpm_budget *budget);

/* Prints the limits as text. `shown` limits how many findings of each limit are printed; the others
 * are only counted. */
void gpm_check_print_limits(const struct gpm_limits *limits, const struct gpm_shown *shown);
/* Prints "... and 35 more of at-peak-grew (--limit 0 shows all)". */
void gpm_check_print_more(uint32_t count, const char *of);
json_t *gpm_check_limit_json(const struct gpm_limit *limit);
void gpm_check_print_junit(const struct gpm_limits *limits, const struct gpm_reader *reader);
/* Prints the limits as SARIF. `root` is the root folder of the sources (source_root.h). */
void gpm_check_print_sarif(const struct gpm_limits *limits, const char *root);

#endif
