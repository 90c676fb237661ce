/* timeline.h - live bytes of each device over the run, in a number of equal columns.
 *
 *   events   every change: the least and the most of a column are exact, so no peak is lost
 *   samples  those of the monitor, the device's peak, and the end; each is valid until the next
 */
#ifndef GPM_TOOLS_TIMELINE_H
#define GPM_TOOLS_TIMELINE_H

#include "model/profile.h"
#include "model/window.h"

enum { GPM_TIMELINE_MOST_WIDTH = 10000 }; /* columns */

struct gpm_timeline_column {
  uint64_t min, max, last; /* bytes, over all moments of the column, its beginning included */
};

struct gpm_timeline_device {
  uint32_t device;
  uint64_t live;    /* used while the timeline is made */
  uint64_t at;      /* likewise: the column that was filled last ... */
  uint64_t samples; /* ... and the number of samples read */
  uint64_t max;     /* bytes ... */
  uint64_t max_at;  /* ... and where on the axis they were reached first */
  struct gpm_timeline_column *column;
};

struct gpm_timeline {
  const struct gpm_profile *profile;
  bool by_clock;            /* the axis is in ticks of the allocation clock, not in nanoseconds */
  bool of_kind;             /* the profile leaves out kinds of memory */
  bool of_pattern;          /* it leaves out other memory as well (--filter) */
  bool by_samples;          /* made from samples, because events are missing */
  struct gpm_window window; /* as gpm_window_find left it, or none */
  uint64_t start, length; /* the first value on the axis, and the length of the axis, in its unit */
  uint32_t width;         /* columns */
  struct gpm_timeline_device *device; /* the devices that hold memory that the profile shows */
  uint32_t count;
};

/* The caller has set profile, by_clock, of_kind, of_pattern, window and width. Returns false after
 * it reported why there is no timeline. */
bool gpm_timeline_make(struct gpm_timeline *timeline, struct gpm_reader *reader);
void gpm_timeline_free(struct gpm_timeline *timeline);

/* Return the column of a value on the axis, and the value where a column begins. */
uint32_t gpm_timeline_column(const struct gpm_timeline *timeline, uint64_t at);
uint64_t gpm_timeline_begin(const struct gpm_timeline *timeline, uint32_t column);
/* Return the value of a moment on the axis, and whether it is drawn. */
uint64_t gpm_timeline_at(const struct gpm_timeline *timeline, uint64_t clock, uint64_t ticks);
bool gpm_timeline_has(const struct gpm_timeline *timeline, uint64_t at);

/* timeline_draw.c: draws `height` rows for each device, and below them what happened. */
void gpm_timeline_draw(const struct gpm_timeline *timeline, uint32_t height, unsigned style);

/* Returns the number of samples that the monitor took (option monitor=). */
uint64_t gpm_timeline_monitor_samples(const struct gpm_reader *reader);

#endif
