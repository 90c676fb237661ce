/* no_overlap.c - blocks of one line whose uses never overlap, so that one of them would do
 * (advice.h): the rule `no-overlap`.
 *
 *   a  |begin  W r   r      W r      end|      W: all of it is overwritten
 *   b  |begin        .  W r       W r .. end|
 *
 * While both live, their uses take turns, and each turn begins with a copy or a value that
 * overwrites the whole block, so that nothing is kept from one turn to the next. The thread that
 * allocated the blocks makes all uses, because those of several threads have another order in each
 * run. In one stream each use has ended before the next begins, and the rule is sure. Otherwise
 * only the order of the calls is known (waiting is not recorded), and it is a hint, which is only
 * given if --rule names it. The largest block stays, and lives as long as any of them did.
 */
#include "advice/advice.h"

#include <stdlib.h>

/* Blocks of a line that share, those of which they are chosen, and uses of all lines. */
enum { MOST_BLOCKS = 64, LONGEST_LINE = 1000, MOST_USES = 1000000 };

struct turns {
  struct gpm_advice *advice;
  struct gpm_line_changes *c;
  uint32_t block[MOST_BLOCKS]; /* of the line, that could share: the largest first */
  uint32_t count, site;
  bool several_streams;
  uint64_t work;
};

static const struct gpm_use_block *block_of(const struct turns *t, uint32_t place) {
  return &t->c->uses->block[t->block[place]];
}

/* Whether all uses of a block are known. */
static bool is_certain(const struct gpm_uses *u, const struct gpm_use_block *b) {
  uint32_t record;
  if (!b->count || b->threads || gpm_line_changes_not_judged(u, b)) return false;
  for (uint32_t i = 0; i < b->count; i++)
    if (u->use[b->first + i].flags & GPM_USE_MAYBE) return false;
  return gpm_uses_first_maybe(u, b, b->begin, b->end, &record) == GPUMEMPROF_NONE;
}

/* Whether a use may be the first of a turn. */
static bool begins_turn(const struct gpm_use *use) {
  return use->access == GPM_ACCESS_WRITE && use->flags & GPM_USE_WHOLE;
}

/* Whether no use of one block is at the position of one of the other, and each turn but the first
 * begins with all of the block overwritten. */
static bool take_turns(struct turns *t, const struct gpm_use_block *a,
                       const struct gpm_use_block *b) {
  const struct gpm_uses *u = t->c->uses;
  uint32_t i = 0, k = 0;
  int latest = -1; /* 0: of a */
  t->work += (uint64_t)a->count + b->count;
  while (i < a->count || k < b->count) {
    const struct gpm_use *one = i < a->count ? &u->use[a->first + i] : NULL,
                         *two = k < b->count ? &u->use[b->first + k] : NULL;
    if (one && two && one->at == two->at) return false;
    int next = !one || (two && two->at < one->at);
    const struct gpm_use *use = next ? two : one;
    if (latest >= 0 && next != latest && !begins_turn(use)) return false;
    latest = next;
    i += !next;
    k += (uint32_t)next;
  }
  return true;
}

static bool fits(struct turns *t, const struct gpm_use_block *b) {
  const struct gpm_use_block *stays = t->count ? block_of(t, 0) : b;
  if (t->count == MOST_BLOCKS || b->kind != stays->kind || b->thread != stays->thread) return false;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->work > MOST_USES || !take_turns(t, block_of(t, i), b)) return false;
  return true;
}

static void see_streams(struct turns *t) {
  const struct gpm_uses *u = t->c->uses;
  const struct gpm_use *first = &u->use[block_of(t, 0)->first];
  t->several_streams = false;
  for (uint32_t i = 0; i < t->count; i++)
    t->several_streams |= !gpm_uses_in_stream_of(u, first, block_of(t, i));
}

/* ---- the change --------------------------------------------------------------------------------
 */

/* Adds where the block that stays lives longer than it did. */
static void add_longer(struct turns *t, uint32_t change) {
  const struct gpm_use_block *stays = block_of(t, 0);
  uint32_t begin = stays->begin, end = stays->end;
  for (uint32_t i = 1; i < t->count; i++) {
    if (block_of(t, i)->begin < begin) begin = block_of(t, i)->begin;
    if (block_of(t, i)->end > end) end = block_of(t, i)->end;
  }
  int64_t bytes = -(int64_t)stays->bytes;
  gpm_line_changes_add_stretch(t->c, change, bytes, begin, stays->begin);
  gpm_line_changes_add_stretch(t->c, change, bytes, stays->end, end);
}

