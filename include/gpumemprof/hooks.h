/* hooks.h - what compiled code and the runtime agree on.
 *
 * The plugin emits code against this file and the runtime implements it; nobody else includes it
 * but gpumemprof.h's block scopes, the tests, and the tools, which read the kinds and flags of
 * sites in captures (capture.h). Every layout is asserted here, and the version is part of the
 * registering symbol's name: an object built for another layout does not link.
 *
 *   thread's shadow stack          one frame per instrumented activation, 96 bytes
 *   +--------+--------+--------+ - - - - +------+
 *   | main   | step   | make   |  free   | sink |
 *   +--------+--------+--------+ - - - - +------+
 *                              ^top      ^limit
 *
 * Code the plugin emits (all inline but the two cold calls):
 *   enter   f = top; if (f >= limit) f = __gpumemprof_frame_slow();
 *           f->scope = &SCOPE; f->entry_clock = __gpumemprof_clock.events; f->stack = SP;
 *           top = f + 1;
 *   call    f->call = &SITE;                       before every call that may allocate or free
 *           f->operand[0] = n; f->operand[1] = m;  ... of size n * m * sizeof(float)
 *   exit    top = f;  if (f->active) {              see ended_frames.c in runtime/
 *             if (f->entry_clock != -__gpumemprof_clock.events) __gpumemprof_scope_exit(f);
 *             else f->active = f->node = 0;
 *           }
 *   catch   __gpumemprof_unwind(f);                after each landing pad and returns-twice call;
 *           __gpumemprof_unwind_within(f, t);      t: top when the function last opened or closed
 *                                                  a block before it, where it does
 *   back    if (f->active) __gpumemprof_call_ended(f);  after a call of a SPANS site, also after
 *                                                       a landing pad of a function that has one
 *
 * An uninitialised thread has top == limit == 0 and takes the slow path; a full stack hands out the
 * sink, again and again: what happens below is charged to the deepest recorded frame and counted.
 */
#ifndef GPUMEMPROF_HOOKS_H
#define GPUMEMPROF_HOOKS_H

#include "gpumemprof/kernels.h"
#include "gpumemprof/pages.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define GPUMEMPROF_STATIC_ASSERT(cond, text) static_assert(cond, text)
#define GPUMEMPROF_THREAD_LOCAL thread_local
#else
#define GPUMEMPROF_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#define GPUMEMPROF_THREAD_LOCAL _Thread_local
#endif

#define GPUMEMPROF_ABI_VERSION 5

/* Kinds of gpumemprof_site. */
enum gpumemprof_site_kind {
  GPUMEMPROF_SITE_FUNCTION = 1, /* a scope: an instrumented function; line is its first line */
  GPUMEMPROF_SITE_BLOCK = 2,  /* a scope: a GPUMEMPROF_SCOPE block (struct gpumemprof_block_site) */
  GPUMEMPROF_SITE_CALL = 3,   /* a call in user code that may allocate or free */
  GPUMEMPROF_SITE_NATIVE = 5, /* made by the runtime: an address in code that was not rebuilt */
  GPUMEMPROF_SITE_USE = 6     /* a call that uses memory, or launches a kernel (kernels.h) */
};

/* Flags of gpumemprof_site. */
#define GPUMEMPROF_SITE_PROFILED 1u /* annotated: counts every call and its wall time */
#define GPUMEMPROF_SITE_ALLOCATES                                                                  \
  2u /* the call is an allocation in the source: has size_expr etc. */
/* A scope made by the runtime (made_sites.c): its calls may be of any function. */
#define GPUMEMPROF_SITE_MADE 4u

#define GPUMEMPROF_SITE_ALLOCATOR 8u /* the scope is a function marked GPUMEMPROF_FREES */

/* Budgets of a scope (docs/ACCOUNTING.md). The size of the first, as written ("512MiB", sizes.h),
 * is in a FUNCTION's size_expr and in a BLOCK's budget. */
#define GPUMEMPROF_SITE_BUDGET 16u
#define GPUMEMPROF_SITE_NO_ALLOC 32u
#define GPUMEMPROF_SITE_NO_LEAK 64u
#define GPUMEMPROF_SITE_BUDGETS                                                                    \
  (GPUMEMPROF_SITE_BUDGET | GPUMEMPROF_SITE_NO_ALLOC | GPUMEMPROF_SITE_NO_LEAK)

