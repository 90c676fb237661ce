/* open.c - opens the captures of a reader. See handle.h.
 *
 * A capture keeps the settings that it was opened with. For rows that need split cells (by size, by
 * thread) it is opened a second time.
 */
#include "read/handle.h"

#include "analysis/machine_paths.h"
#include "capture/identity.h"
#include "capture/processes.h"
#include "events/moment.h"
#include "model/names.h"
#include "model/wrappers.h"
#include "rows/devices.h"
#include "support/text.h"
#include "symbols/symbols.h"

#include <string.h>
#include <sys/stat.h>

static int select_memory(struct gpumemprof_read *r, struct gpm_read_capture *c) {
  const struct gpm_read_settings *s = &c->settings;
  c->filter = (struct gpm_filter){
      .device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS, .patterns = &c->patterns};
  char *wrong = s->device ? gpm_devices_find(c->reader, s->device, &c->filter.device) : NULL;
  size_t kind = 0;
  if (!wrong && s->kind) {
    wrong = gpm_text_choose("kind of memory", s->kind, gpm_devices_kinds, &kind);
    c->filter.kind = (uint32_t)kind;
  }
  for (uint32_t i = 0; i < s->filters && !wrong; i++)
    wrong = gpm_patterns_add(&c->patterns, s->filter[i]);
  return wrong ? gpm_read_wrong(r, GPUMEMPROF_READ_ARGUMENT, wrong) : GPUMEMPROF_READ_OK;
}

/* Applies symbol names, the filter and the window, and makes the profile that follows from them. */
static int prepare(struct gpumemprof_read *r, struct gpm_read_capture *c, enum gpm_by by,
                   bool whole) {
  const struct gpm_read_settings *s = &c->settings;
  if (c->reader->native_modules.count && !s->no_libraries) gpm_symbols_name(c->reader);
  gpm_machine_paths_count(c->reader);
  if (s->short_names) gpm_names_shorten(c->reader);
  gpm_wrappers_settle(c->reader, &(struct gpm_hidden_wrappers){.hide = false});
  int status = select_memory(r, c);
  if (status) return status;
  struct gpm_split_request request = {.by = by, .patterns = &c->patterns};
  request.window.from.given = s->from;
  request.window.to.given = s->to;
  if (!whole && !gpm_split_make(c->reader, &request))
    return GPUMEMPROF_READ_LACKS; /* it said why */
  c->profile = gpm_profile_new(c->reader, &c->filter);
  return GPUMEMPROF_READ_OK;
}

static void close_capture(struct gpm_read_capture *c) {
  if (c->profile) gpm_profile_free(c->profile);
  if (c->reader) gpm_reader_close(c->reader);
  gpm_patterns_free(&c->patterns);
  for (size_t i = 0; i < c->paths.room; i++)
    if (c->paths.slots[i].taken) free((void *)(uintptr_t)c->paths.slots[i].value);
  gpm_map_free(&c->paths);
  free(c);
}

void gpm_read_capture_drop(struct gpumemprof_read *r, struct gpm_read_capture *c) {
  if (--c->uses) return;
  struct gpm_read_capture **at = &r->all;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  close_capture(c);
}

/* Refuses the capture of another run that has taken the place of `first`. */
static int check_run(struct gpumemprof_read *r, const struct gpm_reader *now,
                     const struct gpm_reader *first) {
  if (gpm_identity_is_same(&first->header, &now->header)) return GPUMEMPROF_READ_OK;
  return gpm_read_fail(r, GPUMEMPROF_READ_CAPTURE,
                       "%s is the capture of another run now; open it as one more capture",
                       now->path);
}

/* Makes the figures those of one moment: of that of `first`, if it is not null. */
static int find_moment(struct gpumemprof_read *r, struct gpm_reader *now,
                       const struct gpm_reader *first) {
  if (!first) {
    gpm_moment_settle(now);
    return GPUMEMPROF_READ_OK;
  }
  int status = check_run(r, now, first);
  if (!status && !gpm_moment_repeat(now, first))
    status = gpm_read_fail(r, GPUMEMPROF_READ_CAPTURE,
                           "%s has figures since another moment now, as its program has reset them "
                           "or its events cannot be read; refresh it",
                           now->path);
  return status;
}

static int open_capture(struct gpumemprof_read *r, const char *path, const struct gpm_reader *first,
                        const struct gpm_read_settings *settings, enum gpm_by by, bool whole,
                        struct gpm_read_capture **capture) {
  char error[GPM_READ_SENTENCE] = "";
  gpm_host_doing(&r->host, "reading the capture");
  struct gpm_read_capture *c = gpm_memory_array(1, sizeof *c);
  c->settings = *settings;
  c->uses = 1;
  c->next = r->all;
  r->all = c;
  c->reader = gpm_reader_open(path, &r->host, error, sizeof error);
  int status = c->reader ? find_moment(r, c->reader, first)
                         : gpm_read_fail(r, GPUMEMPROF_READ_CAPTURE, "%s", error);
  if (!status) status = prepare(r, c, by, whole);
  if (status) gpm_read_capture_drop(r, c);
  else *capture = c;
  return status;
}

