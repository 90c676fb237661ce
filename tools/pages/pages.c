/* pages.c - see pages.h. A record names its block by the clock of the allocation, which no other
 * block has. */
#include "pages/pages.h"

#include "events/walk.h"
#include "support/map.h"
#include "support/memory.h"
#include "uses/live_blocks.h"

#include <stdlib.h>

struct reading {
  struct gpm_pages *pages;
  const struct gpm_reader *reader;
  struct gpm_map by_clock, by_address;
  uint32_t of_any;       /* operations that may use any memory */
  bool libraries_follow; /* addresses in memory */
  struct gpm_live_blocks live;
};

bool gpm_pages_are_of(uint32_t kind) {
  return kind == GPUMEMPROF_KIND_DEVICE || kind == GPUMEMPROF_KIND_POOL ||
         kind == GPUMEMPROF_KIND_MANAGED;
}

/* What may use any memory may have used each block that lived then. */
static void ends(struct reading *w, struct gpm_pages_block *b) {
  b->unseen |= b->of_any != w->of_any;
}

static void allocated(struct reading *w, const struct gpm_event *e) {
  struct gpm_pages *p = w->pages;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&w->reader->cells, e->id);
  if (!gpm_pages_are_of(c->kind) || !e->bytes) return;
  uint64_t *there = gpm_map_at(&w->by_address, e->address, GPUMEMPROF_NONE);
  if (*there != GPUMEMPROF_NONE) {
    gpm_live_blocks_remove(&w->live, e->address);
    ends(w, &p->block[*there]);
  }
  *there = p->count;
  gpm_live_blocks_add(&w->live, p->count, e->address);
  *gpm_map_at(&w->by_clock, e->clock, GPUMEMPROF_NONE) = p->count;
  if (p->count == p->room) {
    p->room = p->room ? p->room * 2 : 256;
    p->block = gpm_memory_resize(p->block, p->room, sizeof *p->block);
  }
  p->block[p->count++] = (struct gpm_pages_block){.address = e->address,
                                                  .bytes = e->bytes,
                                                  .allocated = e->clock,
                                                  .of_any = w->of_any,
                                                  .node = c->node,
                                                  .device = c->device};
}

/* A free, or one that failed. */
static void changed(struct reading *w, const struct gpm_event *e) {
  const struct gpumemprof_capture_pair *pair = gpm_reader_record(&w->reader->pairs, e->id);
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&w->reader->cells, pair->cell);
  uint64_t *there = gpm_map_at(&w->by_address, e->address, GPUMEMPROF_NONE);
  if (!gpm_pages_are_of(c->kind)) return;
  if (e->kind == GPM_EVENT_FREED && *there != GPUMEMPROF_NONE) {
    gpm_live_blocks_remove(&w->live, e->address);
    ends(w, &w->pages->block[*there]);
    *there = GPUMEMPROF_NONE;
  } else if (e->kind == GPM_EVENT_TAKEN_BACK && *there == GPUMEMPROF_NONE)
    for (uint32_t i = w->pages->count; i--;) /* the latest that had this address lives on */
      if (w->pages->block[i].address == e->address) {
        *there = i;
        gpm_live_blocks_add(&w->live, i, e->address);
        break;
      }
}

static bool on_event(void *self, const struct gpm_event *e) {
  if (e->kind == GPM_EVENT_ALLOCATED) allocated(self, e);
  else if (gpm_event_has_tick(e)) changed(self, e);
  return true;
}

static struct gpm_pages_block *block_at(struct reading *w, uint64_t address) {
  uint32_t number = gpm_live_blocks_find(&w->live, address);
  if (number == GPUMEMPROF_NONE) return NULL;
  struct gpm_pages_block *b = &w->pages->block[number];
  return address - b->address < b->bytes ? b : NULL;
}

static void use_range(struct reading *w, uint64_t address, uint64_t bytes) {
  struct gpm_pages_block *b = bytes ? block_at(w, address) : NULL;
  if (!b) return;
  uint64_t from = address - b->address;
  uint64_t end = bytes < b->bytes - from ? from + bytes : b->bytes;
  if (end > b->used) b->used = end;
}

/* What is known of the block is an address, and not which of its bytes are used. */
static void use_address(struct reading *w, uint64_t address) {
  struct gpm_pages_block *b = block_at(w, address);
  if (b) b->unseen = true;
}

