/* runtime.h - the map of libgpumemprof: what each file owns and offers the others.
 *
 * Reading order: threads.c (a thread's record), fibers.c (a fiber's) > shadow_stack.c (frames,
 * activations) > call_tree.c (paths), cells.c (what each allocated) > ledger.c, entries.h (events,
 * peaks) > blocks.c, maxima.c (its two data structures) > capture.c (the file all records live in)
 * > cuda_hooks.c (where CUDA calls come in) > again.c, bias.h (how that is cheap) > contexts.c
 * (work handed to other threads) > budgets.c, guards.c, budget_words.c (what scopes may need) >
 * history.c (events one by one) > made_sites.c (places that no compiler described) > cupti.c,
 * native.c (what prebuilt libraries do), torch.c (what PyTorch asks for) > custom.c,
 * custom_pools.c, holes.c (the program's own allocators) > snapshot.c, measures.c, figures.c,
 * summary.c, baseline.c, schedule.c (what the program asks) > labels.c, nvtx.c (what it names),
 * nvtx_emit.c > observers.c, callbacks.c, thresholds.c, growth.c, alerts.c, marks.c (what it is
 * told), pause.c > operands.c (what sizes are computed from) > helper.h, monitor.c, triggers.c,
 * dump.c (what happens at a time) > oom.c, oom_text.c (out of memory) > words.c (messages) >
 * process.c, output.c (start, fork, end) > private_files.h, replace.h, disk_space.h (files that
 * leave the program's alone) > invariants.c (what test builds check).
 *
 * Locks stand in lock_ranks.def, in the order in which a thread may take them; a device's lock
 * (ledger.h) is free of charge while one thread is alone (bias.h). gpm_tree_lock protects sites,
 * nodes, cells and devices. What has to hold at all times is stated with GPM_ASSERT (invariants.h),
 * which test builds check.
 * The runtime is a guest: memory comes from mmap, errno is kept, nothing is ever printed but capped
 * one-line warnings, and on failure recording stops and the program goes on.
 */
#ifndef GPM_RUNTIME_H
#define GPM_RUNTIME_H

#include "gpumemprof/capture.h"
#include "gpumemprof/cuda_types.h"
#include "gpumemprof/hooks.h"

#include "base/lock.h"
#include "core/history.h"
#include "options/options.h"

#include <stdatomic.h>
#include <stdbool.h>

#define GPM_EXPORT __attribute__((visibility("default")))
#define GPM_COLD __attribute__((cold, noinline))
#define GPM_NOINLINE __attribute__((noinline))
#define GPM_INLINE inline __attribute__((always_inline))
#define GPM_FLATTEN __attribute__((flatten, noinline)) /* an event's path: everything inlined */
#define GPM_LIKELY(x) __builtin_expect(!!(x), 1)
#define GPM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define GPM_IE_TLS __attribute__((tls_model("initial-exec")))

struct edge; /* call_tree.c */
struct gpm_node;
struct gpm_cell;
struct gpm_device;
struct gpm_pair;
struct gpm_thread;
struct gpm_maxima; /* maxima.h */
struct gpm_label;  /* labels.c */

/* ---- process.c: start, stop, fork, end ------------------------------------------------------ */
/* From SEALING to SEALED: seal.c. */
enum gpm_state { GPM_UNSTARTED, GPM_STARTING, GPM_SEALING, GPM_SEALED, GPM_RECORDING, GPM_OFF };
/* A page that the kernel clears in a child: fork() runs handlers there, _Fork() and clone(2) run
 * none. A child that finds it cleared has begun anew before it writes to the parent's capture. */
struct gpm_own {
  _Atomic int state;        /* enum gpm_state */
  const bool *_Atomic bias; /* of the thread that has it (bias.h): where its `settled` is */
  char rest[4096 - 2 * sizeof(void *)];
};
_Static_assert(sizeof(struct gpm_own) == 4096, "a page, and nothing else in it");
extern struct gpm_own gpm_own;
GPM_COLD void gpm_process_start(void); /* idempotent; any thread; returns when recording or off */
GPM_COLD void
gpm_process_stop(const char *why); /* recording ends here, the capture stays; why: a sentence */
GPM_COLD void gpm_process_refresh(void); /* brings the capture's tick calibration up to date */
uint64_t gpm_process_resident(void);     /* bytes in memory (RSS); 0: cannot be told */
double gpm_process_tick_ns(void);        /* nanoseconds of one tick, while recording */
static inline bool gpm_recording(void) {
  int state = atomic_load_explicit(&gpm_own.state, memory_order_acquire);
  if (GPM_UNLIKELY(state < GPM_RECORDING)) {
    gpm_process_start();
    state = atomic_load_explicit(&gpm_own.state, memory_order_acquire);
  }
  return state == GPM_RECORDING;
}

