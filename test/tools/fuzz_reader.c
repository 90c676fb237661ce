/* fuzz_reader.c - libFuzzer's entry to the reader: any bytes either are refused with a sentence or
 * can be reported on. Everything a report does with a capture runs, but the printing. */
#include "conserve.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(const struct gpm_reader *reader, const struct gpm_filter *filter,
                   enum gpm_by by) {
  struct gpm_profile *profile = gpm_profile_new(reader, filter);
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, by);
  if (by <= GPM_BY_PATH) {
    uint8_t *all = gpm_memory_array(rows.count, 1);
    for (uint32_t i = 0; i < rows.count; i++) all[i] = 1;
    gpm_owners_name(&rows, all);
    free(all);
  }
  for (uint32_t i = 0; i < rows.count; i++) {
    if (!gpm_rows_is_shown(&rows, i)) continue;
    free(gpm_places_row(&rows, &rows.row[i]));
    free(gpm_places_foreign(&rows, &rows.row[i], 0));
  }
  gpm_rows_free(&rows);
  gpm_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64], error[1024] = "";
  int fd = memfd_create("capture", MFD_CLOEXEC);
  if (fd < 0) return 0;
  for (size_t at = 0; at < size;) {
    ssize_t n = write(fd, data + at, size - at);
    if (n <= 0) abort();
    at += (size_t)n;
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct gpm_reader *reader = gpm_reader_open(path, error, sizeof error);
  if (reader) {
    const struct gpm_filter all = {GPM_ALL_DEVICES, GPM_ALL_KINDS},
                            some = {0, GPUMEMPROF_KIND_POOL};
    for (unsigned by = 0; by < GPM_BY_COUNT; by++)
      report(reader, by % 2 ? &some : &all, (enum gpm_by)by);
    free(gpm_conserve(reader).fault);
    gpm_reader_time_ns(reader, reader->header.last_ticks);
    gpm_reader_state(reader);
    gpm_reader_close(reader);
  } else if (!error[0]) abort(); /* refused without a word */
  close(fd);
  return 0;
}
