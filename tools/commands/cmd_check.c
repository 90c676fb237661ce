/* cmd_check.c - `gpumemprof check`: whether a run was as it should be; the exit status says it.
 *
 * It checks the budgets of the source (budgets.h) and the limits of the command line
 * (check_limits.h). check_budgets.c, check_formats.c and check_sarif.c show what was found. A
 * limit that cannot be decided is not met: the exit status says so.
 */
#include "capture/source_root.h"
#include "check/check.h"
#include "commands/facts_option.h"
#include "input/columns_asked.h"
#include "input/command.h"
#include "output/summary.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPTION_PEAK = 256,
  OPTION_LEAKS,
  OPTION_AGAINST,
  OPTION_TOLERANCE,
  OPTION_INCOMPLETE,
  OPTION_WASTE,
  OPTION_ROOT
};
enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_JUNIT, FORMAT_SARIF };

struct check {
  struct gpm_input input;
  enum format format;
  bool allow_incomplete;
  const char *asked_root;
  char *root; /* of the sources */
  struct gpm_check_asked asked;
  struct gpm_kernel_code code;
  bool has_facts;
};

const struct argp_option gpm_cmd_check_options[] = {
    {"max-peak", OPTION_PEAK, "SIZE", 0,
     "the most that each GPU may hold, or with DEVICE:SIZE, one device (may be repeated)", 0},
    {"max-leaks", OPTION_LEAKS, "SIZE", 0, "the most that may leak, as a size or as `N blocks`", 0},
    {"max-waste", OPTION_WASTE, "SHARE", 0,
     "the most of each GPU's peak, such as 5%, that may be memory before its first use or after "
     "its "
     "last (as `advise` finds it; needs history=all:uses=on)",
     0},
    GPM_FACTS_OPTION("for --max-waste: "),
    {"against", OPTION_AGAINST, "BASE", 0,
     "an earlier capture: neither peaks, leaks nor lines may have grown since", 0},
    {"tolerance", OPTION_TOLERANCE, "SHARE|SIZE", 0,
     "the growth since BASE that is allowed: 2%, 1MiB, or the larger of both: 2%,1MiB (default 0)",
     0},
    {"allow-incomplete", OPTION_INCOMPLETE, NULL, 0,
     "judge what there is, even if the program was killed or recorded nothing", 0},
    {"source-root", OPTION_ROOT, "DIR", 0,
     "with --format sarif: the folder that paths are relative to (default: the top of the git "
     "repository that the current folder is in)",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct check *c = state->input;
  switch (key) {
  case OPTION_PEAK:
    if (!gpm_check_asked_peak(&c->asked, arg))
      argp_error(
          state,
          "--max-peak wants a size with its unit such as 20GiB, or that of a device, 0:20GiB, not "
          "`%s`",
          arg);
    return 0;
  case OPTION_LEAKS:
    if (!gpm_check_asked_leaks(&c->asked, arg))
      argp_error(
          state,
          "--max-leaks wants a size with its unit such as 1MiB, or a number such as `3 blocks`, "
          "not `%s`",
          arg);
    return 0;
  case OPTION_WASTE:
    if (!gpm_check_asked_waste(&c->asked, arg))
      argp_error(state, "--max-waste wants a share of the peak such as 5%%, not `%s`", arg);
    return 0;
  case GPM_OPTION_FACTS:
    c->has_facts = true;
    return gpm_facts_option_add(&c->code, arg);
  case OPTION_AGAINST:
    c->asked.against = arg;
    return 0;
  case OPTION_INCOMPLETE:
    c->allow_incomplete = true;
    return 0;
  case OPTION_ROOT:
    c->asked_root = arg;
    return 0;
  case OPTION_TOLERANCE:
    c->asked.tolerance_as = arg;
    if (!gpm_tolerance_parse(&c->asked.tolerance, arg))
      argp_error(state,
                 "--tolerance wants a share such as 2%%, a size with its unit such as 1MiB, or "
                 "2%%,1MiB, not `%s`",
                 arg);
    return 0;
  case ARGP_KEY_END:
    if (c->asked.tolerance_as && !c->asked.against)
      argp_error(state, "--tolerance is for --against BASE, which is not there");
    if (c->has_facts && !c->asked.waste_as)
      argp_error(state, "--facts is for --max-waste SHARE, which is not there");
    return 0;
  case 'f':
    c->format = (enum format)gpm_options_format(c->input.command, arg);
    c->input.format = c->format == FORMAT_TABLE ? GPM_FORMAT_TABLE
                      : c->format == FORMAT_CSV ? GPM_FORMAT_CSV
                                                : GPM_FORMAT_JSON;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &c->input);
  }
}

