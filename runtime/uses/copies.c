/* copies.c - which memory copies, fills and prefetches use.
 *
 * A copy from the host is searched for addresses (uploads.c) and recorded as an UPLOAD behind those
 * that it has. It is UNSEARCHED, so that it may contain any address, if its source cannot be read
 * or may change before the copy is made: a function of the host that runs in a stream can do that.
 * Otherwise the source of an asynchronous copy is expected to stay as it is, because
 * the program has no other way to change it in time.
 *
 * A node of a graph copies nothing until its graph is launched, and that may use any memory. Where
 * the node is made, its addresses are recorded alone: the blocks have to be there.
 */
#include "uses/copies.h"
#include "cuda/driver.h"
#include "uses/sources.h"
#include "uses/uploads.h"
#include "uses/uses.h"

static _Atomic bool host_functions; /* some may have run in a stream, or one waits for the host */

void gpm_uses_host_function(void) {
  atomic_store_explicit(&host_functions, true, memory_order_relaxed);
}

bool gpm_uses_ran_host_functions(void) {
  return atomic_load_explicit(&host_functions, memory_order_relaxed);
}

/* Whether the call makes a node, whose addresses are recorded then. */
static bool makes_node(const struct gpumemprof_site *site, gpm_stream stream, uint64_t to,
                       uint64_t from) {
  if (!gpm_uses_captured(stream)) return false;
  gpm_uses_addresses(site, 2, (const uint64_t[]){to, from});
  return true;
}

static bool is_of_host(const void *from, unsigned kind) {
  if ((kind & GPM_COPY_KIND) != GPM_COPY_DEFAULT) return (kind & GPM_COPY_KIND) == GPM_COPY_UPLOAD;
  const struct gpm_driver *driver = gpm_driver();
  unsigned type = 1;
  bool known = driver->cuPointerGetAttribute &&
               !driver->cuPointerGetAttribute(&type, GPM_POINTER_MEMORY_TYPE,
                                              (gpm_deviceptr)(uintptr_t)from);
  return !known || type == 1; /* CUDA does not know memory that was not registered with it */
}

/* Whether what is copied is what is there now. */
static bool is_copied_as_it_is(unsigned kind) {
  return !(kind & GPM_COPY_LATER) || !gpm_uses_ran_host_functions();
}

/* Records the addresses that were found. Returns what the copy is. */
static enum gpumemprof_use kind_of(const struct gpumemprof_site *site, const struct gpm_upload *u,
                                   bool of_host, bool searched, bool rows) {
  if (!of_host) return rows ? GPUMEMPROF_USE_COPY_ROWS : GPUMEMPROF_USE_COPY;
  if (!searched) return rows ? GPUMEMPROF_USE_UNSEARCHED_ROWS : GPUMEMPROF_USE_UNSEARCHED;
  gpm_uses_addresses(site, u->count, u->found);
  return rows ? GPUMEMPROF_USE_UPLOAD_ROWS : GPUMEMPROF_USE_UPLOAD;
}

void gpm_uses_copy(const struct gpumemprof_site *site, void *to, const void *from, uint64_t bytes,
                   unsigned kind, gpm_stream stream) {
  if (makes_node(site, stream, (uintptr_t)to, (uintptr_t)from)) return;
  struct gpm_upload upload = {.count = 0};
  bool of_host = is_of_host(from, kind), searched = of_host && is_copied_as_it_is(kind);
  if (searched) {
    gpm_sources_copied(
        &(struct gpm_source){(uintptr_t)to, bytes, (uintptr_t)from, 0, 0, bytes, 1, 1});
    gpm_upload_begin(&upload);
    searched = gpm_upload_search(&upload, (uintptr_t)to, from, bytes);
  }
  gpm_uses_record(kind_of(site, &upload, of_host, searched, false), site, stream, 4,
                  (const uint64_t[]){(uintptr_t)to, bytes, (uintptr_t)from, bytes});
}

/* ---- rows --------------------------------------------------------------------------------------
 */

struct copy_side { /* of a copy of rows and planes; plane: bytes from one to the next */
  uint64_t at, pitch, plane;
};
struct copy_box { /* width in bytes; 0 if it is not known */
  uint64_t width, height, depth;
};

