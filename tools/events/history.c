/* history.c - see history.h; the encoding is that of capture.h.
 *
 *   thread 0:  chunk 1 | chunk 4 | ...   \
 *   thread 1:  chunk 2 | chunk 3 | ...   -> a heap of threads by the clock of their next event
 *
 * Each thread has one chunk in memory. While the program runs, it adds events to chunks; those that
 * came after the reading of the capture are left out, so that they agree with its figures. A ring
 * may also reuse a chunk meanwhile. The sequence number of the chunk has changed then, and its
 * former events are left out as well.
 */
#include "events/history.h"

#include "capture/identity.h"
#include "events/use_values.h"
#include "support/memory.h"

#include "gpumemprof/capture_uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream { /* the events of one thread */
  uint32_t thread;
  const struct gpm_event_chunk *next, *end;
  struct gpumemprof_chunk *chunk;
  const unsigned char *at, *stop;
  bool broken;                         /* a number ends nowhere */
  uint64_t clock, time, address, size; /* of the latest event */
  uint32_t operands;                   /* of the next event, or NONE */
  uint64_t operand[GPUMEMPROF_OPERANDS];
  struct gpm_use_values uses;
  uint64_t first_value;    /* of the thread's latest use in the chunk */
  uint64_t key, ticks;     /* of the next event to be returned; the heap's order */
  struct gpm_event *event; /* that event */
  struct gpm_event *spare; /* where the one after it is decoded, as `event` stays valid
                              until the next call */
  struct gpm_event slot[2];
  uint64_t *values[2]; /* of the events in the slots, if they are uses */
  uint32_t room[2];
};

struct gpm_history {
  struct gpm_reader *reader;
  struct gpm_event_chunk *chunks; /* thread by thread, in the order of their events */
  struct stream *streams;
  struct stream **heap;
  size_t heap_count;
  uint64_t loaded; /* chunks read so far, for the progress display */
};

static bool damaged(const struct gpm_history *h, char *error, size_t error_size) {
  snprintf(error, error_size, "%s is damaged: an event in it is impossible; record it again",
           h->reader->path);
  return false;
}

/* ---- the file --------------------------------------------------------------------------------
 */

static bool changed(const struct gpm_history *h, char *error, size_t error_size) {
  snprintf(error, error_size,
           "%s was overwritten since it was opened, and its events are not those of the figures; "
           "open it again",
           h->reader->path);
  return false;
}

/* Whether the file is still the capture that was opened: a program only adds to its capture, and
 * removes the checksums before it does so after its end. */
static bool is_same_capture(const struct gpumemprof_capture_header *then,
                            const struct gpumemprof_capture_header *now) {
  bool is_sealed = then->figures_checksum && now->figures_checksum;
  return !memcmp(now->magic, then->magic, sizeof now->magic) && gpm_identity_is_same(now, then) &&
         now->dump_clock == then->dump_clock && now->used >= then->used &&
         (!is_sealed || now->figures_checksum == then->figures_checksum);
}

/* *now: the header of the file. */
static bool check_file(const struct gpm_history *h, struct gpumemprof_capture_header *now,
                       char *error, size_t error_size) {
  if (!gpm_reader_file_get(h->reader, 0, now, sizeof *now, error, error_size)) return false;
  return is_same_capture(&h->reader->header, now) || changed(h, error, error_size);
}

/* While events are read: nobody writes to a capture with checksums. */
static bool check_still(const struct gpm_history *h, struct gpumemprof_capture_header *now,
                        char *error, size_t error_size) {
  if (!check_file(h, now, error, error_size)) return false;
  bool is_sealed = h->reader->header.figures_checksum && now->figures_checksum;
  return !is_sealed || gpm_reader_file_modified_ns(h->reader) == h->reader->modified_ns ||
         changed(h, error, error_size);
}

/* ---- one thread -------------------------------------------------------------------------------
 */

