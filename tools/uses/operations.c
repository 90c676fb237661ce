/* operations.c - what each operation uses (uses.h), as the events come: addresses are looked up
 * among the blocks that are live then.
 *
 * Which blocks are exposed is decided here, and nowhere else:
 *   - an address that a kernel is given may be stored by it, unless it is known what the kernel
 * does with it;
 *   - a number that happens to be an address may be one;
 *   - a library may keep what it is given, and use it at each later call;
 *   - a copy from the host that was not searched for addresses may contain that of every block that
 * is live, and so may what is not known to us (see all_are_exposed).
 *
 * What the host stores in memory that it shares with devices is not recorded. An address that is
 * there may be that of any block, and a device can follow it once an operation has read such memory
 * or can find it.
 */
#include "uses/use_walk.h"

#include "support/memory.h"

#include "gpumemprof/capture_uses.h"

/* ---- live blocks -------------------------------------------------------------------------------
 */

bool gpm_uses_has_address(uint32_t kind, uint64_t bytes) {
  return bytes && kind != GPUMEMPROF_KIND_ARRAY && kind != GPUMEMPROF_KIND_VMM &&
         kind != GPUMEMPROF_KIND_STATIC && kind != GPUMEMPROF_KIND_CUSTOM;
}

static bool has_address(const struct gpm_use_block *b) {
  return gpm_uses_has_address(b->kind, b->bytes);
}

static bool is_host_memory(const struct gpm_use_block *b) {
  return b->kind == GPUMEMPROF_KIND_PINNED || b->kind == GPUMEMPROF_KIND_MANAGED;
}

static bool is_host(const struct gpm_uses_walk *w, uint32_t number) {
  return number != GPUMEMPROF_NONE && is_host_memory(&w->uses->block[number]);
}

void gpm_uses_begins(struct gpm_uses_walk *w, uint32_t number) {
  const struct gpm_use_block *b = &w->uses->block[number];
  if (has_address(b)) gpm_live_blocks_add(&w->live, number, b->address);
  if (b->exposed != GPUMEMPROF_NONE) return;
  if (w->hidden_count == w->hidden_room) {
    w->hidden_room = w->hidden_room ? w->hidden_room * 2 : 64;
    w->hidden = gpm_memory_resize(w->hidden, w->hidden_room, sizeof *w->hidden);
  }
  w->hidden[w->hidden_count++] = number;
}

void gpm_uses_ends(struct gpm_uses_walk *w, uint32_t number) {
  const struct gpm_use_block *b = &w->uses->block[number];
  if (has_address(b)) gpm_live_blocks_remove(&w->live, b->address);
  gpm_uses_captured_ends(w, number);
}

uint32_t gpm_uses_at(const struct gpm_uses_walk *w, uint64_t address) {
  uint32_t number = gpm_live_blocks_find(&w->live, address);
  bool begins = number != GPUMEMPROF_NONE && w->uses->block[number].address == address;
  return begins ? number : GPUMEMPROF_NONE;
}

/* ---- positions, and what is exposed ------------------------------------------------------------
 */

uint32_t gpm_uses_position(struct gpm_uses_walk *w, uint32_t device) {
  struct gpm_use_device *d = &w->uses->device[device];
  if (d->operation != w->uses->operations) {
    d->operation = w->uses->operations;
    d->positions++;
  }
  return d->positions - 1;
}

void gpm_uses_expose(struct gpm_uses_walk *w, uint32_t number, uint32_t record) {
  struct gpm_use_block *b = &w->uses->block[number];
  w->host_memory_read |= is_host_memory(b);
  if (b->exposed != GPUMEMPROF_NONE) return;
  gpm_uses_captured_from(w, number, &record, &b->exposed);
  b->exposed_by = record;
}

/* A library may use the block at each later call. */
static void keep(struct gpm_uses_walk *w, uint32_t number, uint32_t record) {
  struct gpm_use_block *b = &w->uses->block[number];
  gpm_uses_expose(w, number, record);
  if (b->kept == GPUMEMPROF_NONE) b->kept = gpm_uses_position(w, b->device);
}