/* From the first byte of the first row to the last of the last. */
static uint64_t extent_of(const struct copy_side *s, const struct copy_box *b) {
  return b->height && b->depth ? (b->depth - 1) * s->plane + (b->height - 1) * s->pitch + b->width
                               : 0;
}

static bool search_rows(struct gpm_upload *u, const struct copy_side *to,
                        const struct copy_side *from, const struct copy_box *b) {
  gpm_upload_begin(u);
  for (uint64_t z = 0; z < b->depth; z++)
    for (uint64_t y = 0; y < b->height; y++) {
      const char *row = (const char *)(uintptr_t)(from->at + z * from->plane + y * from->pitch);
      if (!gpm_upload_search(u, to->at + z * to->plane + y * to->pitch, row, b->width))
        return false;
    }
  return true;
}

static void record_box(const struct gpumemprof_site *site, const struct copy_side *to,
                       const struct copy_side *from, const struct copy_box *b, unsigned kind,
                       gpm_stream stream) {
  if (makes_node(site, stream, to->at, from->at)) return;
  struct gpm_upload upload = {.count = 0};
  bool of_host = is_of_host((const void *)(uintptr_t)from->at, kind),
       searched = of_host && b->width && is_copied_as_it_is(kind);
  if (searched)
    gpm_sources_copied(&(struct gpm_source){to->at, extent_of(to, b), from->at, from->pitch,
                                            from->plane, b->width, b->height, b->depth});
  searched = searched && search_rows(&upload, to, from, b);
  gpm_uses_record(kind_of(site, &upload, of_host, searched, true), site, stream, 4,
                  (const uint64_t[]){to->at, extent_of(to, b), from->at, extent_of(from, b)});
}

void gpm_uses_copy_rows(const struct gpumemprof_site *site, void *to, uint64_t to_pitch,
                        const void *from, uint64_t from_pitch, uint64_t width, uint64_t height,
                        unsigned kind, gpm_stream stream) {
  record_box(site, &(struct copy_side){(uintptr_t)to, to_pitch, 0},
             &(struct copy_side){(uintptr_t)from, from_pitch, 0},
             &(struct copy_box){width, height, 1}, kind, stream);
}

void gpm_uses_copy_all(const struct gpumemprof_site *site, void *const *to, const void *const *from,
                       const size_t *bytes, size_t count, gpm_stream stream) {
  for (size_t i = 0; i < count; i++)
    gpm_uses_copy(site, to[i], from[i], bytes[i], GPM_COPY_DEFAULT | GPM_COPY_LATER, stream);
}

/* An array is at no address, and what is in it is not followed. The width of a copy to or from an
 * array is in elements, whose size is not known. */
static struct copy_side side_of(const void *array, const struct gpm_pitched_ptr *p,
                                const struct gpm_position *at) {
  if (array) return (struct copy_side){0, 0, 0};
  uint64_t plane = p->pitch * p->ysize;
  return (struct copy_side){(uintptr_t)p->ptr + at->z * plane + at->y * p->pitch + at->x, p->pitch,
                            plane};
}

void gpm_uses_copy_3d(const struct gpumemprof_site *site, const struct gpm_copy_3d *p,
                      unsigned kind, gpm_stream stream) {
  if (!p) return;
  bool arrays = p->from_array || p->to_array;
  struct copy_side to = side_of(p->to_array, &p->to, &p->to_at),
                   from = side_of(p->from_array, &p->from, &p->from_at);
  struct copy_box box = {arrays ? 0 : p->extent.width, p->extent.height, p->extent.depth};
  record_box(site, &to, &from, &box, kind | ((unsigned)p->kind & GPM_COPY_KIND), stream);
}

void gpm_uses_copy_peer(const struct gpumemprof_site *site, const struct gpm_copy_peer *p,
                        gpm_stream stream) {
  if (!p) return;
  bool arrays = p->from_array || p->to_array;
  struct copy_side to = side_of(p->to_array, &p->to, &p->to_at),
                   from = side_of(p->from_array, &p->from, &p->from_at);
  struct copy_box box = {arrays ? 0 : p->extent.width, p->extent.height, p->extent.depth};
  record_box(site, &to, &from, &box, 0, stream);
}

