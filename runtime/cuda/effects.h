/* effects.h - the effects of lines of cuda_api.def other than allocating or freeing a block.
 *
 * cuda_hooks.c calls these functions where a line names them, in the thread that made the call,
 * after the call succeeded unless a comment says otherwise. Each section names the file that
 * implements it. They are cold, because the calls they belong to take microseconds.
 */
#ifndef GPM_EFFECTS_H
#define GPM_EFFECTS_H

#include "base/compiler.h"

#include "gpumemprof/capture.h"
#include "gpumemprof/cuda_arrays.h"
#include "gpumemprof/hooks.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct gpm_device;
struct gpm_node;
struct gpm_thread;

/* ---- cuda_hooks.c: events whose block has no address of its own ---------------------------------
 * Marks the calling thread busy and returns it; null when the event cannot be stored (which is
 * counted). Most effects begin with enter and end with leave. */
struct gpm_thread *gpm_event_enter(void);
void gpm_event_leave(struct gpm_thread *thread);
/* A free that may still fail: gpm_ledger_free_failed or gpm_event_freed follows. */
void gpm_event_free(struct gpm_thread *thread, uint64_t block);
/* The free succeeded: calls the program's hooks. By a thread outside of the runtime. */
void gpm_event_freed(uint64_t block);
/* Whether compiled code also calls the hooks that only notify (hooks.h). */
static inline bool gpm_event_observed(void) {
  return GPM_UNLIKELY(__atomic_load_n(&__gpumemprof_clock.observed, __ATOMIC_RELAXED));
}
/* By a busy thread. ordinal: of a GPU, or a special one such as GPUMEMPROF_HOST. */
void gpm_event_allocated(struct gpm_thread *thread, uint16_t kind, int ordinal, uint64_t block,
                         uint64_t bytes);
/* The site of the call under way, copied so that it stays valid. */
const struct gpumemprof_site *gpm_event_line(struct gpm_thread *thread);
/* A new key for a block without an address of its own (a handle that may be reused, a variable). */
uint64_t gpm_event_key(void);

/* The handle of the default stream in code compiled with one per thread. */
static inline gpm_stream gpm_own_default(gpm_stream stream) {
  return stream ? stream : (gpm_stream)(uintptr_t)2; /* CU_STREAM_PER_THREAD */
}
/* Host memory has one ordinal, whatever its NUMA node. */
static inline int gpm_ordinal_of(const struct gpm_location *location) {
  return location->type == GPM_ON_DEVICE ? location->id : GPUMEMPROF_HOST;
}

/* ---- oom.c: calls that were out of memory -------------------------------------------------------
 */
#define GPM_CURRENT_DEVICE INT_MAX
struct gpm_asked {   /* a failed request */
  uint64_t bytes;    /* 0: the call does not say */
  uint16_t kind;     /* or GPUMEMPROF_KIND_COUNT: not known */
  int ordinal;       /* or GPM_CURRENT_DEVICE: then that of the pool, else of the stream */
  gpm_pool pool;     /* or null */
  gpm_stream stream; /* its stream, whatever that is */
};

/* ---- stream_pools.c: pools of stream-ordered memory --------------------------------------------
 */
void gpm_pools_created(gpm_pool pool, const struct gpm_location *location);
void gpm_pools_imported(gpm_pool pool);
void gpm_pools_chosen(gpm_pool pool, int ordinal); /* for a device's allocations from now on */
void gpm_pools_changed(gpm_pool pool);             /* also called before its high marks are reset */
void gpm_pools_destroy(gpm_pool pool);             /* before the call */
void gpm_pools_destroyed(gpm_pool pool, int result);
struct gpm_device *gpm_pools_device(gpm_pool pool); /* null: not known */

/* ---- virtual_memory.c: cuMemCreate and what is mapped of it -------------------------------------
 */