/* The address of any live block may be in device memory, or kept by a library, now. Each block is
 * in the list once, so that all such operations together take no longer than all allocations. */
static void all_are_exposed(struct gpm_uses_walk *w, uint32_t record) {
  for (size_t i = 0; i < w->hidden_count; i++)
    if (w->uses->block[w->hidden[i]].live) keep(w, w->hidden[i], record);
  w->hidden_count = 0;
}

static void addresses(struct gpm_uses_walk *w, const struct gpm_event *e, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number = gpm_uses_block_at(w, e->value[i]);
    if (number != GPUMEMPROF_NONE) gpm_uses_expose(w, number, e->id);
  }
}

static void share(struct gpm_uses_walk *w, const struct gpm_event *e) {
  uint32_t number = gpm_uses_block_at(w, e->value[0]);
  if (number == GPUMEMPROF_NONE || w->uses->block[number].shared != GPUMEMPROF_NONE) return;
  struct gpm_use_block *b = &w->uses->block[number];
  b->shared = gpm_uses_position(w, b->device);
  b->shared_by = e->id;
}

void gpm_uses_add_open(struct gpm_uses_walk *w, uint32_t device, enum gpm_use_openness to,
                       uint32_t at, uint32_t record) {
  struct gpm_use_open *o = &w->uses->device[device].open[to];
  if (o->count == o->room) {
    o->room = o->room ? o->room * 2 : 64;
    o->at = gpm_memory_resize(o->at, o->room, sizeof *o->at);
    o->record = gpm_memory_resize(o->record, o->room, sizeof *o->record);
  }
  o->at[o->count] = at;
  o->record[o->count++] = record;
}

static void is_open(struct gpm_uses_walk *w, uint32_t record, enum gpm_use_openness to) {
  w->host_written = w->uses->operations;
  if (to == GPM_OPEN_TO_EXPOSED && w->host_memory_read) to = GPM_OPEN_TO_STORED;
  if (gpm_uses_captured_open(w, to)) return;
  for (uint32_t i = 0; i < w->uses->profile->reader->device_count; i++)
    gpm_uses_add_open(w, i, to, gpm_uses_position(w, i), record);
}

/* ---- operations --------------------------------------------------------------------------------
 */

void gpm_uses_add(struct gpm_uses *u, struct gpm_use use) {
  if (u->use_count == u->use_room) {
    u->use_room = u->use_room ? u->use_room * 2 : 1024;
    u->use = gpm_memory_resize(u->use, u->use_room, sizeof *u->use);
  }
  u->use[u->use_count++] = use;
}

static void use(struct gpm_uses_walk *w, uint32_t number, uint32_t record, unsigned access,
                unsigned flags) {
  struct gpm_uses *u = w->uses;
  u->block[number].needed |= !(flags & GPM_USE_FILL);
  if (access & GPM_ACCESS_WRITE && is_host_memory(&u->block[number]))
    w->host_written = u->operations;
  u->block[number].threads |= u->block[number].thread != w->thread;
  if (gpm_uses_captured(w, number)) return;
  for (size_t i = w->first_use; i < u->use_count; i++) {
    struct gpm_use *same = &u->use[i];
    if (same->block != number) continue;
    same->access |= (uint8_t)access;
    same->flags &= (uint8_t)(flags | ~(unsigned)(GPM_USE_FILL | GPM_USE_MAYBE));
    if (access & GPM_ACCESS_READ) same->flags &= (uint8_t)~(GPM_USE_FILL | GPM_USE_WHOLE);
    u->block[number].needed |= !(same->flags & GPM_USE_FILL);
    return;
  }
  uint32_t at = gpm_uses_position(w, u->block[number].device);
  gpm_uses_add(u, (struct gpm_use){.block = number,
                                   .at = at,
                                   .record = record,
                                   .access = (uint8_t)access,
                                   .flags = (uint8_t)(flags | (w->thread ? GPM_USE_THREAD : 0)),
                                   .stream_before = w->stream_before});
}