static void add(struct turns *t) {
  const struct gpm_use_block *stays = block_of(t, 0);
  struct gpm_line_change change = {.rule = t->several_streams ? GPM_ADVICE_NO_OVERLAP_HINT
                                                              : GPM_ADVICE_NO_OVERLAP,
                                   .sure = !t->several_streams,
                                   .kind = stays->kind,
                                   .node = stays->node,
                                   .free_node = block_of(t, 1)->free_node,
                                   .to = GPUMEMPROF_NONE,
                                   .back = GPUMEMPROF_NONE,
                                   .streams = t->several_streams};
  uint32_t number = gpm_line_changes_add(t->c, &change);
  t->c->change[number].instead = t->block[0];
  for (uint32_t i = 1; i < t->count; i++) {
    const struct gpm_use_block *b = block_of(t, i);
    gpm_line_changes_add_block(t->c, &t->c->change[number], b);
    gpm_line_changes_add_stretch(t->c, number, (int64_t)b->bytes, b->begin, b->end);
  }
  add_longer(t, number);
  int64_t less, before = gpm_peaks_now(&t->c->peaks),
                single = gpm_line_changes_single(t->c, number, &less);
  if (single < before) gpm_advice_add_single(t->advice, t->c, number, single);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static int largest_first(const void *a, const void *b, void *data) {
  const struct gpm_uses *u = data;
  const uint32_t *x = a, *y = b;
  uint64_t one = u->block[*x].bytes, other = u->block[*y].bytes; /* with the ends of rows */
  if (one != other) return one > other ? -1 : 1;
  return *x < *y ? -1 : *x > *y;
}

/* Returns the site of the line of a block that is there at a position, or NONE. */
static uint32_t site_at(const struct gpm_line_changes *c, const struct gpm_use_block *b,
                        uint32_t at) {
  bool is_at = b->device == c->device && b->begin <= at && at < b->end;
  return is_at ? gpm_line_changes_site(c, b->node) : GPUMEMPROF_NONE;
}

/* Returns the blocks that are there at the peak, line by line; to be freed. end: by site, where
 * those of its line end. */
static uint32_t *blocks_at(const struct gpm_line_changes *c, uint32_t at, uint32_t *end) {
  const struct gpm_uses *u = c->uses;
  uint32_t *block = gpm_memory_array(u->count, sizeof *block), total = 0, site;
  for (size_t i = 0; i < u->count; i++)
    if ((site = site_at(c, &u->block[i], at)) != GPUMEMPROF_NONE) end[site]++;
  for (site = 0; site < u->profile->reader->sites.count; site++) {
    uint32_t count = end[site];
    end[site] = total;
    total += count;
  }
  for (size_t i = 0; i < u->count; i++)
    if ((site = site_at(c, &u->block[i], at)) != GPUMEMPROF_NONE) block[end[site]++] = (uint32_t)i;
  return block;
}

static void try_line(struct turns *t, uint32_t *block, uint32_t count, unsigned rules) {
  const struct gpm_uses *u = t->c->uses;
  t->count = 0;
  qsort_r(block, count, sizeof *block, largest_first, (void *)(uintptr_t)u);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_use_block *b = &u->block[block[i]];
    if (is_certain(u, b) && fits(t, b)) t->block[t->count++] = block[i];
  }
  if (t->count < 2) return;
  see_streams(t);
  unsigned rule = t->several_streams ? GPM_ADVICE_NO_OVERLAP_HINT : GPM_ADVICE_NO_OVERLAP;
  if (rules >> rule & 1) add(t);
}

void gpm_advice_find_no_overlap(struct gpm_advice *a, struct gpm_line_changes *c, unsigned rules) {
  size_t sites = c->uses->profile->reader->sites.count;
  uint32_t *end = gpm_memory_array(sites, sizeof *end);
  uint32_t *block = blocks_at(c, gpm_peaks_at(&c->peaks), end);
  struct turns t = {.advice = a, .c = c};
  for (uint32_t begin = 0; t.site < sites; begin = end[t.site++])
    if (end[t.site] - begin >= 2 && end[t.site] - begin <= LONGEST_LINE)
      try_line(&t, block + begin, end[t.site] - begin, rules);
  free(block);
  free(end);
}
