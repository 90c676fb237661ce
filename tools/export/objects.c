/* objects.c - see objects.h.
 *
 * An address in code that was not rebuilt has its module where other frames have their file. A
 * capture does not say which module a line of the source is in, which is certain only if there is a
 * single one.
 */
#include "export/objects.h"

#include "rows/locations.h"
#include "support/text.h"

char *gpm_export_object(const struct gpm_export *x, uint32_t frame) {
  const struct gpm_reader *r = x->reader;
  const struct gpm_key *k = &x->frames->keys.key[frame];
  if (!k->function && !k->file && !k->name) return gpm_memory_text("");
  if (gpm_text_is_address(gpm_reader_string(r, k->function))) return gpm_locations_text(r, k->file);
  if (r->modules.count != 1 || r->native_modules.count) return gpm_memory_text("");
  const struct gpumemprof_capture_module *only = gpm_reader_record(&r->modules, 0);
  return gpm_locations_text(r, only->path);
}
