/* events_print.h - events, uses of memory and marks, one after the other, as lines of a table or
 * items of a JSON list: what `gpumemprof events` prints. */
#ifndef GPM_TOOLS_EVENTS_PRINT_H
#define GPM_TOOLS_EVENTS_PRINT_H

#include "events/replay.h"

struct gpm_events_printed {
  const struct gpm_profile *profile;
  bool table;       /* else JSON */
  unsigned style;   /* of sizes: text.h */
  char **location;  /* locations by call path; null: not made yet */
  uint64_t printed; /* items of JSON so far */
};

void gpm_events_print_make(struct gpm_events_printed *printed, const struct gpm_profile *profile);
void gpm_events_print_free(struct gpm_events_printed *printed);
/* What comes before the first item. */
void gpm_events_print_head(const struct gpm_events_printed *printed);
/* life: of the event's block, or null. */
void gpm_events_print_event(struct gpm_events_printed *printed, const struct gpm_event *event,
                            const struct gpm_life *life);
void gpm_events_print_mark(struct gpm_events_printed *printed,
                           const struct gpumemprof_capture_mark *mark);

#endif
