/* list_timeline.c - what each device held over the run, as a list. See list.h.
 *
 * A window of the capture's settings is the axis, so the timeline is of the capture without split
 * cells, as the events are (events.c).
 */
#include "read/list.h"

#include "events/walk.h"
#include "over_time/timeline.h"

enum { DEVICE, BEGIN, END, MIN, MAX, LAST, DEVICE_MAX, DEVICE_MAX_AT, SAMPLES, TIMELINE_COLUMNS };
#define TIMELINE_OF(unit)                                                                          \
  {                                                                                                \
      [DEVICE] = {"device", "row of the list of devices", GPUMEMPROF_READ_NUMBER},                 \
      [BEGIN] = {"begin", "where this part of the axis begins", unit},                             \
      [END] = {"end", "where the next one begins", unit},                                          \
      [MIN] = {"min", "the least that was live in it", GPUMEMPROF_READ_BYTES},                     \
      [MAX] = {"max", "the most that was live in it", GPUMEMPROF_READ_BYTES},                      \
      [LAST] = {"last", "what was live at its end", GPUMEMPROF_READ_BYTES},                        \
      [DEVICE_MAX] = {"device_max", "the most in any part", GPUMEMPROF_READ_BYTES},                \
      [DEVICE_MAX_AT] = {"device_max_at", "where on the axis that was reached first", unit},       \
      [SAMPLES] = {"samples", "of the device; not known: made from all events",                    \
                   GPUMEMPROF_READ_COUNT},                                                         \
  }

static const struct gpm_list_column by_time[] = TIMELINE_OF(GPUMEMPROF_READ_NS),
                                    by_clock[] = TIMELINE_OF(GPUMEMPROF_READ_NUMBER);

static void add_part(struct gpumemprof_read_list *l, const struct gpm_timeline *t,
                     const struct gpm_timeline_device *d, uint32_t k) {
  gpm_list_add(l);
  gpm_list_number(l, DEVICE, d->device);
  gpm_list_number(l, BEGIN, gpm_timeline_begin(t, k));
  gpm_list_number(l, END, gpm_timeline_begin(t, k + 1));
  gpm_list_number(l, MIN, d->column[k].min);
  gpm_list_number(l, MAX, d->column[k].max);
  gpm_list_number(l, LAST, d->column[k].last);
  gpm_list_number(l, DEVICE_MAX, d->max);
  gpm_list_number(l, DEVICE_MAX_AT, d->max_at);
  if (t->by_samples) gpm_list_number(l, SAMPLES, d->samples);
}

struct ask {
  struct gpumemprof_read *reader;
  uint32_t capture;
  enum gpumemprof_read_axis axis;
  uint32_t parts;
  struct gpumemprof_read_list *list;
};

/* What cannot be asked, as the tool refuses it. */
static int refuse(const struct ask *a, const struct gpm_read_capture *c) {
  if (!a->parts || a->parts > GPM_TIMELINE_MOST_WIDTH)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "a timeline has from 1 to %d parts, not %u", GPM_TIMELINE_MOST_WIDTH,
                         a->parts);
  if (a->axis != GPUMEMPROF_READ_AXIS_TIME && a->axis != GPUMEMPROF_READ_AXIS_CLOCK)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT, "there is no axis %d", (int)a->axis);
  if (gpm_patterns_have_sizes(&c->patterns))
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "a timeline has blocks of all sizes: open the capture without a filter "
                         "by size");
  return GPUMEMPROF_READ_OK;
}

/* The capture is the whole one. */
static int make_of(struct ask *a, struct gpm_read_capture *c) {
  struct gpm_timeline t = {.profile = c->profile,
                           .by_clock = a->axis == GPUMEMPROF_READ_AXIS_CLOCK,
                           .of_kind = c->settings.kind != NULL,
                           .of_pattern = c->settings.filters != 0,
                           .width = a->parts};
  int status = gpm_read_window(c, &t.window);
  if (status) return status;
  if (!gpm_timeline_make(&t, c->reader))
    status = gpm_walk_knows_all(c->reader) ? GPUMEMPROF_READ_CAPTURE : GPUMEMPROF_READ_LACKS;
  if (!status)
    a->list = gpm_list_new(a->reader, c, t.by_clock ? by_clock : by_time, TIMELINE_COLUMNS);
  for (uint32_t i = 0; i < t.count && !status; i++)
    for (uint32_t k = 0; k < t.width; k++) add_part(a->list, &t, &t.device[i], k);
  gpm_timeline_free(&t);
  return status;
}

static int make_timeline(void *arguments) {
  struct ask *a = arguments;
  struct gpm_read_capture *c = gpm_read_capture(a->reader, a->capture), *whole;
  if (!c) return GPUMEMPROF_READ_ARGUMENT;
  int status = refuse(a, c);
  if (!status) status = gpm_read_capture_whole(a->reader, c, &whole);
  if (status) return status;
  status = make_of(a, whole);
  gpm_read_capture_drop(a->reader, whole);
  return status;
}

struct gpumemprof_read_list *gpumemprof_read_timeline(struct gpumemprof_read *r, uint32_t capture,
                                                      enum gpumemprof_read_axis axis,
                                                      uint32_t parts) {
  struct ask a = {.reader = r, .capture = capture, .axis = axis, .parts = parts};
  return gpm_read_call(r, make_timeline, &a) ? NULL : a.list;
}
