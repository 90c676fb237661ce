/* check_whole.c - whether a capture is of a whole run: what a program did not do, or what nobody
 * recorded, keeps every limit, and says nothing. */
#include "check_limits.h"

#include <string.h>

static bool is_paused_line(const struct gpm_profile *p, uint32_t node) {
  return p->site[node] != GPUMEMPROF_NONE &&
         !strcmp(gpm_reader_string(p->reader, gpm_reader_site(p->reader, p->site[node])->function),
                 "(paused)");
}

/* Memory moved in no line but that of what happens in a pause: budgets have no scope then, and no
 * line can have grown. Scopes of the program have nodes also in a pause, in which nothing moves. */
static bool was_paused(const struct gpm_profile *p) {
  bool moved = false;
  struct gpm_cursor cells = {.records = &p->reader->cells}, pairs = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    if (!is_paused_line(p, c->node)) return false;
    moved = true;
  }
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&pairs));)
    if (!is_paused_line(p, pair->free_node)) return false;
  return moved;
}

static const char *why_not(const struct gpm_profile *profile) {
  switch (gpm_reader_state(profile->reader)) {
  case GPM_STATE_STOPPED:
    return "recording stopped before the program ended";
  case GPM_STATE_ENDED:
    return "the program was killed or aborted, or called _exit, and nobody knows what it left out";
  case GPM_STATE_RESTARTED:
    return "the program did not end by itself before its machine was restarted, and what was not "
           "on "
           "the disk by then is missing";
  case GPM_STATE_ELSEWHERE:
    return "it was recorded on another host, where the program has not ended by itself so far";
  case GPM_STATE_RUNNING:
  case GPM_STATE_COPY:
    return gpm_limits_amid;
  case GPM_STATE_COMPLETE:
    break;
  }
  if (was_paused(profile)) return "recording was paused all the time, so only totals are known";
  if (profile->node_count > 1) return NULL;
  return "nothing was recorded: was the program built with the plugin, and linked with gpumemprof?";
}

void gpm_limits_judge_whole(struct gpm_limits *limits, const struct gpm_profile *profile) {
  const char *why = why_not(profile);
  if (!why) return;
  struct gpm_limit *limit =
      gpm_limits_add(limits, GPM_RULE_WHOLE_RUN, gpm_memory_text("a capture of a whole run"));
  limit->verdict = GPM_VERDICT_UNDECIDED;
  limit->why = why;
}