/* access: GPM_ACCESS_UNKNOWN if the address may also be stored. */
static void use_pointed(struct gpm_uses_walk *w, uint32_t record, uint32_t number,
                        enum gpm_access access, bool maybe) {
  bool known = access != GPM_ACCESS_UNKNOWN;
  if (number == GPUMEMPROF_NONE) return;
  if (!known) gpm_uses_expose(w, number, record);
  use(w, number, record, known ? access : GPM_ACCESS_BOTH, maybe ? GPM_USE_MAYBE : 0);
}

static void use_word(struct gpm_uses_walk *w, uint32_t record, uint64_t value,
                     const struct gpumemprof_capture_kernel_word *word, enum gpm_access access) {
  bool known = access != GPM_ACCESS_UNKNOWN, is_number = !(word->flags & GPUMEMPROF_WORD_POINTER);
  if (access == GPM_ACCESS_NONE || !value) return;
  struct gpm_pointed pointed = {.block = gpm_uses_block_at(w, value), .behind = GPUMEMPROF_NONE};
  if (!is_number) gpm_uses_pointed(w, value, &pointed);
  w->given_elsewhere |= pointed.block == GPUMEMPROF_NONE && !is_number;
  /* A pointer into no block may lead into memory of the host. */
  bool elsewhere =
      pointed.block == GPUMEMPROF_NONE && pointed.behind == GPUMEMPROF_NONE && !is_number;
  if (access != GPM_ACCESS_WRITE &&
      (elsewhere || is_host(w, pointed.block) || is_host(w, pointed.behind)))
    w->host_memory_read = true;
  use_pointed(w, record, pointed.block, access, !known && is_number);
  use_pointed(w, record, pointed.behind, known ? GPM_ACCESS_BOTH : access, true);
}

static void launch(struct gpm_uses_walk *w, const struct gpumemprof_capture_use *u,
                   const struct gpm_event *e) {
  const struct gpm_reader *r = w->uses->profile->reader;
  const struct gpumemprof_capture_kernel *k = gpm_reader_record(&r->kernels, u->kernel);
  w->given_elsewhere = false;
  for (uint32_t i = 0; i < k->words; i++)
    use_word(w, e->id, e->value[i], gpm_reader_record(&r->kernel_words, k->first_word + i),
             (enum gpm_access)w->word[k->first_word + i]);
  /* Tables in memory of the host, which devices of some machines read, may have any address. */
  bool unknown = k->flags & GPUMEMPROF_KERNEL_UNKNOWN,
       any = unknown || w->given_elsewhere ||
             (w->uses->open[u->kernel] && gpm_kernel_code_makes_addresses(w->code, r, k));
  if (unknown || w->uses->open[u->kernel])
    is_open(w, e->id, any ? GPM_OPEN_TO_STORED : GPM_OPEN_TO_EXPOSED);
  if (unknown) all_are_exposed(w, e->id); /* it may store what it was given */
}

/* Writes from an address on. */
static void write_range(struct gpm_uses_walk *w, uint32_t record, const uint64_t range[2],
                        bool rows, bool fills) {
  uint32_t number = gpm_uses_block_at(w, range[0]);
  if (number == GPUMEMPROF_NONE) return;
  const struct gpm_use_block *b = &w->uses->block[number];
  bool whole = !rows && range[0] == b->address && range[1] >= b->bytes;
  use(w, number, record, GPM_ACCESS_WRITE,
      (whole ? GPM_USE_WHOLE : 0u) | (fills ? GPM_USE_FILL : 0u));
}

/* What a copy copies: memory of a device, or of the host, which was searched for addresses or not.
 */
enum copied { FROM_DEVICE, SEARCHED, UNSEARCHED };