static bool on_use(void *self, const struct gpm_event *e) {
  struct reading *w = self;
  const struct gpumemprof_capture_use *u = gpm_reader_record(&w->reader->uses, e->id);
  switch (u->what) {
  case GPUMEMPROF_USE_COPY:
  case GPUMEMPROF_USE_COPY_ROWS:
  case GPUMEMPROF_USE_UPLOAD:
  case GPUMEMPROF_USE_UNSEARCHED:
  case GPUMEMPROF_USE_UNSEARCHED_ROWS:
  case GPUMEMPROF_USE_UPLOAD_ROWS:
  case GPUMEMPROF_USE_FILL:
  case GPUMEMPROF_USE_FILL_ROWS:
  case GPUMEMPROF_USE_PREFETCH:
    for (uint32_t i = 0; i + 1 < u->values; i += 2) use_range(w, e->value[i], e->value[i + 1]);
    break;
  case GPUMEMPROF_USE_ANY:
    w->of_any++;
    break;
  case GPUMEMPROF_USE_ADDRESSES: /* kernels that find them leave marks, libraries do not */
    if (!w->libraries_follow) break;
    __attribute__((fallthrough));
  case GPUMEMPROF_USE_LIBRARY:
  case GPUMEMPROF_USE_LIBRARY_CALL:
  case GPUMEMPROF_USE_LIBRARY_ARGUMENTS:
  case GPUMEMPROF_USE_SHARED:
    for (uint32_t i = 0; i < u->values; i++) use_address(w, e->value[i]);
    break;
  default:
    break; /* kernels say themselves what they used */
  }
  return true;
}

static bool has_use(const struct gpm_reader *r, enum gpumemprof_use what) {
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *u; (u = gpm_cursor_next(&at));)
    if (u->what == what) return true;
  return false;
}

/* ---- records ------------------------------------------------------------------------------------
 */

static void add_run(struct gpm_pages_block *b, const struct gpumemprof_capture_pages *run) {
  bool read = run->flags & GPUMEMPROF_PAGE_READ, written = run->flags & GPUMEMPROF_PAGE_WRITTEN;
  b->pages += run->pages;
  b->read += read ? run->pages : 0;
  b->written += written ? run->pages : 0;
  b->unseen |= (run->flags & GPUMEMPROF_PAGE_UNSEEN) != 0;
  if (!read && !written) {
    b->untouched += run->pages;
    return;
  }
  b->between = b->untouched;
  if (run->last > b->last) b->last = run->last;
  uint64_t end =
      (((b->address >> GPUMEMPROF_PAGE_BITS) + run->first + run->pages) << GPUMEMPROF_PAGE_BITS) -
      b->address;
  if (end > b->bytes) end = b->bytes;
  if (end > b->used) b->used = end;
}

/* The records of a block follow each other, and cover its pages once. */
static void add_records(struct reading *w) {
  struct gpm_pages *p = w->pages;
  const struct gpm_records *all = &w->reader->pages;
  struct gpm_cursor at = {.records = all};
  p->run = gpm_memory_array(all->count, sizeof *p->run);
  for (const struct gpumemprof_capture_pages *run; (run = gpm_cursor_next(&at));) {
    uint64_t number = *gpm_map_at(&w->by_clock, run->allocated, GPUMEMPROF_NONE);
    p->run[at.number] = run;
    if (number == GPUMEMPROF_NONE) continue;
    struct gpm_pages_block *b = &p->block[number];
    if (b->address != run->address) continue;
    if (!b->count) b->first = (uint32_t)at.number;
    b->recorded = run->first == b->pages && at.number == b->first + b->count;
    b->count++;
    add_run(b, run);
  }
  bool others = has_use(w->reader, GPUMEMPROF_USE_UNSEEN); /* at any time, without an event */
  for (uint32_t i = 0; i < p->count; i++) {
    struct gpm_pages_block *b = &p->block[i];
    b->unseen |= others;
    uint64_t last = (b->address + b->bytes - 1) >> GPUMEMPROF_PAGE_BITS;
    b->recorded &= b->pages == last - (b->address >> GPUMEMPROF_PAGE_BITS) + 1;
    p->unrecorded += !b->recorded;
  }
}

bool gpm_pages_read(struct gpm_pages *pages, struct gpm_reader *reader) {
  *pages = (struct gpm_pages){.count = 0};
  struct reading w = {.pages = pages,
                      .reader = reader,
                      .libraries_follow = has_use(reader, GPUMEMPROF_USE_LIBRARY) ||
                                          has_use(reader, GPUMEMPROF_USE_LIBRARY_CALL)};
  struct gpm_listener listener = {.self = &w, .stops = true, .event = on_event, .used = on_use};
  bool ok = gpm_walk_read(reader, &listener, 1);
  for (uint32_t i = 0; i < pages->count; i++) {
    struct gpm_pages_block *b = &pages->block[i];
    if (gpm_live_blocks_find(&w.live, b->address) == i) ends(&w, b);
  }
  if (ok) add_records(&w);
  gpm_live_blocks_free(&w.live);
  gpm_map_free(&w.by_clock);
  gpm_map_free(&w.by_address);
  return ok;
}

void gpm_pages_free(struct gpm_pages *pages) {
  free(pages->block);
  free(pages->run);
}
