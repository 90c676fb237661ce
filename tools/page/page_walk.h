/* page_walk.h - what the page takes from the events: one walk over them, before anything of the
 * page is written, for all of its parts.
 *
 *   page_lists.c, page_sentences.c   lifetimes, histograms, temporary blocks, growth
 *   page_events.c                    the picture: tracks, blocks, scopes
 */
#ifndef GPM_TOOLS_PAGE_WALK_H
#define GPM_TOOLS_PAGE_WALK_H

#include "over_time/bins.h"
#include "over_time/growth.h"
#include "over_time/lifetimes.h"
#include "over_time/temporaries.h"
#include "page/page_blocks.h"
#include "page/page_scopes.h"

struct gpm_page_picture {
  bool made;
  struct gpm_page_tracks tracks;
  struct gpm_page_blocks blocks;
  struct gpm_page_scopes scopes;
};

struct gpm_page_walk {
  bool has_lifetimes; /* lifetimes of blocks are known, and the first four fields are filled */
  struct gpm_lifetimes *lifetimes;
  struct gpm_bins sizes, ages;
  struct gpm_bins_of_lifetimes bins;
  struct gpm_temporaries_of_events *temporaries;
  bool grows; /* growth is known */
  struct gpm_growth growth;
  struct gpm_page_picture picture;
};

/* Walks over the events, if the capture has all of them. False after it said what is wrong. */
bool gpm_page_walk(struct gpm_page_walk *walk, struct gpm_page *page);
void gpm_page_walk_free(struct gpm_page_walk *walk);

/* Whether there are more events than the page's clock can count; then there is no picture. */
bool gpm_page_has_too_many(const struct gpm_page *page);
/* Makes the picture in a separate walk, with at most this many parts. False after it said what is
 * wrong. */
bool gpm_page_picture_make(struct gpm_page_picture *picture, const struct gpm_page *page,
                           uint32_t parts);
/* Makes the scopes a second time, only those of nodes that the page has. False after it said what
 * is wrong. */
bool gpm_page_picture_choose(struct gpm_page_picture *picture, const struct gpm_page *page);
void gpm_page_picture_free(struct gpm_page_picture *picture);

#endif
