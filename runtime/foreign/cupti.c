/* cupti.c - what prebuilt libraries allocate: the calls of the driver that went through no thunk,
 * reported by CUPTI (option cupti=on).
 *
 *   app.cu:44 > cublasCreate_v2 (closed) > static cudart > cuMemAlloc_v2 ──► CUPTI ──► on_call
 *                                                                                     │
 *   main > app.cu:44 > via libcublas.so.13 > 0x1a2b via libcublas.so.13   ◄───────────┘
 *
 * A call inside a thunk (hooks.h: `inside`), or made by the runtime itself (busy), is ignored,
 * because it is recorded elsewhere or not the program's. For any other call, native.c pushes frames
 * of made scopes, and the hook of cuda_hooks.c is called as a thunk would do it: for an allocation
 * after the call, for a free before the call and again if it fails. CUPTI is loaded at the first
 * frame or event of the program, when most constructors have run. It allows one subscriber: if
 * another tool came first, a message says so.
 */
#include "foreign/cupti.h"
#include "base/loaded.h"
#include "base/private_files.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/stay.h"
#include "base/system_calls.h"
#include "base/text.h"
#include "cuda/effects.h"
#include "cuda/hooks.h"
#include "foreign/native.h"
#include "options/options.h"
#include "records/modules.h"
#include "threads/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The types of CUPTI that are needed here; test/unit compares them with the toolkit's. */
enum {
  CUPTI_OK = 0,
  CUPTI_INVALID = 1,
  CUPTI_UNREACHABLE = 15,
  CUPTI_TAKEN = 39,
  CUPTI_DRIVER_API = 1
};
enum { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };
struct cupti_call { /* the beginning of CUpti_CallbackData */
  int where;
  const char *function;
  const void *parameters;
  const int *result;
};
typedef void (*cupti_listener)(void *data, int domain, uint32_t number, const void *call);
typedef int (*cupti_subscribe)(void **subscriber, cupti_listener listener, void *data);
typedef int (*cupti_enable)(uint32_t enable, void *subscriber, int domain, uint32_t number);
typedef int (*cupti_describe)(int result, const char **text);

static void on_call(void *data, int domain, uint32_t number, const void *reported) {
  (void)data, (void)domain;
  const struct cupti_call *call = reported;
  if (__gpumemprof_stack.inside || !gpm_recording()) return;
  struct gpm_thread *thread = gpm_thread_self();
  if (!thread || gpm_busy(thread)) return;
  int saved = errno;
  bool at_end = call->where == CUPTI_EXIT;
  int result = !at_end        ? GPUMEMPROF_NOT_CALLED_YET
               : call->result ? *call->result
                              : GPM_CUDA_SUCCESS;
  struct gpumemprof_frame *frame;
  switch (number) {
#define CALLS(name, number, calls, ...)                                                            \
  case number: {                                                                                   \
    const struct {                                                                                 \
      GPUMEMPROF_FIELDS(__VA_ARGS__);                                                              \
    } *a = call->parameters;                                                                       \
    if (!(calls)) break;                                                                           \
    frame = gpm_native_push(thread);
#define DONE                                                                                       \
  gpm_native_pop(frame);                                                                           \
  break;                                                                                           \
  }
#define GPUMEMPROF_CUPTI_AFTER(name, number, ...)                                                  \
  CALLS(name, number, at_end || gpm_event_observed(), __VA_ARGS__)                                 \
  __gpumemprof_post_##name(GPUMEMPROF_FIELDS_OF_A(__VA_ARGS__), result);                           \
  DONE
#define GPUMEMPROF_CUPTI_FREE(name, number, ...)                                                   \
  CALLS(name, number, !at_end || result != GPM_CUDA_SUCCESS || gpm_event_observed(), __VA_ARGS__)  \
  if (at_end) __gpumemprof_post_##name(GPUMEMPROF_FIELDS_OF_A(__VA_ARGS__), result);               \
  else __gpumemprof_pre_##name(GPUMEMPROF_FIELDS_OF_A(__VA_ARGS__));                               \
  DONE
#define GPUMEMPROF_CUPTI_AROUND(name, number, ...)                                                 \
  CALLS(name, number, true, __VA_ARGS__)                                                           \
  if (at_end) __gpumemprof_post_##name(GPUMEMPROF_FIELDS_OF_A(__VA_ARGS__), result);               \
  else __gpumemprof_pre_##name(GPUMEMPROF_FIELDS_OF_A(__VA_ARGS__));                               \
  DONE
#include "foreign/cupti_calls.def"
  }
  errno = saved;
}

