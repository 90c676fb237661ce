/* check_limits.h - the limits that `gpumemprof check` judges, and the findings that broke them.
 *
 * A limit is one question, such as a budget of the source or --max-peak of one device, and one test
 * case in JUnit. Its findings say what broke it, each in one sentence with a location.
 */
#ifndef GPM_TOOLS_CHECK_LIMITS_H
#define GPM_TOOLS_CHECK_LIMITS_H

#include "analysis/budgets.h"
#include "comparison/compare.h"
#include "support/tolerance.h"
#include "uses/kernel_code.h"

enum gpm_rule {
#define GPM_RULE(NAME, id, text) GPM_RULE_##NAME,
#include "check/rules.def"
  GPM_RULES
};
struct gpm_rule_text {
  const char *id, *text;
};
extern const struct gpm_rule_text gpm_rule_texts[GPM_RULES];

struct gpm_finding {
  char *text; /* one sentence that names the location */
  char *file; /* clean; "" if not known */
  uint32_t line;
  char *function;
  char *location; /* the location without its line number, which edits change */
  /* In bytes, or in blocks if the limit counts blocks. For --against, `allowed` is the figure of
   * the base. Both are 0 for a budget, because JSON has a separate list of budgets. */
  uint64_t value, allowed;
};
enum gpm_verdict { GPM_VERDICT_KEPT, GPM_VERDICT_BROKEN, GPM_VERDICT_UNDECIDED };
extern const char *const gpm_verdict_names[];
extern const char gpm_limits_midway[]; /* says why a limit is undecided while the program runs */

struct gpm_limit {
  enum gpm_rule rule;
  enum gpm_verdict verdict; /* a broken limit has findings */
  char *name;               /* "GPU 0 at most 2.00 GiB" */
  const char *why;          /* why the limit is undecided */
  char *made_why;           /* the memory of `why` if it was made for this limit, or null */
  struct gpm_finding *finding;
  uint32_t count, room;
};
struct gpm_limits {
  struct gpm_limit *limit;
  uint32_t count, room, broken, undecided;
};

struct gpm_limit *gpm_limits_add(struct gpm_limits *limits, enum gpm_rule rule, char *name);
/* Adds a finding, which takes ownership of `text`, and marks the limit as broken. The node may be
 * NONE. */
struct gpm_finding *gpm_limits_find_node(struct gpm_limit *limit, const struct gpm_profile *profile,
                                         uint32_t node, char *text);
struct gpm_finding *gpm_limits_find_row(struct gpm_limit *limit, const struct gpm_rows *rows,
                                        const struct gpm_row *row, char *text);
/* Counts the verdicts. Call it after the last limit was added. */
void gpm_limits_count(struct gpm_limits *limits);
void gpm_limits_free(struct gpm_limits *limits);

/* check_asked.c: the limits that the command line asks for. */
struct gpm_check_asked {
  struct gpm_check_asked_peak {
    char *device; /* as given; null means every GPU */
    uint64_t size;
  } *peak;
  unsigned peaks;
  bool has_leaks, has_leaked_blocks;
  uint64_t leaks, leaked_blocks;
  const char *against;               /* path, or null */
  const struct gpm_input *opened_as; /* how the capture was opened that is judged */
  bool named;               /* the command line names the capture; else the newest is judged */
  const char *tolerance_as; /* as given */
  struct gpm_tolerance tolerance;
  const char *waste_as; /* as given, or null */
  struct gpm_tolerance waste;
  struct gpm_kernel_code *code; /* what is known of kernels: for --max-waste */
};
/* Parses "20GiB", "0:20GiB" or "host:1GiB". Returns false if the text is none of these. */
bool gpm_check_asked_peak(struct gpm_check_asked *asked, const char *text);
/* Parses "1MiB" or "3 blocks". Returns false if the text is none of these. */
bool gpm_check_asked_leaks(struct gpm_check_asked *asked, const char *text);
void gpm_check_asked_free(struct gpm_check_asked *asked);
/* Adds and judges those limits. Returns false after an error message. `style` is that of text.h. */
bool gpm_limits_judge(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                      struct gpm_side *side, unsigned style);
/* check_against.c: the same for --against. */
bool gpm_limits_judge_against(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                              struct gpm_side *side, unsigned style);

/* check_waste.c: the same for --max-waste, whose value is a share such as "5%". */
bool gpm_check_asked_waste(struct gpm_check_asked *asked, const char *text);
bool gpm_limits_judge_waste(struct gpm_limits *limits, const struct gpm_check_asked *asked,
                            struct gpm_side *side, unsigned style);

/* check_whole.c: adds an undecided limit if the capture does not cover a whole run. */
void gpm_limits_judge_whole(struct gpm_limits *limits, const struct gpm_profile *profile);

/* check_budgets.c: adds a limit for each budget of the source. */
void gpm_limits_add_budgets(struct gpm_limits *limits, const struct gpm_profile *profile,
                            const struct gpm_budgets *budgets, unsigned style);

#endif
