/* check_limits.h - what a run was asked to keep, and what broke it: `gpumemprof check`.
 *
 * A limit is one question (a budget of the source, --max-peak of one device, ...) and one test case
 * in JUnit; what breaks it are its findings, each one sentence with a place.
 */
#ifndef GPM_TOOLS_CHECK_LIMITS_H
#define GPM_TOOLS_CHECK_LIMITS_H

#include "analysis/budgets.h"
#include "comparison/compare.h"
#include "support/tolerance.h"

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
  char *text; /* one sentence, with the place in words */
  char *file; /* clean; "": not known */
  uint32_t line;
  char *function;
  char *place; /* what the place is called, without its line: to know it again */
  /* Bytes, or blocks where the limit is one of blocks; allowed: of --against what it was. Of a
   * budget 0: JSON has a list of budgets. */
  uint64_t value, allowed;
};
enum gpm_verdict { GPM_VERDICT_KEPT, GPM_VERDICT_BROKEN, GPM_VERDICT_UNDECIDED };
extern const char *const gpm_verdict_names[];
extern const char gpm_limits_amid[]; /* why nothing is decided while a program runs */

struct gpm_limit {
  enum gpm_rule rule;
  enum gpm_verdict verdict; /* broken: it has findings */
  char *name;               /* "GPU 0 at most 2.00 GiB" */
  const char *why;          /* undecided: why */
  struct gpm_finding *finding;
  uint32_t count, room;
};
struct gpm_limits {
  struct gpm_limit *limit;
  uint32_t count, room, broken, undecided;
};

struct gpm_limit *gpm_limits_add(struct gpm_limits *limits, enum gpm_rule rule, char *name);
/* Adds a finding, which takes the text, and makes the limit a broken one. The node may be NONE. */
struct gpm_finding *gpm_limits_find_node(struct gpm_limit *limit, const struct gpm_profile *profile,
                                         uint32_t node, char *text);
struct gpm_finding *gpm_limits_find_row(struct gpm_limit *limit, const struct gpm_rows *rows,
                                        const struct gpm_row *row, char *text);
/* After the last one: counts verdicts. */
void gpm_limits_count(struct gpm_limits *limits);
void gpm_limits_free(struct gpm_limits *limits);

/* check_asked.c: what the command line asks for. */
struct gpm_asked {
  struct gpm_asked_peak {
    char *device; /* as given; null: every GPU */
    uint64_t size;
  } *peak;
  unsigned peaks;
  bool has_leaks, has_leaked_blocks;
  uint64_t leaks, leaked_blocks;
  const char *against;      /* path, or null */
  bool named;               /* the capture that is judged: else it is the newest of this folder */
  const char *tolerance_as; /* as given */
  struct gpm_tolerance tolerance;
};
/* "20GiB", "0:20GiB", "host:1GiB". */
bool gpm_asked_peak(struct gpm_asked *asked, const char *text);
/* "1MiB", "3 blocks". */
bool gpm_asked_leaks(struct gpm_asked *asked, const char *text);
void gpm_asked_free(struct gpm_asked *asked);
/* False after it said what is wrong. style: text.h. */
bool gpm_limits_judge(struct gpm_limits *limits, const struct gpm_asked *asked,
                      struct gpm_side *side, unsigned style);
/* check_against.c: the same of --against. */
bool gpm_limits_judge_against(struct gpm_limits *limits, const struct gpm_asked *asked,
                              struct gpm_side *side, unsigned style);

/* check_whole.c: adds a limit that is not decided if the capture is not of a whole run. */
void gpm_limits_judge_whole(struct gpm_limits *limits, const struct gpm_profile *profile);

/* check_budgets.c: budgets of the source as limits. */
void gpm_limits_add_budgets(struct gpm_limits *limits, const struct gpm_profile *profile,
                            const struct gpm_budgets *budgets, unsigned style);

#endif
