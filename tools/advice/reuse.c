/* reuse.c - a line whose blocks could have the memory of another line's blocks (advice.h): the rule
 * `reuse`.
 *
 *   c  |begin ---- last use|............... end|      b is not allocated, and c lives on, until b
 *   b        |begin ...... |first use ---- end|       would have been freed if that is later
 *
 * The k-th block of the one line takes the memory of the k-th block of the other. It is certain
 * that this works: nothing may use either block without being given its address, b fits, and all
 * uses of both are in one stream, by the thread that allocated them. Freeing c early removes as
 * much, where that can be said and b begins behind c's last use; the rule is given where it saves
 * more than any other change of the two lines.
 */
#include "advice/advice.h"
#include "advice/used_span.h"

#include <stdlib.h>

enum { MOST_LINES = 1000, MOST_WORK = 1000000 };

struct line {
  uint32_t site, first, count; /* its blocks in `block`, in order, of all call paths */
  bool at_peak, good;          /* good: each block can give its memory, or do without its own */
  const struct gpm_use *use;   /* the first of them all */
  struct gpm_used_span *span;  /* of each block, if it is good */
};

struct reuse {
  struct gpm_advice *advice;
  struct gpm_line_changes *c;
  struct line *line; /* those with a block at the peak first */
  uint32_t at_peak;
  uint32_t *block;
  int64_t *lowest; /* by site of a line: the peak with the best change of it */
};

static const struct gpm_use_block *block_of(const struct reuse *r, uint32_t place) {
  return &r->c->uses->block[r->block[place]];
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static int peak_first(const void *a, const void *b) {
  const struct line *x = a, *y = b;
  if (x->at_peak != y->at_peak) return x->at_peak ? -1 : 1;
  return x->site < y->site ? -1 : x->site > y->site;
}

/* Returns the site of the line that allocated a block, if it has one and is of the device, or NONE.
 */
static uint32_t site_of(const struct reuse *r, const struct gpm_use_block *b) {
  return b->device == r->c->device ? gpm_line_changes_site(r->c, b->node) : GPUMEMPROF_NONE;
}

/* Finds the lines of the device, and the blocks of each. */
static void find_lines(struct reuse *r, uint32_t at) {
  const struct gpm_uses *u = r->c->uses;
  uint32_t sites = (uint32_t)u->profile->reader->sites.count, total = 0, site, *next;
  next = gpm_memory_array(sites + (size_t)1, sizeof *next);
  r->line = gpm_memory_array(sites, sizeof *r->line);
  r->block = gpm_memory_array(u->count, sizeof *r->block);
  for (uint32_t i = 0; i < sites; i++) r->line[i].site = i;
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if ((site = site_of(r, b)) == GPUMEMPROF_NONE) continue;
    r->line[site].count++;
    r->line[site].at_peak |= b->begin <= at && at < b->end;
  }
  for (uint32_t i = 0; i < sites; i++) {
    next[i] = r->line[i].first = total;
    total += r->line[i].count;
  }
  for (size_t i = 0; i < u->count; i++)
    if ((site = site_of(r, &u->block[i])) != GPUMEMPROF_NONE) r->block[next[site]++] = (uint32_t)i;
  if (sites) qsort(r->line, sites, sizeof *r->line, peak_first);
  while (r->at_peak < sites && r->line[r->at_peak].at_peak) r->at_peak++;
  free(next);
}

static bool is_good(const struct reuse *r, struct line *l, uint32_t number) {
  const struct gpm_uses *u = r->c->uses;
  const struct gpm_use_block *b = block_of(r, l->first + number);
  if (!b->count || b->threads || gpm_line_changes_not_judged(u, b)) return false;
  if (!number) l->use = &u->use[b->first];
  if (!gpm_uses_in_stream_of(u, l->use, b)) return false;
  l->span[number] = gpm_used_span_of(u, b);
  return !l->span[number].any_may;
}

static void judge_line(struct reuse *r, struct line *l) {
  l->span = gpm_memory_array(l->count, sizeof *l->span);
  l->good = true;
  for (uint32_t i = 0; l->good && i < l->count; i++) l->good = is_good(r, l, i);
}

/* ---- pairs -------------------------------------------------------------------------------------
 */

/* Returns the node of the call of a function in which a node is, or NONE. */
static uint32_t function_of(const struct reuse *r, uint32_t node) {
  const struct gpm_profile *p = r->c->uses->profile;
  uint32_t scope = p->scope[node];
  while (scope != GPUMEMPROF_NONE && p->kind[scope] == GPUMEMPROF_SITE_BLOCK)
    scope = p->scope[p->tree.node[scope].parent];
  return scope;
}

/* Whether the blocks of b could be in those of c, each in one of the same function. Rows at a pitch
 * need what is between them, too, which was not requested. */
static bool fits(const struct reuse *r, const struct line *b, const struct line *c) {
  if (b == c || b->count != c->count || !gpm_uses_same_stream(r->c->uses, b->use, c->use))
    return false;
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use_block *own = block_of(r, b->first + i), *of = block_of(r, c->first + i);
    if (own->kind != of->kind || own->thread != of->thread || own->bytes > of->bytes ||
        of->begin > b->span[i].first || b->span[i].first <= c->span[i].last ||
        function_of(r, own->node) != function_of(r, of->node))
      return false;
  }
  return true;
}

/* Whether the memory of a block of c is freed too early, so that all of them are to be freed where
 * those of b are now. */