/* CALL: `link` leads to the FUNCTION that is called, whose frame must be right above. */
#define GPUMEMPROF_SITE_ENTERS 128u

/* CALL: the callee has no frame of its own and may move memory several times before it returns.
 * Code calls __gpumemprof_call_ended behind the call, so the call is an activation of its line. */
#define GPUMEMPROF_SITE_SPANS 256u

/* CALL: of a CUDA function that allocates or frees and runs no function of the program. */
#define GPUMEMPROF_SITE_CUDA 512u

/* CALL: the function that makes it is a wrapper of this allocation. The size comes from its
 * parameters, and the pointer leaves as its result, through one pointer that it was given, or as
 * one member of its object. */
#define GPUMEMPROF_SITE_FOR_CALLER 1024u
/* With FOR_CALLER: the pointer is in the object that the function is given first. Then a call that
 * does not name its callee, as of a virtual method, is not the one that decided on the size. */
#define GPUMEMPROF_SITE_FOR_OBJECT 2048u
/* CALL without a callee: no number is passed, so it has not decided on any size. */
#define GPUMEMPROF_SITE_NO_NUMBERS 4096u

/* CALL: it allocates managed memory that the host cannot reach: the pointer only goes to kernels
 * and to functions of CUDA that would do the same with memory of cudaMalloc. */
#define GPUMEMPROF_SITE_DEVICES_ONLY 8192u

/* CALL and USE: of several calls, such as those of one macro, or those of one line where the
 * columns are not known. USE: size_expr is how many. */
#define GPUMEMPROF_SITE_SEVERAL 16384u

/* FUNCTION: of code that was not rebuilt. The runtime found it on the machine stack, knows it by
 * its address, and has seen of its calls only those during which memory moved (capture.h). */
#define GPUMEMPROF_SITE_AT_ADDRESS 32768u

/* A location in the source: a constant that the plugin puts into the section "gpumemprof_sites" and
 * that is found by its address alone. Strings and links are self-relative, so that the table needs
 * no relocation at start-up: the target of field x is (char *)&site->x + site->x; 0 means none. */
struct gpumemprof_site {
  uint16_t kind;    /* enum gpumemprof_site_kind */
  uint16_t flags;   /* GPUMEMPROF_SITE_* */
  uint32_t line;    /* 1-based; 0 when the compiler merged it away */
  uint32_t column;  /* 1-based; 0 when unknown (code re-printed by nvcc) */
  int32_t file;     /* absolute path */
  int32_t function; /* enclosing user function, qualified, with template arguments, no parameters */
  int32_t callee;   /* CALL: what is called (same form), none for an indirect call */
  int32_t variable; /* CALL|ALLOCATES: what receives the pointer, as written: "d_grid", "s->buf" */
  int32_t type;     /* CALL|ALLOCATES: element type: "float" */
  int32_t size_expr;   /* CALL|ALLOCATES: the size as written: "n * m * sizeof(float)";
                        * FUNCTION|BUDGET: the budget */
  int32_t link;        /* FUNCTION that other files can call, and whose frame is there as long as
                        * anything that it called runs: its linkage name. CALL|ENTERS: see there.
                        * Other CALL: linkage name of the function of another file that is called.
                        * Else, and in older objects, none */
  int32_t source_line; /* text of the source line, trimmed; none with source-text=off */
  int32_t operands;    /* CALL: struct gpumemprof_operands of the size, or none */
};
GPUMEMPROF_STATIC_ASSERT(sizeof(struct gpumemprof_site) == 48, "site layout");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_site, file) == 12, "site layout");

/* The site of a GPUMEMPROF_SCOPE block: any C or C++ compiler can emit it, so it holds pointers.
 * Starts like gpumemprof_site; the kind distinguishes them. Static storage, never changed after
 * start-up. */
struct gpumemprof_block_site {
  uint16_t kind;  /* GPUMEMPROF_SITE_BLOCK */
  uint16_t flags; /* GPUMEMPROF_SITE_PROFILED, GPUMEMPROF_SITE_BUDGETS */
  uint32_t line;
  const char *name;
  const char *file;
  const char *function;
  const char *budget; /* with GPUMEMPROF_SITE_BUDGET; else not to be read: older objects lack it */
};
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_block_site, name) == 8, "block site layout");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_block_site, budget) == 32, "block site layout");