int gpm_read_capture_open(struct gpumemprof_read *r, const char *path,
                          const struct gpm_read_settings *settings,
                          struct gpm_read_capture **capture) {
  return open_capture(r, path, NULL, settings, GPM_BY_COUNT, false, capture);
}

int gpm_read_capture_by(struct gpumemprof_read *r, const struct gpm_read_capture *c, enum gpm_by by,
                        struct gpm_read_capture **capture) {
  return open_capture(r, c->reader->path, c->reader, &c->settings, by, false, capture);
}

int gpm_read_capture_whole(struct gpumemprof_read *r, struct gpm_read_capture *c,
                           struct gpm_read_capture **whole) {
  if (c->reader->split)
    return open_capture(r, c->reader->path, c->reader, &c->settings, GPM_BY_COUNT, true, whole);
  c->uses++;
  *whole = c;
  return GPUMEMPROF_READ_OK;
}

int gpm_read_window(const struct gpm_read_capture *c, struct gpm_window *window) {
  *window = (struct gpm_window){.from.given = c->settings.from, .to.given = c->settings.to};
  return gpm_window_find(window, c->reader) ? GPUMEMPROF_READ_OK : GPUMEMPROF_READ_ARGUMENT;
}

struct open {
  struct gpumemprof_read *reader;
  const char *path;
};

static int open_one(struct gpumemprof_read *r, const char *path) {
  struct gpm_read_capture *capture;
  int status = gpm_read_capture_open(r, path, &r->settings, &capture);
  if (status) return status;
  r->capture = gpm_memory_resize(r->capture, (size_t)r->captures + 1, sizeof *r->capture);
  r->capture[r->captures++] = capture;
  return GPUMEMPROF_READ_OK;
}

/* Opens all captures of a folder, or none. */
static int open_folder(struct gpumemprof_read *r, const char *path) {
  struct gpm_processes all = {.count = 0};
  uint32_t before = r->captures;
  char *wrong = gpm_processes_add(&all, path);
  int status = wrong ? gpm_read_wrong(r, GPUMEMPROF_READ_CAPTURE, wrong) : GPUMEMPROF_READ_OK;
  if (!status) gpm_processes_order(&all);
  for (uint32_t i = 0; i < all.count && !status; i++) status = open_one(r, all.process[i].path);
  while (status && r->captures > before) gpm_read_capture_drop(r, r->capture[--r->captures]);
  gpm_processes_free(&all);
  return status;
}

static int open_any(void *arguments) {
  const struct open *o = arguments;
  struct stat info;
  if (!o->path) return gpm_read_fail(o->reader, GPUMEMPROF_READ_ARGUMENT, "no path was given");
  bool folder = !stat(o->path, &info) && S_ISDIR(info.st_mode);
  return folder ? open_folder(o->reader, o->path) : open_one(o->reader, o->path);
}

int gpumemprof_read_open(struct gpumemprof_read *r, const char *path) {
  return gpm_read_call(r, open_any, &(struct open){r, path});
}

/* ---- again -------------------------------------------------------------------------------------
 */

struct refresh {
  struct gpumemprof_read *reader;
  uint32_t capture;
};

static int reopen(struct gpumemprof_read *r, const struct gpm_read_capture *old,
                  struct gpm_read_capture **now) {
  const char *path = old->reader->path;
  int status = gpm_read_capture_open(r, path, &old->settings, now);
  if (!status && (status = check_run(r, (*now)->reader, old->reader)))
    gpm_read_capture_drop(r, *now);
  return status;
}

/* Opens the capture again. Lists and iterators still use the capture that they were made from.
 * Nodes of a run keep their numbers, so call paths that were handed out stay with the new one. */
static int refresh(void *arguments) {
  const struct refresh *a = arguments;
  struct gpm_read_capture *old = gpm_read_capture(a->reader, a->capture), *now;
  int status = old ? reopen(a->reader, old, &now) : GPUMEMPROF_READ_ARGUMENT;
  if (status) return status;
  now->paths = old->paths;
  old->paths = (struct gpm_map){.slots = NULL};
  a->reader->capture[a->capture] = now;
  gpm_read_capture_drop(a->reader, old);
  return GPUMEMPROF_READ_OK;
}

int gpumemprof_read_refresh(struct gpumemprof_read *r, uint32_t capture) {
  return gpm_read_call(r, refresh, &(struct refresh){r, capture});
}
