/* fake_runtime.c - the least that hooks.h asks for, for tests of the plugin.
 *
 * Every event prints one line with the path it would be charged to:
 *
 *   cudaMalloc 400: main:12 > make:5
 *
 * Frames that lie below the machine stack pointer are marked "stale": code that was not rebuilt
 * left them behind. With FAKE_RUNTIME_EXITS=1 every end of an active scope is printed too,
 * with FAKE_RUNTIME_CALLS=1 that of every call that is an activation of its line.
 */
#define _GNU_SOURCE
#include "gpumemprof/cuda_arrays.h"
#include "gpumemprof/hooks.h"
#include "gpumemprof/parameters.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 4096

_Thread_local struct gpumemprof_stack __gpumemprof_stack __attribute__((tls_model("initial-exec")));
struct gpumemprof_clock __gpumemprof_clock;
void __gpumemprof_attach(const void *own_stack, int64_t *distance, const struct gpumemprof_clock **clock) {
  *distance = (char *)&__gpumemprof_stack - (char *)own_stack;
  *clock = &__gpumemprof_clock;
}

static _Thread_local struct gpumemprof_frame *base;
static _Thread_local int seen_active; /* something to point frame.active at */
static atomic_int modules;

static const char *text(const int32_t *field) {
  return *field ? (const char *)field + *field : "?";
}

static const char *function_of(const struct gpumemprof_frame *f) {
  const struct gpumemprof_site *site = f->scope;
  if (site->kind == GPUMEMPROF_SITE_BLOCK)
    return ((const struct gpumemprof_block_site *)f->scope)->name;
  return text(&site->function);
}

struct gpumemprof_frame *__gpumemprof_frame_slow(void) {
  struct gpumemprof_stack *s = &__gpumemprof_stack;
  if (!base) {
    base = aligned_alloc(32, (FRAMES + 1) * sizeof *base);
    memset(base, 0, (FRAMES + 1) * sizeof *base);
    s->top = base;
    s->limit = base + FRAMES;
    return base;
  }
  return s->top = s->limit; /* the sink */
}

static void print_path(uintptr_t here) {
  const char *separator = "";
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  if (!base || top == base) printf("(no frame)");
  for (struct gpumemprof_frame *f = base; base && f < top && f < __gpumemprof_stack.limit; f++) {
    const struct gpumemprof_site *call = f->call;
    int stale = f->stack && f->stack < here;
    printf("%s%s%s:%u", separator, stale ? "stale " : "", function_of(f), call ? call->line : 0);
    separator = " > ";
    f->active = &seen_active;
    f->entry_clock = UINT64_MAX; /* its end is a call */
    f->node = f;
  }
  printf("\n");
  fflush(stdout);
}

static void event(const char *name, unsigned long long bytes, uintptr_t here) {
  __gpumemprof_clock.events++;
  printf("%s %llu: ", name, bytes);
  print_path(here);
}
/* The closer to the caller the machine stack is looked at, the more stale frames show. */
#define HERE ((uintptr_t)__builtin_frame_address(0))

/* Addresses of allocators and pieces differ from run to run: names only, and whether they are null.
 */
void __gpumemprof_piece_allocated(const void *handle, const char *name, const void *pointer,
                                  uint64_t bytes, uint64_t entry_clock) {
  char what[128];
  snprintf(what, sizeof what, "%s%s hands out%s%s", name, handle ? " (object)" : "",
           pointer ? "" : " nothing",
           entry_clock == __gpumemprof_clock.events ? "" : ", and inner ones did");
  event(what, bytes, HERE);
}
void __gpumemprof_piece_freed(const void *handle, const char *name, const void *pointer,
                              uint32_t at_call) {
  char what[128];
  snprintf(what, sizeof what, "%s%s takes back%s%s", name, handle ? " (object)" : "",
           pointer ? "" : " nothing", at_call ? " (at the call)" : "");
  event(what, 0, HERE);
}

/* What the size of the call under way is computed from, if that is new, as in the real runtime. */
static void print_operands(unsigned long long bytes) {
  const struct gpumemprof_frame *f = __gpumemprof_stack.top - 1;
  const struct gpumemprof_site *site = f->call;
  if (!base || __gpumemprof_stack.top == base || !site || !site->operands) return;
  struct gpumemprof_operands *o = (void *)((char *)&site->operands + site->operands);
  if (o->known && !memcmp(o->value, f->operand, o->count * sizeof *o->value)) return;
  memcpy(o->value, f->operand, o->count * sizeof *o->value);
  o->known++;
  if (!getenv("FAKE_RUNTIME_OPERANDS")) return;
  const char *name = text(&o->names);
  printf("operands %s:%u bytes=%llu", text(&site->function), site->line, bytes);
  for (unsigned i = 0; i < o->count; i++, name += strlen(name) + 1)
    if (o->is_signed >> i & 1) printf(" [%s]=%lld", name, (long long)f->operand[i]);
    else printf(" [%s]=%llu", name, (unsigned long long)f->operand[i]);
  printf("\n");
}