static void copy(struct gpm_uses_walk *w, const struct gpm_event *e, bool rows,
                 enum copied copied) {
  uint32_t from = gpm_uses_block_at(w, e->value[2]);
  bool upload = copied != FROM_DEVICE || is_host(w, from);
  if (from != GPUMEMPROF_NONE) {
    uint32_t to = gpm_uses_block_at(w, e->value[0]);
    bool out = to == GPUMEMPROF_NONE || is_host(w, to);
    use(w, from, e->id, GPM_ACCESS_READ, out ? GPM_USE_OUT : 0);
  }
  write_range(w, e->id, e->value, rows, upload);
  if (upload && w->compares) gpm_uses_note_upload(w, e, rows);
  bool any = copied == UNSEARCHED || (copied == FROM_DEVICE && (from == GPUMEMPROF_NONE || upload));
  if (any) all_are_exposed(w, e->id);
}

static void library(struct gpm_uses_walk *w, const struct gpumemprof_capture_use *u,
                    const struct gpm_event *e) {
  for (uint32_t i = 0; i < u->values; i++) {
    uint32_t number = gpm_uses_block_at(w, e->value[i]);
    if (number == GPUMEMPROF_NONE) continue;
    if (u->what == GPUMEMPROF_USE_LIBRARY) keep(w, number, e->id);
    w->host_memory_read |= is_host(w, number);
    use(w, number, e->id, GPM_ACCESS_BOTH, 0);
  }
  is_open(w, e->id,
          u->what == GPUMEMPROF_USE_LIBRARY_ARGUMENTS ? GPM_OPEN_TO_KEPT : GPM_OPEN_TO_EXPOSED);
}

static uint16_t streams_before(struct gpm_uses_walk *w, uint64_t stream) {
  if (!w->streams.count) return 0;
  uint64_t ended = gpm_map_find(&w->streams, gpm_map_mix(gpm_uses_stream(stream)), 0);
  return ended < GPM_USE_MOST_STREAMS ? (uint16_t)ended : GPM_USE_MOST_STREAMS;
}

static void see_threads(struct gpm_uses *u, uint32_t thread) {
  if (!u->operations) u->thread = thread;
  u->several_threads |= thread != u->thread;
}

/* Whether it says that its line ran: these come just before what does. */
static bool is_a_run(const struct gpumemprof_capture_use *u) {
  return u->site != GPUMEMPROF_NONE && u->what != GPUMEMPROF_USE_ADDRESSES &&
         u->what != GPUMEMPROF_USE_OVERLAP;
}

