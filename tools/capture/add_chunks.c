/* add_chunks.c - see add_chunks.h.
 *
 * The header, which says how much of the file is in use, is written last and at once. Until then
 * nothing has changed for those who read the capture.
 */
#include "capture/add_chunks.h"

#include "support/memory.h"

#include "gpumemprof/capture_checksum.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int fd, const void *data, uint64_t size, uint64_t at) {
  const char *next = data;
  while (size) {
    ssize_t n = pwrite(fd, next, size, (off_t)at);
    if (n <= 0) return false;
    next += n;
    at += (uint64_t)n;
    size -= (uint64_t)n;
  }
  return true;
}

static bool is_as_read(const struct gpumemprof_capture_header *now, const struct gpm_reader *r) {
  const struct gpumemprof_capture_header *was = &r->header;
  return now->used == was->used && now->figures_checksum == was->figures_checksum &&
         now->pid == was->pid && now->start_realtime_ns == was->start_realtime_ns;
}

/* Writes one at the end, and adds it to the checksum. */
static bool add(int fd, struct gpumemprof_capture_header *header, uint64_t *checksum,
                const struct gpm_new_chunk *new) {
  uint64_t size = (sizeof(struct gpumemprof_chunk) + new->size + 63) / 64 * 64;
  struct gpumemprof_chunk *chunk = gpm_memory_array(1, size);
  *chunk = (struct gpumemprof_chunk){
      .type = new->type, .record_size = new->record_size, .size = size, .used = new->size};
  memcpy(chunk + 1, new->records, new->size);
  *checksum += gpumemprof_checksum_chunk(chunk, header->used);
  bool written = write_all(fd, chunk, size, header->used);
  header->used += size;
  free(chunk);
  return written;
}

bool gpm_capture_add_chunks(const struct gpm_reader *r, const struct gpm_new_chunk *chunks,
                            size_t count) {
  struct gpumemprof_capture_header header;
  int fd = gpm_state_is_alive(&r->header) ? -1 : open(r->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return false;
  bool ok = pread(fd, &header, sizeof header, 0) == sizeof header && is_as_read(&header, r);
  uint64_t checksum = r->checksum - gpumemprof_checksum_header(&header);
  for (size_t i = 0; i < count && ok; i++) ok = add(fd, &header, &checksum, &chunks[i]);
  if (header.minor < GPUMEMPROF_CAPTURE_MINOR) header.minor = GPUMEMPROF_CAPTURE_MINOR;
  if (header.figures_checksum)
    header.figures_checksum =
        gpumemprof_checksum_written(checksum + gpumemprof_checksum_header(&header));
  ok = ok && write_all(fd, &header, sizeof header, 0);
  return !close(fd) && ok;
}
