/* arrays.h - CUDA arrays: plain, mipmapped, sparse, and of memory that another API exported.
 */
#ifndef GPUMEMPROF_SIM_ARRAYS_H
#define GPUMEMPROF_SIM_ARRAYS_H

#include "base/object.h"
#include "memory/share.h"

/* array.c */
struct gpm_sim_array {
  struct gpm_sim_object object;
  uint64_t address;
  int channels[4]; /* bits */
  int format;      /* the API's own number */
  uint64_t element, width, height, depth;
  uint64_t bytes;
  unsigned flags;
  bool is_level;               /* owned by a mipmap */
  struct gpm_sim_store *store; /* sparse or deferred: its addresses; else null */
  struct gpm_sim_tile *tiles;  /* sparse or deferred: the memory that is mapped to it */
};
#define GPM_SIM_ARRAY_SPARSE 0x40u   /* flags of both APIs */
#define GPM_SIM_ARRAY_DEFERRED 0x80u /* memory comes later: none is taken for these two */
int gpm_sim_array_create(const int channels[4], int format, uint64_t width, uint64_t height,
                         uint64_t depth, unsigned flags, struct gpm_sim_array **array);
void gpm_sim_array_destroy(struct gpm_sim_array *array);
/* Address, pitch and slice of the array's byte (x, y, z). */
uint64_t gpm_sim_array_at(const struct gpm_sim_array *array, uint64_t x, uint64_t y, uint64_t z,
                          uint64_t *pitch, uint64_t *slice);

/* mipmap.c */
#define GPM_SIM_MAX_LEVELS 32
struct gpm_sim_mipmap {
  struct gpm_sim_object object;
  struct gpm_sim_array *levels[GPM_SIM_MAX_LEVELS];
  unsigned count;
  struct gpm_sim_tile *tiles;
};
int gpm_sim_mipmap_create(const int channels[4], int format, uint64_t width, uint64_t height,
                          uint64_t depth, unsigned levels, unsigned flags,
                          struct gpm_sim_mipmap **mipmap);
int gpm_sim_mipmap_level(const void *mipmap, unsigned level, struct gpm_sim_array **array);
int gpm_sim_mipmap_destroy(const void *mipmap);

/* sparse.c: arrays that are given their memory tile by tile */
struct gpm_sim_tile_key {
  unsigned type, level, layer, at[3]; /* of a level: an offset; of the tail: the layer */
};
struct gpm_sim_sparse {
  unsigned tile[3], first_of_tail;
  uint64_t tail_bytes;
};
/* Gives the tile a store; null: takes its store away. */
int gpm_sim_tiles_set(struct gpm_sim_tile **tiles, const struct gpm_sim_tile_key *key,
                      struct gpm_sim_store *store);
void gpm_sim_tiles_clear(struct gpm_sim_tile **tiles);
void gpm_sim_array_show(struct gpm_sim_array *array, bool shown); /* copies reach it or not */
int gpm_sim_array_requirements(const struct gpm_sim_array *array, int device, uint64_t *size,
                               uint64_t *alignment);
int gpm_sim_mipmap_requirements(const struct gpm_sim_mipmap *mipmap, int device, uint64_t *size,
                                uint64_t *alignment);
int gpm_sim_array_sparse(const struct gpm_sim_array *array, struct gpm_sim_sparse *sparse);
int gpm_sim_mipmap_sparse(const struct gpm_sim_mipmap *mipmap, struct gpm_sim_sparse *sparse);

/* external.c: memory of another API, identified by a file */
struct gpm_sim_external {
  struct gpm_sim_object object;
  struct gpm_sim_store *store;
};
int gpm_sim_external_import(int file, uint64_t size, struct gpm_sim_external **external);
struct gpm_sim_mipmap;
int gpm_sim_external_array(const struct gpm_sim_external *external, struct gpm_sim_mipmap *mipmap);
int gpm_sim_external_map(const struct gpm_sim_external *external, uint64_t offset, uint64_t size,
                         uint64_t *address);

#endif /* GPUMEMPROF_SIM_ARRAYS_H */
