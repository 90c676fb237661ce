/* uses.c - see uses.h. Blocks from the events, and the uses sorted by block. What an operation uses
 * is found in operations.c. */
#include "uses/uses.h"

#include "model/symbol_names.h"
#include "rows/locations.h"
#include "rows/use_text.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_PER_THREAD = 2 }; /* a handle */

struct reading {
  struct gpm_uses *uses;
  struct gpm_uses_walk *walk;
  /* The latest block with a name in the history: of those that have no address, and, once a free
   * was taken back, of all. Else addresses lead to live blocks by themselves. */
  struct gpm_map by_name;
  bool any_back;
};

/* ---- blocks ------------------------------------------------------------------------------------
 */

static void end_block(struct reading *w, uint32_t number, uint32_t free_node) {
  struct gpm_use_block *b = &w->uses->block[number];
  b->live = false;
  b->free_node = free_node;
  b->end = w->uses->device[b->device].positions;
  gpm_uses_ends(w->walk, number);
}

/* Pieces begin where the blocks do in which they lie, so the kind is a part of the name. */
static uint64_t *name_of(struct reading *w, uint32_t kind, uint64_t address) {
  bool other = !gpm_uses_has_address(kind, 1);
  return gpm_map_at(&w->by_name, other ? gpm_map_mix(address + kind) : address, GPUMEMPROF_NONE);
}

/* Returns the live block of a kind at an address of the history, or NONE. */
static uint32_t live_at(struct reading *w, uint32_t kind, uint64_t address) {
  if (gpm_uses_has_address(kind, 1)) return gpm_uses_at(w->walk, address);
  uint64_t number = *name_of(w, kind, address);
  bool is_live = number != GPUMEMPROF_NONE && w->uses->block[number].live;
  return is_live ? (uint32_t)number : GPUMEMPROF_NONE;
}

static void allocated(struct reading *w, const struct gpm_event *e) {
  struct gpm_uses *u = w->uses;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&u->profile->reader->cells, e->id);
  uint32_t before = live_at(w, c->kind, e->address);
  if (before != GPUMEMPROF_NONE) {
    u->block[before].replaced = true;
    end_block(w, before, GPUMEMPROF_NONE);
  }
  if (w->any_back || !gpm_uses_has_address(c->kind, 1)) *name_of(w, c->kind, e->address) = u->count;
  if (u->count == u->room) {
    u->room = u->room ? u->room * 2 : 1024;
    u->block = gpm_memory_resize(u->block, u->room, sizeof *u->block);
  }
  u->block[u->count] =
      (struct gpm_use_block){.address = e->address,
                             .bytes = e->bytes,
                             .requested = e->bytes - e->padding,
                             .cell = e->id,
                             .node = c->node,
                             .thread = e->thread,
                             .free_node = GPUMEMPROF_NONE,
                             .device = c->device,
                             .kind = c->kind,
                             .begin = u->device[c->device].positions++,
                             .exposed = GPUMEMPROF_NONE,
                             .kept = GPUMEMPROF_NONE,
                             .shared = u->unseen != GPUMEMPROF_NONE ? 0 : GPUMEMPROF_NONE,
                             .shared_by = u->unseen,
                             .live = true};
  gpm_uses_begins(w->walk, (uint32_t)u->count++);
}

/* Returns the latest block of a kind at an address, live or not. Programs whose frees fail are few,
 * so names of blocks that have an address are kept from the first such event on. */
static uint32_t latest_at(struct reading *w, uint32_t kind, uint64_t address) {
  const struct gpm_uses *u = w->uses;
  for (size_t i = 0; !w->any_back && i < u->count; i++)
    *name_of(w, u->block[i].kind, u->block[i].address) = i;
  w->any_back = true;
  return (uint32_t)*name_of(w, kind, address);
}

/* A free, or a free that failed. */
static void changed(struct reading *w, const struct gpm_event *e) {
  struct gpm_uses *u = w->uses;
  const struct gpumemprof_capture_pair *pair = gpm_reader_record(&u->profile->reader->pairs, e->id);
  const struct gpumemprof_capture_cell *c =
      gpm_reader_record(&u->profile->reader->cells, pair->cell);
  bool back = e->kind == GPM_EVENT_TAKEN_BACK;
  uint32_t number = back ? latest_at(w, c->kind, e->address) : live_at(w, c->kind, e->address);
  if (number == GPUMEMPROF_NONE) return;
  struct gpm_use_block *b = &u->block[number];
  if (b->live == back || b->cell != pair->cell) return;
  if (!back) return end_block(w, number, pair->free_node);
  b->live = true;
  b->free_node = GPUMEMPROF_NONE;
  gpm_uses_begins(w->walk, number);
}

static bool on_event(void *self, const struct gpm_event *e) {
  struct reading *w = self;
  if (e->kind == GPM_EVENT_ALLOCATED) allocated(w, e);
  else if (gpm_event_has_tick(e)) changed(w, e);
  return true;
}

