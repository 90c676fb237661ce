/* oom.h - what an allocation that was out of memory tells: figures that follow from its record, and
 * advice in sentences. */
#ifndef GPM_TOOLS_OOM_H
#define GPM_TOOLS_OOM_H

#include "model/profile.h"

/* All by the moment of the failure; docs/ACCOUNTING.md defines them. */
struct gpm_oom {
  const struct gpumemprof_capture_oom *record;
  bool memory_known;     /* the driver told free and total */
  uint64_t used;         /* of the device, by anybody: total - free */
  int64_t kept_by_pools; /* reserved by pools, less what the ledger has live in them */
  uint64_t rounding;     /* to fill pages; 0 where it is not known: then it is in the next */
  int64_t unaccounted;   /* used - recorded - kept by pools - rounding */
  bool adds_up;          /* lines and others, and paths and others, to what was live */
};
struct gpm_oom gpm_oom_of(const struct gpumemprof_capture_oom *record);

/* How many failures of the capture were out of memory. */
uint64_t gpm_oom_count(const struct gpm_reader *reader);

/* What would have made room, the most certain first. To be freed, each and the list. */
char **gpm_oom_advice(const struct gpm_profile *profile, const struct gpm_oom *oom, unsigned style,
                      size_t *count);
/* Of a line whose freeing would have made room: what has to be freed of it, and who asked for that
 * if it is a part of what the line holds (to be freed), else null. */
char *gpm_oom_part(const struct gpm_profile *profile, const struct gpumemprof_capture_oom *record,
                   uint32_t line, uint64_t *bytes);
/* Calls on the line of a node that hold some of it, as far as the call paths tell. */
uint32_t gpm_oom_calls(const struct gpm_profile *profile,
                       const struct gpumemprof_capture_oom *record, uint32_t node);
/* "trim" and its like, for scripts. */
const char *gpm_oom_remedy_name(enum gpumemprof_oom_remedy remedy);

#endif
