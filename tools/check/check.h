/* check.h - how `gpumemprof check` shows what it found. check_budgets.c: budgets of the source;
 * check_formats.c and check_sarif.c: all limits. */
#ifndef GPM_TOOLS_CHECK_H
#define GPM_TOOLS_CHECK_H

#include "check/check_limits.h"
#include "input/command.h"
#include "output/json.h"

enum { GPM_CHECK_LIMIT = 10 }; /* findings of a limit in a table when --limit is not given */

/* other_limits: the command line asked for more, so that no budget is no surprise. shown: how many
 * broken ones are told, the others are counted. */
void gpm_check_print_budgets(const struct gpm_profile *profile, const struct gpm_budgets *budgets,
                             bool other_limits, const struct gpm_shown *shown, unsigned style);
/* How a broken one was broken: one sentence, to be freed. */
char *gpm_check_budget_text(const struct gpm_profile *profile, const struct gpm_budget *budget,
                            unsigned style);
json_t *gpm_check_budget_json(const struct gpm_profile *profile, const struct gpm_budget *budget);

/* shown: how many findings of each limit are told, the others are counted. */
void gpm_check_print_limits(const struct gpm_limits *limits, const struct gpm_shown *shown);
/* "... and 35 more of at-peak-grew (--limit 0 shows all)". */
void gpm_check_print_more(uint32_t count, const char *of);
json_t *gpm_check_limit_json(const struct gpm_limit *limit);
void gpm_check_print_junit(const struct gpm_limits *limits, const struct gpm_reader *reader);
/* root: of the sources (source_root.h). */
void gpm_check_print_sarif(const struct gpm_limits *limits, const char *root);

#endif
