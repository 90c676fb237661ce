/* places.c - see places.h. */
#include "advice/places.h"

#include "rows/use_text.h"

#include "gpumemprof/hooks.h"

#include <stdlib.h>

/* Returns the site of what is at each position; NONE: it has none. To be freed. */
static uint32_t *sites_of(const struct gpm_uses *u, uint32_t device) {
  const struct gpm_reader *r = u->profile->reader;
  uint32_t positions = u->device[device].positions;
  uint32_t *site = gpm_memory_array(positions, sizeof *site);
  for (uint32_t i = 0; i < positions; i++) site[i] = GPUMEMPROF_NONE;
  for (unsigned k = 0; k < GPM_OPENNESSES; k++) {
    const struct gpm_use_open *open = &u->device[device].open[k];
    for (size_t i = 0; i < open->count; i++)
      site[open->at[i]] = gpm_use_text_record(r, open->record[i])->site;
  }
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->device != device) continue;
    site[b->begin] = u->profile->site[b->node];
    for (uint32_t k = b->first; k < b->first + b->count; k++)
      site[u->use[k].at] = gpm_use_text_record(r, u->use[k].record)->site;
  }
  return site;
}

/* Returns how many calls have a site; 0: some, and how many is not known. */
static unsigned long calls_of(const struct gpm_reader *r, const struct gpumemprof_capture_site *s) {
  if (!(s->flags & GPUMEMPROF_SITE_SEVERAL)) return 1;
  bool use = s->kind == GPUMEMPROF_SITE_USE;
  return use ? strtoul(gpm_reader_string(r, s->size_expr), NULL, 10) : 0;
}

/* Whether the run of a line, from one position to before another, ends before what has this site:
 * it is of another line, or the line runs again. */
static bool ends(const struct gpm_uses *u, const uint32_t *site, uint32_t from, uint32_t to) {
  const struct gpm_reader *r = u->profile->reader;
  uint32_t next = site[to];
  if (next == GPUMEMPROF_NONE || !gpm_uses_same_line(u, site[to - 1], next)) return true;
  unsigned long calls = calls_of(r, gpm_reader_site(r, next));
  for (uint32_t i = from; i < to; i++)
    if (u->place[site[i]] == u->place[next] && calls && !--calls) return true;
  return false;
}

/* What a line frees before its first operation is still there when the line begins: the run of such
 * a line begins where that was last there. */
static void find_frees(struct gpm_places *p, const struct gpm_uses *u, uint32_t device,
                       const uint32_t *site) {
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    uint32_t at = b->end;
    if (b->device != device || b->free_node == GPUMEMPROF_NONE || !at ||
        at >= u->device[device].positions || p->first[at] != at ||
        !gpm_uses_same_line(u, u->profile->site[b->free_node], site[at]))
      continue;
    for (uint32_t k = at; k < p->end[at]; k++) p->first[k] = at - 1;
  }
}

void gpm_places_make(struct gpm_places *p, const struct gpm_uses *u, uint32_t device) {
  uint32_t positions = u->device[device].positions, *site = sites_of(u, device);
  p->first = gpm_memory_array(positions, sizeof *p->first);
  p->end = gpm_memory_array(positions, sizeof *p->end);
  for (uint32_t from = 0, to; from < positions; from = to) {
    for (to = from + 1; to < positions && !ends(u, site, from, to);) to++;
    for (uint32_t i = from; i < to; i++) {
      p->first[i] = from;
      p->end[i] = to;
    }
  }
  find_frees(p, u, device, site);
  free(site);
}

void gpm_places_free(struct gpm_places *p) {
  free(p->first);
  free(p->end);
}
