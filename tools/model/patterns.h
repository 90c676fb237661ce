/* patterns.h - `--filter KEY=PATTERN`: selects the memory that a report covers, by names and sizes.
 *
 *   file=src/a*.cu   function=solve     somewhere on the call path of the allocation
 *   variable=p  type=float  label=step* of the allocation itself
 *   size=1MiB..  size=..4KiB  size=512  of the block itself, both ends included
 *   label=!load*                        all but those that match
 *   function=~^ns::(load|store)         an extended regular expression, anywhere in the name
 *
 * A pattern is one of the shell's, where * and ? also match a slash. It has to match the whole
 * name, of files also what follows a slash, of functions what follows "::". Several --filter all
 * hold.
 */
#ifndef GPM_TOOLS_PATTERNS_H
#define GPM_TOOLS_PATTERNS_H

#include "model/profile.h"

struct gpm_pattern;
struct gpm_patterns {
  struct gpm_pattern *list;
  unsigned count;
};

/* Adds a pattern. Null, or what is wrong with it, to be freed. The caller owns the text, which must
 * outlive the patterns. */
char *gpm_patterns_add(struct gpm_patterns *patterns, const char *text);
void gpm_patterns_free(struct gpm_patterns *patterns);
/* The end of the message of a command that refuses patterns of sizes. */
#define GPM_PATTERNS_SIZES_ARE_FOR "--filter size= is for report, peak, leaks and histogram"
/* Whether there are patterns of sizes, and whether all of them take a block of so many bytes. */
bool gpm_patterns_have_sizes(const struct gpm_patterns *patterns);
/* Whether there are patterns of files or functions. */
bool gpm_patterns_have_places(const struct gpm_patterns *patterns);
bool gpm_patterns_take(const struct gpm_patterns *patterns, uint64_t bytes);
/* False: a cell has both blocks whose size matches and others, which was reported. If the capture
 * has events, events/split.h has split such cells before. `patterns` may be null: there are none.
 */
bool gpm_patterns_decide(const struct gpm_patterns *patterns, const struct gpm_reader *reader);
/* The same without a report. */
bool gpm_patterns_are_decided(const struct gpm_patterns *patterns, const struct gpm_reader *reader);
/* By cell, 1 if it matches every pattern; to be freed. */
uint8_t *gpm_patterns_apply(const struct gpm_patterns *patterns, const struct gpm_profile *profile);
/* "function=solve and label=!load*", as given; to be freed. */
char *gpm_patterns_text(const struct gpm_patterns *patterns);

/* Sums of the cells that a profile shows. */
struct gpm_left {
  struct gpumemprof_capture_amount allocated, freed;
  struct gpumemprof_capture_amount
      older; /* blocks that were live when a window (events/split.h) began; else 0 */
};
struct gpm_left gpm_patterns_left(const struct gpm_profile *profile);
static inline struct gpumemprof_capture_amount gpm_patterns_live(const struct gpm_left *left) {
  return (struct gpumemprof_capture_amount){
      left->older.bytes + left->allocated.bytes - left->freed.bytes,
      left->older.blocks + left->allocated.blocks - left->freed.blocks};
}

#endif
