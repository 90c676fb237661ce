/* holding.h - what was live at a moment, by line: `gpumemprof peak`. */
#ifndef GPM_TOOLS_HOLDING_H
#define GPM_TOOLS_HOLDING_H

#include "analysis/small_variables.h"
#include "analysis/through.h"
#include "model/keys.h"
#include "model/profile.h"

struct gpm_held {
  uint64_t bytes, blocks;
  uint64_t inside; /* bytes of them that the requested scope has allocated itself */
  uint32_t node;   /* the call path that holds most of it, and the bytes of that path */
  uint64_t most;
  uint32_t sites; /* number of calls on the line that have a part of it */
};
struct gpm_holding {
  const struct gpm_profile *profile;
  struct gpm_keys keys;
  struct gpm_held *line; /* by key; sorted by bytes after gpm_holding_sort */
  uint32_t count;
  struct gpm_held all;              /* their sum */
  uint8_t *seen;                    /* by site: 1 if its line has counted it */
  struct gpm_small_rows small_rows; /* the lines of small variables that were left out */
};

/* Returns the line of a call path. All code that was not rebuilt is one line. */
struct gpm_key gpm_holding_location(const struct gpm_profile *profile, uint32_t node);

/* True if two call paths end in the same line. */
bool gpm_holding_is_of(const struct gpm_profile *profile, uint32_t node, uint32_t other);

void gpm_holding_begin(struct gpm_holding *holding, const struct gpm_profile *profile);
void gpm_holding_add(struct gpm_holding *holding, uint32_t node, uint64_t bytes, uint64_t blocks,
                     uint64_t inside);
void gpm_holding_sort(struct gpm_holding *holding);
/* Removes the lines of small variables if they are many. Call it after sorting. */
void gpm_holding_leave_out(struct gpm_holding *holding);
void gpm_holding_free(struct gpm_holding *holding);
/* Initialises `holding` with what a device held at its peak, sorted. */
void gpm_holding_at_peak(struct gpm_holding *holding, const struct gpm_profile *profile,
                         uint32_t device);

/* Returns the call paths to a line. Call it after gpm_holding_at_peak. */
void gpm_holding_paths(struct gpm_holding *holding, uint32_t line, uint32_t device,
                       struct gpm_through_paths *paths);

#endif
