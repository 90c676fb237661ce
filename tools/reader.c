/* reader.c - opens a capture: maps the file and judges its header.
 *
 * reader_chunks.c then finds the records, reader_check.c looks at each of them. While the program
 * runs, a small capture is copied first, so that its figures do not change between two looks at
 * them.
 */
#include "reader.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPIED ((uint64_t)64 << 20) /* largest capture that is copied while its program runs */
#define ATTEMPTS 20

static bool fail(char *error, size_t size, const char *path, const char *text) {
  snprintf(error, size, "%s %s", path, text);
  return false;
}

/* ---- the header --------------------------------------------------------------------------------
 */

static bool check_magic(const struct gpumemprof_capture_header *h, uint64_t size, const char *path,
                        char *error, size_t error_size) {
  size_t have = size < sizeof h->magic ? (size_t)size : sizeof h->magic;
  if (!memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, have)) return true;
  if (have > 6 && !memcmp(h->magic, GPUMEMPROF_CAPTURE_MAGIC, 6))
    return fail(error, error_size, path,
                "was changed by a copy in text mode (its line ends were converted); copy it again "
                "in binary mode");
  static const char zeros[sizeof h->magic];
  if (!memcmp(h->magic, zeros, have))
    return fail(
        error, error_size, path,
        "has no header yet: its program was just starting, or ended before it recorded anything");
  return fail(error, error_size, path, "is not a gpumemprof capture (they end in .gmprof)");
}