/* What the size of an allocation is computed from: `n * m * sizeof(float)` has the operands n and
 * m. Each such call of an object has one of these records in the object's data. Code stores their
 * values, 64 bits of each, into its frame before the call. All fields but the names belong to the
 * runtime. */
#define GPUMEMPROF_OPERANDS 4
struct gpumemprof_operands {
  uint64_t value[GPUMEMPROF_OPERANDS]; /* the latest */
  uint32_t known;    /* 0: they are not known; else a number that changes with them */
  uint8_t count;     /* how many, at least 1 */
  uint8_t is_signed; /* a bit for each */
  uint16_t reserved0;
  int32_t names; /* as written, each with a NUL behind it: "n\0m\0"; self-relative, as in a site */
  uint32_t reserved1;
  void *runtime_data; /* 0 at first */
  uint64_t reserved2;
};
GPUMEMPROF_STATIC_ASSERT(sizeof(struct gpumemprof_operands) == 64, "operands layout");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_operands, known) == 32, "operands layout");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_operands, names) == 40, "operands layout");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_operands, runtime_data) == 48,
                         "operands layout");

/* One activation on the shadow stack. The plugin writes the first four words and the operands, the
 * runtime the four between: it sets active, node and cell when memory first moves below the frame
 * and zeroes them when the activation ends. So they are 0 in every frame at or above top. */
struct gpumemprof_frame {
  const void *scope; /*  0: struct gpumemprof_site * or gpumemprof_block_site * */
  const void *call;  /*  8: struct gpumemprof_site * of the call under way; 0 in a block's frame */
  /* 16: allocation clock at entry; while active, the runtime's: the clock at which its activation
   * ends without a call, negative. */
  uint64_t entry_clock;
  /* 24: machine stack address at entry: distinguishes stale frames from live ones. */
  uintptr_t stack;
  void *active;   /* 32: 0 while no memory moved below; else the runtime's activation record */
  void *node;     /* 40: runtime: call-tree node of the scope while active, else 0 */
  void *cell;     /* 48: runtime: where its latest allocation went, if device memory, else 0 */
  uint64_t start; /* 56: runtime: profiled scopes: time of entry */
  /* 64: the values of the operands of the call under way, if it has any. */
  uint64_t operand[GPUMEMPROF_OPERANDS];
};
GPUMEMPROF_STATIC_ASSERT(sizeof(struct gpumemprof_frame) == 96, "offsets fit into a signed byte");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_frame, active) == 32, "frame layout");
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_frame, operand) == 64, "frame layout");

/* A thread's shadow stack. Initial-exec TLS, defined by the runtime. Objects built with
 * runtime=weak bring one of their own, so that they also run without it, and are attached to the
 * runtime's. */
struct gpumemprof_stack {
  struct gpumemprof_frame *top;   /* first free frame; the current one is top - 1 */
  struct gpumemprof_frame *limit; /* the sink: first frame that is not recorded */
  /* Machine stack address of the thunk whose CUDA call is under way, else 0: what CUDA does inside
   * is seen already (cupti.c). */
  uintptr_t inside;
};
GPUMEMPROF_STATIC_ASSERT(offsetof(struct gpumemprof_stack, inside) == 16, "stack layout");

#if defined(__GNUC__) && !defined(__CUDACC__) /* nvcc's front end warns of the attribute */
__extension__ extern GPUMEMPROF_THREAD_LOCAL struct gpumemprof_stack __gpumemprof_stack
    __attribute__((tls_model("initial-exec")));
#endif

/* Written by the runtime only (atomically), read relaxed by compiled code. */
struct gpumemprof_clock {
  uint64_t events; /* allocation clock: successful allocations and frees in the process so far */
  /* GPUMEMPROF_OBSERVED_*, in the lower 32 bits. Not 0: thunks make the calls for observed
   * programs, see below. */
  uint64_t observed;
};
#define GPUMEMPROF_OBSERVED_HOOKS 1u /* the program has hooks */
#define GPUMEMPROF_OBSERVED_USES 2u  /* uses=on: see kernels.h */
GPUMEMPROF_STATIC_ASSERT(sizeof(struct gpumemprof_clock) == 16, "clock layout");
extern struct gpumemprof_clock __gpumemprof_clock;

