/* oversize.c - a line whose blocks are larger than what is used of them (advice.h): the rule
 * `oversize`.
 *
 *   |<---------------- bytes ---------------->|
 *   |used, or not|used|used|......unused......|     the next block of the line
 *   |used|used|used|used|....|used|...unused..|
 *                                 |<--- less ->|    the least that is unused at an end
 *
 * It is known where device code marks the pages that it uses (pages.h), and where that is all that
 * uses the block; copies and fills count as well. All blocks of the line, on all devices, become
 * smaller by as much, so one that is not known leaves nothing to say. The change is given only by
 * itself: the others remove whole blocks for a while, and nothing may be removed twice.
 */
#include "advice/advice.h"

#include "pages/pages.h"

#include <stdlib.h>

/* The blocks that a site allocates, of all call paths, since an edit of the line changes all. */
struct line {
  uint64_t less;    /* what is unused at the end of each; 0: nothing, or that is not known */
  bool found, used; /* it has blocks; operations use one of them */
};

struct oversize {
  const struct gpm_uses *uses;
  const struct gpm_pages *pages;
  struct line *line; /* by record of SITES */
};

/* A size that CUDA rounded up, as that of rows, is not what the line asks for. */
static uint64_t less_of(const struct gpm_uses *u, const struct gpm_use_block *b,
                        const struct gpm_pages_block *its) {
  bool known = its && its->address == b->address && b->shared == GPUMEMPROF_NONE &&
               b->requested == b->bytes && !gpm_line_changes_not_judged(u, b);
  return known ? gpm_pages_unused(its) : 0;
}

static void add_to_line(struct line *l, uint64_t less, bool used) {
  l->less = !l->found || less < l->less ? less : l->less;
  l->found = true;
  l->used |= used;
}

/* Both have the blocks in the order of their allocation. */
static void read_lines(struct oversize *o) {
  const struct gpm_uses *u = o->uses;
  uint32_t number = 0;
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    uint32_t site = gpm_uses_place(u, u->profile->site[b->node]);
    const struct gpm_pages_block *its =
        gpm_pages_are_of(b->kind) && b->bytes && number < o->pages->count
            ? &o->pages->block[number++]
            : NULL;
    if (site != GPUMEMPROF_NONE) add_to_line(&o->line[site], less_of(u, b, its), b->count != 0);
  }
}

static struct line *line_of(const struct oversize *o, const struct gpm_use_block *b) {
  uint32_t site = gpm_uses_place(o->uses, o->uses->profile->site[b->node]);
  return site == GPUMEMPROF_NONE ? NULL : &o->line[site];
}

/* What nothing uses at all is of the rule `unused`. */
static bool can_be_smaller(const struct line *l) {
  return l && l->less && l->used;
}

/* Adds the change of each line that has blocks on the device. */
static void add_changes(const struct oversize *o, struct gpm_line_changes *c) {
  const struct gpm_uses *u = o->uses;
  struct gpm_map of_site = {0};
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    const struct line *l = line_of(o, b);
    if (b->device != c->device || !can_be_smaller(l)) continue;
    uint64_t *number = gpm_map_at(&of_site, (uint64_t)(l - o->line) + 1, c->count);
    if (*number == c->count)
      gpm_line_changes_add(c, &(struct gpm_line_change){.rule = GPM_ADVICE_OVERSIZE,
                                                        .sure = true,
                                                        .kind = b->kind,
                                                        .node = b->node,
                                                        .free_node = b->free_node,
                                                        .to = GPUMEMPROF_NONE,
                                                        .back = GPUMEMPROF_NONE,
                                                        .less = l->less});
    gpm_line_changes_add_stretch(c, (uint32_t)*number, (int64_t)l->less, b->begin, b->end);
    gpm_line_changes_add_block(c, &c->change[*number], b);
  }
  gpm_map_free(&of_site);
}

static void add_single(struct gpm_advice *a, struct gpm_line_changes *c, uint32_t first) {
  int64_t before = gpm_peaks_now(&c->peaks), earlier;
  for (uint32_t i = first; i < c->count; i++) {
    int64_t peak = gpm_line_changes_single(c, i, &earlier);
    if (peak < before) gpm_advice_add_single(a, c, i, peak);
  }
}

/* Those that are needed for the lowest peak that they have together. */
static void add_together(struct gpm_advice *a, struct gpm_line_changes *c, uint32_t first) {
  uint32_t *needed = gpm_memory_array(c->count, sizeof *needed), count = 0;
  int64_t before = gpm_peaks_now(&c->peaks);
  for (uint32_t i = first; i < c->count; i++) gpm_line_changes_make(c, i);
  int64_t lowest = gpm_peaks_now(&c->peaks);
  for (uint32_t i = first; i < c->count; i++)
    if (!gpm_line_changes_unmake_within(c, i, lowest)) needed[count++] = i;
  count = gpm_advice_leave_out(c, needed, count, gpm_advice_enough(a, lowest, before, before));
  gpm_line_changes_set(c, 0);
  if (count > 1) gpm_advice_add_several(a, c, needed, count);
  free(needed);
}

void gpm_advice_find_oversize(struct gpm_advice *a, const struct gpm_uses *u,
                              const struct gpm_pages *pages) {
  struct oversize o = {.uses = u, .pages = pages};
  o.line = gpm_memory_array(u->profile->reader->sites.count + (size_t)1, sizeof *o.line);
  read_lines(&o);
  for (uint32_t i = 0; i < a->devices; i++) {
    struct gpm_line_changes *c = &a->changes[i];
    if (!gpm_advice_is_gpu(u->profile->reader, i)) continue;
    uint32_t first = (uint32_t)c->count;
    add_changes(&o, c);
    add_single(a, c, first);
    add_together(a, c, first);
  }
  free(o.line);
}
