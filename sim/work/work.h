/* work.h - the second half of the map: what programs let a device do. Arrays, streams, events,
 * graphs, and code that is accepted and never run. Included by sim.h.
 */
#ifndef GPUMEMPROF_SIM_WORK_H
#define GPUMEMPROF_SIM_WORK_H

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
  struct gpm_sim_tile *tiles;  /* the same: memory mapped to it */
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
/* The store becomes that of the tile; null: none any more. */
int gpm_sim_tiles_set(struct gpm_sim_tile **tiles, const struct gpm_sim_tile_key *key,
                      struct gpm_sim_store *store);
void gpm_sim_tiles_clear(struct gpm_sim_tile **tiles);
void gpm_sim_array_show(struct gpm_sim_array *array, bool shown); /* whether copies reach it */
int gpm_sim_array_requirements(const struct gpm_sim_array *array, int device, uint64_t *size,
                               uint64_t *alignment);
int gpm_sim_mipmap_requirements(const struct gpm_sim_mipmap *mipmap, int device, uint64_t *size,
                                uint64_t *alignment);
int gpm_sim_array_sparse(const struct gpm_sim_array *array, struct gpm_sim_sparse *sparse);
int gpm_sim_mipmap_sparse(const struct gpm_sim_mipmap *mipmap, struct gpm_sim_sparse *sparse);

/* stream.c: everything runs at once, so a stream is a name and a place to capture from */
struct gpm_sim_graph;
struct gpm_sim_stream {
  struct gpm_sim_object object;
  unsigned flags;
  int priority;
  uint64_t id;
  struct gpm_sim_graph *capture; /* null: not capturing */
  uint64_t capture_id;           /* 0: it only joined the capture of another stream */
  int capture_mode;              /* enum cudaStreamCaptureMode */
};
/* Resolves a handle, the default ones included; null: no such stream. */
struct gpm_sim_stream *gpm_sim_stream_get(const void *handle);
int gpm_sim_stream_device(const void *handle); /* of a default one: the current device */
struct gpm_sim_stream *gpm_sim_stream_create(unsigned flags, int priority);
struct gpm_sim_event {
  struct gpm_sim_object object;
  unsigned flags;
  bool recorded;
  uint64_t time_ns;
  struct gpm_sim_graph *capture; /* recorded while its stream captured into it */
};
struct gpm_sim_event *gpm_sim_event_create(unsigned flags);
int gpm_sim_event_record(void *event, void *stream);
int gpm_sim_event_wait(void *stream, void *event);
int gpm_sim_event_elapsed(float *milliseconds, const void *start, const void *end);

/* Starts and ends capture; the graph that end gives belongs to the caller. */
int gpm_sim_capture_begin(void *stream, int mode);
int gpm_sim_capture_end(void *stream, struct gpm_sim_graph **graph);
/* For calls that may wait for the device, as cudaMalloc: an error while a capture forbids them,
 * which spoils that capture. */
int gpm_sim_capture_check(void);
int gpm_sim_synchronize(void *stream); /* error while it captures; else pools give back */

/* graph.c: a list of operations, run in the order they were added (cudaGraphAddDependencies does
 * not reorder them) */
enum gpm_sim_operation {
  GPM_SIM_OP_KERNEL, /* numbers of enum cudaGraphNodeType */
  GPM_SIM_OP_COPY,
  GPM_SIM_OP_FILL,
  GPM_SIM_OP_HOST,
  GPM_SIM_OP_GRAPH,
  GPM_SIM_OP_EMPTY,
  GPM_SIM_OP_WAIT,
  GPM_SIM_OP_RECORD,
  GPM_SIM_OP_ALLOCATE = 10,
  GPM_SIM_OP_FREE = 11
};
struct gpm_sim_node {
  struct gpm_sim_object object;
  enum gpm_sim_operation operation;
  struct gpm_sim_node *next;
  struct gpm_sim_node *origin; /* in a clone: the node it was cloned from */
  struct gpm_sim_graph *graph;
  struct gpm_sim_node *after; /* the first dependency; null: a root */
  struct gpm_sim_box box;     /* COPY, FILL; ALLOCATE, FREE: to and width */
  uint32_t pattern;
  unsigned pattern_size;
  void (*host)(void *data);
  void *data;                  /* HOST; RECORD: the event; KERNEL: the function */
  struct gpm_sim_graph *child; /* GRAPH: owned */
  struct gpm_sim_heap *heap;   /* ALLOCATE: that of its graph */
  unsigned launch[8];          /* KERNEL: grid, block, shared memory */
};
struct gpm_sim_graph {
  struct gpm_sim_object object;
  struct gpm_sim_node *first, *last;
  uint64_t flags;
  bool spoiled; /* a forbidden call was made during its capture */
};
struct gpm_sim_graph *gpm_sim_graph_create(enum gpm_sim_type type); /* GRAPH or EXEC */
struct gpm_sim_graph *gpm_sim_graph_clone(const struct gpm_sim_graph *graph,
                                          enum gpm_sim_type type);
