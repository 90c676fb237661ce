/* advise.h - the answer of `gpumemprof advise` (advice/advice.h) as text, as JSON and as SARIF; and
 * what other commands take of it: `report`, `top` and the page. */
#ifndef GPM_TOOLS_ADVISE_H
#define GPM_TOOLS_ADVISE_H

#include "advice/advice.h"
#include "advice/bounds.h"
#include "costs/costs.h"
#include "pages/pages.h"
#include "support/text.h"

#include <jansson.h>

enum { GPM_ADVISE_STEPS = 20 }; /* of a finding that are named in sentences */

/* What is shown of an answer. */
struct gpm_advise {
  const struct gpm_profile *profile;
  const struct gpm_uses *uses;
  const struct gpm_advice *advice;
  struct gpm_advice_finding **finding; /* the best first */
  uint32_t count, shown;
  uint32_t small;                /* findings that save too little, which are not among them */
  bool all;                      /* --limit 0: every step, too */
  unsigned rules;                /* a bit for each --rule; 0: all */
  uint32_t device;               /* --device, or GPM_ALL_DEVICES */
  unsigned style;                /* of sizes: text.h */
  bool bounds;                   /* --bounds */
  const struct gpm_costs *costs; /* null: none were asked for */
  uint32_t shown_costs;
};

/* Whether the device is a GPU that was asked for. */
static inline bool gpm_advise_shows(const struct gpm_advise *a, uint32_t device) {
  return gpm_advice_is_gpu(a->profile->reader, device) &&
         (a->device == GPM_ALL_DEVICES || a->device == device);
}

/* Returns "8.00 MiB", or "8388608 bytes" if the style is exact. */
const char *gpm_advise_bytes(char out[GPM_TEXT_NUMBER], uint64_t bytes, unsigned style);
void gpm_advise_print_text(const struct gpm_advise *advise);
/* advise_costs.c */
void gpm_advise_print_costs(const struct gpm_advise *advise);
/* advise_json.c: returns a line of the source, by its record of SITES; null if that is NONE. */
json_t *gpm_advise_json_line(const struct gpm_reader *reader, uint32_t site);
void gpm_advise_print_costs_json(const struct gpm_advise *advise); /* the items of its list */
uint32_t gpm_advise_costs(const struct gpm_advise *advise);        /* how many are shown */
bool gpm_advise_shows_cost(const struct gpm_advise *advise, const struct gpm_cost *cost);
/* Returns a cost in a sentence, which the caller frees. */
char *gpm_advise_of_cost(const struct gpm_advise *advise, const struct gpm_cost *cost);
/* not_judged.c: whether there may be findings in what was not judged, which is said. least: what
 * one has to save; null: what is listed by default. */
bool gpm_advise_leaves_open(const struct gpm_advise *advise, const uint64_t *least);
/* advise_bounds.c */
void gpm_advise_print_bounds(const struct gpm_advise *advise);
const char *gpm_advise_packing_way(enum gpm_packing_way way);
void gpm_advise_print_bounds_json(const struct gpm_advise *advise); /* the items of its list */
void gpm_advise_print_json(const struct gpm_advise *advise);
void gpm_advise_print_sarif(const struct gpm_advise *advise, const char *root);
/* advise_json.c: returns a finding as it is in the JSON of `advise`. */
json_t *gpm_advise_json_finding(const struct gpm_advise *advise,
                                const struct gpm_advice_finding *finding);

/* ---- made.c: the whole answer of a capture, for commands that show a part of it ---- */

struct gpm_advise_made {
  struct gpm_uses uses;
  struct gpm_pages pages; /* empty: no device code marks them */
  struct gpm_advice advice;
  struct gpm_advise advise; /* the findings that `advise` shows by default, but all of them */
};
/* Returns whether the capture has what advice is made from: all events, and the uses of memory. */
bool gpm_advise_can(const struct gpm_reader *reader);
/* code: what is known of kernels. Returns false after it reported what is wrong; the answer is to
 * be freed in either case. */
bool gpm_advise_make(struct gpm_advise_made *made, struct gpm_reader *reader,
                     const struct gpm_profile *profile, struct gpm_kernel_code *code);
void gpm_advise_free(struct gpm_advise_made *made);
/* best.c: returns what saves most in one line, "2mm.cu:205 mm2Cuda: free ...: peak 80.00 MiB ->
 * 64.00 MiB", for commands that are about something else; the caller frees it. If that would take
 * noticeable time, or the program has changed, it says what `advise` is for. Null: there is nothing
 * to say, or the run is not over. style: of sizes. */
char *gpm_advise_best(struct gpm_reader *reader, const struct gpm_profile *profile, unsigned style);

/* ---- sentences.c and reasons.c: for all of them. Texts are clean and to be freed. ---- */

/* Whether nothing of its blocks is left, of OVERSIZE. */
static inline bool gpm_advise_is_whole(const struct gpm_line_change *c) {
  return c->bytes == c->less * c->blocks;
}

/* Returns the node of the line that is to be changed. */
uint32_t gpm_advise_from(const struct gpm_line_change *change);
/* Returns the site of the line that a change moves something to, or NONE. */
uint32_t gpm_advise_to(const struct gpm_line_changes *changes,
                       const struct gpm_line_change *change);
