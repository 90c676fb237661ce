/* memory_names.c - the memory that a change is about, in words (advise.h). */
#include "advise/advise.h"

#include "rows/locations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 32 }; /* of a line */

char *gpm_advise_variable(const struct gpm_profile *p, const struct gpm_line_change *c) {
  uint32_t site = p->site[c->node];
  return gpm_locations_text(p->reader, gpm_reader_site(p->reader, site)->variable);
}

/* ---- the name at the free ----------------------------------------------------------------------
 */

/* Finds the columns of the calls of the same function on the line of a site, which ran. Returns how
 * many there are. */
static uint32_t columns_of(const struct gpm_reader *r, const struct gpumemprof_capture_site *own,
                           uint32_t column[MOST_CALLS]) {
  uint32_t count = 0;
  struct gpm_cursor at = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at)) && count < MOST_CALLS;)
    if (s->kind == own->kind && s->file == own->file && s->line == own->line &&
        s->callee == own->callee)
      column[count++] = s->column;
  return count;
}

/* Returns the name by which the memory is freed, if it has another one there, or null. */
static char *name_of_freed(const struct gpm_profile *p, const struct gpm_line_change *c,
                           const char *variable) {
  if (c->rule != GPM_ADVICE_LATE_FREE) return NULL;
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[c->free_node]);
  char *line = gpm_locations_text(p->reader, s->source_line),
       *callee = gpm_locations_text(p->reader, s->callee),
       *name = gpm_advise_first_argument(line, callee);
  if (!name && *line) {
    uint32_t column[MOST_CALLS], count = columns_of(p->reader, s, column);
    name = gpm_advise_argument_at(line, callee, column, count, s->column);
  }
  free(line);
  free(callee);
  if (name && strcmp(name, variable) != 0) return name;
  free(name);
  return NULL;
}

/* ---- memory without a name ---------------------------------------------------------------------
 */

/* Whether a line has another call that may allocate. */
static bool has_other_call(const struct gpm_reader *r, uint32_t site) {
  const struct gpumemprof_capture_site *own = gpm_reader_site(r, site);
  struct gpm_cursor at = {.records = &r->sites};
  for (const struct gpumemprof_capture_site *s; (s = gpm_cursor_next(&at));)
    if (s->kind == GPUMEMPROF_SITE_CALL && s->file == own->file && s->line == own->line &&
        s->column != own->column)
      return true;
  return false;
}

/* Returns "line 38 in main (column 9)", where the memory is allocated whose free is to be moved. */
static char *allocated_at(const struct gpm_profile *p, const struct gpm_line_change *c) {
  uint32_t site = p->site[c->node], column = gpm_reader_site(p->reader, site)->column;
  char *line = gpm_advise_line(p, site, c->free_node);
  if (!column || !has_other_call(p->reader, site)) return line;
  char *text = gpm_memory_format("%s (column %" PRIu32 ")", line, column);
  free(line);
  return text;
}

static char *without_name(const struct gpm_advise *a, const struct gpm_line_change *c, bool each) {
  char size[GPM_TEXT_NUMBER], *text;
  gpm_advise_bytes(size, c->bytes, a->style);
  if (c->rule != GPM_ADVICE_LATE_FREE)
    return c->blocks == 1 ? gpm_memory_format("its block of %s", size)
                          : gpm_memory_format("%sits blocks", each ? "each of " : "");
  char *line = allocated_at(a->profile, c);
  text = c->blocks == 1 ? gpm_memory_format("the block of %s allocated at %s", size, line)
                        : gpm_memory_format("each block allocated at %s", line);
  free(line);
  return text;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

char *gpm_advise_what(const struct gpm_advise *a, const struct gpm_line_change *c) {
  bool each = c->blocks > 1 && gpm_advice_moves(c->rule);
  char *variable = gpm_advise_variable(a->profile, c), *text;
  if (!*variable) text = without_name(a, c, each);
  else {
    char *freed = name_of_freed(a->profile, c, variable);
    text = gpm_memory_format("%s%s%s%s%s", each ? "each " : "", variable, freed ? " (here: " : "",
                             freed ? freed : "", freed ? ")" : "");
    free(freed);
  }
  free(variable);
  return text;
}
