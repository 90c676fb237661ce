/* advice_picture.h - what the page draws of advice (advise/advise.h): the curve of a device before
 * the changes of a finding and after each of them, and its blocks with the positions at which they
 * waited, were used and were kept.
 *
 *   position   an allocation or an operation on the device (uses/uses.h)
 *   part       the positions are cut into at most GPM_ADVICE_PICTURE_PARTS equal parts; a curve has
 *              the highest total of each, so no peak is lost
 *
 * docs/PAGE.md (advice) says what the JSON holds. Its figures are those of `gpumemprof advise`,
 * made by the same code; the curves are totals of the same changes.
 */
#ifndef GPM_TOOLS_ADVICE_PICTURE_H
#define GPM_TOOLS_ADVICE_PICTURE_H

#include "advise/advise.h"

#include <jansson.h>

enum {
  GPM_ADVICE_PICTURE_PARTS = 1000,     /* of a curve */
  GPM_ADVICE_PICTURE_BLOCKS = 200,     /* of a device that are drawn */
  GPM_ADVICE_PICTURE_FINDINGS = 40,    /* of one change each that are in the page */
  GPM_ADVICE_PICTURE_STRIPS = 100,     /* blocks whose pages are drawn */
  GPM_ADVICE_PICTURE_STRIP_PARTS = 256 /* into which the pages of a block are cut */
};

/* picture.c: returns the whole; the caller owns it. place: by record of DEVICES, the number that
 * the page gives it. */
json_t *gpm_advice_picture_json(const struct gpm_advise_made *made, const uint32_t *place);

/* ---- curves.c ---- */

/* Returns the curve of a device with the changes that are made now. */
json_t *gpm_advice_picture_curve(const struct gpm_line_changes *changes);

/* ---- drawn_blocks.c: the blocks of a device that are drawn ---- */

struct gpm_advice_picture_blocks {
  const struct gpm_line_changes *changes;
  uint32_t *block; /* of uses.h, in the order in which they are drawn */
  uint32_t count;
  uint64_t left_out; /* blocks live at the peak that are not among them */
};

/* Chooses the largest of those that are live at the peak, or that a finding changes. No change is
 * made at that time. */
void gpm_advice_picture_blocks_choose(struct gpm_advice_picture_blocks *blocks,
                                      const struct gpm_advise *advise,
                                      const struct gpm_line_changes *changes);
void gpm_advice_picture_blocks_free(struct gpm_advice_picture_blocks *blocks);
json_t *gpm_advice_picture_blocks_json(const struct gpm_advice_picture_blocks *blocks);
/* strips.c: returns the pages of the largest blocks whose pages are known; *left_out: of how many
 * more they are. */
json_t *gpm_advice_picture_strips(const struct gpm_profile *profile, const struct gpm_pages *pages,
                                  const uint32_t *place, uint64_t *left_out);
/* drawn_changes.c: returns where a change removes drawn blocks: [number, from, to] for each
 * stretch. */
json_t *gpm_advice_picture_removed(const struct gpm_advice_picture_blocks *blocks,
                                   const struct gpm_line_change *change);

#endif
