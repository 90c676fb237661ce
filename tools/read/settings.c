/* settings.c - gpumemprof_read_set: how captures that are opened from now on are read. See
 * handle.h.
 *
 * A capture copies the settings with which it is opened, but not the texts that they point to. So
 * those are never changed, and freed with the reader.
 */
#include "read/handle.h"

#include "rows/devices.h"
#include "support/text.h"

#include <string.h>

struct set {
  struct gpumemprof_read *reader;
  const char *key, *value;
};

static int set_words(const struct set *s, const char *const *words, bool *second) {
  size_t chosen = 0;
  char *what = gpm_memory_format("value of %s", s->key);
  char *wrong = s->value ? gpm_text_choose(what, s->value, words, &chosen) : NULL;
  free(what);
  if (wrong) return gpm_read_wrong(s->reader, GPUMEMPROF_READ_ARGUMENT, wrong);
  *second = chosen == 1;
  return GPUMEMPROF_READ_OK;
}

static int set_filter(const struct set *s) {
  struct gpm_read_settings *to = &s->reader->settings;
  if (!s->value) {
    to->filter = NULL;
    to->filters = 0;
    return GPUMEMPROF_READ_OK;
  }
  struct gpm_patterns patterns = {NULL, 0}; /* only to check the expression */
  char *wrong = gpm_patterns_add(&patterns, s->value);
  gpm_patterns_free(&patterns);
  if (wrong) return gpm_read_wrong(s->reader, GPUMEMPROF_READ_ARGUMENT, wrong);
  /* Open captures still use the old array, so it is copied. */
  const char **longer = gpm_memory_array((size_t)to->filters + 1, sizeof *longer);
  if (to->filters) memcpy(longer, to->filter, to->filters * sizeof *longer);
  longer[to->filters] = gpm_memory_text(s->value);
  to->filter = longer;
  to->filters++;
  return GPUMEMPROF_READ_OK;
}

static int set_moment(const struct set *s, const char **to) {
  if (s->value && !gpm_window_is_moment(s->value))
    return gpm_read_fail(s->reader, GPUMEMPROF_READ_ARGUMENT,
                         "%s wants a moment like 1.5s, 1234 (clock), step:3 or mark:load, not `%s`",
                         s->key, s->value);
  *to = s->value ? gpm_memory_text(s->value) : NULL;
  return GPUMEMPROF_READ_OK;
}

static int set_kind(const struct set *s) {
  size_t kind;
  char *wrong =
      s->value ? gpm_text_choose("kind of memory", s->value, gpm_devices_kinds, &kind) : NULL;
  if (wrong) return gpm_read_wrong(s->reader, GPUMEMPROF_READ_ARGUMENT, wrong);
  s->reader->settings.kind = s->value ? gpm_memory_text(s->value) : NULL;
  return GPUMEMPROF_READ_OK;
}

static int set_suppressions(const struct set *s) {
  struct gpm_suppressions *read = gpm_memory_array(1, sizeof *read);
  char *wrong = s->value ? gpm_suppressions_read(read, s->value) : NULL;
  if (wrong) return gpm_read_wrong(s->reader, GPUMEMPROF_READ_ARGUMENT, wrong);
  s->reader->settings.suppressions = read;
  return GPUMEMPROF_READ_OK;
}

static int set(void *arguments) {
  enum { DEVICE, KIND, FILTER, FROM, TO, NAMES, LIBRARIES, FOLDER, SUPPRESSIONS };
  static const char *const keys[] = {[DEVICE] = "device",
                                     [KIND] = "kind",
                                     [FILTER] = "filter",
                                     [FROM] = "from",
                                     [TO] = "to",
                                     [NAMES] = "names",
                                     [LIBRARIES] = "libraries",
                                     [FOLDER] = "folder",
                                     [SUPPRESSIONS] = "suppressions",
                                     NULL};
  static const char *const names[] = {"full", "short", NULL}, *const libraries[] = {"yes", "no",
                                                                                    NULL};
  const struct set *s = arguments;
  struct gpm_read_settings *to = &s->reader->settings;
  size_t key;
  if (!s->key) return gpm_read_fail(s->reader, GPUMEMPROF_READ_ARGUMENT, "no setting was named");
  char *wrong = gpm_text_choose("setting", s->key, keys, &key);
  if (wrong) return gpm_read_wrong(s->reader, GPUMEMPROF_READ_ARGUMENT, wrong);
  switch (key) {
  case DEVICE:
    to->device = s->value ? gpm_memory_text(s->value) : NULL;
    return GPUMEMPROF_READ_OK;
  case KIND:
    return set_kind(s);
  case FILTER:
    return set_filter(s);
  case FROM:
    return set_moment(s, &to->from);
  case TO:
    return set_moment(s, &to->to);
  case NAMES:
    return set_words(s, names, &to->short_names);
  case LIBRARIES:
    return set_words(s, libraries, &to->no_libraries);
  case SUPPRESSIONS:
    return set_suppressions(s);
  default: /* FOLDER */
    s->reader->host.folder = s->value ? gpm_memory_text(s->value) : NULL;
    return GPUMEMPROF_READ_OK;
  }
}

int gpumemprof_read_set(struct gpumemprof_read *r, const char *key, const char *value) {
  return gpm_read_call(r, set, &(struct set){r, key, value});
}
