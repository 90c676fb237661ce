/* reader_checksum.c - whether a capture holds the bytes that its program wrote.
 *
 * reader.c asks once the records are read, history.c before the first event. What is wrong in
 * itself (an id out of range, a text without an end) is found by others; a figure that was changed
 * or zeroed on the way from the disk of the program to here looks like any other, so the runtime
 * writes checksums when the program ends. A capture of a program that was killed has none.
 */
#include "capture/reader.h"

#include "support/memory.h"

#include "gpumemprof/capture_checksum.h"

#include <stdio.h>
#include <stdlib.h>

static bool damaged(const struct gpm_reader *r, const char *what, char *error, size_t error_size) {
  snprintf(error, error_size,
           "%s is damaged: %s not those that the program wrote when it ended (a checksum differs); "
           "copy it again from where it was recorded, or record it again",
           r->path, what);
  return false;
}

/* An event after the end of the program clears the checksums: the capture was written to in the
 * meantime. */
static bool is_sealed_no_more(struct gpm_reader *r) {
  struct gpumemprof_capture_header now;
  char error[64];
  return gpm_reader_file_get(r, 0, &now, sizeof now, error, sizeof error) &&
         now.figures_checksum != r->header.figures_checksum && !now.figures_checksum;
}

void gpm_reader_add_to_checksum(struct gpm_reader *r, const struct gpumemprof_chunk *chunk,
                                uint64_t at, uint64_t used) {
  if (r->header.figures_checksum && chunk->used == used)
    r->checksum += gpumemprof_checksum_chunk(chunk, at);
}

bool gpm_reader_check_figures(struct gpm_reader *r, char *error, size_t error_size) {
  uint64_t written = r->header.figures_checksum;
  if (!written || gpumemprof_checksum_written(r->checksum) == written || is_sealed_no_more(r))
    return true;
  return damaged(r, "its bytes are", error, error_size);
}

bool gpm_reader_check_events(struct gpm_reader *r, char *error, size_t error_size) {
  uint64_t written = r->header.events_checksum, sum = 0;
  if (!written || r->events_checked) return true;
  for (size_t i = 0; i < r->event_chunks; i++) {
    struct gpumemprof_chunk head, *chunk;
    if (!gpm_reader_file_get(r, r->events[i].at, &head, sizeof head, error, error_size))
      return false;
    if (head.used > head.size - sizeof head) return damaged(r, "its events are", error, error_size);
    r->loaded = 0; /* the previous chunk was freed */
    chunk = gpm_reader_file_chunk(r, r->events[i].at, head.used, error, error_size);
    if (!chunk) return false;
    bool same = chunk->used == head.used;
    if (same) sum += gpumemprof_checksum_chunk(chunk, r->events[i].at);
    free(chunk);
    if (!same) return damaged(r, "its events are", error, error_size);
  }
  r->events_checked = gpumemprof_checksum_written(sum) == written || is_sealed_no_more(r);
  if (r->events_checked) return true;
  return damaged(r, "its events are", error, error_size);
}
