/* sim.h - the map of the simulated device: its types and, under the file that defines them, its
 * functions.
 *
 *   libcudart.so.13  runtime_api/  ──►  core/   ◄──  driver_api/  libcuda.so.1 (holds the core)
 *
 * The core knows devices, memory, handles and copies, and answers with error numbers, which both
 * APIs share. Device memory has two addresses: the one the program sees is reserved and never
 * accessible (so a host access to it faults, as with a real device), its bytes live in a backing
 * mapping that only copies and fills reach. One lock guards everything; functions take it
 * themselves, it is recursive.
 */
#ifndef GPUMEMPROF_SIM_SIM_H
#define GPUMEMPROF_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPM_SIM_MAX_DEVICES 64
#define GPM_SIM_MAX_CONTEXTS 32 /* depth of a thread's context stack */
#define GPM_SIM_ALIGNMENT 512   /* of every address handed out, and the pitch of rows */
#define GPM_SIM_POOL_GROWTH (UINT64_C(32) << 20)
#define GPM_SIM_VERSION 13000

/* Error numbers the core answers with (sim/include/gpumemprof_sim/errors.def has them all). */
enum gpm_sim_error {
  GPM_SIM_OK = 0,
  GPM_SIM_INVALID_VALUE = 1,
  GPM_SIM_OUT_OF_MEMORY = 2,
  GPM_SIM_NOT_INITIALIZED = 3,
  GPM_SIM_INVALID_SYMBOL = 13,
  GPM_SIM_NO_DEVICE = 100,
  GPM_SIM_INVALID_DEVICE = 101,
  GPM_SIM_INVALID_CONTEXT = 201,
  GPM_SIM_INVALID_HANDLE = 400,
  GPM_SIM_NOT_FOUND = 500,
  GPM_SIM_PEER_ENABLED = 704,
  GPM_SIM_PEER_NOT_ENABLED = 705,
  GPM_SIM_ALREADY_REGISTERED = 712,
  GPM_SIM_NOT_REGISTERED = 713,
  GPM_SIM_NOT_SUPPORTED = 801
};

/* options.c: GPUMEMPROF_SIM_OPTIONS */
struct gpm_sim_options {
  uint64_t devices;
  uint64_t memory; /* bytes per device */
  uint64_t granularity;
  char name[256];
  uint64_t fail;       /* the allocation of this number fails; 0: none */
  uint64_t fail_every; /* every allocation whose number is a multiple fails; 0: none */
  uint64_t fail_free;  /* the free of this number fails; 0: none */
  uint64_t context;    /* bytes */
  uint64_t limits;
  uint64_t verbose;
};
const struct gpm_sim_options *gpm_sim_options(void);
/* Parses text into options that hold the defaults. False: message holds one sentence. */
bool gpm_sim_options_parse(struct gpm_sim_options *options, const char *text, char *message,
                           size_t size);
void gpm_sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says once per name that the simulated device lacks it; returns GPM_SIM_NOT_SUPPORTED. */
int gpm_sim_unsupported(const char *name);
/* Says once, when verbose, that kernels compute nothing. */
void gpm_sim_note_launch(void);

/* lock.c: the lock, and what belongs to a thread */
struct gpm_sim_context;
struct gpm_sim_thread {
  struct gpm_sim_context *stack[GPM_SIM_MAX_CONTEXTS];
  int depth;        /* of stack; its top is the current context */
  int device;       /* the runtime API's device while there is no context */
  int last_error;   /* cudaGetLastError */
  int capture_mode; /* enum cudaStreamCaptureMode */
};
struct gpm_sim_thread *gpm_sim_thread(void);
void gpm_sim_lock(void);
void gpm_sim_unlock(void);
static inline void gpm_sim_unlock_at(int *unused) {
  (void)unused;
  gpm_sim_unlock();
}
/* Takes the lock until the end of the block. */
#define GPM_SIM_LOCKED                                                                             \
  int gpm_sim_locked __attribute__((cleanup(gpm_sim_unlock_at), unused)) = (gpm_sim_lock(), 0)

/* tree.c: ranges [start, start + size) that do not overlap, ordered by start */
struct gpm_sim_range {
  struct gpm_sim_range *left, *right;
  uint64_t start;
  uint64_t size;
  uint64_t largest; /* largest size in this subtree */
  uint32_t priority;
};
struct gpm_sim_tree {
  struct gpm_sim_range *root;
};
void gpm_sim_tree_insert(struct gpm_sim_tree *tree, struct gpm_sim_range *range);
void gpm_sim_tree_remove(struct gpm_sim_tree *tree, struct gpm_sim_range *range);
/* The range that holds the address; the first one that starts at it or later; the first one of at
 * least that size. Null where there is none. */
