/* base.h - what every room of the simulated device builds on: error numbers, options, the lock,
 * trees of ranges, handles. Each section names the file that defines it.
 *
 *   libcuda.so.1       base/ ◄── device/ ◄── memory/ ◄── arrays/, work/ ◄── driver_api/
 *   libcudart.so.13    runtime_api/, which calls all of them
 *
 * The rooms below the two APIs know devices, memory, handles and copies; they answer with error
 * numbers, which both APIs share. Device memory has two addresses: the one the program sees is
 * reserved and never accessible, so that a host access to it faults, as with a real device; its
 * bytes are in a backing mapping that only copies and fills reach. One lock guards everything;
 * functions take it themselves, and it is recursive.
 */
#ifndef GPUMEMPROF_SIM_BASE_H
#define GPUMEMPROF_SIM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPM_SIM_MAX_DEVICES 64
#define GPM_SIM_MAX_CONTEXTS 32 /* depth of a thread's context stack */
#define GPM_SIM_ALIGNMENT 512   /* every address and the pitch of rows are multiples of it */
#define GPM_SIM_POOL_GROWTH (UINT64_C(32) << 20)
#define GPM_SIM_VERSION 13000

/* Error numbers that the rooms below the two APIs answer with
 * (sim/include/gpumemprof_sim/errors.def has them all). */
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
/* Reports once per name that it is not simulated; returns GPM_SIM_NOT_SUPPORTED. */
int gpm_sim_unsupported(const char *name);
/* Reports once, if verbose, that kernels compute nothing. */
void gpm_sim_note_launch(void);

/* lock.c: the lock, and what belongs to a thread */
struct gpm_sim_context;
struct gpm_sim_thread {
  struct gpm_sim_context *stack[GPM_SIM_MAX_CONTEXTS];
  int depth;        /* depth of the stack, whose top is the current context */
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
/* Returns 0 if there is no room. */
uint64_t gpm_sim_extents_take(struct gpm_sim_tree *free_space, uint64_t size);
bool gpm_sim_extents_carve(struct gpm_sim_tree *free_space, uint64_t start, uint64_t size);
/* Returns the coalesced free range that now holds the given one. */
struct gpm_sim_range *gpm_sim_extents_give(struct gpm_sim_tree *free_space, uint64_t start,
                                           uint64_t size);
/* The same, but ranges are not joined across multiples of `unit`. */
struct gpm_sim_range *gpm_sim_extents_give_in(struct gpm_sim_tree *free_space, uint64_t start,
                                              uint64_t size, uint64_t unit);

/* object.c: handles. Each begins with this header and is known until it is destroyed. */
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
  struct gpm_sim_context *context; /* whose end destroys the object; may be null */
  void (*release)(void *object);   /* called at its end to free what the object owns; may be null */
};
void *gpm_sim_object_create(enum gpm_sim_type type, size_t size, struct gpm_sim_context *context);
void *gpm_sim_object_get(const void *handle, enum gpm_sim_type type); /* null: no such handle */
/* The first of that type at the address or later, in no useful order; null: none. */
void *gpm_sim_object_next(uint64_t address, enum gpm_sim_type type);
void gpm_sim_object_destroy(void *object);
void gpm_sim_object_destroy_all(struct gpm_sim_context *context);

/* errors.c */
const char *gpm_sim_error_name(int error, bool runtime); /* null: unknown */
const char *gpm_sim_error_text(int error, bool runtime);

#endif /* GPUMEMPROF_SIM_BASE_H */
