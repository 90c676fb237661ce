/* page_tracks.h - how much was live over the run, for the page: the most and the least of each of a
 * bounded number of equal parts of the allocation clock.
 *
 * A track is a device, or one kind of memory of it. A column of the page's timeline shows the
 * highest moment in it, so no peak is lost however many ticks a part has.
 */
#ifndef GPM_TOOLS_PAGE_TRACKS_H
#define GPM_TOOLS_PAGE_TRACKS_H

#include "events/listeners.h"
#include "page/page.h"

#define GPM_PAGE_PARTS 16384u
#define GPM_PAGE_FEWEST_PARTS 256u

struct gpm_page_part {
  uint64_t most, least; /* bytes */
  uint64_t moment;      /* the first tick after which it held `most` */
};

struct gpm_page_track {
  uint32_t device, kind; /* record; GPM_ALL_KINDS: all of the device */
  uint64_t live, peak, peak_clock;
  uint64_t begun; /* parts whose begin is known */
  struct gpm_page_part *part;
};

struct gpm_page_moment {
  uint64_t clock, time_ns;
};

struct gpm_page_tracks {
  const struct gpm_page *page;
  struct gpm_page_track *track;
  uint32_t count, *all;         /* by device: the track of all its kinds, or NONE */
  uint64_t last;                /* tick of the latest event */
  uint64_t width;               /* ticks of a part */
  uint32_t parts, most;         /* how many there are, and may be */
  struct gpm_page_moment *time; /* of the first event of each part; clock 0: it has none */
  struct gpm_page_moment end;   /* the latest */
  bool complete;                /* all events were read, so the parts are final */
  /* Called before parts are joined two by two, when all of them have ended; or null. */
  void (*widening)(void *data);
  void *data;
};

/* Makes a listener for the steps of a walk. `most`, the highest number of parts, is even. */
struct gpm_listener gpm_page_tracks_listen(struct gpm_page_tracks *tracks,
                                           const struct gpm_page *page, uint32_t most);
void gpm_page_tracks_free(struct gpm_page_tracks *tracks);

/* Returns the first part of a device whose highest moment is no earlier than a tick; `parts` if
 * there is none. While events are still read, the part of the tick has to be over. */
uint32_t gpm_page_tracks_from(const struct gpm_page_tracks *tracks, uint32_t device,
                              uint64_t clock);

/* Returns the profile that makes a walk leave out the cells that the page leaves out; null if there
 * are none. */
static inline const struct gpm_profile *gpm_page_left_out(const struct gpm_page *page) {
  return page->profile->all_cells_shown ? NULL : page->profile;
}

#endif
