/* nothing.c - see nothing.h. */
#include "analysis/nothing.h"

#include <stdio.h>
#include <string.h>

static bool is_paused_line(const struct gpm_profile *p, uint32_t node) {
  return p->site[node] != GPUMEMPROF_NONE &&
         !strcmp(gpm_reader_string(p->reader, gpm_reader_site(p->reader, p->site[node])->function),
                 "(paused)");
}

/* True if all memory moved while recording was paused: budgets have no scope then, and no line can
 * have grown. The program's scopes have nodes during a pause too, but nothing is recorded in them.
 */
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

const char *gpm_nothing_why(const struct gpm_profile *p) {
  if (was_paused(p)) return "recording was paused all the time, so only totals are known";
  if (p->node_count > 1) return NULL;
  return "nothing was recorded: was the program started by `gpumemprof run`, or built with the "
         "plugin and linked with gpumemprof, and not paused all the time?";
}
