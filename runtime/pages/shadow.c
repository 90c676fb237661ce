/* shadow.c - the words of pages in the memory of devices, and the modules of device code that mark
 * them.
 *
 *   windows wanted ──► words (cuMemAlloc) ──► table of the device ──► struct gpumemprof_pages of
 *                                                                     each module, in its constants
 *
 * A device has a table from the first launch of a kernel on. What is copied goes through a stream
 * of our own, which waits for none of the program's, and is there when a call returns. The epoch
 * only grows, and a window never loses its words, so it does no harm that kernels are running
 * meanwhile. A capture of the calling thread does not forbid these calls, because the thread says
 * that they are not part of it.
 */
#include "pages/shadow.h"
#include "base/memory.h"
#include "capture/capture.h"
#include "cuda/driver.h"
#include "tables/map.h"

#include "gpumemprof/pages.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define MOST_DEVICES 64u
#define WINDOWS GPUMEMPROF_PAGES_WINDOWS
#define NONE_BYTES UINT64_C(512)
#define WINDOW_BYTES (GPUMEMPROF_PAGES_IN_WINDOW * sizeof(struct gpumemprof_page) + NONE_BYTES)
#define MOST_TRIES 16u
#define NON_BLOCKING 1u /* CU_STREAM_NON_BLOCKING */

struct gpm_shadow_module {
  gpm_module handle;
  gpm_deviceptr pages; /* its struct gpumemprof_pages; 0: it has none */
  uint64_t windows;    /* how many windows of the device it knows */
  uint32_t epoch;
  bool fresh; /* what its table says */
  struct gpm_shadow_module *next;
};

struct gpm_shadow {
  bool made, failed;
  gpm_context context;
  gpm_stream stream;
  struct gpumemprof_pages pages;
  uint64_t windows; /* how many have words */
  struct gpm_shadow_module *modules;
  struct gpm_map by_kernel, epoch_of; /* of kernels: the module; the epoch of the latest launch */
};

struct gpm_lock gpm_pages_lock = GPM_LOCK(pages);
static struct gpm_shadow *shadows; /* from the first launch that may mark pages on */
static unsigned shadow_count;      /* MOST_DEVICES, or 0 */
static _Atomic uint64_t wanted_windows[WINDOWS / 64];
static _Atomic uint64_t wanted_window_count;

void gpm_shadow_want(uint64_t address, uint64_t bytes) {
  uint64_t last = (address + (bytes ? bytes - 1 : 0)) >> GPUMEMPROF_PAGES_WINDOW_BITS;
  for (uint64_t i = address >> GPUMEMPROF_PAGES_WINDOW_BITS; i <= last && i < WINDOWS; i++) {
    uint64_t bit = UINT64_C(1) << i % 64;
    if (atomic_load_explicit(&wanted_windows[i / 64], memory_order_relaxed) & bit) continue;
    if (!(atomic_fetch_or(&wanted_windows[i / 64], bit) & bit))
      atomic_fetch_add(&wanted_window_count, 1);
  }
}

static bool has_all_functions(const struct gpm_driver *d) {
  return d->cuCtxGetCurrent && d->cuCtxGetDevice && d->cuCtxPushCurrent_v2 &&
         d->cuCtxPopCurrent_v2 && d->cuFuncGetModule && d->cuModuleGetGlobal_v2 &&
         d->cuStreamCreate && d->cuStreamSynchronize && d->cuMemcpyHtoDAsync_v2 &&
         d->cuMemcpyDtoHAsync_v2 && d->cuMemsetD32Async && d->cuMemAlloc_v2 && d->cuMemFree_v2;
}

static int relax(void) {
  int mode = GPM_CAPTURE_RELAXED;
  const struct gpm_driver *d = gpm_driver();
  if (d->cuThreadExchangeStreamCaptureMode) d->cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}

static void relax_no_more(int mode) {
  const struct gpm_driver *d = gpm_driver();
  if (d->cuThreadExchangeStreamCaptureMode) d->cuThreadExchangeStreamCaptureMode(&mode);
}

struct gpm_shadow *gpm_shadow_current(void) {
  const struct gpm_driver *d = gpm_driver();
  int ordinal = -1;
  if (!has_all_functions(d) || d->cuCtxGetDevice(&ordinal) || ordinal < 0 ||
      (unsigned)ordinal >= MOST_DEVICES)
    return NULL;
  if (!shadows && !(shadows = gpm_memory_get(MOST_DEVICES * sizeof *shadows))) return NULL;
  shadow_count = MOST_DEVICES;
  struct gpm_shadow *s = &shadows[ordinal];
  gpm_context context = NULL;
  if (s->failed || d->cuCtxGetCurrent(&context) || (s->made && context != s->context)) return NULL;
  if (s->made) return s;
  int mode = relax();
  s->context = context;
  s->failed = d->cuStreamCreate(&s->stream, NON_BLOCKING) != 0;
  s->made = !s->failed;
  relax_no_more(mode);
  return s->made ? s : NULL;
}