#define TOOLKITS "/usr/local"

/* ---- loading ------------------------------------------------------------------------------------
 */

static void *load(const char *path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

struct toolkits {
  char latest[64], next[64]; /* names in the folder, in their order */
};

static void compare_toolkit(void *data, const char *name) {
  struct toolkits *t = data;
  if (strncmp(name, "cuda", 4) || strnlen(name, sizeof t->next) == sizeof t->next) return;
  if (strcmp(name, t->latest) <= 0 || (*t->next && strcmp(name, t->next) >= 0)) return;
  gpm_text_add(t->next, sizeof t->next, 0, name);
}

static void find_next_toolkit(void *argument) {
  struct toolkits *t = argument;
  int fd = gpm_private_files_open(TOOLKITS, O_RDONLY | O_DIRECTORY, 0);
  t->next[0] = 0;
  if (fd < 0) return;
  gpm_private_files_each(fd, compare_toolkit, t);
  gpm_private_files_close(fd);
}

struct beside {
  const char *name;
  char path[GPM_PATH_MAX];
};

static int compare_beside(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct beside *b = data;
  const char *slash = strrchr(info->dlpi_name, '/'), *file = slash ? slash + 1 : "";
  bool cuda = !strncmp(file, "libcudart.so", 12) || !strncmp(file, "libcuda.so", 10);
  size_t folder = cuda ? (size_t)(file - info->dlpi_name) : 0;
  if (!folder || folder + 32 > sizeof b->path) return 0;
  memcpy(b->path, info->dlpi_name, folder);
  b->path[folder] = 0;
  gpm_text_add(b->path, sizeof b->path, folder, b->name);
  return gpm_is_there(b->path);
}

/* Loads CUPTI from the folder of the CUDA libraries that the program uses. */
static void *load_beside_cuda(const char *name) {
  struct beside b = {.name = name};
  return gpm_loaded_each(compare_beside, &b) ? load(b.path) : NULL;
}

/* Loads CUPTI from a toolkit that is installed on this machine. */
static void *load_from_toolkit(void) {
  static const char *const places[] = {"/extras/CUPTI/lib64/libcupti.so", "/lib64/libcupti.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    struct toolkits t = {.latest = ""};
    while (!library && !gpm_private_files_run(find_next_toolkit, &t) && *t.next) {
      char path[GPM_PATH_MAX];
      size_t n = gpm_text_add(path, sizeof path, 0, TOOLKITS "/");
      n = gpm_text_add(path, sizeof path, n, t.next);
      gpm_text_add(path, sizeof path, n, places[i]);
      if (gpm_is_there(path)) library = load(path);
      memcpy(t.latest, t.next, sizeof t.latest);
    }
  }
  return library;
}

static const char not_recorded[] =
    "; what libraries that were not rebuilt allocate is not recorded and counts as unaccounted";

/* Subscribes to the calls of cupti_calls.def. Returns CUPTI's result, or another number with a text
 * that says what is wrong. */
static int subscribe(void *library, const char **text) {
  cupti_subscribe start = (cupti_subscribe)dlsym(library, "cuptiSubscribe");
  cupti_enable enable = (cupti_enable)dlsym(library, "cuptiEnableCallback");
  cupti_describe describe = (cupti_describe)dlsym(library, "cuptiGetResultString");
  static const uint32_t numbers[] = {
#define GPUMEMPROF_CUPTI_AFTER(name, number, ...) number,
#define GPUMEMPROF_CUPTI_FREE(name, number, ...) number,
#define GPUMEMPROF_CUPTI_AROUND(name, number, ...) number,
#include "foreign/cupti_calls.def"
  };
  void *subscriber = NULL;
  *text = "it lacks cuptiSubscribe";
  int result = start && enable ? start(&subscriber, on_call, NULL) : -1;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && result == CUPTI_OK; i++) {
    result = enable(1, subscriber, CUPTI_DRIVER_API, numbers[i]);
    if (i && result == CUPTI_INVALID) result = CUPTI_OK; /* a call that is newer than this CUPTI */
  }
  if (result > 0 && (!describe || describe(result, text))) *text = "it gave an error";
  return result;
}