static bool check_header(struct gpm_reader *r, char *error, size_t error_size) {
  const struct gpumemprof_capture_header *h = (const void *)r->base;
  char text[384];
  if (!check_magic(h, r->file_size, r->path, error, error_size)) return false;
  if (r->file_size < GPUMEMPROF_CAPTURE_HEADER_SIZE) {
    snprintf(text, sizeof text,
             "is truncated: it has %llu bytes, its header alone takes %d; copy it again",
             (unsigned long long)r->file_size, GPUMEMPROF_CAPTURE_HEADER_SIZE);
    return fail(error, error_size, r->path, text);
  }
  if (h->byte_order == __builtin_bswap32(GPUMEMPROF_CAPTURE_BYTE_ORDER))
    return fail(
        error, error_size, r->path,
        "was written in the other byte order; read it on a machine like the one that wrote it");
  if (h->byte_order != GPUMEMPROF_CAPTURE_BYTE_ORDER)
    return fail(error, error_size, r->path,
                "is damaged: its byte order mark is wrong; record it again");
  if (h->major != GPUMEMPROF_CAPTURE_MAJOR) {
    snprintf(text, sizeof text, "has the %s format %u.%u, and this tool reads %d.x; %s",
             h->major > GPUMEMPROF_CAPTURE_MAJOR ? "newer" : "older", h->major, h->minor,
             GPUMEMPROF_CAPTURE_MAJOR,
             h->major > GPUMEMPROF_CAPTURE_MAJOR
                 ? "use the gpumemprof it was recorded with"
                 : "use the gpumemprof it was recorded with, or record it again");
    return fail(error, error_size, r->path, text);
  }
  if (h->header_size != GPUMEMPROF_CAPTURE_HEADER_SIZE)
    return fail(error, error_size, r->path,
                "is damaged: its header has a wrong size; record it again");
  memcpy(&r->header, h, sizeof r->header);
  r->header.used = __atomic_load_n(&h->used, __ATOMIC_ACQUIRE);
#define GPM_TERMINATE(field) r->header.field[sizeof r->header.field - 1] = 0
  GPM_TERMINATE(boot_id);
  GPM_TERMINATE(host);
  GPM_TERMINATE(runtime_version);
  GPM_TERMINATE(executable);
  GPM_TERMINATE(command_line);
  GPM_TERMINATE(directory);
  GPM_TERMINATE(stop_reason);
#undef GPM_TERMINATE
  if (r->header.used < GPUMEMPROF_CAPTURE_HEADER_SIZE || r->header.used % 64)
    return fail(error, error_size, r->path,
                "is damaged: its header states an impossible size; record it again");
  if (r->header.used > r->file_size) {
    snprintf(text, sizeof text, "is truncated: it has %llu of %llu bytes; copy it again",
             (unsigned long long)r->file_size, (unsigned long long)r->header.used);
    return fail(error, error_size, r->path, text);
  }
  return true;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

static bool map_file(struct gpm_reader *r, char *error, size_t error_size) {
  int fd = open(r->path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || fstat(fd, &st)) {
    int code = errno;
    if (fd >= 0) close(fd);
    return fail(
        error, error_size, r->path,
        code == ENOENT
            ? "does not exist; a profiled program writes gpumemprof.HOST.PID.gmprof where it runs"
        : code == EACCES ? "may not be read: permission denied"
                         : strerror(code));
  }
  const char *wrong = S_ISDIR(st.st_mode)    ? "is a folder; name a capture in it"
                      : !S_ISREG(st.st_mode) ? "is not a regular file"
                      : !st.st_size ? "is empty: nothing was recorded, or the disk was full"
                                    : NULL;
  if (wrong) {
    close(fd);
    return fail(error, error_size, r->path, wrong);
  }
  r->file_size = (uint64_t)st.st_size;
  void *base = mmap(NULL, r->file_size, PROT_READ, MAP_SHARED, fd, 0);
  int code = errno;
  close(fd);
  if (base == MAP_FAILED) return fail(error, error_size, r->path, strerror(code));
  r->base = base;
  const struct gpumemprof_capture_header *h = base;
  bool done = r->file_size < sizeof *h || h->flags & GPUMEMPROF_CAPTURE_COMPLETE;
  if (done || r->file_size > COPIED) return true;
  void *copy = mmap(NULL, r->file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return true; /* the figures may move a little, no more */
  memcpy(copy, base, r->file_size);
  munmap(base, r->file_size);
  r->base = copy;
  return true;
}

static bool try_open(struct gpm_reader *r, char *error, size_t error_size) {
  return map_file(r, error, error_size) && check_header(r, error, error_size) &&
         gpm_reader_find_records(r, error, error_size) && gpm_reader_check(r, error, error_size);
}

struct gpm_reader *gpm_reader_open(const char *path, char *error, size_t error_size) {
  for (int attempt = 0;; attempt++) {
    struct gpm_reader *r = gpm_memory_array(1, sizeof *r);
    r->path = gpm_memory_text(path);
    if (try_open(r, error, error_size)) return r;
    /* A running program appended something that is referred to already: look again. */
    bool again = r->header.used && gpm_reader_state(r) == GPM_STATE_RUNNING && attempt < ATTEMPTS;
    gpm_reader_close(r);
    if (!again) return NULL;
  }
}

void gpm_reader_close(struct gpm_reader *r) {
  struct gpm_records *all[] = {&r->strings, &r->sites, &r->lines,  &r->nodes,
                               &r->cells,   &r->pairs, &r->modules};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]->spans);
  if (r->base) munmap((void *)(uintptr_t)r->base, r->file_size);
  free(r->devices);
  free(r->activations);
  free(r->threads);
  free(r->maxima);
  free(r->device_maxima);
  free(r->path);
  free(r);
}

const void *gpm_reader_record(const struct gpm_records *records, uint64_t id) {
  size_t low = 0, high = records->span_count - 1; /* the last span that starts at or before id */
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (records->spans[middle].first <= id) low = middle;
    else high = middle - 1;
  }
  while (records->spans[low].first + records->spans[low].count <= id)
    low--; /* empty ones behind it */
  return records->spans[low].records + (id - records->spans[low].first) * records->size;
}

const char *gpm_reader_string(const struct gpm_reader *reader, uint32_t offset) {
  return offset ? gpm_reader_record(&reader->strings, offset) : "";
}
