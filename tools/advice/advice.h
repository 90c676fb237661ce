/* advice.h - which lines to change so that the peak of a device falls, and by how many bytes: the
 * answer of `gpumemprof advise`.
 *
 * A finding is one change that lowers the peak by itself, or several that lower it together though
 * some of them do nothing alone, because other memory is at the peak as well:
 *
 *   all changes made --> the lowest peak --> those that are not needed for it are taken back, the
 *   dearest first --> those without which it stays almost as low are taken back, the smallest first
 *   --> a set of which each is needed
 *
 * Each figure is the peak of the run, with blocks living at fewer positions (line_changes.h). A
 * finding that saves nothing is none. Changes that move more than one call, or cost time, are only
 * taken into account in a second and a third round, for what the others leave.
 */
#ifndef GPM_TOOLS_ADVICE_H
#define GPM_TOOLS_ADVICE_H

#include "advice/line_changes.h"

struct gpm_pages;

struct gpm_advice_finding {
  struct gpm_line_changes *changes; /* of its device */
  uint32_t *step;                   /* numbers of changes, in the order of step_order.c */
  uint64_t *peak;                   /* after each step */
  uint32_t count;
  uint64_t before; /* the peak of the run; the peak after is that of the last step */
  bool sure;
};

/* Blocks of which it is not known whether they were needed at the peak. */
struct gpm_advice_unjudged {
  uint32_t device;
  uint64_t blocks, bytes;
  char *reason; /* a sentence without an end */
};

#define GPM_ADVICE_HUNDREDTH UINT64_MAX /* of the peak */

struct gpm_advice {
  uint64_t least;                   /* bytes that a finding is to save, or HUNDREDTH */
  struct gpm_line_changes *changes; /* by device; those of GPUs and of the host are filled */
  uint32_t devices;
  struct gpm_advice_finding *finding; /* the best first */
  uint32_t count;
  uint64_t *allocated;                  /* by record of SITES: how many blocks, on all devices */
  uint32_t *place;                      /* of each block of `uses` among these, from 1 on */
  struct gpm_advice_unjudged *unjudged; /* the largest first */
  uint32_t unjudged_count;
};

/* rules: a bit for each that is asked for; where none is, hints are left out. pages: those of the
 * same capture, or null. */
#define GPM_ADVICE_BY_DEFAULT (~(1u << GPM_ADVICE_NO_OVERLAP_HINT))
void gpm_advice_make(struct gpm_advice *advice, const struct gpm_uses *uses,
                     const struct gpm_pages *pages, unsigned rules);
/* The same for findings that are to save at least so many bytes, or HUNDREDTH, as above. Steps
 * without which almost as much is saved are left out of them. */
void gpm_advice_make_of(struct gpm_advice *advice, const struct gpm_uses *uses,
                        const struct gpm_pages *pages, unsigned rules, uint64_t least);
/* Returns how many bytes a finding is to save where the peak is this one. */
static inline int64_t gpm_advice_least(const struct gpm_advice *a, int64_t peak) {
  if (a->least == GPM_ADVICE_HUNDREDTH) return peak / 100;
  return a->least > INT64_MAX ? INT64_MAX : (int64_t)a->least;
}
void gpm_advice_free(struct gpm_advice *advice);
static inline uint64_t gpm_advice_after(const struct gpm_advice_finding *f) {
  return f->peak[f->count - 1];
}
static inline uint64_t gpm_advice_saving(const struct gpm_advice_finding *f) {
  return f->before - gpm_advice_after(f);
}
/* Returns whether it saves enough to be shown. */
static inline bool gpm_advice_is_large(const struct gpm_advice *a,
                                       const struct gpm_advice_finding *f) {
  return (int64_t)gpm_advice_saving(f) >= gpm_advice_least(a, (int64_t)f->before);
}
/* Whether a step of it copies memory to the host and back, which costs time. */
bool gpm_advice_copies(const struct gpm_advice_finding *finding);
/* Returns the rule of a finding: that of its first step. */
static inline enum gpm_advice_rule gpm_advice_rule_of(const struct gpm_advice_finding *f) {
  return f->changes->change[f->step[0]].rule;
}
static inline bool gpm_advice_is_gpu(const struct gpm_reader *reader, uint32_t device) {
  return reader->devices[device].ordinal >= 0;
}

/* Adds the finding of one change, which leaves this peak. */
void gpm_advice_add_single(struct gpm_advice *advice, struct gpm_line_changes *changes,
                           uint32_t change, int64_t peak);
/* Adds the finding of several changes, while none is made. Their order may change. */
void gpm_advice_add_several(struct gpm_advice *advice, struct gpm_line_changes *changes,
                            uint32_t *change, uint32_t count);
/* several.c: adds the findings of several changes, while none is made. */
void gpm_advice_find_several(struct gpm_advice *advice, struct gpm_line_changes *changes);
/* several.c: returns the peak that is low enough where all changes leave the lowest one, and those
 * that are shown so far `reached`: less remains to be saved than a finding has to save, also in the
 * changed program, so that nothing is left to advise there. */
int64_t gpm_advice_enough(const struct gpm_advice *advice, int64_t lowest, int64_t before,
                          int64_t reached);
/* several.c: unmakes changes without which the peak is still low enough. Returns how many are left,
 * which come first. */
uint32_t gpm_advice_leave_out(struct gpm_line_changes *changes, uint32_t *change, uint32_t count,
                              int64_t enough);
/* step_order.c: orders the steps of a finding, while no change is made. */
void gpm_advice_order_steps(struct gpm_line_changes *changes, uint32_t *step, uint32_t count);
/* reuse.c: adds the findings of the rule, while no change is made. */
void gpm_advice_find_reuse(struct gpm_advice *advice, struct gpm_line_changes *changes);
/* oversize.c: the same, for all devices. */
void gpm_advice_find_oversize(struct gpm_advice *advice, const struct gpm_uses *uses,
                              const struct gpm_pages *pages);
/* no_overlap.c: the same for both rules of blocks that are used in turns. */
void gpm_advice_find_no_overlap(struct gpm_advice *advice, struct gpm_line_changes *changes,
                                unsigned rules);
/* unjudged.c: fills advice->unjudged. */
void gpm_advice_find_unjudged(struct gpm_advice *advice, const struct gpm_uses *uses);

#endif
