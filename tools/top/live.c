/* live.c - see live.h.
 *
 * reader.c reads the whole capture to get exact figures. For a large capture that is too slow
 * several times a second. So this code reads only the records of devices and cells, at the offsets
 * that earlier calls found. It skips what looks damaged; the report checks the capture later.
 */
#include "top/live.h"

#include "support/memory.h"

#include "gpumemprof/capture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gpm_live_open(struct gpm_live *live, const char *path) {
  *live = (struct gpm_live){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                            .walked = GPUMEMPROF_CAPTURE_HEADER_SIZE};
  return live->fd >= 0;
}

void gpm_live_close(struct gpm_live *live) {
  if (live->fd >= 0) close(live->fd);
  free(live->chunks);
  *live = (struct gpm_live){.fd = -1};
}

static bool get(const struct gpm_live *live, uint64_t at, void *to, size_t size) {
  return pread(live->fd, to, size, (off_t)at) == (ssize_t)size;
}

static bool walk(struct gpm_live *live) {
  struct gpumemprof_capture_header h;
  struct gpumemprof_chunk head;
  if (!get(live, 0, &h, sizeof h)) return false;
  while (live->walked < h.used) {
    if (!get(live, live->walked, &head, sizeof head) || head.size < sizeof head ||
        head.size > h.used - live->walked)
      return false;
    if (head.type == GPUMEMPROF_CHUNK_DEVICES || head.type == GPUMEMPROF_CHUNK_CELLS) {
      live->chunks = gpm_memory_resize(live->chunks, live->count + 1, sizeof *live->chunks);
      live->chunks[live->count++] = (struct gpm_live_chunk){live->walked, head.size, head.type};
    }
    live->walked += head.size;
  }
  return true;
}

static void add_device(struct gpm_live_sums *sums, const struct gpumemprof_capture_device *d) {
  if (d->ordinal < 0) return;
  sums->live += d->total;
  sums->peak += d->peak;
}

static void add_cell(struct gpm_live_sums *sums, const struct gpumemprof_capture_cell *c) {
  if (c->kind != GPUMEMPROF_KIND_CUSTOM) sums->allocations += c->allocated.blocks;
}

static bool add_chunk(const struct gpm_live *live, const struct gpm_live_chunk *chunk,
                      struct gpm_live_sums *sums) {
  struct gpumemprof_chunk head;
  if (!get(live, chunk->at, &head, sizeof head) || head.used > chunk->size - sizeof head)
    return false;
  char *records = gpm_memory_array(head.used + 1, 1);
  bool read = get(live, chunk->at + sizeof head, records, head.used);
  if (chunk->type == GPUMEMPROF_CHUNK_DEVICES)
    for (size_t i = 0; read && i < head.used / sizeof(struct gpumemprof_capture_device); i++)
      add_device(sums, (const struct gpumemprof_capture_device *)(void *)records + i);
  else
    for (size_t i = 0; read && i < head.used / sizeof(struct gpumemprof_capture_cell); i++)
      add_cell(sums, (const struct gpumemprof_capture_cell *)(void *)records + i);
  free(records);
  return read;
}

bool gpm_live_read(struct gpm_live *live, struct gpm_live_sums *sums) {
  *sums = (struct gpm_live_sums){0};
  if (!walk(live)) return false;
  for (size_t i = 0; i < live->count; i++)
    if (!add_chunk(live, &live->chunks[i], sums)) return false;
  return true;
}