/* ---- seal.c: the capture's checksums -----------------------------------------------------------
 */
void gpm_seal(void);       /* the program has ended: the capture gets its checksums */
void gpm_seal_break(void); /* an event comes all the same: they go first. With signals held */

/* ---- one_runtime.c: other copies of the runtime in the process ---------------------------------
 */
bool gpm_one_runtime_begin(void);           /* false, after a sentence: another one records */
void gpm_one_runtime_begun(bool recording); /* what came of it */

/* ---- output.c: which file ---------------------------------------------------------------------
 */
void gpm_output_anchor(void); /* a relative name means the folder the program was started in */
/* The capture's path. Then the file is to be described, and the lock given to gpm_output_chosen;
 * all of it within one gpm_private_files_run. */
int gpm_output_choose(char *path, size_t size, bool forked);
void gpm_output_chosen(int lock);
/* Of a capture: a process that runs writes it, or nobody can tell. */
bool gpm_output_in_use(const struct gpumemprof_capture_header *h);
uint64_t gpm_output_process_start(uint64_t pid); /* 0: it does not run */
void gpm_output_boot_id(char *text, size_t size);

/* ---- text.c: bounded formatting and messages without malloc or stdio ------------------------- */
size_t gpm_text_add(char *buffer, size_t size, size_t length, const char *text);
size_t gpm_text_add_number(char *buffer, size_t size, size_t length, uint64_t number);
size_t gpm_text_add_bytes(char *buffer, size_t size, size_t length,
                          uint64_t bytes); /* "350.00 MiB", as the tool prints it */
void gpm_text_start(void);                 /* notes what the standard error is */
void gpm_text_say(const char *first, ...) __attribute__((sentinel)); /* one line on stderr */
void gpm_text_read_file(const char *path, char *buffer,
                        size_t size); /* "" when it cannot be read */

/* ---- ticks.c: the cheap clock ------------------------------------------------------------------
 */
void gpm_ticks_start(void); /* once per program */
uint64_t gpm_ticks_monotonic_ns(void);
static inline uint64_t gpm_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return gpm_ticks_monotonic_ns();
#endif
}

/* ---- memory.c: private memory, from mmap, never given back ------------------------------------
 */
GPM_NOINLINE void *
gpm_memory_get(size_t bytes);       /* zeroed, 64-byte aligned; null when there is none */
void *gpm_memory_map(size_t bytes); /* zeroed pages of their own; null when there are none */
void *gpm_memory_try(size_t bytes); /* the same, and recording goes on without */
/* Pages far away from what else is mapped, so that more can follow behind them; of a file, or -1
 * and zeroed. MAP_FAILED: there are none, and errno says why. */
void *gpm_memory_apart(size_t bytes, uint64_t distance, int fd);
/* Pages exactly there, of the file from `offset` on. False: there are none, and errno says why;
 * EADDRINUSE: something else is there. */
bool gpm_memory_behind(void *at, size_t bytes, int fd, uint64_t offset);
void gpm_memory_unmap(void *p, size_t bytes);
/* Other pages for an array that is full: `used` bytes are copied and its `held` given back. Null:
 * there are none, and the array stays. */
void *gpm_memory_larger(void *array, size_t used, size_t held, size_t bytes);
void gpm_memory_forked(bool inside); /* in a forked child */

/* ---- capture.c: the file, its growth, its chunks -----------------------------------------------
 */
extern struct gpumemprof_capture_header *gpm_capture; /* null while there is none */
bool gpm_capture_open(const char *path, char *error, size_t error_size);
void gpm_capture_publish(void); /* its header is complete: readers may open it */
void gpm_capture_abandon(void); /* at start, when recording cannot begin: no file is left */
void gpm_capture_finish(void);  /* the program has ended; records stay mapped */
/* In a forked child: leaves the parent's file. `inside`: code that was interrupted may still write
 * where it was. */
