/* reader_chunks.c - walks the chunks of a mapped capture and finds the records of each type.
 *
 * reader.c calls it once. The program may be running and appending: what refers to other records is
 * counted before what it refers to (pairs, cells, nodes, sites, strings), and each chunk's `used`
 * is read after those behind it, so that everything counted is published. A chunk appended
 * meanwhile can still be missing: then reader_check.c finds an unknown id, and reader.c opens the
 * capture again.
 */
#include "reader.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_TYPES (GPUMEMPROF_CHUNK_MODULES + 1)

static const size_t record_sizes[CHUNK_TYPES] = {
    [GPUMEMPROF_CHUNK_STRINGS] = 1,
    [GPUMEMPROF_CHUNK_SITES] = sizeof(struct gpumemprof_capture_site),
    [GPUMEMPROF_CHUNK_LINES] = sizeof(struct gpumemprof_capture_line),
    [GPUMEMPROF_CHUNK_NODES] = sizeof(struct gpumemprof_capture_node),
    [GPUMEMPROF_CHUNK_CELLS] = sizeof(struct gpumemprof_capture_cell),
    [GPUMEMPROF_CHUNK_PAIRS] = sizeof(struct gpumemprof_capture_pair),
    [GPUMEMPROF_CHUNK_DEVICES] = sizeof(struct gpumemprof_capture_device),
    [GPUMEMPROF_CHUNK_ACTIVATIONS] = sizeof(struct gpumemprof_capture_activation),
    [GPUMEMPROF_CHUNK_MAXIMA] = sizeof(struct gpumemprof_capture_maximum),
    [GPUMEMPROF_CHUNK_MODULES] = sizeof(struct gpumemprof_capture_module),
};

/* Chunks of one type, in file order. */
struct chunk_list {
  const struct gpumemprof_chunk **chunk;
  size_t count, room;
};

static void add_chunk(struct chunk_list *list, const struct gpumemprof_chunk *chunk) {
  if (list->count == list->room) {
    list->room = list->room ? list->room * 2 : 16;
    list->chunk = gpm_memory_resize(list->chunk, list->room, sizeof(list->chunk[0]));
  }
  list->chunk[list->count++] = chunk;
}

static bool damaged(const struct gpm_reader *r, uint64_t at, const char *what, char *error,
                    size_t error_size) {
  snprintf(error, error_size, "%s is damaged: the chunk at byte %llu %s; record it again", r->path,
           (unsigned long long)at, what);
  return false;
}

static bool find_chunks(struct gpm_reader *r, struct chunk_list *lists, char *error,
                        size_t error_size) {
  uint64_t at = GPUMEMPROF_CAPTURE_HEADER_SIZE;
  while (at < r->header.used) {
    const struct gpumemprof_chunk *chunk = (const void *)(r->base + at);
    uint64_t left = r->header.used - at;
    if (chunk->size < sizeof *chunk || chunk->size > left || chunk->size % 64)
      return damaged(r, at, "has an impossible size", error, error_size);
    uint32_t type = chunk->type;
    if (!type || type >= CHUNK_TYPES) {
      if (!type || r->header.minor <= GPUMEMPROF_CAPTURE_MINOR)
        return damaged(r, at, "is of an unknown type", error, error_size);
      r->skipped_chunks++;
    } else {
      if (chunk->record_size != record_sizes[type])
        return damaged(r, at, "has records of a wrong size", error, error_size);
      add_chunk(&lists[type], chunk);
    }
    r->chunk_count++;
    at += chunk->size;
  }
  return true;
}

static uint64_t payload_used(const struct gpumemprof_chunk *chunk) {
  return __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
}

/* Spans of a type whose records are only ever added. */
static bool find_records(struct gpm_reader *r, const struct chunk_list *list, uint32_t type,
                         struct gpm_records *records, char *error, size_t error_size) {
  records->size = record_sizes[type];
  records->spans = gpm_memory_array(list->count, sizeof *records->spans);
  records->span_count = list->count;
  bool more = false; /* a later chunk holds records */
  for (size_t i = list->count; i-- > 0;) {
    const struct gpumemprof_chunk *chunk = list->chunk[i];
    uint64_t at = (uint64_t)((const unsigned char *)chunk - r->base);
    uint64_t payload = chunk->size - sizeof *chunk, used = payload_used(chunk);
    if (used > payload || used % records->size)
      return damaged(r, at, "uses more than it has", error, error_size);
    if (more && payload - used >= records->size)
      return damaged(r, at, "is not full, yet another follows it", error, error_size);
    if (type == GPUMEMPROF_CHUNK_STRINGS && used && ((const char *)(chunk + 1))[used - 1])
      return damaged(r, at, "has text without an end", error, error_size);
    more = more || used;
    records->spans[i] =
        (struct gpm_span){(const unsigned char *)(chunk + 1), 0, used / records->size};
    records->room += chunk->size;
  }
  for (size_t i = 0; i < list->count; i++) {
    records->spans[i].first = records->count;
    records->count += records->spans[i].count;
  }
  if (records->count > (type == GPUMEMPROF_CHUNK_STRINGS ? (uint64_t)UINT32_MAX + 1 : UINT32_MAX)) {
    snprintf(error, error_size, "%s is damaged: it has more records than ids; record it again",
             r->path);
    return false;
  }
  return true;
}

/* Records of the types whose `used` also shrinks, owner by owner: copied, because they may be
 * rewritten. */
struct owned {
  struct gpm_range *ranges; /* by owner */
  uint32_t owners;
  unsigned char *copy;
};