static void print_json(const struct gpm_side *side, const struct gpm_budgets *budgets,
                       const struct gpm_limits *limits) {
  gpm_json_begin(side->profile, check, budgets);
  for (uint32_t i = 0; i < budgets->count; i++)
    gpm_json_item(gpm_check_budget_json(side->profile, &budgets->budget[i]), !i);
  gpm_json_next(check, limits);
  for (uint32_t i = 0; i < limits->count; i++)
    gpm_json_item(gpm_check_limit_json(&limits->limit[i]), !i);
  gpm_json_end(side->profile);
}

static void print_csv(const struct gpm_side *side, const struct gpm_limits *limits) {
  gpm_json_list(check, limits);
  for (uint32_t i = 0; i < limits->count; i++)
    gpm_json_item(gpm_check_limit_json(&limits->limit[i]), !i);
  gpm_json_end(side->profile);
}

static void print(const struct check *c, const struct gpm_side *side,
                  const struct gpm_budgets *budgets, const struct gpm_limits *limits,
                  unsigned style) {
  switch (c->format) {
  case FORMAT_TABLE:
    gpm_summary_print_before_answer(side->profile, style, c->input.verbose);
    gpm_check_print_verdict(budgets, limits, c->allow_incomplete);
    gpm_check_print_budgets(side->profile, budgets, limits->count, &c->input.limit, style);
    gpm_check_print_limits(limits, &c->input.limit);
    break;
  case FORMAT_JSON:
    print_json(side, budgets, limits);
    break;
  case FORMAT_CSV:
    print_csv(side, limits);
    break;
  case FORMAT_JUNIT:
    gpm_check_print_junit(limits, side->reader);
    break;
  case FORMAT_SARIF:
    gpm_check_print_sarif(limits, c->root);
    break;
  }
}

/* False after it said what is wrong. All formats except table and JSON list the budgets among the
 * limits. */
static bool judge(const struct check *c, struct gpm_side *side, const struct gpm_budgets *budgets,
                  struct gpm_limits *limits, unsigned style) {
  if (!c->allow_incomplete) gpm_limits_judge_whole(limits, side->profile);
  if (c->format != FORMAT_TABLE && c->format != FORMAT_JSON)
    gpm_limits_add_budgets(limits, side->profile, budgets, style);
  bool ok = gpm_limits_judge(limits, &c->asked, side, style) &&
            (!c->asked.waste_as || gpm_limits_judge_waste(limits, &c->asked, side, style)) &&
            (!c->asked.against || gpm_limits_judge_against(limits, &c->asked, side, style));
  gpm_limits_count(limits);
  return ok;
}

int gpm_cmd_check_run(const struct gpm_command *command, int argc, char **argv) {
  struct check c = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &c);
  c.input.compares = c.input.may_lack_wrapper = c.asked.against;
  c.input.against = c.asked.against;
  struct gpm_reader *reader = gpm_input_open(&c.input);
  if (!reader) return GPM_EXIT_USAGE;
  c.asked.named = c.input.path;
  c.asked.opened_as = &c.input;
  c.asked.code = &c.code;
  unsigned style = c.input.exact ? GPM_TEXT_EXACT : 0;
  bool needs_root = c.asked_root || c.format == FORMAT_SARIF;
  char *wrong = NULL;
  if (needs_root && !(c.root = gpm_source_root(c.asked_root, &wrong))) {
    gpm_say_is_wrong(wrong);
    gpm_reader_close(reader);
    return GPM_EXIT_USAGE;
  }
  struct gpm_side side;
  gpm_side_make(&side, reader, c.input.filter, GPM_BY_LINE);
  struct gpm_budgets budgets = gpm_budgets_judge(side.profile);
  struct gpm_limits limits = {0};
  bool ok = judge(&c, &side, &budgets, &limits, style);
  gpm_progress(NULL);
  if (ok) print(&c, &side, &budgets, &limits, style);
  bool found = budgets.broken || limits.broken,
       open = !c.allow_incomplete && (budgets.undecided || limits.undecided);
  gpm_limits_free(&limits);
  gpm_check_asked_free(&c.asked);
  gpm_kernel_code_free(&c.code);
  free(c.root);
  gpm_budgets_free(&budgets);
  gpm_side_free(&side);
  if (!ok) return GPM_EXIT_USAGE;
  return found ? GPM_EXIT_FINDING : open ? GPM_EXIT_USAGE : GPM_EXIT_OK;
}