void gpm_capture_forget(bool inside);
const char *gpm_capture_path(void);
/* A new chunk with room for `bytes` of payload; null (and recording stopped) when there is no room.
 */
GPM_COLD struct gpumemprof_chunk *gpm_capture_chunk(uint32_t type, uint32_t record_size,
                                                    uint32_t owner, uint64_t bytes);
/* Visits the chunks that were there when `end` was gpm_capture->used: the one at *at, or null. */
struct gpumemprof_chunk *gpm_capture_next(uint64_t *at, uint64_t end);
static inline uint64_t gpm_capture_used(void) {
  return __atomic_load_n(&gpm_capture->used, __ATOMIC_ACQUIRE);
}
static inline void gpm_capture_count(enum gpumemprof_counter counter) {
  if (gpm_capture) __atomic_fetch_add(&gpm_capture->counters[counter], 1, __ATOMIC_RELAXED);
}

/* An append-only table of fixed-size records. Callers serialise appends per table. */
struct gpm_table {
  uint32_t type;
  uint32_t record_size;
  uint32_t owner;
  uint32_t count; /* records published */
  struct gpumemprof_chunk *last;
};
/* Room for the next record (zeroed, not yet visible to readers); its number is table->count. */
void *gpm_table_next(struct gpm_table *table);
void gpm_table_publish(struct gpm_table *table);

/* ---- strings.c, sites.c: text and places, interned by content (under tree_lock) ------------- */
uint32_t gpm_strings_intern(const char *text); /* offset; 0 for null, "" or no room */
/* The text at an offset: the profiler's; null for 0. Any thread. */
const char *gpm_strings_text(uint32_t offset);
const char *gpm_strings_keep(uint32_t offset); /* a copy that stays, also in a forked child */
void gpm_strings_reset(void);                  /* in a forked child */
/* Site of a plugin or block site address; GPUMEMPROF_NONE when there is no room. */
uint32_t gpm_sites_intern(const void *site);
struct gpumemprof_capture_line *gpm_sites_line(uint32_t site); /* null for scopes */
const struct gpumemprof_capture_site *gpm_sites_record(uint32_t site);
uint32_t gpm_sites_line_count(void);
void gpm_sites_forget(const void *begin, const void *end);
void gpm_sites_reset(void);                            /* in a forked child */
extern const struct gpumemprof_site gpm_sites_unknown; /* stands for code that was not rebuilt */
static inline const char *gpm_sites_text(const int32_t *field) { /* of a site; null: none */
  return *field ? (const char *)field + *field : NULL;
}

/* ---- made_sites.c: sites of places that no compiler described ----------------------------------
 */
struct gpm_place { /* as struct gpumemprof_site; null: none. Borrowed, texts are copied */
  uint16_t kind, flags;
  uint32_t line;
  uint32_t column;
  const char *file, *function, *callee, *variable, *type, *size_expr, *source_line;
};
/* The site of a place: stays, and is the same for equal contents. Never null. Any thread. */
const struct gpumemprof_site *gpm_sites_make(const struct gpm_place *place);
/* The same for a site that may be unloaded. */
const struct gpumemprof_site *gpm_sites_copy(const struct gpumemprof_site *site);
/* Of a block; texts are copied, null: none. Null: no room. */
const struct gpumemprof_block_site *gpm_sites_make_block(const char *name, const char *file,
                                                         const char *function, uint32_t line);
/* Where such a block begins, as a call: the line of what happens in it when no function around it
 * was rebuilt. Null: it is not one of those. */
const struct gpumemprof_site *gpm_sites_block_line(const void *block);
void gpm_sites_made_forked(void);

/* ---- modules.c: registered objects -------------------------------------------------------------
 */
