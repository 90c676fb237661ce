/* reader_chunks.c - walks the chunks of a capture and reads the records of each type.
 *
 * reader.c calls it once. The program may be running and appending, so records that refer to others
 * are read before those (pairs, cells, nodes, sites, strings), each chunk after the chunks that
 * follow it, and before each type the walk continues to the chunks appended in the meantime. So
 * every record that is referred to was published before it is read.
 */
#include "capture/reader.h"

#include "support/memory.h"

#include "gpumemprof/capture_uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_TYPES (GPUMEMPROF_CHUNK_NAMED + 1)

static const size_t record_sizes[CHUNK_TYPES] = {
    /* 0: no such type */
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
    [GPUMEMPROF_CHUNK_EVENTS] = 1,
    [GPUMEMPROF_CHUNK_SAMPLES] = sizeof(struct gpumemprof_capture_sample),
    [GPUMEMPROF_CHUNK_POOLS] = sizeof(struct gpumemprof_capture_pool),
    [GPUMEMPROF_CHUNK_CUSTOM_POOLS] = sizeof(struct gpumemprof_capture_custom_pool),
    [GPUMEMPROF_CHUNK_NATIVE_MODULES] = sizeof(struct gpumemprof_capture_native_module),
    [GPUMEMPROF_CHUNK_UNACCOUNTED] = sizeof(struct gpumemprof_capture_unaccounted),
    [GPUMEMPROF_CHUNK_OOMS] = sizeof(struct gpumemprof_capture_oom),
    [GPUMEMPROF_CHUNK_STEPS] = sizeof(struct gpumemprof_capture_step),
    [GPUMEMPROF_CHUNK_MARKS] = sizeof(struct gpumemprof_capture_mark),
    [GPUMEMPROF_CHUNK_VIOLATIONS] = sizeof(struct gpumemprof_capture_violation),
    [GPUMEMPROF_CHUNK_OPERANDS] = sizeof(struct gpumemprof_capture_operands),
    [GPUMEMPROF_CHUNK_STREAMS] = sizeof(struct gpumemprof_capture_stream),
    [GPUMEMPROF_CHUNK_USES] = sizeof(struct gpumemprof_capture_use),
    [GPUMEMPROF_CHUNK_KERNELS] = sizeof(struct gpumemprof_capture_kernel),
    [GPUMEMPROF_CHUNK_KERNEL_WORDS] = sizeof(struct gpumemprof_capture_kernel_word),
    [GPUMEMPROF_CHUNK_PAGES] = sizeof(struct gpumemprof_capture_pages),
    [GPUMEMPROF_CHUNK_NAMES] = sizeof(struct gpumemprof_capture_name),
    [GPUMEMPROF_CHUNK_NAME_TEXTS] = 1,
    [GPUMEMPROF_CHUNK_NAMED] = sizeof(struct gpumemprof_capture_named),
};

/* Chunks of one type, in file order. */
struct found {
  uint64_t at;                    /* byte of the file */
  struct gpumemprof_chunk *chunk; /* the header; once read, with its records */
};
struct chunk_list {
  struct found *found;
  size_t count, room;
};
struct walk {
  struct chunk_list lists[CHUNK_TYPES];
  uint64_t at; /* offset that the walk has reached */
};

static void add_chunk(struct chunk_list *list, uint64_t at, const struct gpumemprof_chunk *head) {
  if (list->count == list->room) {
    list->room = list->room ? list->room * 2 : 16;
    list->found = gpm_memory_resize(list->found, list->room, sizeof(list->found[0]));
  }
  struct gpumemprof_chunk *chunk = gpm_memory_array(1, sizeof *chunk);
  *chunk = *head;
  list->found[list->count++] = (struct found){at, chunk};
}

static bool damaged(const struct gpm_reader *r, uint64_t at, const char *what, char *error,
                    size_t error_size) {
  snprintf(error, error_size, "%s is damaged: the chunk at byte %llu %s; record it again", r->path,
           (unsigned long long)at, what);
  return false;
}

/* Adds a chunk that no other code reads to the checksum. */
static bool add_to_checksum(struct gpm_reader *r, uint64_t at, const struct gpumemprof_chunk *head,
                            char *error, size_t error_size) {
  if (!r->header.figures_checksum) return true;
  if (head->used > head->size - sizeof *head)
    return damaged(r, at, "uses more than it has", error, error_size);
  struct gpumemprof_chunk *chunk = gpm_reader_file_chunk(r, at, head->used, error, error_size);
  if (!chunk) return false;
  gpm_reader_add_to_checksum(r, chunk, at, head->used);
  free(chunk);
  return true;
}