/* In the driver's structures all is in bytes, also of arrays. */
static struct copy_side driver_side(int type, const void *host, gpm_deviceptr device, uint64_t x,
                                    uint64_t y, uint64_t z, uint64_t pitch, uint64_t height) {
  if (type == GPM_MEMORY_ARRAY) return (struct copy_side){0, 0, 0};
  uint64_t plane = pitch * height,
           at = type == GPM_MEMORY_HOST ? (uint64_t)(uintptr_t)host : (uint64_t)device;
  return (struct copy_side){at + z * plane + y * pitch + x, pitch, plane};
}

static unsigned driver_kind(int from_type, unsigned kind) {
  if (from_type == GPM_MEMORY_HOST) return kind | GPM_COPY_UPLOAD;
  return from_type == GPM_MEMORY_ARRAY ? kind
                                       : kind | GPM_COPY_DEFAULT; /* unified, or a device's */
}

void gpm_uses_copy_plane(const struct gpumemprof_site *site, const struct gpm_copy_plane *p,
                         unsigned kind, gpm_stream stream) {
  if (!p) return;
  struct copy_side to = driver_side(p->to_type, p->to_host, p->to_device, p->to_x, p->to_y, 0,
                                    p->to_pitch, 0),
                   from = driver_side(p->from_type, p->from_host, p->from_device, p->from_x,
                                      p->from_y, 0, p->from_pitch, 0);
  record_box(site, &to, &from, &(struct copy_box){p->width, p->height, 1},
             driver_kind(p->from_type, kind), stream);
}

void gpm_uses_copy_space(const struct gpumemprof_site *site, const struct gpm_copy_space *p,
                         unsigned kind, gpm_stream stream) {
  if (!p) return;
  struct copy_side to = driver_side(p->to_type, p->to_host, p->to_device, p->to_x, p->to_y, p->to_z,
                                    p->to_pitch, p->to_height),
                   from = driver_side(p->from_type, p->from_host, p->from_device, p->from_x,
                                      p->from_y, p->from_z, p->from_pitch, p->from_height);
  record_box(site, &to, &from, &(struct copy_box){p->width, p->height, p->depth},
             driver_kind(p->from_type, kind), stream);
}

/* ---- fills, prefetches, words -------------------------------------------------------------------
 */

static void record_fill(const struct gpumemprof_site *site, enum gpumemprof_use what, uint64_t at,
                        uint64_t bytes, gpm_stream stream) {
  if (makes_node(site, stream, at, 0)) return;
  gpm_uses_record(what, site, stream, 2, (const uint64_t[]){at, bytes});
}

void gpm_uses_fill(const struct gpumemprof_site *site, void *to, uint64_t bytes,
                   gpm_stream stream) {
  record_fill(site, GPUMEMPROF_USE_FILL, (uintptr_t)to, bytes, stream);
}

void gpm_uses_fill_rows(const struct gpumemprof_site *site, void *to, uint64_t pitch,
                        uint64_t width, uint64_t height, gpm_stream stream) {
  uint64_t bytes =
      extent_of(&(struct copy_side){(uintptr_t)to, pitch, 0}, &(struct copy_box){width, height, 1});
  record_fill(site, GPUMEMPROF_USE_FILL_ROWS, (uintptr_t)to, bytes, stream);
}

void gpm_uses_prefetch(const struct gpumemprof_site *site, const void *at, uint64_t bytes,
                       gpm_stream stream) {
  record_fill(site, GPUMEMPROF_USE_PREFETCH, (uintptr_t)at, bytes, stream);
}

void gpm_uses_wait_word(const struct gpumemprof_site *site, gpm_deviceptr at, uint64_t bytes,
                        gpm_stream stream) {
  gpm_uses_host_function(); /* the host may write it, and change the sources of copies before */
  gpm_uses_prefetch(site, (const void *)(uintptr_t)at, bytes, stream);
}

void gpm_uses_write_word(const struct gpumemprof_site *site, gpm_deviceptr at, uint64_t bytes,
                         uint64_t value, gpm_stream stream) {
  if (bytes == sizeof value) gpm_uses_addresses(site, 1, &value);
  record_fill(site, GPUMEMPROF_USE_FILL_ROWS, at, bytes, stream);
}