/* A function of the object that has a frame and in which memory may move (section
 * "gpumemprof_movers"). Other files may have been compiled on the assumption that it moves no
 * memory: a file that assumed a name to be harmless has its hash (32-bit FNV-1a of the symbol) in
 * the section "gpumemprof_assumed". Distances are self-relative.
 */
struct gpumemprof_mover {
  uint32_t name;   /* hash of the symbol; 0: others do not call it by a name */
  uint32_t always; /* 1: files assume it in any case, also those that were not rebuilt */
  int32_t site;    /* its scope */
  int32_t word;    /* the symbol, or the other name that the filter file uses for it; 0: none */
};
GPUMEMPROF_STATIC_ASSERT(sizeof(struct gpumemprof_mover) == 16, "mover layout");

/* One shared object or program. Static storage in that object, valid until unregistered. */
struct gpumemprof_module {
  uint32_t abi_version;                      /* GPUMEMPROF_ABI_VERSION */
  uint32_t size;                             /* sizeof(struct gpumemprof_module) */
  const struct gpumemprof_site *sites_begin; /* __start_gpumemprof_sites, may be null */
  const struct gpumemprof_site *sites_end;   /* __stop_gpumemprof_sites */
  const char *plugin_version;                /* "0.1.0 (LLVM 22.1.8)" */
  void *runtime_data;                        /* the runtime's own; 0 at first */
  void *unused[7]; /* 0; older objects have addresses here that are not to be used: what they refer
                    * to by name may be the program's own */
  /* From here on only if size says so; may be null. */
  const uint32_t *assumed_begin, *assumed_end;
  const struct gpumemprof_mover *movers_begin, *movers_end;
  const struct gpumemprof_kernel *kernels_begin, *kernels_end;
  /* The variable by which NVTX's calls of this object find a tool (InitializeInjectionNvtx2_fnptr);
   * null if nothing in the object uses NVTX. */
  int (**nvtx)(const void *(*)(uint32_t));
  /* The code of its thunks: all calls of CUDA's functions that its files make are there. */
  const char *thunks_begin, *thunks_end;
};

/* Called once per shared object by the constructor (and the destructor) that the plugin makes. The
 * symbol also makes the linker take libgpumemprof.a and keep libgpumemprof.so. Any thread may call
 * it. */
void __gpumemprof_abi_v5(struct gpumemprof_module *module);
void __gpumemprof_unregister(struct gpumemprof_module *module);

/* Objects of older plugins call it after registration, instead of module->nvtx. */
void __gpumemprof_nvtx(int (**initializer)(const void *(*)(uint32_t)));

/* Called by objects compiled with runtime=weak, before they register. It returns how far the
 * runtime's stack is from the object's own, in every thread, and where the clock is. */
void __gpumemprof_attach(const void *own_stack, int64_t *distance,
                         const struct gpumemprof_clock **clock);

/* Cold path of enter: gives the thread its stack, or the sink when it is full. Returns the top,
 * which it has set, too. Never null. */
struct gpumemprof_frame *__gpumemprof_frame_slow(void);

/* Called when the frame of a profiled function was pushed: counts the call and takes the time. */
void __gpumemprof_profile_enter(struct gpumemprof_frame *frame);

/* Called when a frame ended (it is the top already) if memory moved below it or it is profiled:
 * adds its figures to those of its parent. It also ends every newer active frame, and does not
 * change top. May be called in place of the short way of code that ends a frame, too. */
void __gpumemprof_scope_exit(struct gpumemprof_frame *frame);

/* Called when control has come back to the frame's function by a landing pad or longjmp: ends every
 * newer frame and makes this one current again (sets top). */
void __gpumemprof_unwind(struct gpumemprof_frame *frame);

/* The same in a function that opens blocks: the blocks that it had opened, whose frames are between
 * its own and `top`, stay open. They end where the program ends them, by their clean-up or
 * gpumemprof_scope_end. */
void __gpumemprof_unwind_within(struct gpumemprof_frame *frame, struct gpumemprof_frame *top);

/* Called when a call of a SPANS site is over, by return or by an exception that the frame's
 * function caught: ends its activation, if one is open. The frame itself stays open, and top does
 * not change. */
void __gpumemprof_call_ended(struct gpumemprof_frame *frame);

