/* xxh64.h - a hash of 64 bits that is as fast as memory: XXH64 with seed 0, written from its
 * specification (Yann Collet, xxHash fast digest algorithm, doc/xxhash_spec.md of
 * github.com/Cyan4973/xxHash). Bytes may be added in pieces of any size.
 */
#ifndef GPM_XXH64_H
#define GPM_XXH64_H

#include <stdint.h>

struct gpm_xxh64 {
  uint64_t lane[4];
  uint64_t bytes;   /* that were added */
  uint8_t rest[32]; /* of them, those that fill no stripe yet: the lowest bits of `bytes` */
};

void gpm_xxh64_begin(struct gpm_xxh64 *hash);
void gpm_xxh64_add(struct gpm_xxh64 *hash, const void *from, uint64_t bytes);
uint64_t gpm_xxh64_end(const struct gpm_xxh64 *hash);

#endif /* GPM_XXH64_H */