static bool on_use(void *self, const struct gpm_event *e) {
  struct reading *w = self;
  gpm_uses_operation(w->walk, e);
  return true;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

/* Sorts the uses by block; those of a block keep their order. */
static void sort_uses(struct gpm_uses *u) {
  struct gpm_use *sorted = gpm_memory_resize(NULL, u->use_count, sizeof *sorted);
  for (size_t i = 0; i < u->use_count; i++) u->block[u->use[i].block].count++;
  uint32_t first = 0;
  for (size_t i = 0; i < u->count; i++) {
    u->block[i].first = first;
    first += u->block[i].count;
    u->block[i].count = 0;
  }
  for (size_t i = 0; i < u->use_count; i++) {
    struct gpm_use_block *b = &u->block[u->use[i].block];
    sorted[b->first + b->count++] = u->use[i];
  }
  free(u->use);
  u->use = sorted;
  u->use_room = u->use_count;
}

static void end_all(struct gpm_uses *u) {
  for (size_t i = 0; i < u->count; i++)
    if (u->block[i].live) u->block[i].end = u->device[u->block[i].device].positions;
}

static char **why_open(const struct gpm_reader *r, struct gpm_kernel_code *code) {
  char **open = gpm_memory_array(r->kernels.count, sizeof(char *));
  struct gpm_cursor at = {.records = &r->kernels};
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));)
    open[at.number] = k->flags & GPUMEMPROF_KERNEL_UNKNOWN
                          ? gpm_memory_text("has parameters that are not known")
                          : gpm_kernel_code_open(code, r, k);
  return open;
}

static uint32_t find_unseen(const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *use; (use = gpm_cursor_next(&at));)
    if (use->what == GPUMEMPROF_USE_UNSEEN) return (uint32_t)at.number;
  return GPUMEMPROF_NONE;
}

/* Finds out whether operations of default streams may have been of several devices. */
static void find_gpus(struct gpm_uses *u, const struct gpm_reader *r) {
  uint32_t gpus = 0, current = 0;
  for (uint32_t i = 0; i < r->device_count; i++) gpus += r->devices[i].ordinal >= 0;
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *use; (use = gpm_cursor_next(&at));) {
    if (use->what != GPUMEMPROF_USE_CURRENT_DEVICE) continue;
    current++;
    u->other_gpu |= use->stream != 0;
  }
  u->several_gpus = gpus > 1 || current > 1;
}

/* Whether it is of an operation in a stream. */
static bool is_in_stream(const struct gpumemprof_capture_use *use) {
  return use->what != GPUMEMPROF_USE_UNSEEN && use->what != GPUMEMPROF_USE_MANAGED_VARIABLES &&
         use->what != GPUMEMPROF_USE_DEVICE_CODE && use->what != GPUMEMPROF_USE_CURRENT_DEVICE &&
         use->what != GPUMEMPROF_USE_ADDRESSES && use->what != GPUMEMPROF_USE_SHARED &&
         use->what != GPUMEMPROF_USE_STREAM_ENDS;
}

static bool has_several_streams(const struct gpm_reader *r) {
  const struct gpumemprof_capture_use *first = NULL;
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *use; (use = gpm_cursor_next(&at));) {
    if (!is_in_stream(use)) continue;
    if (!first) first = use;
    if (gpm_uses_stream(use->stream) != gpm_uses_stream(first->stream)) return true;
  }
  return false;
}

char *gpm_uses_lacks(const struct gpm_reader *r, const char *what) {
  static const char how[] = "record it with GPUMEMPROF_OPTIONS=history=all:uses=on";
  char *path = gpm_text_clean(r->path), *text = NULL;
  if (!r->uses.count && gpm_reader_has_nothing_rebuilt(r))
    text = gpm_memory_format("%s is of a program that was not rebuilt, and %s needs the uses of "
                             "memory, which are recorded in rebuilt code only; rebuild it with the "
                             "plugin, and %s",
                             path, what, how);
  else if (!gpm_walk_knows_all(r))
    text = gpm_memory_format("%s has %s, and %s needs all and the uses of memory: %s", path,
                             r->event_chunks ? "a part of the events" : "no events", what, how);
  else if (!r->uses.count)
    text = gpm_memory_format(
        "%s does not say which operations used which memory: no kernel, copy or fill ran, or they "
        "were not recorded; %s",
        path, how);
  free(path);
  return text;
}