/* Push and pop the frame of a block. exit takes what enter returned (it may be null), and may be
 * called only as long as the function that called enter has not returned. */
struct gpumemprof_frame *__gpumemprof_block_enter(const struct gpumemprof_block_site *site);
void __gpumemprof_block_exit(struct gpumemprof_frame *frame);

/* GPUMEMPROF_SCOPE uses these, because its code does not know whether the block has ended. close
 * does nothing if it has: the block of a coroutine ends where the coroutine is suspended, and when
 * the coroutine continues, perhaps on another thread, the frame may belong to other code. */
struct gpumemprof_open_block {
  struct gpumemprof_frame *frame; /* null: none */
  uint64_t number;                /* no other block of the process has it */
};
struct gpumemprof_open_block __gpumemprof_block_open(const struct gpumemprof_block_site *site);
void __gpumemprof_block_close(struct gpumemprof_open_block block);

/* Called around a switch to another machine stack (swapcontext). leave keeps in *left, a variable
 * on the stack that is left, what belongs to that stack; back finds it there when control has come
 * back, on any thread. */
void __gpumemprof_fiber_leave(void **left);
void __gpumemprof_fiber_back(void **left);

/* An object's start-up code registered a variable in device memory with CUDA, under the name of the
 * object's code for devices. site: a CALL that stands for it, at the line of its declaration, in
 * the function "(static)"; may be unloaded with the object. */
void __gpumemprof_variable(void **binary, const struct gpumemprof_site *site, uint64_t bytes,
                           int managed);

/* Called once per object with uses=pages that launches kernels: its device code marks pages
 * (pages.h). find: cudaGetFuncBySymbol of the CUDA runtime that the object is linked with. */
void __gpumemprof_page_finder(int (*find)(void **function, const void *kernel));

/* Called with what dlsym found under a name. For a CUDA function that is followed it returns a
 * function of the runtime instead, which records the calls. */
void *__gpumemprof_found(const char *name, void *function);

/* Free memory before a call into a closed library: a variable of the thunk around the call. Only
 * objects compiled with -fplugin-arg-gpumemprof-unaccounted=calls have it. */
struct gpumemprof_sample {
  uint64_t free;     /* of the device, as the driver says */
  uint64_t recorded; /* live bytes on the device, as the ledger has them */
  int64_t inner;     /* what nested calls had found on this thread */
  int32_t device;    /* CUDA ordinal; -1: not sampled */
  uint32_t reserved;
};
GPUMEMPROF_STATIC_ASSERT(sizeof(struct gpumemprof_sample) == 32, "sample layout");
void __gpumemprof_sample_before(struct gpumemprof_sample *sample);
void __gpumemprof_sample_after(struct gpumemprof_sample *sample);
/* An allocator of the program's own (GPUMEMPROF_ALLOCATES, GPUMEMPROF_FREES). After an allocation,
 * with the caller's frame on top: `bytes` at `pointer` (null: none) are its caller's. Which
 * allocator it is say `handle`, the address of its object or null, and `name`. entry_clock: the
 * clock when the allocation was entered; what an inner one has handed out since then is not counted
 * again. Before a free: the piece ends. at_call: 1 at a call whose function may be annotated and
 * say so again. */
void __gpumemprof_piece_allocated(const void *handle, const char *name, const void *pointer,
                                  uint64_t bytes, uint64_t entry_clock);
void __gpumemprof_piece_freed(const void *handle, const char *name, const void *pointer,
                              uint32_t at_call);

/* For each entry point of cuda_api.def the runtime defines
 *   void __gpumemprof_post_NAME(parameters of NAME..., int result)    after the call
 * and, for frees and what is marked AROUND,
 *   void __gpumemprof_pre_NAME(parameters of NAME...)                 before it
 * After a free, post is called only if the free failed (result is not 0) or the program is
 * observed. Before an allocation (ALLOC, POOL_ALLOC, CREATE) post is also called if the program is
 * observed, with the result below. Functions that return nothing have no result there. The plugin
 * calls the hooks from the thunk that replaces NAME, and passes the arguments on unchanged. */
#define GPUMEMPROF_NOT_CALLED_YET (-2147483647 - 1)

#ifdef __cplusplus
}
#endif
#endif /* GPUMEMPROF_HOOKS_H */