void gpm_vmm_created(gpm_physical handle, uint64_t bytes, int ordinal);
void gpm_vmm_imported(gpm_physical handle);
void gpm_vmm_retained(gpm_physical handle, uint64_t address);
void gpm_vmm_mapped(uint64_t address, uint64_t bytes, gpm_physical handle);
void gpm_vmm_unmapped(uint64_t address, uint64_t bytes);
void gpm_vmm_release(gpm_physical handle); /* before the call */
void gpm_vmm_released(gpm_physical handle, int result);

/* ---- graphs.c: memory of graphs -----------------------------------------------------------------
 */
void gpm_graphs_capture_begins(void);
void gpm_graphs_capture_ends(gpm_stream stream); /* before the call */
/* Whether the stream is being captured, also if its capture was invalidated. */
bool gpm_graphs_is_captured(gpm_stream stream);
/* Whether the stream is being captured: then the call made a node and moved no memory. */
bool gpm_graphs_captured_alloc(gpm_stream stream, uint64_t address, uint64_t bytes);
bool gpm_graphs_captured_free(gpm_stream stream, uint64_t address); /* before the call */
bool gpm_graphs_captured_free_failed(gpm_stream stream, uint64_t address);
void gpm_graphs_allocates(gpm_graph graph, uint64_t address, uint64_t bytes,
                          const struct gpm_location *location);
void gpm_graphs_frees(gpm_graph graph, uint64_t address);
void gpm_graphs_child(gpm_graph graph, gpm_graph child);
void gpm_graphs_node(gpm_graph graph, const struct gpm_graph_node *node);
static inline uint64_t gpm_graphs_node_bytes(const struct gpm_graph_node *node) {
  return node && node->type == GPM_GRAPH_NODE_ALLOC ? node->alloc.bytes : 0;
}
static inline int gpm_graphs_node_ordinal(const struct gpm_graph_node *node) {
  return gpm_graphs_node_bytes(node) ? gpm_ordinal_of(&node->alloc.pool.location)
                                     : GPM_CURRENT_DEVICE;
}
void gpm_graphs_instantiated(gpm_exec exec, gpm_graph graph, uint64_t flags);
void gpm_graphs_launched(gpm_exec exec);
void gpm_graphs_destroy(uint64_t graph_or_exec); /* before the call */
/* The memory that CUDA keeps for graphs may have changed. */
void gpm_graphs_changed(void);

/* ---- imports.c: memory of other processes -------------------------------------------------------
 */
void gpm_imports_opened(uint64_t address); /* also when it is open already */
void gpm_imports_close(uint64_t address);  /* before the call */
void gpm_imports_closed(uint64_t address, int result);

/* ---- statics.c: variables of fat binaries -------------------------------------------------------
 */
void gpm_statics_unregistered(void **binary);

/* ---- found_functions.c: functions found by name -------------------------------------------------
 * Replaces what cuGetProcAddress gave by a function of the runtime. flags: CUDA's, 2 asks for the
 * forms of a per-thread default stream. */
void gpm_entries_found(const char *name, void **function, uint64_t flags);
struct gpm_found_function {
  const char *name;
  void *ours;          /* what the program gets */
  void *_Atomic *real; /* what that calls; null at first */
};

/* ---- in a forked child: nothing of the parent is known ----------------------------------------
 */
void gpm_vmm_forked(void);     /* virtual_memory.c */
void gpm_imports_forked(void); /* imports.c */
void gpm_graphs_forked(void);  /* graphs.c */
void gpm_statics_forked(void); /* statics.c */

/* ---- resets.c: what ends all at once ------------------------------------------------------------
 * Before the call: remembers what goes. */
void gpm_reset_current(void);
void gpm_reset_device(int ordinal);
void gpm_reset_context(gpm_context context);
/* After the call: if it succeeded, frees what was recorded before it. */
void gpm_reset_done(int result);
void gpm_reset_released(int ordinal, int result); /* does so only if the call ended the context */

#endif /* GPM_EFFECTS_H */