/* Returns "2mm.cu:205 mm2Cuda: free A_gpu after line 195 instead (mm2_kernel1 was its last use)".
 */
char *gpm_advise_sentence(const struct gpm_advise *advise, const struct gpm_advice_finding *finding,
                          const struct gpm_line_change *change);
/* Return its parts, the second in reasons.c: "free A_gpu after line 195 instead", and "mm2_kernel1
 * was its last use", of several blocks "mm2_kernel1 was its last use; 12 blocks, 96.00 MiB". */
char *gpm_advise_action(const struct gpm_advise *advise, const struct gpm_line_changes *changes,
                        const struct gpm_line_change *change);
char *gpm_advise_why(const struct gpm_advise *advise, const struct gpm_advice_finding *finding,
                     const struct gpm_line_change *change);
/* which_blocks.c: returns its end: "; 12 blocks, 8.00 MiB each", "; the 2nd of its 5 blocks, 8.00
 * MiB", or "" where the line allocates only one. */
char *gpm_advise_which(const struct gpm_advise *advise, const struct gpm_advice_finding *finding,
                       const struct gpm_line_change *change);
/* Returns "line 195"; where that is in another file or function than the line that is changed,
 * "tree.cu:195", "line 195 in walk" or "tree.cu:195 in walk". */
char *gpm_advise_line(const struct gpm_profile *profile, uint32_t site, uint32_t from);
/* Whether the line of a use, a record of USES or NONE, is in another function than the line that is
 * changed. */
bool gpm_advise_is_elsewhere(const struct gpm_profile *profile,
                             const struct gpm_line_change *change, uint32_t record);
/* moments.c: returns when a block is to be freed or allocated: "line 195", "its last use at line
 * 195", "the last of its 3 uses at line 195". which: "last" or "first". elsewhere: the line is in
 * another function, which others may call, too. */
char *gpm_advise_moment(const struct gpm_line_changes *changes,
                        const struct gpm_line_change *change, const char *which, const char *line,
                        bool elsewhere);
/* gaps.c: fills in the same of both ends of the gaps between two uses, if the change is of such. */
void gpm_advise_gap(const struct gpm_line_changes *changes, const struct gpm_line_change *change,
                    const char *to, const char *back, char **after, char **before);
/* moments.c: the uses of a block on the line of a site that are certain, `number` of them before a
 * position. first, last: positions. */
struct gpm_advise_uses {
  uint64_t times, number;
  uint32_t first, last;
};
struct gpm_advise_uses gpm_advise_uses_at(const struct gpm_uses *uses,
                                          const struct gpm_use_block *block, uint32_t site,
                                          uint32_t until);
/* moments.c: returns "2nd". */
char *gpm_advise_ordinal(uint64_t number);
/* first_argument.c: returns the first argument of the only call of a function in a source line, as
 * it is written; null: there is none, or more than one call, or it goes on in the next line. */
char *gpm_advise_first_argument(const char *line, const char *function);
/* first_argument.c: the same of one of several calls that are at these columns, in order, of the
 * line in the file, from whose text the space at its begin is gone. Null also if it is not certain
 * which call is at `wanted`. */
char *gpm_advise_argument_at(const char *line, const char *function, const uint32_t *column,
                             uint32_t columns, uint32_t wanted);
/* memory_names.c: returns what receives the pointer, or "". */
char *gpm_advise_variable(const struct gpm_profile *profile, const struct gpm_line_change *change);
/* memory_names.c: returns "x", "each x", "x (here: y)", or what it is if nothing is known to
 * receive the pointer. */
char *gpm_advise_what(const struct gpm_advise *advise, const struct gpm_line_change *change);
/* ---- alternatives.c: findings of an answer that cannot both be followed ---- */

bool gpm_advise_exclude(const struct gpm_advise *advise, const struct gpm_advice_finding *one,
                        const struct gpm_advice_finding *other);
/* Returns the place of the next finding, at or behind `from` and before this one, that cannot be
 * followed together with it; advise->count if there is none. */
uint32_t gpm_advise_next_instead(const struct gpm_advise *advise,
                                 const struct gpm_advice_finding *finding, uint32_t from);
/* Returns ", instead of finding 2", whose number is that in the list from 1 on, or "". */
char *gpm_advise_instead(const struct gpm_advise *advise, const struct gpm_advice_finding *finding);
/* Returns the number of the first finding before it that has all of its steps, and more; 0: none.
 */
uint32_t gpm_advise_part_of(const struct gpm_advise *advise,
                            const struct gpm_advice_finding *finding);
/* Returns ", part of finding 1" if an earlier finding has all of its steps, with the text above
 * behind it. */
char *gpm_advise_others(const struct gpm_advise *advise, const struct gpm_advice_finding *finding);
/* Returns the sentence of a finding, and what it is instead of. */
char *gpm_advise_of_listed(const struct gpm_advise *advise,
                           const struct gpm_advice_finding *finding);

/* newer_source.c: says if a source file that a finding names is newer than the run. */
void gpm_advise_warn_of_newer_source(const struct gpm_advise *advise);

/* ---- sentences.c ---- */

/* Returns the sentence of a finding: that of its only step, or of its first ones. */
char *gpm_advise_of_finding(const struct gpm_advise *advise, const struct gpm_advice_finding *f);

#endif