void gpm_uses_operation(struct gpm_uses_walk *w, const struct gpm_event *e) {
  const struct gpumemprof_capture_use *u =
      gpm_reader_record(&w->uses->profile->reader->uses, e->id);
  bool changed = u->what == GPUMEMPROF_USE_CHANGED;
  if (changed || u->what == GPUMEMPROF_USE_UNCHANGED) return gpm_uses_compared(w, e, changed);
  see_threads(w->uses, e->thread);
  w->uses->operations++;
  if (is_a_run(u)) w->uses->runs[w->uses->line[u->site]]++;
  w->first_use = w->uses->use_count;
  w->thread = e->thread;
  w->stream_before = streams_before(w, u->stream);
  w->uses->several_streams |= w->stream_before && u->what != GPUMEMPROF_USE_STREAM_ENDS;
  switch (u->what) {
  case GPUMEMPROF_USE_LAUNCH:
    return launch(w, u, e);
  case GPUMEMPROF_USE_COPY:
  case GPUMEMPROF_USE_COPY_ROWS:
    return copy(w, e, u->what == GPUMEMPROF_USE_COPY_ROWS, FROM_DEVICE);
  case GPUMEMPROF_USE_UPLOAD:
  case GPUMEMPROF_USE_UPLOAD_ROWS:
    return copy(w, e, u->what == GPUMEMPROF_USE_UPLOAD_ROWS, SEARCHED);
  case GPUMEMPROF_USE_UNSEARCHED:
  case GPUMEMPROF_USE_UNSEARCHED_ROWS:
    return copy(w, e, u->what == GPUMEMPROF_USE_UNSEARCHED_ROWS, UNSEARCHED);
  case GPUMEMPROF_USE_FILL:
  case GPUMEMPROF_USE_FILL_ROWS:
    return write_range(w, e->id, e->value, u->what == GPUMEMPROF_USE_FILL_ROWS, true);
  case GPUMEMPROF_USE_PREFETCH: {
    uint32_t number = gpm_uses_block_at(w, e->value[0]); /* which has to be there for it */
    if (number != GPUMEMPROF_NONE) use(w, number, e->id, GPM_ACCESS_READ, 0);
    return;
  }
  case GPUMEMPROF_USE_LIBRARY:
  case GPUMEMPROF_USE_LIBRARY_CALL:
  case GPUMEMPROF_USE_LIBRARY_ARGUMENTS:
    return library(w, u, e);
  case GPUMEMPROF_USE_ADDRESSES:
    return addresses(w, e, u->values);
  case GPUMEMPROF_USE_SHARED:
    return share(w, e);
  case GPUMEMPROF_USE_CAPTURE_BEGINS:
    return gpm_uses_capture_begins(w, e->id);
  case GPUMEMPROF_USE_CAPTURE_ENDS:
    return gpm_uses_capture_ends(w, e->id);
  case GPUMEMPROF_USE_STREAM_ENDS:
  case GPUMEMPROF_USE_OVERLAP: /* nor does that launch wait */
    ++*gpm_map_at(&w->streams, gpm_map_mix(gpm_uses_stream(u->stream)), 0);
    return;
  case GPUMEMPROF_USE_ANY:
    is_open(w, e->id, GPM_OPEN_TO_ALL);
    return all_are_exposed(w, e->id);
  }
}

/* ---- the walk ----------------------------------------------------------------------------------
 */

static bool has_compared(const struct gpm_reader *r) {
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *use; (use = gpm_cursor_next(&at));)
    if (use->what == GPUMEMPROF_USE_UNCHANGED || use->what == GPUMEMPROF_USE_CHANGED) return true;
  return false;
}

struct gpm_uses_walk *gpm_uses_walk_new(struct gpm_uses *u, struct gpm_kernel_code *code) {
  const struct gpm_reader *r = u->profile->reader;
  struct gpm_uses_walk *w = gpm_memory_array(1, sizeof *w);
  *w = (struct gpm_uses_walk){
      .uses = u,
      .code = code,
      .captured = {.from = gpm_memory_array(r->device_count, sizeof(uint32_t))},
      .word = gpm_memory_array(r->kernel_words.count, 1),
      .compares = has_compared(r)};
  struct gpm_cursor at = {.records = &r->uses};
  for (const struct gpumemprof_capture_use *use; (use = gpm_cursor_next(&at));)
    w->host_memory_read |= use->what == GPUMEMPROF_USE_MANAGED_VARIABLES;
  at = (struct gpm_cursor){.records = &r->kernels};
  for (const struct gpumemprof_capture_kernel *k; (k = gpm_cursor_next(&at));)
    for (uint32_t i = k->first_word; i < k->first_word + k->words; i++) {
      const struct gpumemprof_capture_kernel_word *word = gpm_reader_record(&r->kernel_words, i);
      w->word[i] = (uint8_t)gpm_kernel_code_word(code, gpm_reader_string(r, k->symbol),
                                                 word->parameter, word->offset);
    }
  return w;
}

void gpm_uses_walk_end(struct gpm_uses_walk *w) {
  gpm_uses_captures_end(w);
  gpm_live_blocks_free(&w->live);
  gpm_map_free(&w->upload_at);
  gpm_map_free(&w->streams);
  free(w->upload);
  free(w->hidden);
  free(w->word);
  free(w);
}
