/* use_text.h - an operation that used memory (capture_uses.h), in words. Used by `events` and
 * `advise`. */
#ifndef GPM_TOOLS_USE_TEXT_H
#define GPM_TOOLS_USE_TEXT_H

#include "capture/reader.h"

#include "gpumemprof/capture_uses.h"

static inline const struct gpumemprof_capture_use *gpm_use_text_record(const struct gpm_reader *r,
                                                                       uint32_t record) {
  return gpm_reader_record(&r->uses, record);
}
/* Returns "launched", "copied", "filled", "prefetched" or "library call". The text is static. */
const char *gpm_use_text_verb(const struct gpumemprof_capture_use *use);
/* Returns the name of a value, "weights" or "destination"; "" if it has none. The caller frees it.
 */
char *gpm_use_text_value_name(const struct gpm_reader *reader,
                              const struct gpumemprof_capture_use *use, uint32_t value);
/* Returns the kernel's name, or "" if it is no launch. The caller frees it. */
char *gpm_use_text_kernel(const struct gpm_reader *reader,
                          const struct gpumemprof_capture_use *use);
/* Returns "step<float> weights=7f0012000000 n=200" or "destination=7f0012000000 bytes=...": all but
 * numbers of bytes are hexadecimal. The caller frees it. */
char *gpm_use_text_values(const struct gpm_reader *reader, uint32_t record, const uint64_t *value);
/* Returns "main.c:12 step" for the call, or that it is not known. The caller frees it. */
char *gpm_use_text_location(const struct gpm_reader *reader,
                            const struct gpumemprof_capture_use *use);

#endif