struct gpm_shadow *gpm_shadow_next(struct gpm_shadow *s) {
  for (s = s ? s + 1 : shadows; s < shadows + shadow_count; s++)
    if (s->windows) return s;
  return NULL;
}

static struct gpm_shadow_module *add_module(struct gpm_shadow *s, gpm_module handle) {
  struct gpm_shadow_module *m = s->modules;
  while (m && m->handle != handle) m = m->next;
  if (m || !(m = gpm_memory_get(sizeof *m))) return m;
  size_t size = 0;
  m->handle = handle;
  if (gpm_driver()->cuModuleGetGlobal_v2(&m->pages, &size, handle, GPUMEMPROF_PAGES_SYMBOL) ||
      size != sizeof(struct gpumemprof_pages))
    m->pages = 0;
  m->next = s->modules;
  s->modules = m;
  return m;
}

struct gpm_shadow_module *gpm_shadow_module_of(struct gpm_shadow *s, const void *kernel,
                                               gpm_shadow_find find) {
  struct gpm_shadow_module *m = gpm_map_get(&s->by_kernel, (uintptr_t)kernel);
  if (m) return m->pages ? m : NULL;
  void *function = NULL;
  gpm_module handle = NULL;
  int mode = relax(); /* it may load the module */
  if (!find(&function, kernel) && !gpm_driver()->cuFuncGetModule(&handle, function))
    m = add_module(s, handle);
  relax_no_more(mode);
  if (!m || !gpm_map_put(&s->by_kernel, (uintptr_t)kernel, m)) return NULL;
  return m->pages ? m : NULL;
}

bool gpm_shadow_has(const struct gpm_shadow_module *m, const char *name) {
  gpm_deviceptr address;
  size_t size;
  return !gpm_driver()->cuModuleGetGlobal_v2(&address, &size, m->handle, name);
}

static bool finish(const struct gpm_shadow *s, int error) {
  return !error && !gpm_driver()->cuStreamSynchronize(s->stream);
}

/* Whether the lower halves of the addresses are others than those of all words. */
static bool is_separate(const struct gpm_shadow *s, gpm_deviceptr words) {
  for (unsigned i = 0; s->windows && i < WINDOWS; i++) {
    if (s->pages.words[i] & GPUMEMPROF_PAGES_NONE) continue;
    uint32_t from_it = (uint32_t)(words - s->pages.words[i]);
    if (from_it < WINDOW_BYTES || from_it > UINT32_MAX - WINDOW_BYTES) return false;
  }
  return true;
}

/* Memory for words, whose addresses are separate from those of all others. 0: there is none. */
static gpm_deviceptr get_words(const struct gpm_shadow *s) {
  const struct gpm_driver *d = gpm_driver();
  gpm_deviceptr words = 0, other[MOST_TRIES];
  unsigned others = 0;
  while (!d->cuMemAlloc_v2(&words, WINDOW_BYTES) && !is_separate(s, words)) {
    other[others++] = words;
    words = 0;
    if (others == MOST_TRIES) break;
  }
  while (others) d->cuMemFree_v2(other[--others]);
  return words;
}

/* Words of a window, all 0. Behind those of the first is the page that is up to date. */
static bool make_window(struct gpm_shadow *s, unsigned window) {
  const struct gpm_driver *d = gpm_driver();
  gpm_deviceptr words = get_words(s), none = words + WINDOW_BYTES - NONE_BYTES;
  if (!words) return false;
  if (!finish(s, d->cuMemsetD32Async(words, 0, (WINDOW_BYTES - NONE_BYTES) / 4, s->stream)) ||
      !finish(s, d->cuMemsetD32Async(none, UINT32_MAX, NONE_BYTES / 4, s->stream)))
    return false;
  __atomic_fetch_add(&gpm_capture->counters[GPUMEMPROF_COUNTER_own_device_memory], WINDOW_BYTES,
                     __ATOMIC_RELAXED);
  for (unsigned i = 0; !s->windows && i < WINDOWS; i++)
    s->pages.words[i] = none + GPUMEMPROF_PAGES_NONE;
  s->pages.words[window] = words;
  s->windows++;
  return true;
}

/* False: there is no memory for them. */
static bool make_windows(struct gpm_shadow *s) {
  for (unsigned i = 0; i < WINDOWS; i++)
    if (atomic_load(&wanted_windows[i / 64]) >> i % 64 & 1 &&
        (!s->windows || s->pages.words[i] & GPUMEMPROF_PAGES_NONE) && !make_window(s, i))
      return false;
  return true;
}

static bool enter_module(struct gpm_shadow *s, struct gpm_shadow_module *m, uint32_t epoch,
                         bool fresh) {
  const struct gpm_driver *d = gpm_driver();
  bool same = m->epoch == epoch && m->fresh == fresh;
  if (!m->pages || (same && m->windows == s->windows)) return true;
  size_t bytes =
      m->windows == s->windows ? offsetof(struct gpumemprof_pages, words) : sizeof s->pages;
  s->pages.epoch = epoch;
  s->pages.fresh = fresh;
  if (!finish(s, d->cuMemcpyHtoDAsync_v2(m->pages, &s->pages, bytes, s->stream))) return false;
  m->epoch = epoch;
  m->fresh = fresh;
  m->windows = s->windows;
  return true;
}

