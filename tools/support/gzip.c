/* gzip.c - see gzip.h. */
#include "support/gzip.h"

#include "support/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

struct packer {
  z_stream z;
  FILE *below;
  unsigned char out[1 << 16];
};

static bool pack(struct packer *p, int flush) {
  do {
    p->z.next_out = p->out;
    p->z.avail_out = sizeof p->out;
    if (deflate(&p->z, flush) == Z_STREAM_ERROR) return errno = EIO, false;
    size_t made = sizeof p->out - p->z.avail_out;
    if (fwrite(p->out, 1, made, p->below) != made) return false;
  } while (!p->z.avail_out);
  return true;
}

static ssize_t write_packed(void *cookie, const char *data, size_t size) {
  struct packer *p = cookie;
  p->z.next_in = (unsigned char *)(uintptr_t)data; /* zlib only reads it */
  p->z.avail_in = (unsigned)size;
  return pack(p, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

static int close_packed(void *cookie) {
  struct packer *p = cookie;
  p->z.avail_in = 0;
  bool ok = pack(p, Z_FINISH);
  deflateEnd(&p->z);
  free(p);
  return ok ? 0 : EOF;
}

FILE *gpm_gzip_open(FILE *below) {
  struct packer *p = gpm_memory_array(1, sizeof *p);
  p->below = below;
  enum { GZIP = 15 + 16 }; /* the largest window, with gzip's head, which holds no time */
  if (deflateInit2(&p->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return free(p), NULL;
  return fopencookie(p, "w", (cookie_io_functions_t){.write = write_packed, .close = close_packed});
}