void gpm_modules_record_all(void); /* names every registered object in a new capture */
void gpm_modules_forked(void);
void gpm_modules_start(void); /* once per program */
/* Whether one of them has a site there. True where there is none: tests make sites of their own. */
bool gpm_modules_have_site(const void *site);
bool gpm_modules_hold(const void *site); /* in a table of one; the address may be anything */
/* Whether the object that holds the site takes the function of this hash for harmless. */
bool gpm_modules_assume(const void *site, uint32_t name);
/* The FUNCTION with this linkage name as its link, in the object of the call; null: none. */
const struct gpumemprof_site *gpm_modules_find_function(const struct gpumemprof_site *call,
                                                        const char *linkage_name);
/* The runtime's code stays when the library that holds it as an archive is closed: others call it.
 * By a thread that is not busy. */
void gpm_modules_stay(void);
bool gpm_modules_are_in(uintptr_t begin, uintptr_t end); /* one that registered */

/* ---- assumptions.c: functions that files were compiled to take for harmless, and are not --------
 */
struct gpm_suspect;
/* An object registered, or a capture begins; `all` are linked as in modules.c. Under its lock. */
void gpm_assumptions_compare(const struct gpumemprof_module *module,
                             const struct gpumemprof_module *all);
void gpm_assumptions_resolve(void); /* then: asks the loader whom a name means, so under no lock */
void gpm_assumptions_forget(const void *begin, const void *end); /* an object goes */
bool gpm_assumptions_any(void);
/* Memory moves on a new path below a call, in the scope `site`, whose record is `scope`. What is
 * left to be said, once the tree lock is released, or null. */
struct gpm_suspect *gpm_assumptions_moved(const struct gpm_node *call, uint32_t scope,
                                          const void *site);
/* Whether the object takes the function of this hash for harmless. */
bool gpm_assumptions_of(const struct gpumemprof_module *module, uint32_t name);
void gpm_assumptions_say(const struct gpm_suspect *suspect);

/* ---- what fork and a new capture start anew ----------------------------------------------------
 */
void gpm_vmm_forked(void);     /* virtual_memory.c */
void gpm_imports_forked(void); /* imports.c */
void gpm_graphs_forked(void);  /* graphs.c */
void gpm_statics_forked(void); /* statics.c */
void gpm_torch_forked(void);   /* torch_blocks.c */
void gpm_oom_forked(void);     /* oom.c */
void gpm_pools_start(void);    /* stream_pools.c */
void gpm_marks_start(void);    /* marks.c */
/* A device is seen for the first time. */
void gpm_statics_place(struct gpm_thread *thread, struct gpm_device *device);
/* Asks every pool of a device, and takes a sample where one changed. */
void gpm_pools_look(struct gpm_thread *thread, struct gpm_device *device);
/* Bytes of its pools, as they said when looked at last. */
void gpm_pools_sum(const struct gpm_device *device, uint64_t *used, uint64_t *reserved);
/* The same by the helper: no sample of the device itself, and nothing where it had to wait. */
void gpm_pools_poll(struct gpm_device *device);
/* Its pools that hold something, as they were when looked at last. */
void gpm_pools_each(const struct gpm_device *device,
                    void (*see)(uint32_t pool, uint64_t used, uint64_t reserved, void *data),
                    void *data);

#include "records/call_tree.h"

/* ---- blocks.c: live blocks by address
 * ------------------------------------------------------------ */
struct gpm_block {
  _Alignas(16) uint64_t bytes;
  uint64_t clock;                /* of the allocation; in one store with the word above */
  struct gpm_cell *_Atomic cell; /* null: no block here */
  uint64_t ticks; /* of the allocation; 0: not timed (see entries.h); the lowest bits: */
};
#define GPM_BLOCK_WATCHED ((uint64_t)1) /* no time: it holds pieces of custom.c */
#define GPM_BLOCK_PADDED ((uint64_t)2)  /* it has bytes that nobody asked for: padding.c */
#define GPM_BLOCK_GUARDED ((uint64_t)4) /* guards.c follows it */
#define GPM_BLOCK_FLAGS ((uint64_t)7)
/* The table the latest insertion of one thread went to: the next event is mostly near. */
struct gpm_near {
  uint64_t start; /* first address, not 0; UINT64_MAX: none */
  struct gpm_block *slots;
};
#define GPM_GRANULE_BITS 9
#define GPM_NEAR_SLOTS 4096u
/* Whether an address (not null) is near, and then its slot. */
static inline bool gpm_blocks_near(const struct gpm_near *near, uint64_t address,
                                   struct gpm_block **slot) {
  uint64_t distance = address - near->start;
  uint64_t i = distance >> GPM_GRANULE_BITS | distance << (64 - GPM_GRANULE_BITS);
  if (GPM_UNLIKELY(i >= GPM_NEAR_SLOTS)) return false;
  *slot = &near->slots[i];
  return true;
}
bool gpm_blocks_start(void);
/* For an insertion, whose table is near from then on; null: no memory. */
struct gpm_block *gpm_blocks_slot(struct gpm_near *near, uint64_t address);
/* Live block that starts there, or null. */
struct gpm_block *gpm_blocks_find(uint64_t address);
struct gpm_block *gpm_blocks_find_interior(uint64_t address, uint64_t *start); /* that holds it */
void gpm_blocks_each(void (*visit)(uint64_t address, struct gpm_block *block, void *data),
                     void *data);

