/* memory.h - allocations, the pools they come from, and copies between any two addresses. */
#ifndef GPUMEMPROF_SIM_MEMORY_H
#define GPUMEMPROF_SIM_MEMORY_H

#include "base/object.h"
#include "base/tree.h"
#include "device/device.h"

#define GPM_SIM_POOL_GROWTH (UINT64_C(32) << 20)

/* block.c: allocations. */
enum gpm_sim_kind {
  GPM_SIM_DEVICE_MEMORY,
  GPM_SIM_MANAGED_MEMORY,
  GPM_SIM_PINNED_MEMORY,
  GPM_SIM_POOL_MEMORY,
  GPM_SIM_GRAPH_MEMORY,
  GPM_SIM_ARRAY_MEMORY,
  GPM_SIM_STATIC_MEMORY,
  GPM_SIM_REGISTERED_MEMORY, /* memory of the program, by cudaHostRegister */
  GPM_SIM_MAPPED_MEMORY,     /* cuMemMap */
  GPM_SIM_SPARSE_MEMORY,     /* memory of an array, given to it by cuMemMapArrayAsync */
  GPM_SIM_IMPORTED_MEMORY,   /* external memory, or a pointer of an imported pool */
  GPM_SIM_IPC_MEMORY         /* cudaIpcOpenMemHandle */
};
struct gpm_sim_block {
  struct gpm_sim_range range; /* reserved bytes */
  uint64_t requested;
  enum gpm_sim_kind kind;
  int device; /* -1: host */
  unsigned flags;
  uint64_t id;
  int64_t backing; /* add to an address to reach its bytes */
  struct gpm_sim_context *context;
  struct gpm_sim_pool *pool;                      /* POOL_MEMORY */
  void *physical;                                 /* MAPPED_MEMORY: its handle */
  bool accessible;                                /* MAPPED_MEMORY: cuMemSetAccess was called */
  struct gpm_sim_heap *heap;                      /* GRAPH_MEMORY */
  struct gpm_sim_store *store;                    /* IMPORTED_MEMORY, IPC_MEMORY */
  void (*give_back)(struct gpm_sim_block *block); /* returns its memory before it is removed; null:
                                                   * the memory goes to its space */
  int prefetched; /* MANAGED_MEMORY: its last prefetch went to a device, -1 the host, -2 nowhere */
};
/* Allocates in the current context; size 0 gives address 0 and success. */
int gpm_sim_block_allocate(enum gpm_sim_kind kind, uint64_t size, unsigned flags,
                           uint64_t *address);
int gpm_sim_block_free(uint64_t address, unsigned kinds); /* kinds: GPM_SIM_KIND_BIT */
#define GPM_SIM_KIND_BIT(kind) (1u << (kind))
#define GPM_SIM_FREEABLE                                                                           \
  (GPM_SIM_KIND_BIT(GPM_SIM_DEVICE_MEMORY) | GPM_SIM_KIND_BIT(GPM_SIM_MANAGED_MEMORY) |            \
   GPM_SIM_KIND_BIT(GPM_SIM_POOL_MEMORY) | GPM_SIM_KIND_BIT(GPM_SIM_GRAPH_MEMORY) |                \
   GPM_SIM_KIND_BIT(GPM_SIM_IMPORTED_MEMORY))
int gpm_sim_block_register(uint64_t address, uint64_t size, unsigned flags);
int gpm_sim_block_unregister(uint64_t address);
/* The block that contains the address; null: none. */
struct gpm_sim_block *gpm_sim_block_find(uint64_t address);
enum gpm_sim_place { GPM_SIM_IN_HOST = 1, GPM_SIM_IN_DEVICE, GPM_SIM_IN_BOTH }; /* cudaMemoryType */
enum gpm_sim_place gpm_sim_block_place(const struct gpm_sim_block *block);
struct gpm_sim_block *gpm_sim_block_add(uint64_t address, uint64_t size, enum gpm_sim_kind kind);
void gpm_sim_block_release(struct gpm_sim_block *block); /* gives its memory back and removes it */
void gpm_sim_block_drop(struct gpm_sim_block *block);    /* only removes it */
void gpm_sim_block_free_all(struct gpm_sim_context *context);
/* Returns the error "out of memory", after a message if verbose. */
int gpm_sim_refuse(const struct gpm_sim_space *space, uint64_t size);
bool gpm_sim_allocation_fails(void); /* counts one allocation: fail=, fail_every= */
bool gpm_sim_free_fails(void);       /* counts one free: fail_free= */