void __gpumemprof_profile_enter(struct gpumemprof_frame *frame) {
  frame->active = &seen_active;
  frame->entry_clock = UINT64_MAX;
  printf("profile %s\n", function_of(frame));
}

/* As the real runtime: a frame that is not open has active == 0. */
static void end_from(struct gpumemprof_frame *frame) {
  for (struct gpumemprof_frame *f = frame; f < __gpumemprof_stack.limit && f->active; f++)
    f->active = NULL;
}

void __gpumemprof_scope_exit(struct gpumemprof_frame *frame) {
  end_from(frame);
  if (getenv("FAKE_RUNTIME_EXITS")) printf("exit %s\n", function_of(frame));
}

void __gpumemprof_unwind_within(struct gpumemprof_frame *frame, struct gpumemprof_frame *top) {
  (void)frame;
  end_from(top);
  __gpumemprof_stack.top = top;
}

void __gpumemprof_unwind(struct gpumemprof_frame *frame) {
  __gpumemprof_unwind_within(frame, frame + 1);
}

void __gpumemprof_call_ended(struct gpumemprof_frame *frame) {
  const struct gpumemprof_site *site = frame->call;
  if (getenv("FAKE_RUNTIME_CALLS")) printf("call ended: line %u\n", site->line);
}

struct gpumemprof_frame *__gpumemprof_block_enter(const struct gpumemprof_block_site *site) {
  struct gpumemprof_frame *f = __gpumemprof_stack.top;
  if (f >= __gpumemprof_stack.limit) f = __gpumemprof_frame_slow();
  f->scope = site;
  f->call = NULL;
  __gpumemprof_stack.top = f + 1;
  return f;
}

void __gpumemprof_block_exit(struct gpumemprof_frame *frame) {
  if (frame->active) __gpumemprof_scope_exit(frame);
  __gpumemprof_stack.top = frame;
}

struct gpumemprof_open_block __gpumemprof_block_open(const struct gpumemprof_block_site *site) {
  return (struct gpumemprof_open_block){__gpumemprof_block_enter(site), 0};
}

void __gpumemprof_block_close(struct gpumemprof_open_block block) {
  __gpumemprof_block_exit(block.frame);
}

int gpumemprof_enabled(void) {
  return 1;
}

static void print_site(const struct gpumemprof_site *s) {
  printf("site kind=%u flags=%u %s:%u:%u in %s", s->kind, s->flags & ~(GPUMEMPROF_SITE_CUDA | GPUMEMPROF_SITE_FOR_CALLER),
         strrchr(text(&s->file), '/') ? strrchr(text(&s->file), '/') + 1 : text(&s->file), s->line,
         s->column, text(&s->function));
  if (s->callee) printf(" calls %s", text(&s->callee));
  if (s->variable) printf(" variable=[%s]", text(&s->variable));
  if (s->type) printf(" type=[%s]", text(&s->type));
  if (s->size_expr) printf(" size=[%s]", text(&s->size_expr));
  if (s->source_line) printf(" text=[%s]", text(&s->source_line));
  if (s->flags & GPUMEMPROF_SITE_FOR_CALLER) printf(" (for the caller)");
  printf("%s\n", s->flags & GPUMEMPROF_SITE_CUDA ? " (of CUDA)" : "");
}

void __gpumemprof_abi_v5(struct gpumemprof_module *module) {
  modules++;
  if (getenv("FAKE_RUNTIME_NVTX")) printf("nvtx %s\n", module->nvtx ? "used" : "not used");
  if (!getenv("FAKE_RUNTIME_SITES")) return;
  printf("module %d: abi %u, size %s, version %s\n", modules, module->abi_version,
         module->size == sizeof *module ? "ok" : "wrong", module->plugin_version);
  for (const struct gpumemprof_site *s = module->sites_begin; s < module->sites_end; s++)
    print_site(s);
  for (const struct gpumemprof_kernel *k = module->kernels_begin; k < module->kernels_end; k++) {
    const struct gpumemprof_kernel_word *w = (const void *)((const char *)&k->word + k->word);
    printf("kernel %s %s:%u:", text(&k->name), strrchr(text(&k->file), '/') + 1, k->line);
    for (int i = 0; i < k->words; i++)
      printf(" %u+%u%s%s", w[i].parameter, w[i].offset, w[i].flags ? "=" : "?", text(&w[i].name));
    printf("%s\n", k->flags ? " and others" : "");
  }
}

void __gpumemprof_unregister(struct gpumemprof_module *module) {
  (void)module;
  if (getenv("FAKE_RUNTIME_SITES")) printf("module gone\n");
  fflush(stdout);
}

