/* reader_refresh.c - reads the figures of an open capture again, without opening it again.
 *
 * Most of a capture never changes once it is written: texts, sites, nodes, and which cell belongs
 * to which node. After the first seconds a program adds few of them. So a viewer that refreshes
 * every second rereads only the records whose figures it shows, into the memory that already holds
 * them, in the order of reader_chunks.c; each record must still describe the same object. New
 * events, samples, steps and marks are ignored. If anything else was added, the caller opens the
 * capture from the start and all of it is checked.
 */
#include "capture/reader.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* Errors are not reported here: opening the capture from the start will report them. */
static bool get(struct gpm_reader *r, uint64_t at, void *to, uint64_t size) {
  char error[64];
  return gpm_reader_file_get(r, at, to, size, error, sizeof error);
}

/* ---- the header --------------------------------------------------------------------------------
 */

/* Whether it is the same program, and it has not reset its figures. */
static bool is_same(const struct gpumemprof_capture_header *now,
                    const struct gpumemprof_capture_header *then) {
  return !memcmp(now->magic, then->magic, sizeof now->magic) && now->pid == then->pid &&
         now->pid_start == then->pid_start && now->start_realtime_ns == then->start_realtime_ns &&
         now->resets == then->resets && !(now->flags & GPUMEMPROF_CAPTURE_RESETTING) &&
         gpm_state_now(now) == GPM_STATE_RUNNING;
}

/* Whether the chunks after the known ones are only of types that this file ignores. */
static bool only_events_came(struct gpm_reader *r, uint64_t used) {
  struct gpumemprof_chunk head;
  for (uint64_t at = r->header.used; at < used; at += head.size) {
    if (!get(r, at, &head, sizeof head) || head.size < sizeof head || head.size > used - at)
      return false;
    if (head.type != GPUMEMPROF_CHUNK_EVENTS && head.type != GPUMEMPROF_CHUNK_SAMPLES &&
        head.type != GPUMEMPROF_CHUNK_STEPS && head.type != GPUMEMPROF_CHUNK_MARKS)
      return false;
  }
  return used >= r->header.used;
}

static bool read_header(struct gpm_reader *r) {
  struct gpumemprof_capture_header now;
  if (r->file_size < sizeof now || !get(r, 0, &now, sizeof now) || !is_same(&now, &r->header) ||
      now.used > r->file_size || !only_events_came(r, now.used))
    return false;
  r->header.used = now.used;
  r->header.last_ticks = now.last_ticks;
  r->header.last_ns = now.last_ns;
  memcpy(r->header.counters, now.counters, sizeof now.counters);
  return true;
}

/* ---- records -----------------------------------------------------------------------------------
 */

/* The bytes of a record that identify what it describes. They never change in the file. */
struct part {
  size_t at, size;
};

/* What this reader itself has changed in them since it was opened: numbers of nodes, and names of
 * lines. */
static void change_too(struct gpm_reader *r, const struct gpm_records *records, unsigned char *now,
                       const struct gpm_span *span) {
  gpm_reader_renumber(r, records, now, span->count);
  const size_t name = offsetof(struct gpumemprof_capture_line, live);
  for (uint64_t i = 0; records == &r->lines && r->native_modules.count && i < span->count; i++)
    memcpy(now + i * records->size, span->records + i * records->size, name);
}

static bool are_same(const unsigned char *now, const unsigned char *then, size_t size,
                     uint64_t count, const struct part parts[2]) {
  for (uint64_t i = 0; i < count; i++, now += size, then += size)
    for (int k = 0; k < 2; k++)
      if (memcmp(now + parts[k].at, then + parts[k].at, parts[k].size) != 0) return false;
  return true;
}

static bool read_span(struct gpm_reader *r, const struct gpm_records *records,
                      const struct gpm_span *span, const struct part parts[2]) {
  const size_t size = records->size;
  uint64_t bytes = span->count * size, used;
  if (!get(r, span->at + offsetof(struct gpumemprof_chunk, used), &used, sizeof used) ||
      used != bytes)
    return false;
  unsigned char *now = gpm_memory_resize(NULL, 1, bytes);
  bool fine = get(r, span->at + sizeof(struct gpumemprof_chunk), now, bytes);
  if (fine) change_too(r, records, now, span);
  fine = fine && are_same(now, span->records, size, span->count, parts);
  if (fine && bytes) memcpy((unsigned char *)(uintptr_t)span->records, now, bytes);
  free(now);
  return fine;
}

