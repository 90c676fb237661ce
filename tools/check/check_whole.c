/* check_whole.c - checks that a capture covers a whole run. A run that ended early or was not fully
 * recorded may meet every limit without meaning anything. */
#include "analysis/nothing.h"
#include "check/check_limits.h"

static const char *why_not(const struct gpm_profile *profile) {
  switch (gpm_reader_state(profile->reader)) {
  case GPM_STATE_STOPPED:
    return "recording stopped before the program ended";
  case GPM_STATE_ENDED:
    return "the program was killed or aborted, or called _exit, and nobody knows what it left out";
  case GPM_STATE_RESTARTED:
    return "the program did not end by itself before its machine was restarted, and what was not "
           "on the disk by then is missing";
  case GPM_STATE_ELSEWHERE:
    return "it was recorded on another host, where the program has not ended by itself so far";
  case GPM_STATE_RUNNING:
  case GPM_STATE_COPY:
    return gpm_limits_midway;
  case GPM_STATE_COMPLETE:
    break;
  }
  return gpm_nothing_why(profile);
}

void gpm_limits_judge_whole(struct gpm_limits *limits, const struct gpm_profile *profile) {
  const char *why = why_not(profile);
  if (!why) return;
  struct gpm_limit *limit =
      gpm_limits_add(limits, GPM_RULE_WHOLE_RUN, gpm_memory_text("a capture of a whole run"));
  limit->verdict = GPM_VERDICT_UNDECIDED;
  limit->why = why;
}