static bool is_longer(const struct reuse *r, const struct line *b, const struct line *c) {
  for (uint32_t i = 0; i < b->count; i++)
    if (block_of(r, c->first + i)->end < block_of(r, b->first + i)->end) return true;
  return false;
}

/* Makes or unmakes it: b goes, and c lives as long as it did, or, if that is not long enough for
 * each, as b did. */
static void apply(struct reuse *r, const struct line *b, const struct line *c, int64_t sign) {
  bool longer = is_longer(r, b, c);
  for (uint32_t i = 0; i < b->count; i++) {
    const struct gpm_use_block *own = block_of(r, b->first + i), *of = block_of(r, c->first + i);
    gpm_peaks_add(&r->c->peaks, own->begin, own->end, -sign * (int64_t)own->bytes);
    gpm_peaks_add(&r->c->peaks, of->end, own->end, sign * (int64_t)of->bytes);
    if (longer) gpm_peaks_add(&r->c->peaks, own->end, of->end, -sign * (int64_t)of->bytes);
  }
}

/* Finds the lowest peak that a change of each line leaves. */
static void find_lowest(struct reuse *r) {
  uint32_t sites = (uint32_t)r->c->uses->profile->reader->sites.count;
  r->lowest = gpm_memory_array(sites, sizeof *r->lowest);
  for (uint32_t i = 0; i < sites; i++) r->lowest[i] = gpm_peaks_now(&r->c->peaks);
  for (uint32_t i = 0; i < r->advice->count; i++) {
    const struct gpm_advice_finding *f = &r->advice->finding[i];
    uint32_t site = f->changes->change[f->step[0]].lines.allocated;
    if (f->changes == r->c && f->count == 1 && (int64_t)f->peak[0] < r->lowest[site])
      r->lowest[site] = (int64_t)f->peak[0];
  }
}

/* Whether another change of one of the two lines leaves a peak that is as low. */
static bool another_does(const struct reuse *r, const struct line *b, const struct line *c,
                         int64_t peak) {
  return peak >= r->lowest[b->site] || peak >= r->lowest[c->site];
}

/* Finds the line whose memory is best for the blocks of a line. Returns null if none saves more
 * than other changes. */
static const struct line *best_for(struct reuse *r, const struct line *b, uint64_t *work,
                                   int64_t *peak) {
  const struct line *best = NULL;
  for (uint32_t i = 0; i < r->at_peak && *work < MOST_WORK; i++) {
    const struct line *c = &r->line[i];
    *work += b->count;
    if (!c->good || !fits(r, b, c)) continue;
    apply(r, b, c, 1);
    int64_t now = gpm_peaks_now(&r->c->peaks);
    apply(r, b, c, -1);
    if (another_does(r, b, c, now) || (best && now >= *peak)) continue;
    best = c;
    *peak = now;
  }
  return best;
}

/* Whether one line frees the blocks of b, and none of c. */
static bool has_one_free(const struct reuse *r, const struct line *b, const struct line *c) {
  uint32_t free_site = gpm_line_changes_site(r->c, block_of(r, b->first)->free_node);
  for (uint32_t i = 0; i < b->count; i++)
    if (gpm_line_changes_site(r->c, block_of(r, b->first + i)->free_node) != free_site ||
        gpm_line_changes_site(r->c, block_of(r, c->first + i)->free_node) == free_site)
      return false;
  return true;
}

static void add(struct reuse *r, const struct line *b, const struct line *of, int64_t peak) {
  const struct gpm_use_block *own = block_of(r, b->first), *its;
  struct gpm_line_change change = {.rule = GPM_ADVICE_REUSE,
                                   .sure = true,
                                   .kind = own->kind,
                                   .node = own->node,
                                   .free_node = own->free_node,
                                   .longer = is_longer(r, b, of),
                                   .one_free = has_one_free(r, b, of),
                                   .to = of->span[of->count - 1].to_last,
                                   .back = GPUMEMPROF_NONE,
                                   .instead = block_of(r, of->first)->node};
  uint32_t number = gpm_line_changes_add(r->c, &change);
  for (uint32_t i = 0; i < b->count; i++) {
    own = block_of(r, b->first + i);
    its = block_of(r, of->first + i);
    gpm_line_changes_add_block(r->c, &r->c->change[number], own);
    gpm_line_changes_add_stretch(r->c, number, (int64_t)own->bytes, own->begin, own->end);
    gpm_line_changes_add_stretch(r->c, number, -(int64_t)its->bytes, its->end, own->end);
    if (change.longer)
      gpm_line_changes_add_stretch(r->c, number, (int64_t)its->bytes, own->end, its->end);
  }
  gpm_advice_add_single(r->advice, r->c, number, peak);
  if (peak < r->lowest[b->site]) r->lowest[b->site] = peak;
}

void gpm_advice_find_reuse(struct gpm_advice *a, struct gpm_line_changes *c) {
  struct reuse r = {.advice = a, .c = c};
  uint64_t work = 0;
  find_lines(&r, gpm_peaks_at(&c->peaks));
  find_lowest(&r);
  if (r.at_peak > MOST_LINES) r.at_peak = MOST_LINES;
  for (uint32_t i = 0; i < r.at_peak; i++) judge_line(&r, &r.line[i]);
  for (uint32_t i = 0; i < r.at_peak; i++) {
    const struct line *b = &r.line[i];
    int64_t peak = 0;
    const struct line *of = b->good ? best_for(&r, b, &work, &peak) : NULL;
    if (of) add(&r, b, of, peak);
  }
  for (uint32_t i = 0; i < r.at_peak; i++) free(r.line[i].span);
  free(r.line);
  free(r.block);
  free(r.lowest);
}