struct gpm_sim_node *gpm_sim_graph_add(struct gpm_sim_graph *graph, enum gpm_sim_operation op);
void gpm_sim_graph_remove(struct gpm_sim_node *node);
/* Adds after the given nodes; all are handles of the program, which may be wrong. */
int gpm_sim_graph_insert(void *graph, const void *const *after, uint64_t count,
                         enum gpm_sim_operation op, struct gpm_sim_node **node);
int gpm_sim_graph_insert_free(void *graph, const void *const *after, uint64_t count,
                              uint64_t address, struct gpm_sim_node **node);
int gpm_sim_graph_run(struct gpm_sim_graph *graph);
/* Runs the operation now, or adds it to the graph the stream captures into. */
int gpm_sim_submit(void *stream, const struct gpm_sim_node *operation);
int gpm_sim_submit_box(void *stream, const struct gpm_sim_box *box);
/* Stream-ordered allocation and free, now or in a graph. */
int gpm_sim_submit_allocate(void *stream, struct gpm_sim_pool *pool, uint64_t size,
                            uint64_t *address);
int gpm_sim_submit_free(void *stream, uint64_t address);

/* exec.c: executable graphs */
bool gpm_sim_graph_has_memory(const struct gpm_sim_graph *graph);
int gpm_sim_graph_copy(const struct gpm_sim_graph *graph, struct gpm_sim_graph **copy);
int gpm_sim_graph_instantiate(const struct gpm_sim_graph *graph, uint64_t flags,
                              struct gpm_sim_graph **exec);
int gpm_sim_graph_upload(const struct gpm_sim_graph *exec, const void *stream);
int gpm_sim_graph_launch(struct gpm_sim_graph *exec, void *stream);
int gpm_sim_graph_update(struct gpm_sim_graph *exec, const struct gpm_sim_graph *graph, int *status,
                         struct gpm_sim_node **wrong);

/* graph_memory.c: the memory of allocation nodes; a heap is that of one graph on one device */
struct gpm_sim_heap;
int gpm_sim_heap_allocate(struct gpm_sim_graph *graph, int device, uint64_t size,
                          struct gpm_sim_node **node);
/* Before the node is added, after others of the graph (dependent) or none. */
int gpm_sim_heap_free_node(struct gpm_sim_graph *graph, uint64_t address, bool dependent);
void gpm_sim_heap_join(struct gpm_sim_heap *heap, bool exec); /* one more node */
void gpm_sim_heap_leave(struct gpm_sim_heap *heap, bool exec);
bool gpm_sim_heap_has(uint64_t address); /* some graph's, live or not */
bool gpm_sim_heap_has_exec(const struct gpm_sim_heap *heap);
int gpm_sim_heap_device(const struct gpm_sim_heap *heap);
int gpm_sim_heap_map(struct gpm_sim_heap *heap);          /* takes the memory */
int gpm_sim_heap_start(const struct gpm_sim_node *node);  /* the allocation is live */
void gpm_sim_heap_end(const struct gpm_sim_block *block); /* and no more */
int gpm_sim_graph_memory_trim(int device);
int gpm_sim_graph_memory_get(int device, int attribute, uint64_t *value);
int gpm_sim_graph_memory_set(int device, int attribute, const uint64_t *value);

/* module.c: code the program loads, accepted unread: kernels and variables exist once asked for */
struct gpm_sim_function;
struct gpm_sim_module {
  struct gpm_sim_object object;
  struct gpm_sim_function *functions;
  struct gpm_sim_global *globals;
};
struct gpm_sim_module *gpm_sim_module_create(void);
int gpm_sim_module_open(const char *file, struct gpm_sim_module **module);
struct gpm_sim_function *gpm_sim_module_function(struct gpm_sim_module *module, const char *name);
int gpm_sim_module_global(struct gpm_sim_module *module, const char *name, uint64_t *address,
                          uint64_t *size);

/* function.c: kernels by name; they compute nothing */
struct gpm_sim_function {
  struct gpm_sim_object object;
  char *name;
  void *module; /* null: registered by the program itself */
  struct gpm_sim_function *next;
  int attributes[16]; /* set by the program, CUfunction_attribute */
};
struct gpm_sim_function *gpm_sim_function_create(const char *name, void *module);
int gpm_sim_launch(void *stream, void *function, const unsigned grid[3], const unsigned block[3],
                   uint64_t shared);
int gpm_sim_occupancy(int block_size, uint64_t shared); /* blocks per multiprocessor */
uint64_t gpm_sim_shared_per_block(int blocks);          /* with so many on a multiprocessor */
#define GPM_SIM_CLUSTER_SIZE 8                          /* the largest portable one */
#define GPM_SIM_CLUSTERS 16                             /* of that size, on 132 multiprocessors */

#endif /* GPUMEMPROF_SIM_WORK_H */