/* A ring counts the events of a chunk as overwritten before it uses the chunk again. */
static bool is_reused(const struct gpm_history *h, const struct gpumemprof_capture_header *now) {
  enum { OVERWRITTEN = GPUMEMPROF_COUNTER_events_overwritten };
  return now->counters[OVERWRITTEN] != h->reader->header.counters[OVERWRITTEN];
}

/* Loads the next chunk that the ring has not reused. Returns false if none is left, or on an error.
 */
static bool load_chunk(struct gpm_history *h, struct stream *s, char *error, size_t error_size) {
  struct gpumemprof_capture_header now;
  for (; s->next < s->end; s->next++) {
    struct gpumemprof_chunk head;
    if (!s->next->sequence) continue; /* it had no events */
    if (!gpm_reader_file_get(h->reader, s->next->at, &head, sizeof head, error, error_size))
      return false;
    struct gpumemprof_capture_events first;
    if (head.used > head.size - sizeof head) return damaged(h, error, error_size);
    uint64_t used = head.used < s->next->used ? head.used : s->next->used;
    if (s->next->used < sizeof first) continue;
    if (used < s->next->used) { /* a ring empties a chunk before it uses it again */
      if (!check_still(h, &now, error, error_size)) return false;
      if (!is_reused(h, &now)) return changed(h, error, error_size);
      s->operands = GPUMEMPROF_NONE;
      continue;
    }
    free(s->chunk);
    h->reader->loaded = 0; /* the previous chunk is no longer in memory */
    s->chunk = gpm_reader_file_chunk(h->reader, s->next->at, used, error, error_size);
    uint64_t at = s->next->at + sizeof head, sequence;
    if (!s->chunk ||
        !gpm_reader_file_get(h->reader, at, &sequence, sizeof sequence, error, error_size))
      return false;
    first = *(const struct gpumemprof_capture_events *)(s->chunk + 1);
    if (!check_still(h, &now, error, error_size)) return false;
    if (sequence != s->next->sequence || first.sequence != sequence) {
      if (!is_reused(h, &now)) return changed(h, error, error_size);
      s->operands = GPUMEMPROF_NONE; /* their event was overwritten */
      continue;
    }
    s->next++;
    gpm_host_share(h->reader->host, ++h->loaded, h->reader->event_chunks);
    s->at = (const unsigned char *)(s->chunk + 1) + sizeof first;
    s->stop = (const unsigned char *)(s->chunk + 1) + used;
    s->clock = first.clock;
    s->time = first.time;
    s->address = s->size = s->first_value = 0;
    gpm_use_values_next_chunk(&s->uses);
    return true;
  }
  return false;
}

/* A number of several bytes. It is not inlined, since compilers make larger and slower code of many
 * such loops behind one another. */
__attribute__((noinline)) static uint64_t take_long(struct stream *s) {
  const unsigned char *at = s->at, *stop = s->stop;
  uint64_t number = 0;
  for (unsigned shift = 0; at < stop && shift < 64; shift += 7) {
    unsigned char byte = *at++;
    number |= (uint64_t)(byte & 127) << shift;
    if (byte >= 128) continue;
    s->at = at;
    return number;
  }
  s->broken = true;
  return 0;
}

/* Returns the next number. If there is none, it sets s->broken, and the number is of no use. */
static inline uint64_t take(struct stream *s) {
  return s->at == s->stop || *s->at >= 128 ? take_long(s) : *s->at++;
}

/* A record of OPERANDS may be newer than the reading of the file. Its event has no operands then.
 */
static bool decode_operands(const struct gpm_history *h, struct stream *s) {
  take(s); /* the clock, which is that of the event */
  uint64_t record = take(s), count = take(s);
  if (s->broken || !count || count > GPUMEMPROF_OPERANDS) return false;
  for (uint64_t i = 0; i < count; i++) s->operand[i] = take(s);
  if (s->broken) return false;
  const struct gpumemprof_capture_operands *o =
      record < h->reader->operands.count ? gpm_reader_record(&h->reader->operands, record) : NULL;
  if (o && o->count != count) return false;
  s->operands = o ? (uint32_t)record : GPUMEMPROF_NONE;
  return true;
}