/* ---- the start ----------------------------------------------------------------------------------
 */

static const char *const cupti_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
enum { CUPTI_VERSIONS = 2 }; /* of them have a version in their name */
enum { CUPTI_NAMES = sizeof cupti_names / sizeof *cupti_names };
enum { CUPTI_PLACES = 2 * CUPTI_NAMES + 1 };

/* Whether the program has loaded CUPTI for itself. If this runtime took the only subscription,
 * calls of the program would fail. */
static bool program_has_cupti(void) {
  bool any = false;
  for (size_t i = 0; i < CUPTI_NAMES; i++) {
    void *library = dlopen(cupti_names[i], RTLD_NOLOAD | RTLD_LAZY);
    if (library) dlclose(library);
    any |= library != NULL;
  }
  return any;
}

/* The library of one place: beside CUDA under each name, then where the loader looks, then a
 * toolkit. The CUPTI beside the program's CUDA comes before others, which may be of another
 * version. */
static void *load_from(size_t place) {
  if (place < CUPTI_NAMES) return load_beside_cuda(cupti_names[place]);
  if (place < CUPTI_PLACES - 1) return load(cupti_names[place - CUPTI_NAMES]);
  return load_from_toolkit();
}

/* Subscribes to the first CUPTI that can reach the driver: one that is newer than the driver
 * cannot. Returns CUPTI's result; *text: null if there is no CUPTI, else what is wrong with the
 * first. */
static int subscribe_to_any(const char **text) {
  int result = CUPTI_UNREACHABLE;
  const char *other;
  *text = NULL;
  for (size_t i = 0; i < CUPTI_PLACES && result == CUPTI_UNREACHABLE; i++) {
    bool has_version = i < CUPTI_PLACES - 1 && i % CUPTI_NAMES < CUPTI_VERSIONS;
    void *library = *text && !has_version ? NULL : load_from(i);
    if (!library) continue;
    gpm_stay();
    gpm_native_start();
    result = subscribe(library, *text ? &other : text);
  }
  return result;
}

static void begin_listening(void) {
  const char *text;
  int result = subscribe_to_any(&text);
  bool needs_none = !gpm_options.cupti_given && gpm_modules_any(); /* rebuilt code */
  if (result == CUPTI_OK || needs_none) return;
  if (!text)
    gpm_text_say("cupti=on: libcupti was not found (the CUDA toolkit has it in "
                 "extras/CUPTI/lib64: add that to LD_LIBRARY_PATH)",
                 not_recorded, NULL);
  else if (result == CUPTI_TAKEN)
    gpm_text_say("cupti=on: another tool (a profiler or debugger) holds CUPTI", not_recorded, NULL);
  else gpm_text_say("cupti=on: CUPTI cannot be used (", text, ")", not_recorded, NULL);
}

void gpm_cupti_start(void) {
  static _Atomic bool started;
  if (!gpm_options.cupti || !gpm_recording() || atomic_exchange(&started, true)) return;
  int saved = errno;
  sigset_t held;
  gpm_signals_hold(&held); /* inherited by threads that CUPTI may start */
  bool taken = !gpm_options.cupti_given && program_has_cupti();
  if (!taken) begin_listening();
  else if (!gpm_modules_any())
    gpm_text_say("the program has loaded CUPTI, which only one tool can use, so nothing is "
                 "recorded; cupti=1 (gpumemprof run --cupti) records all the same, and then calls "
                 "of CUPTI that the program makes may fail",
                 NULL);
  gpm_signals_let_come(&held);
  errno = saved;
}
