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
#include "base/signals.h"
#include "base/state.h"
#include "base/stay.h"
#include "base/text.h"
#include "cuda/effects.h"
#include "cuda/hooks.h"
#include "foreign/cupti_library.h"
#include "foreign/native.h"
#include "foreign/native_scopes.h"
#include "foreign/objects.h"
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
  CUPTI_DRIVER_API = 1,
  CUPTI_RUNTIME_API = 2
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

/* Calls of functions that go through no thunk, as those of prebuilt code do not. */
static void on_call(void *data, int domain, uint32_t number, const void *callback) {
  (void)data;
  const struct cupti_call *call = callback;
  if (__gpumemprof_stack.inside || !gpm_recording()) return;
  struct gpm_thread *thread = gpm_thread_self();
  if (!thread || gpm_busy(thread)) return;
  int saved = errno;
  bool at_end = call->where == CUPTI_EXIT;
  if (domain == CUPTI_RUNTIME_API) {
    gpm_native_runtime_call(thread, at_end);
    errno = saved;
    return;
  }
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

static const char not_recorded[] =
    "; what libraries that were not rebuilt allocate is not recorded and counts as unaccounted";

static int is_cudart(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  return gpm_object_is_cudart(info->dlpi_name);
}

/* Programs without libcudart.so may have the runtime API in themselves. Where a library brings
 * libcudart.so later, gpm_native_runtime_call knows its calls. */
static void listen_to_runtime(cupti_enable enable, void *subscriber) {
  static const uint32_t numbers[] = {
#define GPUMEMPROF_CUPTI_RUNTIME(name, number) number,
#include "foreign/cupti_runtime.def"
  };
  if (gpm_loaded_each(is_cudart, NULL)) return;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    enable(1, subscriber, CUPTI_RUNTIME_API, numbers[i]); /* an older CUPTI lacks some */
}

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
  if (result == CUPTI_OK) listen_to_runtime(enable, subscriber);
  if (result > 0 && (!describe || describe(result, text))) *text = "it gave an error";
  return result;
}

/* Subscribes to the first CUPTI that can reach the driver: one that is newer than the driver
 * cannot. Returns CUPTI's result; *text: null if there is no CUPTI, else what is wrong with the
 * first. */
static int subscribe_to_any(const char **text) {
  int result = CUPTI_UNREACHABLE;
  const char *other;
  *text = NULL;
  for (size_t i = 0; i < CUPTI_PLACES && result == CUPTI_UNREACHABLE; i++) {
    void *library = gpm_cupti_library(i, *text != NULL);
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
  bool taken = !gpm_options.cupti_given && gpm_cupti_is_loaded();
  if (!taken) begin_listening();
  else if (!gpm_modules_any())
    gpm_text_say("the program has loaded CUPTI, which only one tool can use, so nothing is "
                 "recorded; cupti=1 (gpumemprof run --cupti) records all the same, and then calls "
                 "of CUPTI that the program makes may fail",
                 NULL);
  gpm_signals_let_come(&held);
  errno = saved;
}