static bool find_chunks(struct gpm_reader *r, struct walk *walk, char *error, size_t error_size) {
  uint64_t end = r->header.used, now = 0;
  if (!gpm_reader_file_get(r, offsetof(struct gpumemprof_capture_header, used), &now, sizeof now,
                           error, error_size))
    return false;
  if (now > end && now % 64 == 0) end = r->header.used = now;
  while (walk->at < end) {
    struct gpumemprof_chunk head;
    uint64_t at = walk->at, left = end - at;
    if (!gpm_reader_file_get(r, at, &head, sizeof head, error, error_size)) return false;
    if (head.size < sizeof head || head.size > left || head.size % 64)
      return damaged(r, at, "has an impossible size", error, error_size);
    if (!head.type || head.type >= CHUNK_TYPES || !record_sizes[head.type]) {
      if (!head.type || r->header.minor <= GPUMEMPROF_CAPTURE_MINOR)
        return damaged(r, at, "is of an unknown type", error, error_size);
      r->skipped_chunks++;
      if (!add_to_checksum(r, at, &head, error, error_size)) return false;
    } else {
      if (head.record_size != record_sizes[head.type])
        return damaged(r, at, "has records of a wrong size", error, error_size);
      add_chunk(&walk->lists[head.type], at, &head);
    }
    r->chunk_count++;
    walk->at += head.size;
  }
  return true;
}

/* Reads the records of a chunk that its header covers at this moment. */
static bool read_chunk(struct gpm_reader *r, struct found *found, char *error, size_t error_size) {
  struct gpumemprof_chunk *head = found->chunk;
  uint64_t payload = head->size - sizeof *head, used = 0;
  if (!gpm_reader_file_get(r, found->at + offsetof(struct gpumemprof_chunk, used), &used,
                           sizeof used, error, error_size))
    return false;
  if (used > payload || used % record_sizes[head->type])
    return damaged(r, found->at, "uses more than it has", error, error_size);
  struct gpumemprof_chunk *chunk = gpm_reader_file_chunk(r, found->at, used, error, error_size);
  if (!chunk) return false;
  gpm_reader_add_to_checksum(r, chunk, found->at, used);
  *chunk = *head; /* the checked header, in case the file changed since */
  chunk->used = used;
  free(head);
  found->chunk = chunk;
  return true;
}