/* Reads the values of a use, or finds those that it repeats. Null: the event is impossible. */
static const uint64_t *decode_values(struct stream *s, uint32_t record, uint32_t count,
                                     uint64_t flags) {
  if (flags & GPUMEMPROF_USE_AGAIN && count) return gpm_use_values_repeat(&s->uses, record);
  uint64_t before = s->first_value, *value = gpm_use_values_write(&s->uses, record, count);
  for (uint32_t i = 0; i < count && !s->broken; i++) {
    uint64_t distance = take(s);
    before = value[i] = before + (distance >> 1 ^ (0 - (distance & 1)));
  }
  if (count) s->first_value = value[0];
  return s->broken ? NULL : value;
}

/* The values are copied, because the next event of the record replaces them. */
static void keep_values(struct stream *s, struct gpm_event *e, const uint64_t *value,
                        uint32_t count) {
  unsigned slot = e == &s->slot[1];
  if (count > s->room[slot]) {
    s->values[slot] = gpm_memory_resize(s->values[slot], count, sizeof *value);
    s->room[slot] = count;
  }
  if (count) memcpy(s->values[slot], value, count * sizeof *value);
  e->value = s->values[slot];
}

static bool decode_use(const struct gpm_history *h, struct stream *s, struct gpm_event *e) {
  uint64_t clock = take(s), time = take(s), record = take(s), flags = take(s);
  if (s->broken || record >= h->reader->uses.count) return false;
  const struct gpumemprof_capture_use *use = gpm_reader_record(&h->reader->uses, record);
  const uint64_t *value = decode_values(s, (uint32_t)record, use->values, flags);
  if (!value) return false;
  keep_values(s, e, value, use->values);
  s->time += time;
  e->kind = GPM_EVENT_USED;
  e->clock = s->clock + clock;
  e->ticks = s->time << GPUMEMPROF_EVENT_TIME_BITS;
  e->id = (uint32_t)record;
  return true;
}

static bool decode_other(const struct gpm_history *h, struct stream *s, uint64_t what,
                         struct gpm_event *e) {
  bool failed = what == GPUMEMPROF_OTHER_FAILED;
  if (what == GPUMEMPROF_OTHER_USE) return decode_use(h, s, e);
  uint64_t clock = take(s), node = take(s);
  if (node >= h->reader->nodes.count || (!failed && what != GPUMEMPROF_OTHER_SCOPE)) return false;
  e->kind = failed ? GPM_EVENT_FAILED : GPM_EVENT_SCOPE_ENDED;
  e->clock = s->clock + clock;
  e->id = (uint32_t)node;
  e->bytes = failed ? take(s) : 0;
  e->out_of_memory = failed && take(s);
  return !s->broken;
}

/* Gives an event the operands that were recorded right before it. */
static void give_operands(struct stream *s, struct gpm_event *e) {
  e->operands =
      e->kind == GPM_EVENT_ALLOCATED || e->kind == GPM_EVENT_FAILED ? s->operands : GPUMEMPROF_NONE;
  if (e->operands != GPUMEMPROF_NONE) memcpy(e->operand, s->operand, sizeof e->operand);
  s->operands = GPUMEMPROF_NONE;
}