struct gpm_sim_range *gpm_sim_tree_find(const struct gpm_sim_tree *tree, uint64_t address);
struct gpm_sim_range *gpm_sim_tree_next(const struct gpm_sim_tree *tree, uint64_t address);
struct gpm_sim_range *gpm_sim_tree_fit(const struct gpm_sim_tree *tree, uint64_t size);

/* extents.c: free space as a tree of coalesced ranges */
uint64_t gpm_sim_extents_take(struct gpm_sim_tree *free_space, uint64_t size); /* 0: no room */
bool gpm_sim_extents_carve(struct gpm_sim_tree *free_space, uint64_t start, uint64_t size);
/* Returns the coalesced free range that now holds the given one. */
struct gpm_sim_range *gpm_sim_extents_give(struct gpm_sim_tree *free_space, uint64_t start,
                                           uint64_t size);
/* The same, but ranges are not joined across multiples of `unit`. */
struct gpm_sim_range *gpm_sim_extents_give_in(struct gpm_sim_tree *free_space, uint64_t start,
                                              uint64_t size, uint64_t unit);

/* object.c: handles. Every one starts with this header and is known while it lives. */
enum gpm_sim_type {
  GPM_SIM_CONTEXT = 1,
  GPM_SIM_STREAM,
  GPM_SIM_EVENT,
  GPM_SIM_POOL,
  GPM_SIM_ARRAY,
  GPM_SIM_MIPMAP,
  GPM_SIM_TEXTURE,
  GPM_SIM_MODULE,
  GPM_SIM_FUNCTION,
  GPM_SIM_GRAPH,
  GPM_SIM_NODE,
  GPM_SIM_EXEC,
  GPM_SIM_PHYSICAL,
  GPM_SIM_EXTERNAL,
  GPM_SIM_GREEN,
  GPM_SIM_RESOURCE
};
struct gpm_sim_object {
  struct gpm_sim_range range; /* the object's own address, size 1 */
  enum gpm_sim_type type;
  struct gpm_sim_context *context; /* goes with it when it is destroyed; may be null */
  void (*release)(void *object);   /* frees what the object owns; may be null */
};
void *gpm_sim_object_create(enum gpm_sim_type type, size_t size, struct gpm_sim_context *context);
void *gpm_sim_object_get(const void *handle, enum gpm_sim_type type); /* null: no such handle */
/* The first of that type at the address or later, in no useful order; null: none. */
void *gpm_sim_object_next(uint64_t address, enum gpm_sim_type type);
void gpm_sim_object_destroy(void *object);
void gpm_sim_object_destroy_all(struct gpm_sim_context *context);

/* space.c: a stretch of addresses and the bytes behind it */
struct gpm_sim_space {
  uint64_t base, size;           /* addresses the program sees */
  int64_t backing;               /* add to an address to reach its bytes */
  uint64_t capacity;             /* bytes that may be in use */
  uint64_t used, highest;        /* bytes of segments in use: now, and at most */
  struct gpm_sim_tree free;      /* segments: multiples of the granularity */
  struct gpm_sim_tree shared[2]; /* free room in segments that small blocks share, by use */
};
enum gpm_sim_backing {
  GPM_SIM_APART, /* the bytes are elsewhere: device memory */
  GPM_SIM_SAME,  /* the program reads and writes the addresses: pinned and managed memory */
  GPM_SIM_BARE   /* addresses only */
};
bool gpm_sim_space_open(struct gpm_sim_space *space, uint64_t capacity, uint64_t size,
                        enum gpm_sim_backing backing);
/* A segment anywhere, or at an address (0: anywhere); the result is 0 where there is no room. */
uint64_t gpm_sim_space_segment(struct gpm_sim_space *space, uint64_t size);
uint64_t gpm_sim_space_segment_at(struct gpm_sim_space *space, uint64_t at, uint64_t size);
bool gpm_sim_space_is_free(const struct gpm_sim_space *space, uint64_t start, uint64_t size);
/* Bytes in use without addresses; false: no room, though pools gave back what they keep. */
bool gpm_sim_space_charge(struct gpm_sim_space *space, uint64_t size);
void gpm_sim_space_release(struct gpm_sim_space *space, uint64_t start, uint64_t size);
enum gpm_sim_use { GPM_SIM_LINEAR, GPM_SIM_TILED }; /* arrays share segments among themselves */
uint64_t gpm_sim_space_allocate(struct gpm_sim_space *space, uint64_t size, enum gpm_sim_use use);
void gpm_sim_space_free(struct gpm_sim_space *space, uint64_t start, uint64_t size,
                        enum gpm_sim_use use);