/* Makes the spans of a type whose records are only added. */
static bool find_records(struct gpm_reader *r, struct walk *walk, uint32_t type,
                         struct gpm_records *records, char *error, size_t error_size) {
  if (!find_chunks(r, walk, error, error_size)) return false;
  struct chunk_list *list = &walk->lists[type];
  records->size = record_sizes[type];
  records->spans = gpm_memory_array(list->count, sizeof *records->spans);
  records->span_count = list->count;
  bool more = false; /* a later chunk holds records */
  for (size_t i = list->count; i-- > 0;) {
    if (!read_chunk(r, &list->found[i], error, error_size)) return false;
    struct gpumemprof_chunk *chunk = list->found[i].chunk;
    uint64_t at = list->found[i].at, payload = chunk->size - sizeof *chunk, used = chunk->used;
    if (more && payload - used >= records->size)
      return damaged(r, at, "is not full, yet another follows it", error, error_size);
    bool has_texts = type == GPUMEMPROF_CHUNK_STRINGS || type == GPUMEMPROF_CHUNK_NAME_TEXTS;
    if (has_texts && used && ((const char *)(chunk + 1))[used - 1])
      return damaged(r, at, "has text without an end", error, error_size);
    more = more || used;
    records->spans[i] =
        (struct gpm_span){(const unsigned char *)(chunk + 1), 0, used / records->size, at};
    records->room += chunk->size;
    list->found[i].chunk = NULL; /* the span's now */
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

/* Records of the types whose `used` also shrinks, owner by owner. */
struct owned {
  struct gpm_range *ranges; /* by owner */
  uint32_t owners;
  unsigned char *copy;
};

static int by_owner(const void *a, const void *b) {
  const struct found *x = a, *y = b;
  if (x->chunk->owner != y->chunk->owner) return x->chunk->owner < y->chunk->owner ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static bool copy_owned(struct gpm_reader *r, struct walk *walk, uint32_t type, struct owned *out,
                       char *error, size_t error_size) {
  if (!find_chunks(r, walk, error, error_size)) return false;
  struct chunk_list *list = &walk->lists[type];
  size_t size = record_sizes[type];
  uint64_t room = 0, count = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (!read_chunk(r, &list->found[i], error, error_size)) return false;
    room += list->found[i].chunk->used / size;
  }
  if (list->count) qsort(list->found, list->count, sizeof(list->found[0]), by_owner);
  out->ranges = gpm_memory_array(list->count, sizeof *out->ranges);
  out->copy = gpm_memory_array(room, size);
  bool ended = false;
  for (size_t i = 0; i < list->count; i++) {
    const struct gpumemprof_chunk *chunk = list->found[i].chunk;
    uint64_t payload = chunk->size - sizeof *chunk, used = chunk->used;
    if (!i || chunk->owner != list->found[i - 1].chunk->owner) {
      out->ranges[out->owners++] = (struct gpm_range){count, count, chunk->owner};
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

/* Ranges of maxima are indexed by device number, and exist also for devices without maxima. */
static bool index_maxima(struct gpm_reader *r, const struct chunk_list *list, struct owned *owned,
                         char *error, size_t error_size) {
  r->device_maxima = gpm_memory_array(r->device_count, sizeof *r->device_maxima);
  uint32_t next = 0;
  for (size_t i = 0; i < list->count; i++) {
    uint32_t owner = list->found[i].chunk->owner;
    if (i && owner == list->found[i - 1].chunk->owner) continue;
    if (owner >= r->device_count)
      return damaged(r, list->found[i].at, "belongs to a device that is not there", error,
                     error_size);
    r->device_maxima[owner] = owned->ranges[next++];
  }
  return true;
}

/* The order in which reports list devices, no matter which was used first. */
static void order_devices(struct gpm_reader *r) {
  r->device_order = gpm_memory_array(r->device_count, sizeof *r->device_order);
  for (uint32_t i = 0; i < r->device_count; i++) {
    int64_t key = r->devices[i].ordinal; /* negative ones: after all others, -1 first */
    uint64_t rank = key < 0 ? UINT32_MAX - (uint64_t)key : (uint64_t)key;
    uint32_t at = i;
    for (; at; at--) {
      int64_t before = r->devices[r->device_order[at - 1]].ordinal;
      if ((before < 0 ? UINT32_MAX - (uint64_t)before : (uint64_t)before) <= rank) break;
      r->device_order[at] = r->device_order[at - 1];
    }
    r->device_order[at] = i;
  }
}

static bool copy_devices(struct gpm_reader *r, struct walk *walk, char *error, size_t error_size) {
  struct gpm_records devices = {0};
  bool ok = find_records(r, walk, GPUMEMPROF_CHUNK_DEVICES, &devices, error, error_size);
  if (ok && devices.count > 4096) {
    snprintf(error, error_size, "%s is damaged: it names %llu devices; record it again", r->path,
             (unsigned long long)devices.count);
    ok = false;
  }
  if (ok) {
    r->device_count = (uint32_t)devices.count;
    r->devices = gpm_memory_array(devices.count, sizeof *r->devices);
    r->device_at = gpm_memory_array(devices.count, sizeof *r->device_at);
    for (size_t i = 0; i < devices.span_count; i++)
      for (uint64_t k = 0; k < devices.spans[i].count; k++)
        r->device_at[devices.spans[i].first + k] =
            devices.spans[i].at + sizeof(struct gpumemprof_chunk) + k * sizeof *r->devices;
    for (uint32_t i = 0; i < r->device_count; i++) {
      memcpy(&r->devices[i], gpm_reader_record(&devices, i), sizeof *r->devices);
      r->devices[i].name[sizeof r->devices[i].name - 1] = 0;
    }
  }
  gpm_reader_free_records(&devices);
  if (ok) order_devices(r);
  return ok;
}

static bool read_chunks(struct gpm_reader *r, struct walk *walk, char *error, size_t error_size) {
  struct owned open = {0}, maxima = {0};
#define GPM_FIND(TYPE, records)                                                                    \
  find_records(r, walk, GPUMEMPROF_CHUNK_##TYPE, &r->records, error, error_size)
#define GPM_COPY(TYPE, to) copy_owned(r, walk, GPUMEMPROF_CHUNK_##TYPE, &to, error, error_size)
  bool ok = GPM_FIND(OOMS, ooms) && GPM_FIND(STEPS, steps) && GPM_FIND(MARKS, marks) &&
            GPM_FIND(VIOLATIONS, violations) && GPM_FIND(OPERANDS, operands) &&
            GPM_FIND(USES, uses) && GPM_FIND(KERNELS, kernels) &&
            GPM_FIND(KERNEL_WORDS, kernel_words) && GPM_FIND(PAGES, pages) &&
            GPM_FIND(NAMED, named) && GPM_FIND(UNACCOUNTED, unaccounted) &&
            GPM_FIND(SAMPLES, samples) && GPM_FIND(POOLS, pools) && GPM_FIND(PAIRS, pairs) &&
            GPM_COPY(ACTIVATIONS, open) && GPM_COPY(MAXIMA, maxima) &&
            GPM_FIND(CUSTOM_POOLS, custom_pools) && GPM_FIND(CELLS, cells) &&
            GPM_FIND(STREAMS, streams) && copy_devices(r, walk, error, error_size) &&
            GPM_FIND(NODES, nodes) && GPM_FIND(SITES, sites) && GPM_FIND(LINES, lines) &&
            GPM_FIND(MODULES, modules) && GPM_FIND(NATIVE_MODULES, native_modules) &&
            GPM_FIND(STRINGS, strings);
  ok = ok && GPM_FIND(NAMES, names) && GPM_FIND(NAME_TEXTS, name_texts);
#undef GPM_FIND
#undef GPM_COPY
  r->activations = (void *)open.copy;
  r->threads = open.ranges;
  r->thread_count = open.owners;
  r->maxima = (void *)maxima.copy;
  ok = ok && index_maxima(r, &walk->lists[GPUMEMPROF_CHUNK_MAXIMA], &maxima, error, error_size);
  free(maxima.ranges);
  return ok;
}

/* reader_refresh.c does. */
static void note_open(struct gpm_reader *r, const struct chunk_list *list) {
  r->open_chunks = gpm_memory_array(list->count, sizeof *r->open_chunks);
  r->open_chunk_count = list->count;
  for (size_t i = 0; i < list->count; i++) {
    const struct gpumemprof_chunk *chunk = list->found[i].chunk;
    r->open_chunks[i] =
        (struct gpm_open_chunk){list->found[i].at, chunk->size - sizeof *chunk, chunk->owner};
  }
}

/* Notes how far a chunk of events is written. A ring may begin it from the start meanwhile, which
 * changes its sequence number before anything else. */
static bool note_event_chunk(struct gpm_reader *r, const struct found *found,
                             struct gpm_event_chunk *to, char *error, size_t error_size) {
  struct {
    struct gpumemprof_chunk chunk;
    struct gpumemprof_capture_events events;
  } head;
  uint64_t sequence;
  *to = (struct gpm_event_chunk){.at = found->at, .thread = found->chunk->owner};
  if (found->chunk->size < sizeof head) return true;
  if (!gpm_reader_file_get(r, found->at + sizeof head.chunk, &sequence, sizeof sequence, error,
                           error_size) ||
      !gpm_reader_file_get(r, found->at, &head, sizeof head, error, error_size))
    return false;
  if (sequence != head.events.sequence) return true;
  to->sequence = sequence;
  to->used = head.chunk.used;
  to->thread = head.chunk.owner;
  return true;
}

/* history.c reads the events when they are needed. Their positions are kept before the records that
 * they refer to are read, and so all of these are there. */
static bool note_events(struct gpm_reader *r, struct walk *walk, char *error, size_t error_size) {
  const struct chunk_list *list = &walk->lists[GPUMEMPROF_CHUNK_EVENTS];
  if (!find_chunks(r, walk, error, error_size)) return false;
  r->events = gpm_memory_array(list->count, sizeof *r->events);
  for (; r->event_chunks < list->count; r->event_chunks++)
    if (!note_event_chunk(r, &list->found[r->event_chunks], &r->events[r->event_chunks], error,
                          error_size))
      return false;
  return true;
}

bool gpm_reader_find_records(struct gpm_reader *reader, char *error, size_t error_size) {
  struct walk walk = {.at = GPUMEMPROF_CAPTURE_HEADER_SIZE};
  bool ok = note_events(reader, &walk, error, error_size) &&
            read_chunks(reader, &walk, error, error_size);
  note_open(reader, &walk.lists[GPUMEMPROF_CHUNK_ACTIVATIONS]);
  for (size_t type = 0; type < CHUNK_TYPES; type++) {
    struct chunk_list *list = &walk.lists[type];
    for (size_t i = 0; i < list->count; i++) free(list->found[i].chunk);
    free(list->found);
  }
  return ok;
}
