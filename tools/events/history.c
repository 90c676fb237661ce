/* history.c - see history.h; entries.c decodes what a chunk holds.
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
#include "events/entries.h"
#include "events/named.h"
#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream { /* the events of one thread */
  const struct gpm_event_chunk *next, *end;
  struct gpumemprof_chunk *chunk;
  struct gpm_entries entries; /* of the chunk */
  uint64_t key, ticks;        /* of the next event to be returned; the heap's order */
  struct gpm_event *event;    /* that event */
  struct gpm_event *spare;    /* where the one after it is decoded, as `event` stays valid
                                 until the next call */
};

struct gpm_history {
  struct gpm_reader *reader;
  struct gpm_named named;
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
      s->entries.operands = GPUMEMPROF_NONE;
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
      s->entries.operands = GPUMEMPROF_NONE; /* their event was overwritten */
      continue;
    }
    s->next++;
    gpm_host_share(h->reader->host, ++h->loaded, h->reader->event_chunks);
    gpm_entries_begin(&s->entries, s->chunk, used);
    return true;
  }
  return false;
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
    while (s->entries.at == s->entries.stop)
      if (!load_chunk(h, s, error, error_size)) return false;
    if (!gpm_entries_decode(&s->entries, h->reader, e, &found))
      return damaged(h, error, error_size);
  }
  e->first = e->id;
  if (e->kind == GPM_EVENT_ALLOCATED) e->id = gpm_named_cell(&h->named, e->clock, e->id);
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
    s->entries.thread = h->chunks[i].thread;
    s->entries.operands = GPUMEMPROF_NONE;
    s->spare = &s->entries.slot[0];
    s->event = &s->entries.slot[1];
    while (i < chunks && h->chunks[i].thread == s->entries.thread) i++;
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
  gpm_named_begin(&h->named, reader);
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
    gpm_entries_free(&s->entries);
  }
  gpm_named_end(&h->named);
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
