/* list_suppressed.c - the suppressions of a capture, and what each of them hides from the lists of
 * leaks and of growth. See list.h.
 */
#include "read/list.h"

#include "analysis/leaks.h"
#include "events/walk.h"
#include "over_time/growth.h"

#include <string.h>

enum { SUPPRESSION, BYTES, BLOCKS, GROWN, LINES, SUPPRESSED_COLUMNS };
static const struct gpm_list_column of_suppressed[] = {
    [SUPPRESSION] = {"suppression", "as it is written: leak:NAME", GPUMEMPROF_READ_TEXT},
    [BYTES] = {"bytes", "of the leaks that it hides", GPUMEMPROF_READ_BYTES},
    [BLOCKS] = {"blocks", "how many they are", GPUMEMPROF_READ_COUNT},
    [GROWN] = {"grown", "what the growing lines that it hides hold more", GPUMEMPROF_READ_BYTES},
    [LINES] = {"lines", "how many they are; not known: the capture does not tell what grows",
               GPUMEMPROF_READ_COUNT},
};

struct gpm_suppressions gpm_list_suppressions(const struct gpm_read_capture *c) {
  const struct gpm_suppressions *given = c->settings.suppressions;
  if (!given || !given->count) return (struct gpm_suppressions){NULL, 0};
  struct gpm_suppressions copy = {gpm_memory_array(given->count, sizeof *copy.one), given->count};
  memcpy(copy.one, given->one, given->count * sizeof *copy.one);
  return copy;
}

static void hide_leaks(const struct gpm_read_capture *c, struct gpm_suppressions *hidden) {
  struct gpm_leaks leaks;
  gpm_leaks_find(&leaks, c->profile, &(struct gpm_leaks_request){.suppressions = hidden});
  gpm_leaks_free(&leaks);
}

/* Three steps are the fewest that growth is found from. */
static bool hide_growth(const struct gpm_read_capture *c, struct gpm_suppressions *hidden) {
  struct gpm_growth growth = {.profile = c->profile};
  if (c->reader->split || c->reader->steps.count < 3 || !gpm_walk_knows_all(c->reader))
    return false;
  bool found = gpm_growth_find(&growth, c->reader);
  if (found) gpm_growth_suppress(&growth, hidden);
  gpm_growth_free(&growth);
  return found;
}

struct gpumemprof_read_list *gpm_list_suppressed(struct gpumemprof_read *reader,
                                                 struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, of_suppressed, SUPPRESSED_COLUMNS);
  struct gpm_suppressions leaks = gpm_list_suppressions(capture),
                          grown = gpm_list_suppressions(capture);
  if (leaks.count) hide_leaks(capture, &leaks);
  bool known = grown.count && hide_growth(capture, &grown);
  for (uint32_t i = 0; i < leaks.count; i++) {
    gpm_list_add(l);
    gpm_list_text(l, SUPPRESSION, gpm_memory_format("leak:%s", leaks.one[i].pattern));
    gpm_list_number(l, BYTES, leaks.one[i].bytes);
    gpm_list_number(l, BLOCKS, leaks.one[i].blocks);
    if (known) gpm_list_number(l, GROWN, grown.one[i].bytes);
    if (known) gpm_list_number(l, LINES, grown.one[i].lines);
  }
  free(leaks.one);
  free(grown.one);
  return l;
}
