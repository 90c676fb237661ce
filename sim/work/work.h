/* work.h - what programs let a device do: graphs and their memory, capture, and code that is
 * accepted and never run.
 */
#ifndef GPUMEMPROF_SIM_WORK_H
#define GPUMEMPROF_SIM_WORK_H

#include "base/object.h"
#include "memory/memory.h"

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
  void **arguments;            /* KERNEL: while its launch is under way; not in a graph */
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

/* capture.c */
/* Starts and ends capture; the graph that end gives belongs to the caller. */
int gpm_sim_capture_begin(void *stream, int mode);
int gpm_sim_capture_end(void *stream, struct gpm_sim_graph **graph);
int gpm_sim_synchronize(void *stream); /* error while it captures; else pools give back */

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
bool gpm_sim_heap_has(uint64_t address); /* of any graph, live or not */
/* Whether a device could reach the address: memory of ours, registered, or what a graph will have.
 */
bool gpm_sim_device_reaches(uint64_t address);
bool gpm_sim_heap_has_exec(const struct gpm_sim_heap *heap);
int gpm_sim_heap_device(const struct gpm_sim_heap *heap);
int gpm_sim_heap_map(struct gpm_sim_heap *heap);         /* takes memory for its addresses */
int gpm_sim_heap_start(const struct gpm_sim_node *node); /* the allocation is live */
int gpm_sim_graph_memory_trim(int device);
int gpm_sim_graph_memory_get(int device, int attribute, uint64_t *value);
int gpm_sim_graph_memory_set(int device, int attribute, const uint64_t *value);

/* module.c: code that the program loads; it is not read, so any kernel or variable exists */
struct gpm_sim_function;
struct gpm_sim_module {
  struct gpm_sim_object object;
  struct gpm_sim_function *functions;
  struct gpm_sim_global *globals;
  bool of_program; /* its variables are those of the host's kernels */
};
struct gpm_sim_module *gpm_sim_module_create(void);
/* That of the kernels that the program registers; null: no memory. */
struct gpm_sim_module *gpm_sim_module_of_program(void);
int gpm_sim_module_open(const char *file, struct gpm_sim_module **module);
struct gpm_sim_function *gpm_sim_module_function(struct gpm_sim_module *module, const char *name);
int gpm_sim_module_global(struct gpm_sim_module *module, const char *name, uint64_t *address,
                          uint64_t *size);

/* host_kernels.c: kernels that the host runs (option kernels=) */
/* False: the library does not have it, or there is none. */
bool gpm_sim_host_kernel_run(const char *name, void **arguments, const unsigned grid[3],
                             const unsigned block[3]);
bool gpm_sim_host_kernel_variable(const char *name, uint64_t *address, uint64_t *size);

/* function.c: kernels by name; they compute nothing, but for those that the host runs */
struct gpm_sim_function {
  struct gpm_sim_object object;
  char *name;
  void *module; /* null: registered by the program itself */
  struct gpm_sim_function *next;
  int attributes[16]; /* set by the program, CUfunction_attribute */
};
struct gpm_sim_function *gpm_sim_function_create(const char *name, void *module);
/* Whether a device could run such a grid. */
bool gpm_sim_launch_fits(const unsigned grid[3], const unsigned block[3]);
/* arguments: the addresses of its parameters, or null where they are not known. */
int gpm_sim_launch(void *stream, void *function, const unsigned grid[3], const unsigned block[3],
                   uint64_t shared, void **arguments);
int gpm_sim_occupancy(int block_size, uint64_t shared); /* blocks per multiprocessor */
/* The shared memory that a block may have if so many run on a multiprocessor. */
uint64_t gpm_sim_shared_per_block(int blocks);
#define GPM_SIM_CLUSTER_SIZE 8 /* the largest portable one */
/* How many of that size fit on 132 multiprocessors. */
#define GPM_SIM_CLUSTERS 16

#endif /* GPUMEMPROF_SIM_WORK_H */