static bool read_records(struct gpm_reader *r, const struct gpm_records *records, struct part first,
                         struct part second) {
  const struct part parts[2] = {first, second};
  for (size_t i = records->span_count; i-- > 0;)
    if (!read_span(r, records, &records->spans[i], parts)) return false;
  return true;
}

static bool read_devices(struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->device_count; i++) {
    struct gpumemprof_capture_device now;
    if (!get(r, r->device_at[i], &now, sizeof now) || now.ordinal != r->devices[i].ordinal ||
        (now.peak_node != GPUMEMPROF_NONE && now.peak_node >= gpm_reader_recorded_nodes(r)))
      return false;
    now.peak_node = gpm_reader_node(r, now.peak_node);
    now.name[sizeof now.name - 1] = 0;
    r->devices[i] = now;
  }
  return true;
}

/* How much of each chunk of ACTIVATIONS is in use; *room: activations. To be freed; null: a chunk
 * could not be read, or its header is not valid. */
static uint64_t *read_uses(struct gpm_reader *r, uint64_t *room) {
  const size_t size = sizeof *r->activations;
  uint64_t *used = gpm_memory_array(r->open_chunk_count, sizeof *used);
  bool fine = true;
  *room = 0;
  for (size_t i = 0; i < r->open_chunk_count && fine; i++) {
    const struct gpm_open_chunk *chunk = &r->open_chunks[i];
    fine = get(r, chunk->at + offsetof(struct gpumemprof_chunk, used), &used[i], sizeof *used) &&
           used[i] <= chunk->payload && used[i] % size == 0;
    *room += fine ? used[i] / size : 0;
  }
  if (fine && *room <= r->most / size) return used;
  free(used);
  return NULL;
}

/* The open scopes of each thread: the first chunk that is not full has its last one. */
static bool read_chunks(struct gpm_reader *r, const uint64_t *used, struct gpm_range *threads,
                        struct gpumemprof_capture_activation *open) {
  struct gpm_range *range = threads;
  uint64_t count = 0;
  bool ended = false;
  for (size_t i = 0; i < r->open_chunk_count; i++) {
    const struct gpm_open_chunk *chunk = &r->open_chunks[i];
    if (!i || chunk->owner != chunk[-1].owner) {
      range = &threads[i ? range - threads + 1 : 0];
      *range = (struct gpm_range){count, count, chunk->owner};
      ended = false;
    }
    if (ended) continue;
    if (!get(r, chunk->at + sizeof(struct gpumemprof_chunk), open + count, used[i])) return false;
    for (uint64_t end = count + used[i] / sizeof *open; count < end; count++)
      if (open[count].node >= gpm_reader_recorded_nodes(r)) return false;
    range->end = count;
    ended = chunk->payload - used[i] >= sizeof *open;
  }
  return true;
}

static bool read_open(struct gpm_reader *r) {
  uint64_t room, *used = read_uses(r, &room);
  if (!used) return false;
  struct gpumemprof_capture_activation *open = gpm_memory_array(room, sizeof *open);
  struct gpm_range *threads = gpm_memory_array(r->thread_count, sizeof *threads);
  bool fine = read_chunks(r, used, threads, open);
  free(used);
  if (fine) {
    free(r->activations);
    free(r->threads);
    r->activations = open;
    r->threads = threads;
    gpm_reader_renumber_open(r);
  } else {
    free(open);
    free(threads);
  }
  return fine;
}

/* Records that refer to others are read before those, as in reader_chunks.c. */
static bool read_figures(struct gpm_reader *r) {
  return read_records(r, &r->pairs,
                      (struct part){0, offsetof(struct gpumemprof_capture_pair, freed)},
                      (struct part){0, 0}) &&
         read_open(r) &&
         read_records(r, &r->cells,
                      (struct part){0, offsetof(struct gpumemprof_capture_cell, padding)},
                      (struct part){offsetof(struct gpumemprof_capture_cell, label), 8}) &&
         read_devices(r) &&
         read_records(r, &r->lines,
                      (struct part){0, offsetof(struct gpumemprof_capture_line, live)},
                      (struct part){0, 0});
}

bool gpm_reader_refresh(struct gpm_reader *r) {
  char error[512];
  struct gpumemprof_capture_header now;
  uint64_t inode = r->inode;
  if (r->state != GPM_STATE_RUNNING || r->split) return false;
  bool fine = gpm_reader_file_open(r, error, sizeof error) && r->inode == inode;
  fine = fine && read_header(r) && read_figures(r) && get(r, 0, &now, sizeof now) &&
         is_same(&now, &r->header);
  gpm_reader_file_close(r);
  if (fine) gpm_reader_settle(r, true);
  return fine;
}
