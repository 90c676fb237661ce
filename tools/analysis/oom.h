/* oom.h - explains an allocation that failed for lack of memory: figures that follow from its
 * record, and advice in sentences. */
#ifndef GPM_TOOLS_OOM_H
#define GPM_TOOLS_OOM_H

#include "model/profile.h"
#include "rows/line_groups.h"

/* Figures at the moment of the failure; docs/ACCOUNTING.md defines them. */
struct gpm_oom {
  const struct gpumemprof_capture_oom *record;
  bool memory_known;     /* the driver reported free and total memory */
  uint64_t used;         /* on the device, by all processes: total - free */
  int64_t kept_by_pools; /* reserved by pools, minus what the ledger has live in them */
  uint64_t rounding;     /* to fill pages; 0 if it is not known, and a part of `unaccounted` then */
  int64_t unaccounted;   /* used - recorded - kept_by_pools - rounding */
  bool adds_up;          /* lines plus others, and paths plus others, equal what was live */
};
struct gpm_oom gpm_oom_of(const struct gpumemprof_capture_oom *record);

/* Returns how many allocations of the capture failed for lack of memory. */
uint64_t gpm_oom_count(const struct gpm_reader *reader);

/* Returns what would have made room, the most certain first. The caller frees each sentence and the
 * list. */
char **gpm_oom_advice(const struct gpm_profile *profile, const struct gpm_oom *oom, unsigned style,
                      size_t *count);
/* For a line whose freeing would have made room: sets *bytes to what has to be freed of it. If that
 * is only a part of what the line holds, returns the caller that requested it (to be freed), else
 * null. */
char *gpm_oom_part(const struct gpm_profile *profile, const struct gpumemprof_capture_oom *record,
                   uint32_t line, uint64_t *bytes);
/* Returns how many calls on the line of a node hold a part of what the line holds, as far as the
 * call paths show. */
uint32_t gpm_oom_calls(const struct gpm_profile *profile,
                       const struct gpumemprof_capture_oom *record, uint32_t node);
/* Returns the name of a remedy for scripts, such as "trim". */
const char *gpm_oom_remedy_name(enum gpumemprof_oom_remedy remedy);

/* Finds the function or the call whose lines held most of the memory at the failure, where no line
 * held a tenth of it; "at least" so many lines where the record has not all. may_be_freed: without
 * variables and managed memory. */
bool gpm_oom_group(const struct gpm_profile *profile, const struct gpumemprof_capture_oom *record,
                   bool may_be_freed, struct gpm_line_group *group);

#endif
