/* use_text.c - see use_text.h. */
#include "rows/use_text.h"

#include "rows/locations.h"
#include "support/string.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *gpm_use_text_verb(const struct gpumemprof_capture_use *u) {
  static const char *const verbs[GPUMEMPROF_USE_COUNT] = {
      [GPUMEMPROF_USE_LAUNCH] = "launched",
      [GPUMEMPROF_USE_COPY] = "copied",
      [GPUMEMPROF_USE_COPY_ROWS] = "copied",
      [GPUMEMPROF_USE_UPLOAD] = "copied",
      [GPUMEMPROF_USE_UPLOAD_ROWS] = "copied",
      [GPUMEMPROF_USE_FILL] = "filled",
      [GPUMEMPROF_USE_FILL_ROWS] = "filled",
      [GPUMEMPROF_USE_PREFETCH] = "prefetched",
      [GPUMEMPROF_USE_LIBRARY] = "library call",
      [GPUMEMPROF_USE_LIBRARY_CALL] = "library call",
      [GPUMEMPROF_USE_LIBRARY_ARGUMENTS] = "library call",
      [GPUMEMPROF_USE_ADDRESSES] = "addresses stored",
      [GPUMEMPROF_USE_ANY] = "any memory used",
      [GPUMEMPROF_USE_SHARED] = "shared",
      [GPUMEMPROF_USE_UNSEEN] = "not seen",
      [GPUMEMPROF_USE_UNCHANGED] = "source unchanged",
      [GPUMEMPROF_USE_CHANGED] = "source changed",
      [GPUMEMPROF_USE_MANAGED_VARIABLES] = "managed variables",
      [GPUMEMPROF_USE_UNSEARCHED] = "copied",
      [GPUMEMPROF_USE_UNSEARCHED_ROWS] = "copied",
      [GPUMEMPROF_USE_CAPTURE_BEGINS] = "capture begins",
      [GPUMEMPROF_USE_CAPTURE_ENDS] = "capture ends",
      [GPUMEMPROF_USE_DEVICE_CODE] = "device code",
      [GPUMEMPROF_USE_STREAM_ENDS] = "stream destroyed",
      [GPUMEMPROF_USE_CURRENT_DEVICE] = "current device",
      [GPUMEMPROF_USE_OVERLAP] = "next launch overlaps",
  };
  return verbs[u->what];
}

/* Whether its values are addresses of any number, of which 0 is none. */
static bool is_list(uint16_t what) {
  return what == GPUMEMPROF_USE_LIBRARY || what == GPUMEMPROF_USE_LIBRARY_CALL ||
         what == GPUMEMPROF_USE_LIBRARY_ARGUMENTS || what == GPUMEMPROF_USE_ADDRESSES ||
         what == GPUMEMPROF_USE_SHARED;
}

char *gpm_use_text_value_name(const struct gpm_reader *r, const struct gpumemprof_capture_use *u,
                              uint32_t value) {
  static const char *const of_copy[] = {"destination", "bytes", "source", "bytes"};
  if (is_list(u->what)) return gpm_memory_text("");
  if (u->what == GPUMEMPROF_USE_PREFETCH) return gpm_memory_text(value ? "bytes" : "address");
  if (u->what != GPUMEMPROF_USE_LAUNCH) return gpm_memory_text(of_copy[value]);
  const struct gpumemprof_capture_kernel *k = gpm_reader_record(&r->kernels, u->kernel);
  if (value >= k->words) return gpm_memory_text("");
  const struct gpumemprof_capture_kernel_word *w =
      gpm_reader_record(&r->kernel_words, k->first_word + value);
  return gpm_locations_text(r, w->name);
}

char *gpm_use_text_kernel(const struct gpm_reader *r, const struct gpumemprof_capture_use *u) {
  if (u->what != GPUMEMPROF_USE_LAUNCH) return gpm_memory_text("");
  const struct gpumemprof_capture_kernel *k = gpm_reader_record(&r->kernels, u->kernel);
  char *name = gpm_locations_text(r, k->name ? k->name : k->symbol);
  if (*name) return name;
  free(name);
  return gpm_memory_text("(unknown kernel)");
}

char *gpm_use_text_values(const struct gpm_reader *r, uint32_t record, const uint64_t *value) {
  const struct gpumemprof_capture_use *u = gpm_use_text_record(r, record);
  struct gpm_string text = {NULL, 0, 0};
  char *kernel = gpm_use_text_kernel(r, u);
  gpm_string_add(&text, "%s", kernel);
  free(kernel);
  for (uint32_t i = 0; i < u->values; i++) {
    if (is_list(u->what) && i && !value[i]) continue;
    char *name = gpm_use_text_value_name(r, u, i);
    bool first = !i && u->what != GPUMEMPROF_USE_LAUNCH,
         bytes = u->what != GPUMEMPROF_USE_LAUNCH && !strcmp(name, "bytes");
    gpm_string_add(&text, "%s%s%s", first ? "" : " ", name, *name ? "=" : "");
    if (bytes) gpm_string_add(&text, "%" PRIu64, value[i]);
    else gpm_string_add(&text, "%" PRIx64, value[i]);
    free(name);
  }
  return gpm_string_take(&text);
}

char *gpm_use_text_location(const struct gpm_reader *r, const struct gpumemprof_capture_use *u) {
  return gpm_locations_site(r, u->site);
}