uint64_t gpm_sim_round_up(uint64_t value, uint64_t multiple); /* 0: overflow */

/* device.c */
struct gpm_sim_pool;
struct gpm_sim_device {
  int ordinal;
  struct gpm_sim_space space;
  struct gpm_sim_context *primary;
  struct gpm_sim_pool *default_pool;
  struct gpm_sim_pool *pool; /* the current one */
  struct gpm_sim_graph_memory {
    uint64_t reserved, idle; /* bytes; idle: no graph has them */
    uint64_t high[2];        /* used, reserved */
  } graph_memory;
};
int gpm_sim_device_count(void);
struct gpm_sim_device *gpm_sim_device(int ordinal); /* null: no such device */
struct gpm_sim_space *gpm_sim_managed_space(void);
struct gpm_sim_space *gpm_sim_pinned_space(void);
struct gpm_sim_space *gpm_sim_virtual_space(void); /* cuMemAddressReserve */
struct gpm_sim_space *gpm_sim_foreign_space(void); /* other processes' memory, as we see it */
bool gpm_sim_address_is_ours(uint64_t address);
void gpm_sim_device_uuid(int ordinal, char bytes[16]);
void gpm_sim_device_bus(int ordinal, char *text, size_t size);
int gpm_sim_device_by_bus(const char *text); /* -1: none */

/* attributes.c: value of an attribute by CUDA's number; both APIs number them alike */
int gpm_sim_attribute(int device, int attribute, int *value);

/* context.c */
struct gpm_sim_context {
  struct gpm_sim_object object;
  int device;
  bool primary;
  bool active;       /* primary: it exists */
  bool green;        /* its memory is the primary one's */
  bool in_use;       /* primary: the runtime API retains it */
  uint64_t retained; /* primary: cuDevicePrimaryCtxRetain not yet released */
  unsigned flags;
  int cache_config;
  uint64_t id;
  uint64_t peers;     /* devices whose memory it may access, one bit each */
  uint64_t limits[8]; /* cudaLimit, CUlimit */
  uint64_t charged;   /* bytes of its device: options context and limits */
};
/* Null: there is no such device, or it has no room for a context. */
struct gpm_sim_context *gpm_sim_context_create(int device, unsigned flags);
struct gpm_sim_context *gpm_sim_context_primary(int device); /* makes it active */
struct gpm_sim_context *gpm_sim_context_get(const void *handle);
void gpm_sim_context_destroy(struct gpm_sim_context *context);
/* One that shares the primary one's memory and retains it. */
struct gpm_sim_context *gpm_sim_context_green(int device);
int gpm_sim_context_limit(struct gpm_sim_context *context, int limit, uint64_t value);
int gpm_sim_context_push(struct gpm_sim_context *context);
void gpm_sim_context_set(struct gpm_sim_context *context); /* null: pops the current one */
struct gpm_sim_context *gpm_sim_context_current(void);     /* null: none */
/* What every call of the runtime API starts with: makes the primary context current if there is
 * none. Null: there is no device. */
struct gpm_sim_context *gpm_sim_context_ensure(void);
int gpm_sim_current_device(void);
/* The driver API answers only after cuInit; the runtime API does that by itself. */
void gpm_sim_initialize(void);
bool gpm_sim_initialized(void);

/* copy.c: boxes of bytes between any two addresses */
struct gpm_sim_box {
  uint64_t to, to_pitch, to_slice; /* distance of rows, of slices */
  uint64_t from, from_pitch, from_slice;
  uint64_t width, height, depth; /* bytes, rows, slices */
};
int gpm_sim_copy(const struct gpm_sim_box *box);
int gpm_sim_copy_linear(uint64_t to, uint64_t from, uint64_t size);
/* Fills with a pattern of 1, 2 or 4 bytes; uses to, to_pitch, to_slice, width, height, depth. */
int gpm_sim_fill(const struct gpm_sim_box *box, uint32_t pattern, unsigned pattern_size);
/* Whether a device could reach the address: memory of ours, registered, or what a graph will have.
 */
bool gpm_sim_device_reaches(uint64_t address);
/* The bytes behind an address, and how many of them follow; null: not accessible. */
void *gpm_sim_bytes(uint64_t address, uint64_t *available);

/* errors.c */
const char *gpm_sim_error_name(int error, bool runtime); /* null: unknown */
const char *gpm_sim_error_text(int error, bool runtime);

#include "memory/memory.h"
#include "memory/share.h"
#include "work/work.h"

#endif /* GPUMEMPROF_SIM_SIM_H */