/* Whether the kernel is launched for the first time in the epoch. Once one is not, the module's
 * kernels count as launched before, so that its table changes at most twice in an epoch. */
static bool is_fresh(struct gpm_shadow *s, const struct gpm_shadow_module *m, const void *kernel,
                     uint32_t epoch) {
  if (m->epoch == epoch && !m->fresh) return false;
  bool before = (uintptr_t)gpm_map_get(&s->epoch_of, (uintptr_t)kernel) == epoch;
  return !before && gpm_map_put(&s->epoch_of, (uintptr_t)kernel, (void *)(uintptr_t)epoch);
}

void gpm_shadow_enter(struct gpm_shadow *s, struct gpm_shadow_module *module, const void *kernel,
                      uint64_t clock) {
  if (clock > GPUMEMPROF_PAGE_LAST_CLOCK) clock = GPUMEMPROF_PAGE_LAST_CLOCK;
  uint32_t epoch = (uint32_t)clock + 1;
  if (!module && !s->windows) return; /* nothing has marks yet */
  int mode = relax();
  bool ok = s->windows == atomic_load(&wanted_window_count) || make_windows(s);
  if (module) ok = ok && enter_module(s, module, epoch, is_fresh(s, module, kernel, epoch));
  else
    for (struct gpm_shadow_module *m = s->modules; m; m = m->next)
      ok = ok && enter_module(s, m, epoch, m->fresh);
  relax_no_more(mode);
  s->failed |= !ok;
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static bool push(const struct gpm_shadow *s) {
  return !gpm_driver()->cuCtxPushCurrent_v2(s->context);
}

static void pop(void) {
  gpm_context context;
  gpm_driver()->cuCtxPopCurrent_v2(&context);
}

/* How many of the pages are in the window of the first. */
static uint64_t in_window(uint64_t page, uint64_t count) {
  uint64_t rest = GPUMEMPROF_PAGES_IN_WINDOW - page % GPUMEMPROF_PAGES_IN_WINDOW;
  return count < rest ? count : rest;
}

/* 0: it has none. */
static gpm_deviceptr words_of_page(const struct gpm_shadow *s, uint64_t page) {
  uint64_t window = page / GPUMEMPROF_PAGES_IN_WINDOW;
  if (!s->windows || window >= WINDOWS || s->pages.words[window] & GPUMEMPROF_PAGES_NONE) return 0;
  return s->pages.words[window] +
         page % GPUMEMPROF_PAGES_IN_WINDOW * sizeof(struct gpumemprof_page);
}

bool gpm_shadow_read(struct gpm_shadow *s, uint64_t page, uint32_t count,
                     struct gpumemprof_page *to) {
  const struct gpm_driver *d = gpm_driver();
  memset(to, 0, count * sizeof *to);
  if (s->failed || !push(s)) return false;
  int mode = relax(), error = 0;
  for (uint32_t done = 0; done < count && !error;) {
    uint64_t piece = in_window(page + done, count - done);
    gpm_deviceptr at = words_of_page(s, page + done);
    if (at) error = d->cuMemcpyDtoHAsync_v2(to + done, at, piece * sizeof *to, s->stream);
    done += (uint32_t)piece;
  }
  bool good = finish(s, error);
  relax_no_more(mode);
  pop();
  return good;
}

bool gpm_shadow_clear(struct gpm_shadow *s, uint64_t page, uint64_t count) {
  const struct gpm_driver *d = gpm_driver();
  if (s->failed || !push(s)) return false;
  int mode = relax(), error = 0;
  for (uint64_t done = 0; done < count && !error;) {
    uint64_t piece = in_window(page + done, count - done);
    gpm_deviceptr at = words_of_page(s, page + done);
    if (at)
      error = d->cuMemsetD32Async(at, 0, piece * sizeof(struct gpumemprof_page) / sizeof(uint32_t),
                                  s->stream);
    done += piece;
  }
  bool good = finish(s, error);
  s->failed |= !good;
  relax_no_more(mode);
  pop();
  return good;
}

/* CUDA frees the words, the stream and the modules with the context. */
bool gpm_shadow_drop(const void *context) {
  bool any = false;
  for (struct gpm_shadow *s = shadows; s < shadows + shadow_count; s++)
    if (s->made && s->context == context) {
      any |= s->windows != 0;
      *s = (struct gpm_shadow){.made = false};
    }
  return any;
}

void gpm_shadow_forget(void) {
  for (struct gpm_shadow *s = shadows; s < shadows + shadow_count; s++) {
    s->modules = NULL;
    s->by_kernel = s->epoch_of = (struct gpm_map){NULL, 0, 0};
  }
}

void gpm_shadow_forked(void) {
  atomic_store(&gpm_pages_lock.held, 0);
  shadows = NULL; /* a child cannot use the parent's devices */
  shadow_count = 0;
}
