/* page_walk.c - see page_walk.h. */
#include "page/page_walk.h"

#include "analysis/conserve.h"
#include "events/walk.h"
#include "model/split_cells.h"
#include "support/progress.h"

#include <stdlib.h>

enum { MOST_LISTENERS = 7 }; /* and one for each device */

struct listening {
  struct gpm_listener *listener;
  size_t count;
  struct gpm_growth_finding *growth;
  struct gpm_page_scopes_making *scopes;
};

/* ---- the picture -------------------------------------------------------------------------------
 */

bool gpm_page_has_too_many(const struct gpm_page *page) {
  struct gpm_conservation c = gpm_conserve(page->reader);
  free(c.fault);
  return c.allocated_blocks + c.freed_blocks >= UINT32_MAX / 2;
}

static void listen_for_picture(struct listening *l, struct gpm_page_picture *p,
                               const struct gpm_page *page, const struct gpm_page_paths *paths,
                               uint32_t parts) {
  p->made = true;
  l->listener[l->count++] = gpm_page_tracks_listen(&p->tracks, page, parts);
  l->listener[l->count++] = gpm_page_blocks_listen(&p->blocks, &p->tracks);
  l->scopes = gpm_page_scopes_listen(&p->scopes, page, paths, &l->listener[l->count++]);
}

/* Makes the blocks a second time if a device had its peak at another moment than was assumed, and
 * not all of them were kept. That happens when a filter leaves memory out, or when the program was
 * still running. */
static bool right_blocks(struct gpm_page_picture *p, const struct gpm_page *page) {
  if (!p->made || gpm_page_blocks_correct(&p->blocks)) return true;
  gpm_page_blocks_free(&p->blocks);
  struct gpm_listener listener = gpm_page_blocks_listen(&p->blocks, &p->tracks);
  return gpm_walk_read(page->reader, &listener, 1);
}

bool gpm_page_picture_make(struct gpm_page_picture *p, const struct gpm_page *page,
                           uint32_t parts) {
  struct gpm_listener listener[MOST_LISTENERS];
  struct listening l = {.listener = listener};
  listen_for_picture(&l, p, page, &page->paths, parts);
  bool ok = gpm_walk_read(page->reader, l.listener, l.count);
  gpm_page_scopes_made(l.scopes);
  return ok && right_blocks(p, page);
}

bool gpm_page_picture_choose(struct gpm_page_picture *p, const struct gpm_page *page) {
  struct gpm_listener listener;
  gpm_page_scopes_free(&p->scopes);
  struct gpm_page_scopes_making *making =
      gpm_page_scopes_listen(&p->scopes, page, &page->paths, &listener);
  bool ok = gpm_walk_read(page->reader, &listener, 1);
  gpm_page_scopes_made(making);
  return ok;
}

void gpm_page_picture_free(struct gpm_page_picture *p) {
  if (!p->made) return;
  gpm_page_scopes_free(&p->scopes);
  gpm_page_blocks_free(&p->blocks);
  gpm_page_tracks_free(&p->tracks);
  p->made = false;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static void listen_for_lists(struct listening *l, struct gpm_page_walk *w,
                             const struct gpm_page *page) {
  const struct gpm_reader *r = page->reader;
  w->lifetimes = gpm_lifetimes_listen(r, &l->listener[l->count++]);
  w->bins = (struct gpm_bins_of_lifetimes){&w->sizes, &w->ages};
  l->listener[l->count++] = gpm_bins_listen(&w->bins, page->profile);
  w->temporaries = gpm_temporaries_listen(r, &l->listener[l->count++]);
}

/* Growth is computed only where `leaks --growth` can compute it; elsewhere that command says why it
 * cannot. */
static void listen_for_growth(struct listening *l, struct gpm_page_walk *w, struct gpm_page *page) {
  struct gpm_reader *r = page->reader;
  if (r->split || r->steps.count < 3 || r->state != GPM_STATE_COMPLETE) return;
  w->growth = (struct gpm_growth){.profile = page->profile};
  l->growth = gpm_growth_listen(&w->growth, r, &l->listener[l->count]);
  if (!l->growth) return;
  l->count++;
  for (uint32_t i = 0; i < page->of_devices.count; i++) {
    struct gpm_page_of_device *part = &page->of_devices.one[i];
    part->finding = gpm_growth_listen(&part->growth, r, &l->listener[l->count]);
    if (part->finding) l->count++;
  }
}

static void growth_found(struct listening *l, struct gpm_page_walk *w, struct gpm_page *page,
                         bool received) {
  if (l->growth) w->grows = gpm_growth_found(l->growth, received);
  for (uint32_t i = 0; i < page->of_devices.count; i++) {
    struct gpm_page_of_device *part = &page->of_devices.one[i];
    part->grows = part->finding && gpm_growth_found(part->finding, received);
  }
}

static void tell_all(void *self, const struct gpm_lifetime *life) {
  const struct listening *l = self;
  for (size_t i = 0; i < l->count; i++) l->listener[i].life(l->listener[i].self, life);
}

/* For a window the lists receive only the lifetimes in it; there is no picture and no growth. */
static bool walk_window(struct gpm_page_walk *w, struct gpm_page *page) {
  struct gpm_listener listener[MOST_LISTENERS];
  struct listening l = {.listener = listener};
  if (!w->has_lifetimes) return true;
  listen_for_lists(&l, w, page);
  gpm_progress("reading the events");
  return gpm_block_lifetimes_of_parts(page->reader, tell_all, &l);
}

bool gpm_page_walk(struct gpm_page_walk *w, struct gpm_page *page) {
  struct gpm_reader *r = page->reader;
  *w = (struct gpm_page_walk){.has_lifetimes = gpm_block_lifetimes_are_known(r)};
  if (!gpm_walk_knows_all(r)) return true;
  if (gpm_split_is_part(r)) return walk_window(w, page);
  struct listening l = {.listener = gpm_memory_array(MOST_LISTENERS + page->of_devices.count,
                                                     sizeof(struct gpm_listener))};
  if (w->has_lifetimes) listen_for_lists(&l, w, page);
  listen_for_growth(&l, w, page);
  if (!gpm_page_has_too_many(page)) listen_for_picture(&l, &w->picture, page, NULL, GPM_PAGE_PARTS);
  gpm_progress("reading the events");
  bool ok = !l.count || gpm_walk_read(r, l.listener, l.count);
  growth_found(&l, w, page, ok);
  if (l.scopes) gpm_page_scopes_made(l.scopes);
  free(l.listener);
  return ok && right_blocks(&w->picture, page);
}

void gpm_page_walk_free(struct gpm_page_walk *w) {
  if (w->lifetimes) gpm_lifetimes_free(w->lifetimes);
  gpm_bins_free(&w->sizes);
  gpm_bins_free(&w->ages);
  gpm_temporaries_of_events_free(w->temporaries);
  gpm_growth_free(&w->growth);
  gpm_page_picture_free(&w->picture);
}
