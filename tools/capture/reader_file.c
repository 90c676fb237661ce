/* reader_file.c - the bytes of a capture, read into memory that the tool owns.
 *
 * reader.c and reader_chunks.c get them here. A capture is never mapped: what was checked once must
 * not change afterwards, and a file that another process cuts short must end in a sentence, not in
 * a SIGBUS. Only the used part of a chunk is read, so memory is bounded by what is on the disk.
 */
#include "capture/reader.h"
#include "support/memory.h"
#include "support/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A compressing file system stores a page in no less than a few bytes; more than that is holes. */
#define MOST_PER_STORED_BYTE 1024
#define ALWAYS ((uint64_t)64 << 20)

/* Says why a file could not be opened, by errno. */
static void explain(const struct gpm_reader *r, char *error, size_t error_size) {
  const char *known =
      errno == ENOENT
          ? "does not exist; a profiled program writes gpumemprof.HOST.PID.gmprof where it runs"
      : errno == EACCES ? "may not be read: permission denied"
      : errno == ENXIO  ? "is not a regular file"
                        : NULL;
  if (!*r->path) snprintf(error, error_size, "the path is empty: it names no capture");
  else if (known) snprintf(error, error_size, "%s %s", r->path, known);
  else snprintf(error, error_size, "%s cannot be opened: %s", r->path, strerror(errno));
}

static uint64_t modified_ns(const struct stat *st) {
  return (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
}

uint64_t gpm_reader_file_modified_ns(const struct gpm_reader *r) {
  struct stat st;
  return fstat(r->fd, &st) ? 0 : modified_ns(&st);
}

bool gpm_reader_file_open(struct gpm_reader *r, char *error, size_t error_size) {
  struct stat st;
  /* Without blocking until a pipe has a writer. */
  r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  gpm_recovery_opened(r->fd);
  if (r->fd < 0 || fstat(r->fd, &st)) {
    explain(r, error, error_size);
    return false;
  }
  const char *wrong = NULL;
  if (S_ISDIR(st.st_mode)) wrong = "is a folder; name a capture in it";
  else if (!S_ISREG(st.st_mode)) wrong = "is not a regular file";
  else if (!st.st_size) wrong = "is empty: nothing was recorded, or the disk was full";
  if (wrong) {
    snprintf(error, error_size, "%s %s", r->path, wrong);
    return false;
  }
  r->file_size = (uint64_t)st.st_size;
  r->inode = (uint64_t)st.st_ino;
  r->modified_ns = modified_ns(&st);
  r->most = UINT64_MAX; /* some file systems do not report how much they store */
  uint64_t stored = (uint64_t)st.st_blocks * 512;
  if (stored && stored < r->file_size / MOST_PER_STORED_BYTE)
    r->most = stored * MOST_PER_STORED_BYTE + ALWAYS;
  return true;
}

void gpm_reader_file_close(struct gpm_reader *r) {
  gpm_recovery_closes(r->fd);
  if (r->fd >= 0) close(r->fd);
  r->fd = -1;
}

bool gpm_reader_file_get(struct gpm_reader *r, uint64_t at, void *to, uint64_t size, char *error,
                         size_t error_size) {
  for (uint64_t done = 0; done < size;) {
    ssize_t n = pread(r->fd, (char *)to + done, size - done, (off_t)(at + done));
    if (n > 0) {
      done += (uint64_t)n;
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) snprintf(error, error_size, "%s cannot be read: %s", r->path, strerror(errno));
    else
      snprintf(error, error_size,
               "%s is truncated: it became shorter while it was read; copy or record it again",
               r->path);
    return false;
  }
  return true;
}

struct gpumemprof_chunk *gpm_reader_file_chunk(struct gpm_reader *r, uint64_t at, uint64_t used,
                                               char *error, size_t error_size) {
  r->loaded += used;
  if (r->loaded > r->most) {
    snprintf(error, error_size,
             "%s is damaged: it has %llu MiB of records and next to nothing on the disk; copy or "
             "record it again",
             r->path, (unsigned long long)(r->loaded >> 20));
    return NULL;
  }
  struct gpumemprof_chunk *chunk = gpm_memory_resize(NULL, 1, sizeof *chunk + used);
  __atomic_thread_fence(__ATOMIC_ACQUIRE); /* what `used` covers was written before it */
  if (gpm_reader_file_get(r, at, chunk, sizeof *chunk + used, error, error_size)) return chunk;
  free(chunk);
  return NULL;
}