/* ---- threads.c, fibers.c, shadow_stack.c, contexts.c: what a thread has -------------------------
 */
#include "threads/threads.h"

/* ---- again.c: events that bring nothing new, of a thread alone. False: nothing was done. --------
 */
/* device: null where there is but one, else the one that was asked for. */
bool gpm_again_allocated(struct gpm_thread *thread, const struct gpm_device *device, uint16_t kind,
                         uint64_t address, uint64_t bytes);
bool gpm_again_freed(struct gpm_thread *thread, uint64_t address);

/* ---- ledger.c: events (ledger.h: how a device's ledger looks) ----------------------------------
 * The thread is busy; alone: by gpm_bias_enter (bias.h). */
void gpm_ledger_allocated(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                          uint16_t kind, uint64_t address, uint64_t bytes, uint64_t requested);
/* The line that an event now is charged to, or null. */
struct gpm_node *gpm_ledger_line(struct gpm_thread *thread);
/* The line it is charged to, or null. */
struct gpm_node *gpm_ledger_failed(struct gpm_thread *thread, uint64_t requested,
                                   bool out_of_memory);
/* Before the call; an unknown address is counted. */
void gpm_ledger_free(struct gpm_thread *thread, bool alone, uint64_t address);
/* The call failed: takes thread->pending back. */
void gpm_ledger_free_failed(struct gpm_thread *thread, bool alone, int result);
/* A block that no call allocated, and its end: no scope counts it, the end is the root's. */
void gpm_ledger_placed(struct gpm_thread *thread, struct gpm_cell *cell, uint64_t address,
                       uint64_t bytes);
void gpm_ledger_unplaced(struct gpm_thread *thread, uint64_t address);

/* The same for pieces of custom.c, whose blocks are its own; `key` stands for the address. False:
 * no room, and recording has stopped. A piece's free cannot fail. */
bool gpm_ledger_piece_allocated(struct gpm_thread *thread, bool alone, struct gpm_device *device,
                                struct gpm_block *block, uint64_t key, uint64_t bytes);
void gpm_ledger_piece_freed(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                            uint64_t key);
void gpm_ledger_piece_replaced(struct gpm_thread *thread, bool alone, struct gpm_block *block,
                               uint64_t key);
/* Its free is to be told to gpm_custom_segment_freed. */
void gpm_ledger_watch(struct gpm_thread *thread, bool alone, struct gpm_block *block);

/* ---- custom.c, custom_pools.c: the program's own allocators ------------------------------------
 */
bool gpm_custom_start(void); /* also in a forked child */
void gpm_custom_forked(void);
/* Pieces in that memory end with it. The thread is busy, and holds no lock. */
GPM_COLD void gpm_custom_segment_freed(struct gpm_thread *thread, bool alone, uint64_t address);

/* ---- devices.c: the ledgers
 * ---------------------------------------------------------------------- */
bool gpm_ledger_start(void);
void gpm_ledger_forked(void); /* in a forked child: nobody holds a lock */
struct gpm_device *
gpm_ledger_device(int ordinal); /* GPUMEMPROF_HOST or CUDA ordinal; null: no room */
struct gpm_device *gpm_ledger_known_device(int ordinal); /* null: nothing was allocated there */
unsigned gpm_ledger_device_count(void);                  /* host included */
struct gpm_device *gpm_ledger_device_at(unsigned index);
/* The highest total of any one CUDA device since the clock. The caller has no lock. */
GPM_NOINLINE uint64_t gpm_ledger_peak_since(struct gpm_thread *thread, bool alone, uint64_t clock);
/* An activation ended: its figures go into its node. wall_ticks counts if it was profiled. */
void gpm_ledger_scope_ended(struct gpm_thread *thread, bool alone,
                            struct gpumemprof_capture_node *node,
                            const struct gpumemprof_capture_activation *activation,
                            uint64_t wall_ticks);