static bool decode_event(const struct gpm_history *h, struct stream *s, unsigned byte,
                         struct gpm_event *e) {
  unsigned kind = byte & GPUMEMPROF_EVENT_KIND;
  uint64_t between = byte & GPUMEMPROF_EVENT_CLOCK ? take(s) : 0;
  uint64_t time = take(s), id = take(s), distance = take(s);
  bool allocated = kind == GPUMEMPROF_EVENT_ALLOCATED;
  if (id >= (allocated ? h->reader->cells.count : h->reader->pairs.count)) return false;
  uint64_t step = distance >> 1 ^ (0 - (distance & 1));
  s->address += byte & GPUMEMPROF_EVENT_BYTES ? step : step * 512;
  s->clock += 1 + between;
  s->time += time;
  if (byte & GPUMEMPROF_EVENT_SIZE) {
    uint64_t size = take(s);
    s->size = size & 1 ? (size >> 1) * 512 : size >> 1;
  }
  e->padding = byte & GPUMEMPROF_EVENT_PADDING ? take(s) : 0;
  e->kind = allocated                        ? GPM_EVENT_ALLOCATED
            : kind == GPUMEMPROF_EVENT_FREED ? GPM_EVENT_FREED
                                             : GPM_EVENT_TAKEN_BACK;
  e->clock = s->clock;
  e->ticks = s->time << GPUMEMPROF_EVENT_TIME_BITS;
  e->id = (uint32_t)id;
  e->address = s->address;
  e->bytes = allocated ? s->size : 0;
  return !s->broken;
}

/* Decodes the next entry of the chunk; *found: it is an event. */
static bool decode(const struct gpm_history *h, struct stream *s, struct gpm_event *e,
                   bool *found) {
  unsigned byte = *s->at++;
  bool is_other = (byte & GPUMEMPROF_EVENT_KIND) == GPUMEMPROF_EVENT_OTHER;
  uint64_t what = is_other ? take(s) : 0;
  *found = what != GPUMEMPROF_OTHER_OPERANDS;
  if (!*found) return decode_operands(h, s);
  *e = (struct gpm_event){.thread = s->thread, .ticks = s->time << GPUMEMPROF_EVENT_TIME_BITS};
  if (is_other ? !decode_other(h, s, what, e) : !decode_event(h, s, byte, e)) return false;
  give_operands(s, e);
  return true;
}

/* The end of a scope, a failed call and a use have the clock of the event before them, and sort
 * after it. */
static uint64_t key_of(const struct gpm_event *e) {
  return e->clock * 2 + !gpm_event_has_tick(e);
}

/* Reads the thread's next event into s->event. */
static bool advance(struct gpm_history *h, struct stream *s, char *error, size_t error_size) {
  struct gpm_event *e = s->spare;
  for (bool found = false; !found;) {
    while (s->at == s->stop)
      if (!load_chunk(h, s, error, error_size)) return false;
    if (!decode(h, s, e, &found)) return damaged(h, error, error_size);
  }
  s->spare = s->event;
  s->event = e;
  s->key = key_of(e);
  s->ticks = e->kind == GPM_EVENT_USED ? e->ticks : 0;
  return e->clock <= h->reader->events_until;
}

/* ---- all threads ------------------------------------------------------------------------------
 */

static bool is_before(const struct stream *a, const struct stream *b) {
  return a->key < b->key || (a->key == b->key && a->ticks < b->ticks);
}

static void sift_down(struct gpm_history *h, size_t i) {
  for (size_t child; (child = 2 * i + 1) < h->heap_count; i = child) {
    if (child + 1 < h->heap_count && is_before(h->heap[child + 1], h->heap[child])) child++;
    struct stream *s = h->heap[i];
    if (!is_before(h->heap[child], s)) return;
    h->heap[i] = h->heap[child];
    h->heap[child] = s;
  }
}

