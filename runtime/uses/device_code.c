/* device_code.c - hashes the device code of what was rebuilt (GPUMEMPROF_USE_DEVICE_CODE). What its
 * kernels do with memory is read from the file by the tool, which may find another build there, or
 * be given one.
 */
#include "uses/device_code.h"
#include "uses/uses.h"

#include "gpumemprof/capture_checksum.h"

#include <string.h>

#define MOST_KNOWN 256u /* of what has more, no code is known: the tool knows no code for it */

static uint64_t known_hash[MOST_KNOWN]; /* the hashes that are recorded */
static unsigned known_hashes;

void gpm_device_code_start(void) {
  known_hashes = 0;
}

static uint64_t hash_section(const struct gpm_object_file *file, const char *name, uint64_t seed) {
  uint64_t hash = 0;
  for (unsigned i = 0; i < file->count && !hash; i++) {
    if (strcmp(gpm_object_file_name(file, &file->section[i]), name) != 0) continue;
    struct gpm_file_part part = gpm_object_file_read(file, &file->section[i]);
    if (part.bytes) hash = gpumemprof_checksum(part.bytes, part.size, seed);
    gpm_object_file_free(&part);
  }
  return hash;
}

void gpm_device_code_note(const struct gpm_object_file *file, const char *path) {
  uint64_t hash = hash_section(file, ".nv_fatbin", hash_section(file, "__nv_relfatbin", 0));
  if (!hash || known_hashes == MOST_KNOWN) return;
  for (unsigned i = 0; i < known_hashes; i++)
    if (known_hash[i] == hash) return;
  known_hash[known_hashes++] = hash;
  gpm_uses_add_known(
      &(struct gpm_known_use){.what = GPUMEMPROF_USE_DEVICE_CODE, .path = path, .number = hash});
}