static int by_owner(const void *a, const void *b) {
  const struct gpumemprof_chunk *x = *(const struct gpumemprof_chunk *const *)a;
  const struct gpumemprof_chunk *y = *(const struct gpumemprof_chunk *const *)b;
  if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
  return x < y ? -1 : x > y;
}

static bool copy_owned(struct gpm_reader *r, const struct chunk_list *list, uint32_t type,
                       struct owned *out, char *error, size_t error_size) {
  size_t size = record_sizes[type];
  if (list->count) qsort(list->chunk, list->count, sizeof(list->chunk[0]), by_owner);
  out->ranges = gpm_memory_array(list->count, sizeof *out->ranges);
  uint64_t room = 0, count = 0;
  for (size_t i = 0; i < list->count; i++)
    room += (list->chunk[i]->size - sizeof *list->chunk[i]) / size;
  out->copy = gpm_memory_array(room, size);
  bool ended = false;
  for (size_t i = 0; i < list->count; i++) {
    const struct gpumemprof_chunk *chunk = list->chunk[i];
    uint64_t at = (uint64_t)((const unsigned char *)chunk - r->base);
    uint64_t payload = chunk->size - sizeof *chunk, used = payload_used(chunk);
    if (used > payload || used % size)
      return damaged(r, at, "uses more than it has", error, error_size);
    if (!i || chunk->owner != list->chunk[i - 1]->owner) {
      out->ranges[out->owners++] = (struct gpm_range){count, count};
      ended = false;
    }
    if (ended) continue;
    memcpy(out->copy + count * size, chunk + 1, used);
    count += used / size;
    out->ranges[out->owners - 1].end = count;
    ended = payload - used >= size;
  }
  return true;
}

/* Ranges of maxima are wanted by device number, also for devices without any. */
static bool place_maxima(struct gpm_reader *r, const struct chunk_list *list, struct owned *owned,
                         char *error, size_t error_size) {
  r->maxima = (void *)owned->copy;
  r->device_maxima = gpm_memory_array(r->device_count, sizeof *r->device_maxima);
  uint32_t next = 0;
  for (size_t i = 0; i < list->count; i++) {
    uint32_t owner = list->chunk[i]->owner;
    if (i && owner == list->chunk[i - 1]->owner) continue;
    if (owner >= r->device_count) {
      uint64_t at = (uint64_t)((const unsigned char *)list->chunk[i] - r->base);
      return damaged(r, at, "belongs to a device that is not there", error, error_size);
    }
    r->device_maxima[owner] = owned->ranges[next++];
  }
  return true;
}

static bool copy_devices(struct gpm_reader *r, const struct chunk_list *list, char *error,
                         size_t error_size) {
  struct gpm_records devices = {0};
  bool ok = find_records(r, list, GPUMEMPROF_CHUNK_DEVICES, &devices, error, error_size);
  if (ok && devices.count > 4096) {
    snprintf(error, error_size, "%s is damaged: it names %llu devices; record it again", r->path,
             (unsigned long long)devices.count);
    ok = false;
  }
  if (ok) {
    r->device_count = (uint32_t)devices.count;
    r->devices = gpm_memory_array(devices.count, sizeof *r->devices);
    for (uint32_t i = 0; i < r->device_count; i++) {
      memcpy(&r->devices[i], gpm_reader_record(&devices, i), sizeof *r->devices);
      r->devices[i].name[sizeof r->devices[i].name - 1] = 0;
    }
  }
  free(devices.spans);
  return ok;
}

static bool read_chunks(struct gpm_reader *r, struct chunk_list *lists, char *error,
                        size_t error_size) {
  struct owned open = {0}, maxima = {0};
  bool ok = find_chunks(r, lists, error, error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_PAIRS], GPUMEMPROF_CHUNK_PAIRS, &r->pairs,
                         error, error_size) &&
            copy_owned(r, &lists[GPUMEMPROF_CHUNK_ACTIVATIONS], GPUMEMPROF_CHUNK_ACTIVATIONS, &open,
                       error, error_size) &&
            copy_owned(r, &lists[GPUMEMPROF_CHUNK_MAXIMA], GPUMEMPROF_CHUNK_MAXIMA, &maxima, error,
                       error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_CELLS], GPUMEMPROF_CHUNK_CELLS, &r->cells,
                         error, error_size) &&
            copy_devices(r, &lists[GPUMEMPROF_CHUNK_DEVICES], error, error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_NODES], GPUMEMPROF_CHUNK_NODES, &r->nodes,
                         error, error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_SITES], GPUMEMPROF_CHUNK_SITES, &r->sites,
                         error, error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_LINES], GPUMEMPROF_CHUNK_LINES, &r->lines,
                         error, error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_MODULES], GPUMEMPROF_CHUNK_MODULES, &r->modules,
                         error, error_size) &&
            find_records(r, &lists[GPUMEMPROF_CHUNK_STRINGS], GPUMEMPROF_CHUNK_STRINGS, &r->strings,
                         error, error_size);
  r->activations = (void *)open.copy;
  r->threads = open.ranges;
  r->thread_count = open.owners;
  if (ok) ok = place_maxima(r, &lists[GPUMEMPROF_CHUNK_MAXIMA], &maxima, error, error_size);
  else free(maxima.copy);
  free(maxima.ranges);
  return ok;
}

bool gpm_reader_find_records(struct gpm_reader *reader, char *error, size_t error_size) {
  struct chunk_list lists[CHUNK_TYPES] = {{0}};
  bool ok = read_chunks(reader, lists, error, error_size);
  for (size_t i = 0; i < CHUNK_TYPES; i++) free(lists[i].chunk);
  return ok;
}
