/* timeline.h - live bytes of each device in the course of the run, in a number of equal columns.
 *
 *   events   every change: the least and the most of a column are exact, so no peak is lost
 *   samples  what the monitor saw, the device's peak, and the end; between them the latest stands
 */
#ifndef GPM_TOOLS_TIMELINE_H
#define GPM_TOOLS_TIMELINE_H

#include "model/profile.h"
#include "model/window.h"

struct gpm_timeline_column {
  uint64_t min, max, last; /* bytes, of every moment in it, its begin included */
};

struct gpm_timeline_device {
  uint32_t device;
  uint64_t live;    /* while it is made */
  uint64_t at;      /* the same: the column that is filled last ... */
  uint64_t samples; /* ... and how many were seen */
  uint64_t max;     /* bytes ... */
  uint64_t max_at;  /* ... and where on the axis they were reached first */
  struct gpm_timeline_column *column;
};

struct gpm_timeline {
  const struct gpm_profile *profile;
  bool by_clock;                      /* the axis is the allocation clock, not nanoseconds */
  bool of_kind;                       /* the profile leaves out kinds of memory */
  bool of_pattern;                    /* it leaves out other memory as well (--filter) */
  bool by_samples;                    /* made from them, for there are not all events */
  struct gpm_window window;           /* as gpm_window_find left it, or none */
  uint64_t start, length;             /* of the axis: its first place, and how many */
  uint32_t width;                     /* columns */
  struct gpm_timeline_device *device; /* those that hold what the profile shows */
  uint32_t count;
};

/* profile, by_clock, of_kind, of_pattern, window and width are set. False after it said why there
 * is none. */
bool gpm_timeline_make(struct gpm_timeline *timeline, struct gpm_reader *reader);
void gpm_timeline_free(struct gpm_timeline *timeline);

/* The column of a place on the axis, and where a column begins. */
uint32_t gpm_timeline_column(const struct gpm_timeline *timeline, uint64_t at);
uint64_t gpm_timeline_begin(const struct gpm_timeline *timeline, uint32_t column);
/* A moment's place on the axis; whether that is drawn. */
uint64_t gpm_timeline_at(const struct gpm_timeline *timeline, uint64_t clock, uint64_t ticks);
bool gpm_timeline_has(const struct gpm_timeline *timeline, uint64_t at);

/* timeline_draw.c: so many rows for each device, what happened below. */
void gpm_timeline_draw(const struct gpm_timeline *timeline, uint32_t height, unsigned style);

/* Samples that the monitor took (option monitor=). */
uint64_t gpm_timeline_monitor_samples(const struct gpm_reader *reader);

#endif