/* For the tests themselves. */
int fake_depth(void) {
  return base ? (int)(__gpumemprof_stack.top - base) : 0;
}
void fake_path(const char *label) {
  printf("%s: ", label);
  print_path(HERE);
}

/* What the real runtime asks the driver. */
static uint64_t gpm_cuda_range(uint64_t address) {
  return address ? 4096 : 0;
}

void *__gpumemprof_found(const char *name, void *function);
void *__gpumemprof_found(const char *name, void *function) {
  printf("found %s\n", name);
  return function;
}

#define HOOK(name, ...)                                                                            \
  void __gpumemprof_##name(__VA_ARGS__);                                                           \
  void __gpumemprof_##name(__VA_ARGS__)
#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                              \
    print_operands((unsigned long long)(requested));                                               \
    if (result == 0 && (block)) event(#name, (unsigned long long)(requested), HERE);               \
  }
#define GPUMEMPROF_POOL_ALLOC(name, lib, block, bytes, pool, stream, ...)                          \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                              \
    print_operands((unsigned long long)(bytes));                                                   \
    if (result == 0 && (block)) event(#name, (unsigned long long)(bytes), HERE);                   \
  }
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  HOOK(pre_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                           \
    if (block) event(#name, 0, HERE);                                                              \
  }                                                                                                \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                              \
    if (result) printf(#name " failed\n");                                                         \
  }
#define GPUMEMPROF_POOL_FREE(name, lib, block, stream, ...)                                        \
  GPUMEMPROF_FREE(name, lib, block, __VA_ARGS__)
#define gpm_graphs_node_bytes(node)                                                                \
  ((node)->type == GPM_GRAPH_NODE_ALLOC ? (node)->alloc.bytes : 0)
#define GPUMEMPROF_CREATE(name, lib, kind, bytes, ordinal, effect, ...)                            \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                              \
    if (!result) print_operands((unsigned long long)(bytes));                                      \
    event(#name, result ? 0 : (unsigned long long)(bytes), HERE);                                  \
  }
#define GPUMEMPROF_AFTER(name, lib, effect, ...)                                                   \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                              \
    (void)result;                                                                                  \
    event(#name, 0, HERE);                                                                         \
  }
#define GPUMEMPROF_AROUND(name, lib, before, after, ...)                                           \
  HOOK(pre_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                           \
    event(#name, 0, HERE);                                                                         \
  }                                                                                                \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result) {                              \
    if (result) printf(#name " failed\n");                                                         \
  }
#define GPUMEMPROF_RECORDED(name, lib, effect, ...)                                                   \
  HOOK(post_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                          \
  }
#define GPUMEMPROF_RESET(name, lib)                                                                \
  HOOK(pre_##name, void) {                                                                         \
    event(#name, 0, HERE);                                                                         \
  }                                                                                                \
  HOOK(post_##name, int result) {                                                                  \
    (void)result;                                                                                  \
  }
HOOK(variable, void **binary, const struct gpumemprof_site *site, uint64_t bytes, int managed) {
  (void)binary;
  if (getenv("FAKE_RUNTIME_SITES")) {
    printf("%s variable of %llu bytes: ", managed ? "managed" : "device",
           (unsigned long long)bytes);
    print_site(site);
  }
}
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "gpumemprof/cuda_api.def"

/* With FAKE_RUNTIME_USES=1 thunks report each call that uses memory, else none. */
__attribute__((constructor)) static void observe_uses(void) {
  if (getenv("FAKE_RUNTIME_USES")) __gpumemprof_clock.observed |= GPUMEMPROF_OBSERVED_USES;
}
static void print_use(const char *name, const struct gpumemprof_site *site) {
  printf("use %s: ", name);
  if (site) print_site(site);
  else printf("no site\n");
}
#define GPUMEMPROF_USE(name, effect, ...)                                                          \
  int __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                                  \
                              const struct gpumemprof_site *site,                                  \
                              int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__)));                    \
  int __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                                  \
                              const struct gpumemprof_site *site,                                  \
                              int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__))) {                   \
    print_use(#name, site);                                                                        \
    return real(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                                                \
  }
#define GPUMEMPROF_KERNEL_HANDLE(name, handle, function, ...)                                      \
  HOOK(use_##name, GPUMEMPROF_PARAMETERS(__VA_ARGS__), const struct gpumemprof_site *site,         \
       int result) {                                                                               \
  }
#include "gpumemprof/cuda_uses.def"
HOOK(use_library, const struct gpumemprof_site *site, uint32_t how, uint32_t count, const uint64_t *pointer) {
  printf("library use %u of", how);
  for (uint32_t i = 0; i < count; i++) printf(" %llx", (unsigned long long)pointer[i]);
  printf(": ");
  if (site) print_site(site);
  else printf("no site\n");
}