/* pool.c: stream-ordered memory */
struct gpm_sim_pool {
  struct gpm_sim_object object;
  struct gpm_sim_space *space;
  int device; /* -1: host */
  bool is_default;
  bool destroyed;               /* the handle is gone; freed with the last block */
  bool imported;                /* it is of another process, so it allocates nothing */
  int handle_types;             /* how it can be shared */
  struct gpm_sim_tree free;     /* the free ranges of its segments */
  struct gpm_sim_tree segments; /* acquired from the space, each of the growth */
  /* Addresses: where its first segment begins, and where its latest one ends. */
  uint64_t home, end;
  uint64_t blocks;
  uint64_t used, used_high, reserved, reserved_high; /* used: sum of the requested sizes */
  uint64_t threshold, maximum;
  int reuse[3];
};
struct gpm_sim_pool *gpm_sim_pool_create(int device, struct gpm_sim_space *space, uint64_t maximum);
struct gpm_sim_pool *gpm_sim_pool_get_handle(const void *handle); /* null: none, or destroyed */
struct gpm_sim_pool *gpm_sim_pool_default(int device);
struct gpm_sim_pool *gpm_sim_pool_current(int device);
void gpm_sim_pool_destroy(struct gpm_sim_pool *pool);
int gpm_sim_pool_allocate(struct gpm_sim_pool *pool, uint64_t size, uint64_t *address);
void gpm_sim_pool_trim(struct gpm_sim_pool *pool, uint64_t keep);
/* Returns all free segments of its pools to the space. */
void gpm_sim_pool_trim_all(struct gpm_sim_space *space);
void gpm_sim_pool_synchronize(void); /* every pool gives back what is above its threshold */
int gpm_sim_pool_get(struct gpm_sim_pool *pool, int attribute, void *value);
int gpm_sim_pool_set(struct gpm_sim_pool *pool, int attribute, const void *value);

/* pool_share.c: pools by their properties. The numbers are those of CUmemPoolProps. */
struct gpm_sim_pool_properties {
  int type, location, id, handle_types;
  uint64_t maximum;
};
struct gpm_sim_ticket;
int gpm_sim_pool_make(const struct gpm_sim_pool_properties *properties, struct gpm_sim_pool **pool);
/* The current or the default pool of a location. The second function sets the current one. */
int gpm_sim_pool_at(int type, int location, int id, bool current, struct gpm_sim_pool **pool);
int gpm_sim_pool_set_at(int type, int location, int id, struct gpm_sim_pool *pool);
int gpm_sim_pool_export(struct gpm_sim_pool *pool, int type, int *file);
int gpm_sim_pool_import(int file, int type, struct gpm_sim_pool **pool);
int gpm_sim_pool_export_pointer(uint64_t address, struct gpm_sim_ticket *ticket);
int gpm_sim_pool_import_pointer(const struct gpm_sim_pool *pool,
                                const struct gpm_sim_ticket *ticket, uint64_t *address);

/* context_end.c: frees what the context owns, then ends it. */
void gpm_sim_context_destroy(struct gpm_sim_context *context);

/* copy.c: copies boxes of bytes between any two addresses. */
struct gpm_sim_box {
  uint64_t to, to_pitch, to_slice; /* the distance between rows, and between slices */
  uint64_t from, from_pitch, from_slice;
  uint64_t width, height, depth; /* bytes, rows, slices */
};
int gpm_sim_copy(const struct gpm_sim_box *box);
int gpm_sim_copy_linear(uint64_t to, uint64_t from, uint64_t size);
/* Fills with a pattern of 1, 2 or 4 bytes; uses to, to_pitch, to_slice, width, height, depth. */
int gpm_sim_fill(const struct gpm_sim_box *box, uint32_t pattern, unsigned pattern_size);
/* Where the bytes of an address are, and how many follow; null: the address is not accessible. */
void *gpm_sim_bytes(uint64_t address, uint64_t *available);

#endif /* GPUMEMPROF_SIM_MEMORY_H */
