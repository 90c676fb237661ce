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
  unsigned flags;
  bool is_level; /* owned by a mipmap */
};
int gpm_sim_array_create(const int channels[4], int format, uint64_t width, uint64_t height,
                         uint64_t depth, unsigned flags, struct gpm_sim_array **array);
void gpm_sim_array_destroy(struct gpm_sim_array *array);
/* Address, pitch and slice of the array's byte (x, y, z). */
uint64_t gpm_sim_array_at(const struct gpm_sim_array *array, uint64_t x, uint64_t y, uint64_t z,
                          uint64_t *pitch, uint64_t *slice);

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
  void *data;                    /* HOST; RECORD: the event; KERNEL: the function */
  struct gpm_sim_graph *child;   /* GRAPH: owned */
  struct gpm_sim_memory *memory; /* ALLOCATE: shared by the node's copies */
  unsigned launch[8];            /* KERNEL: grid, block, shared memory */
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
int gpm_sim_graph_run(struct gpm_sim_graph *graph);
/* Runs the operation now, or adds it to the graph the stream captures into. */
int gpm_sim_submit(void *stream, const struct gpm_sim_node *operation);
int gpm_sim_submit_box(void *stream, const struct gpm_sim_box *box);
/* Stream-ordered allocation and free, now or in a graph. Memory of a graph is there from the making
 * of its node until the last copy of that node is gone. */
int gpm_sim_submit_allocate(void *stream, struct gpm_sim_pool *pool, uint64_t size,
                            uint64_t *address);
int gpm_sim_submit_free(void *stream, uint64_t address);
int gpm_sim_graph_allocate(struct gpm_sim_graph *graph, struct gpm_sim_pool *pool, uint64_t size,
                           struct gpm_sim_node **node);

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