bool gpm_uses_read(struct gpm_uses *u, struct gpm_reader *r, const struct gpm_profile *profile,
                   struct gpm_kernel_code *code) {
  *u = (struct gpm_uses){.profile = profile,
                         .device = gpm_memory_array(r->device_count, sizeof *u->device),
                         .open = why_open(r, code),
                         .unseen = find_unseen(r),
                         .several_streams = has_several_streams(r),
                         .ended = r->state == GPM_STATE_COMPLETE};
  find_gpus(u, r);
  gpm_uses_find_places(u);
  struct reading w = {.uses = u, .walk = gpm_uses_walk_new(u, code)};
  struct gpm_listener listener = {.self = &w, .stops = true, .event = on_event, .used = on_use};
  bool ok = gpm_walk_read(r, &listener, 1);
  gpm_uses_walk_end(w.walk);
  gpm_map_free(&w.by_name);
  end_all(u);
  sort_uses(u);
  return ok;
}

void gpm_uses_free(struct gpm_uses *u) {
  for (uint32_t i = 0; u->device && i < u->profile->reader->device_count; i++) {
    for (unsigned k = 0; k < GPM_OPENNESSES; k++) {
      free(u->device[i].open[k].at);
      free(u->device[i].open[k].record);
    }
  }
  for (uint64_t i = 0; u->open && i < u->profile->reader->kernels.count; i++) free(u->open[i]);
  free(u->device);
  free(u->place);
  free(u->line);
  free(u->runs);
  free(u->open);
  free(u->block);
  free(u->use);
}

/* ---- questions ---------------------------------------------------------------------------------
 */

static uint64_t stream_of(const struct gpm_uses *u, const struct gpm_use *use) {
  return gpm_uses_stream(gpm_use_text_record(u->profile->reader, use->record)->stream);
}

bool gpm_uses_same_handle(const struct gpm_uses *u, const struct gpm_use *one,
                          const struct gpm_use *other) {
  uint64_t stream = stream_of(u, one);
  if (one == other) return true;
  if (stream != stream_of(u, other) || one->stream_before != other->stream_before ||
      one->stream_before == GPM_USE_MOST_STREAMS)
    return false;
  return stream != STREAM_PER_THREAD || !((one->flags | other->flags) & GPM_USE_THREAD);
}

bool gpm_uses_same_stream(const struct gpm_uses *u, const struct gpm_use *one,
                          const struct gpm_use *other) {
  if (one == other) return true;
  bool is_default = stream_of(u, one) <= STREAM_PER_THREAD,
       other_thread = (one->flags | other->flags) & GPM_USE_THREAD,
       one_gpu = !u->several_gpus && !(u->other_gpu && other_thread);
  return gpm_uses_same_handle(u, one, other) && (!is_default || one_gpu);
}

bool gpm_uses_in_stream_of(const struct gpm_uses *u, const struct gpm_use *use,
                           const struct gpm_use_block *b) {
  for (uint32_t i = 0; i < b->count; i++)
    if (!gpm_uses_same_stream(u, use, &u->use[b->first + i])) return false;
  return true;
}

static char *why_unseen(const char *object, const char *function, uint32_t what) {
  char *name, *text;
  switch (what) {
  case GPUMEMPROF_UNSEEN_PART:
    if (!*function)
      return gpm_memory_format("a part of %s was not rebuilt, so what it uses is not recorded",
                               object);
    name = gpm_symbol_names_read(function);
    text = gpm_memory_format("%s in %s was not rebuilt, so what it uses is not recorded", name,
                             object);
    free(name);
    return text;
  case GPUMEMPROF_UNSEEN_STRIPPED:
    return gpm_memory_format("%s is stripped, so whether all of it was rebuilt is not known",
                             object);
  case GPUMEMPROF_UNSEEN_FOUND:
    return gpm_memory_format("the program found %s by name, and calls of it are not recorded",
                             function);
  default:
    return gpm_memory_format("%s was not rebuilt, so what it uses is not recorded", object);
  }
}

char *gpm_uses_why_open(const struct gpm_uses *u, uint32_t record) {
  const struct gpm_reader *r = u->profile->reader;
  const struct gpumemprof_capture_use *use = gpm_use_text_record(r, record);
  char *where = gpm_use_text_location(r, use), *name = gpm_use_text_kernel(r, use), *text;
  const char *why = use->what == GPUMEMPROF_USE_LAUNCH ? u->open[use->kernel] : NULL;
  switch (use->what) {
  case GPUMEMPROF_USE_LAUNCH:
    text = gpm_memory_format("kernel %s, launched at %s, %s", name, where,
                             why ? why : "may use memory of which the host can store addresses");
    break;
  case GPUMEMPROF_USE_ANY:
    text = gpm_memory_format("the call at %s may use any memory", where);
    break;
  case GPUMEMPROF_USE_SHARED:
    text = gpm_memory_format("another process may use what is exported at %s", where);
    break;
  case GPUMEMPROF_USE_UNSEEN:
    free(where);
    where = gpm_locations_text(r, use->object);
    text = why_unseen(where, gpm_reader_string(r, use->function), use->unseen);
    break;
  default:
    text = gpm_memory_format("the library called at %s may still use what it was given", where);
  }
  free(where);
  free(name);
  return text;
}