static int in_order(const void *a, const void *b) {
  const struct gpm_event_chunk *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void order_chunks(struct gpm_history *h) {
  const struct gpm_reader *r = h->reader;
  h->chunks = gpm_memory_array(r->event_chunks, sizeof *h->chunks);
  if (!r->event_chunks) return;
  memcpy(h->chunks, r->events, r->event_chunks * sizeof *h->chunks);
  qsort(h->chunks, r->event_chunks, sizeof *h->chunks, in_order);
}

static bool start_streams(struct gpm_history *h, char *error, size_t error_size) {
  size_t chunks = h->reader->event_chunks;
  h->streams = gpm_memory_array(chunks, sizeof *h->streams);
  h->heap = gpm_memory_array(chunks, sizeof(struct stream *));
  size_t threads = 0;
  for (size_t i = 0; i < chunks; threads++) {
    struct stream *s = &h->streams[threads];
    s->next = &h->chunks[i];
    s->thread = h->chunks[i].thread;
    s->operands = GPUMEMPROF_NONE;
    s->spare = &s->slot[0];
    s->event = &s->slot[1];
    while (i < chunks && h->chunks[i].thread == s->thread) i++;
    s->end = &h->chunks[i];
    error[0] = 0;
    if (advance(h, s, error, error_size)) h->heap[h->heap_count++] = s;
    else if (error[0]) return false;
  }
  for (size_t i = h->heap_count / 2; i-- > 0;) sift_down(h, i);
  return true;
}

/* Another file of that path has other events than the records that were read. */
static bool open_file(const struct gpm_history *h, char *error, size_t error_size) {
  struct gpm_reader *r = h->reader;
  uint64_t inode = r->inode, modified = r->modified_ns;
  struct gpumemprof_capture_header now;
  if (!gpm_reader_file_open(r, error, error_size)) return false;
  if (r->modified_ns != modified) r->events_checked = false;
  if (r->inode == inode) return check_file(h, &now, error, error_size);
  snprintf(error, error_size, "%s is another file than the one that was opened; open it again",
           r->path);
  r->inode = inode;
  return false;
}

struct gpm_history *gpm_history_open(struct gpm_reader *reader, char *error, size_t error_size) {
  if (!reader->event_chunks) {
    snprintf(error, error_size,
             "%s has no events: record it with GPUMEMPROF_OPTIONS=history=all (or history=ring)",
             reader->path);
    return NULL;
  }
  struct gpm_history *h = gpm_memory_array(1, sizeof *h);
  h->reader = reader;
  order_chunks(h);
  if (open_file(h, error, error_size) && gpm_reader_check_events(reader, error, error_size) &&
      start_streams(h, error, error_size))
    return h;
  gpm_history_close(h);
  return NULL;
}

const struct gpm_event *gpm_history_next(struct gpm_history *h, char *error, size_t error_size) {
  error[0] = 0;
  if (!h->heap_count) return NULL;
  struct stream *s = h->heap[0];
  const struct gpm_event *event = s->event;
  if (!advance(h, s, error, error_size)) {
    if (error[0]) return NULL;
    h->heap[0] = h->heap[--h->heap_count];
  }
  sift_down(h, 0);
  return event;
}

void gpm_history_close(struct gpm_history *h) {
  gpm_reader_file_close(h->reader);
  for (size_t i = 0; h->streams && i < h->reader->event_chunks; i++) {
    struct stream *s = &h->streams[i];
    free(s->chunk);
    for (unsigned slot = 0; slot < 2; slot++) free(s->values[slot]);
    gpm_use_values_free(&s->uses);
  }
  free(h->streams);
  free(h->heap);
  free(h->chunks);
  free(h);
}

uint32_t gpm_event_node(const struct gpm_reader *r, const struct gpm_event *e) {
  if (e->kind == GPM_EVENT_ALLOCATED)
    return ((const struct gpumemprof_capture_cell *)gpm_reader_record(&r->cells, e->id))->node;
  if (e->kind == GPM_EVENT_FREED || e->kind == GPM_EVENT_TAKEN_BACK)
    return ((const struct gpumemprof_capture_pair *)gpm_reader_record(&r->pairs, e->id))->free_node;
  return e->id;
}

uint64_t gpm_event_address(const struct gpm_event *e) {
  return e->address >> 63 ? e->address & (((uint64_t)1 << 48) - 1) : e->address;
}