/* ---- cuda_query.c: the current device, its name and size ----------------------------------------
 */
extern _Atomic bool gpm_cuda_one_device; /* known to be the only one */
int gpm_cuda_ask_device(void);
static inline int gpm_cuda_current_device(void) {
  return GPM_LIKELY(atomic_load_explicit(&gpm_cuda_one_device, memory_order_relaxed))
             ? 0
             : gpm_cuda_ask_device();
}
/* Of an allocation of kind POOL: its pool's, which need not be the current one. */
int gpm_cuda_ask_pointer(uint64_t address);
/* Not 0: a stream is being captured (how many are), or pools of the host were seen. */
extern _Atomic unsigned gpm_pool_calls_differ;
#define GPM_HOST_POOLS (1u << 31)
static inline bool gpm_cuda_pools_are_simple(void) { /* all of device 0 */
  return atomic_load_explicit(&gpm_cuda_one_device, memory_order_relaxed) &&
         !(atomic_load_explicit(&gpm_pool_calls_differ, memory_order_relaxed) & GPM_HOST_POOLS);
}
static inline int gpm_cuda_pool_device(uint64_t address) {
  return GPM_LIKELY(gpm_cuda_pools_are_simple()) ? 0 : gpm_cuda_ask_pointer(address);
}
/* The current context's device and its free bytes; false where there is no context. */
bool gpm_cuda_free_memory(int *ordinal, uint64_t *bytes);
void gpm_cuda_describe(int ordinal, struct gpumemprof_capture_device *record);
bool gpm_cuda_uuid(int ordinal, uint8_t uuid[16]); /* false, and all 0, where it is not told */
int gpm_cuda_current_or(int fallback); /* where none is current; by a thread that is not busy */
int gpm_cuda_count_devices(
    void); /* by a thread that is not busy; may start the driver; -1: no answer */

/* ---- device_names.c: devices as programs name them ---------------------------------------------
 * By a thread that is not busy. */
bool gpm_device_exists(int ordinal);
void gpm_device_names_say(const char *call,
                          int ordinal); /* that there is none, and which there are */

/* ---- cupti.c, native.c: what code that was not rebuilt allocates (cupti=on) ---------------------
 */
void gpm_cupti_start(void);  /* once; by a thread that is not busy */
void gpm_native_start(void); /* loads what walks the stack; by a thread that is not busy */
void gpm_native_begin(void); /* the option stacks=native; once, by a thread that is not busy */
/* verify=paths, once for each thread that begins; by a thread that is not busy. */
void gpm_native_verify_begin(void);
/* The machine stack as capture.h has it in `machine_stack`, or null. Under gpm_tree_lock. */
const char *gpm_native_machine_stack(void);
extern _Atomic bool gpm_native_whole;
static inline bool gpm_native_is_whole(void) {
  return atomic_load_explicit(&gpm_native_whole, memory_order_relaxed);
}
/* Who called CUDA on this thread, outside CUDA's libraries and the runtime: at least one. */
/* Pushes a frame for each; the outermost, which ends them. They live as long as the function that
 * calls this. */
struct gpumemprof_frame *gpm_native_push_at(struct gpm_thread *thread, uintptr_t machine_stack);
static GPM_INLINE struct gpumemprof_frame *gpm_native_push(struct gpm_thread *thread) {
  return gpm_native_push_at(thread, gpm_thread_machine_stack());
}
void gpm_native_forked(void);

/* ---- unaccounted.c: free memory around calls into libraries (unaccounted=calls) -----------------
 */
void gpm_unaccounted_forked(void);
void gpm_unaccounted_reset(void); /* what was sampled so far is forgotten */
void gpm_unaccounted_end(void);   /* says if nothing was sampled */

#endif /* GPM_RUNTIME_H */
