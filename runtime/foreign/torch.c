/* torch.c - memory for PyTorch (torch.cuda.memory.CUDAPluggableAllocator); control.h describes how
 * a program switches to it.
 *
 * Nothing of a Python program is rebuilt, so its allocations go through no thunk. They are made
 * here instead, by the driver, and recorded through the hooks that a thunk would call. The line is
 * the innermost scope that the program opened with measure.h, else "via torch". torch_blocks.c
 * handles the frees that need special treatment.
 */
#include "foreign/torch.h"
#include "base/compiler.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/text.h"
#include "core/shadow_stack.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "cuda/hooks.h"
#include "foreign/interpreter.h"
#include "foreign/native.h"
#include "options/options.h"
#include "records/made_sites.h"
#include "threads/threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>

/* ---- errors -------------------------------------------------------------------------------------
 */

/* Torch would use null as if it were memory. So if torch is in the process, this raises torch's own
 * error, a RuntimeError in Python, and does not return. */
static GPM_COLD void raise_in_torch(const char *text) {
  void *torch = dlopen("libc10.so", RTLD_NOLOAD | RTLD_LAZY);
  if (!torch) return;
  /* c10::detail::torchCheckFail(function, file, line, text) */
  void (*fail)(const char *, const char *, uint32_t, const char *) =
      (void (*)(const char *, const char *, uint32_t, const char *))dlsym(
          torch, "_ZN3c106detail14torchCheckFailEPKcS2_jS2_");
  void (*fail_without_text)(void) =
      (void (*)(void))dlsym(torch, "_ZSt17__throw_bad_allocv"); /* of libstdc++ */
  dlclose(torch);
  if (fail) fail("gpumemprof_torch_malloc", "runtime/foreign/torch.c", 0, text);
  if (fail_without_text) fail_without_text();
}

static GPM_COLD void *refuse(int result, uint64_t bytes, int device) {
  char text[200];
  size_t n = gpm_text_add(text, sizeof text, 0,
                          result == GPM_CUDA_OUT_OF_MEMORY ? "CUDA out of memory. " : "");
  n = gpm_text_add(text, sizeof text, n, "gpumemprof's allocator got no ");
  n = gpm_text_add_number(text, sizeof text, n, bytes);
  n = gpm_text_add(text, sizeof text, n, " bytes on device ");
  n = gpm_text_add(text, sizeof text, n, device < 0 ? "-" : "");
  n = gpm_text_add_number(text, sizeof text, n, (uint64_t)(device < 0 ? -(int64_t)device : device));
  n = gpm_text_add(text, sizeof text, n, ": the driver's error is ");
  gpm_text_add_number(text, sizeof text, n, (uint64_t)result);
  if (result != GPM_CUDA_OUT_OF_MEMORY) gpm_text_say(text, NULL);
  raise_in_torch(text);
  return NULL;
}

/* The driver, if it has all functions that are needed; else null, after a message. */
static const struct gpm_driver *driver_or_null(void) {
  static _Atomic bool said;
  const struct gpm_driver *d = gpm_driver();
  if (GPM_LIKELY(d->cuMemAlloc_v2 && d->cuMemFree_v2 && d->cuCtxGetDevice &&
                 d->cuCtxPushCurrent_v2 && d->cuCtxPopCurrent_v2 && d->cuDevicePrimaryCtxGetState &&
                 d->cuDevicePrimaryCtxRetain && d->cuDevicePrimaryCtxRelease_v2))
    return d;
  static const char text[] = "gpumemprof's allocator gives no memory: libcuda.so.1 is not in the "
                             "process (is this PyTorch built for CUDA, and is there a GPU?)";
  if (!atomic_exchange(&said, true)) gpm_text_say(text, NULL);
  return NULL;
}

/* ---- what torch calls ---------------------------------------------------------------------------
 */

/* While a stream is being captured, the calls that the hooks make to the driver must not invalidate
 * the capture. In relaxed mode none of this thread's calls can, until the mode is restored. */
static int exchange_mode(const struct gpm_driver *d, int mode) {
  if (d->cuThreadExchangeStreamCaptureMode) d->cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}

/* Pushes a frame for the caller, if the program opened no scope. Inlined: see gpm_native_push. */
static GPM_INLINE struct gpumemprof_frame *push_torch(void) {
  static const struct gpm_source_location scope = {.kind = GPUMEMPROF_SITE_FUNCTION,
                                                   .function = "via torch"},
                                          call = {.kind = GPUMEMPROF_SITE_CALL,
                                                  .function = "via torch"};
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread) || gpm_interpreter_charged(thread)) return NULL;
  if (gpm_native_is_whole()) {
    if (gpm_options.stacks_given) return gpm_native_push(thread);
    gpm_native_off(); /* the functions of the interpreter say nothing about the program */
  }
  if (!gpm_begin(thread)) return NULL; /* locks are taken, so signal handlers must stay out */
  bool single = !gpm_thread_scope(thread);
  const struct gpumemprof_site *via = single ? gpm_sites_make(&scope) : NULL;
  const struct gpumemprof_site *at = single ? gpm_sites_make(&call) : NULL;
  gpm_set_busy(thread, false);
  return single ? gpm_thread_push(via, at) : NULL;
}

/* Calls the program's hooks before the allocation. What the hooks do is not part of the allocation,
 * so `inside` has the value that it had before the allocation meanwhile. */
static GPM_COLD void request(uint64_t bytes, uintptr_t outer) {
  gpm_deviceptr none = 0;
  uintptr_t inside = __gpumemprof_stack.inside;
  struct gpumemprof_frame *frame = push_torch();
  __gpumemprof_stack.inside = outer;
  __gpumemprof_post_cuMemAllocAsync(&none, bytes, NULL, GPUMEMPROF_NOT_CALLED_YET);
  __gpumemprof_stack.inside = inside;
  gpm_native_pop(frame);
}

void *gpumemprof_torch_malloc(ssize_t size, int device, void *stream) {
  if (size <= 0) return NULL;
  int saved = errno;
  gpm_deviceptr p = 0;
  bool pooled = false, pushed;
  const struct gpm_driver *d = driver_or_null();
  if (!d) {
    errno = saved;
    raise_in_torch("gpumemprof's allocator found no libcuda.so.1");
    return NULL;
  }
  int mode = exchange_mode(d, GPM_CAPTURE_RELAXED);
  uintptr_t outer = __gpumemprof_stack.inside;
  __gpumemprof_stack.inside = (uintptr_t)__builtin_frame_address(0);
  gpm_torch_free_waiting(d);
  int result = gpm_torch_enter(d, device, &pushed);
  if (!result && gpm_event_observed()) request((uint64_t)size, outer);
  if (!result) result = gpm_torch_take(d, (uint64_t)size, device, stream, &p, &pooled);
  __gpumemprof_stack.inside = outer;
  struct gpumemprof_frame *frame = push_torch();
  if (pooled) __gpumemprof_post_cuMemAllocAsync(&p, (size_t)size, stream, result);
  else __gpumemprof_post_cuMemAlloc_v2(&p, (size_t)size, result);
  gpm_native_pop(frame);
  if (pushed) gpm_torch_leave(d); /* after the hook, which asks for the current device */
  exchange_mode(d, mode);
  errno = saved;
  return result ? refuse(result, (uint64_t)size, device) : (void *)(uintptr_t)p;
}

/* Records a free now and postpones the call, which is not possible yet. The hooks of cuMemFree are
 * called, so that it is recorded as a free outside of any capture. */
static GPM_COLD void free_later(struct gpm_torch_care *care, int device, gpm_stream stream) {
  struct gpumemprof_frame *frame = push_torch();
  __gpumemprof_pre_cuMemFree_v2(care->address);
  gpm_event_freed(care->address);
  gpm_native_pop(frame);
  care->device = device;
  care->stream = stream;
  gpm_torch_free_later(care);
}

static void free_now(const struct gpm_driver *d, const struct gpm_torch_care *care,
                     gpm_stream stream, bool pooled, bool kept) {
  struct gpumemprof_frame *frame = push_torch();
  if (pooled) __gpumemprof_pre_cuMemFreeAsync(care->address, stream);
  else __gpumemprof_pre_cuMemFree_v2(care->address);
  uintptr_t outer = __gpumemprof_stack.inside;
  __gpumemprof_stack.inside = (uintptr_t)__builtin_frame_address(0);
  int error = kept ? 0 : gpm_torch_give_back(d, care, stream, pooled);
  __gpumemprof_stack.inside = outer;
  /* A graph's memory is no block before the first launch of the graph. */
  if (error ? !care->of_graph : gpm_event_observed()) {
    if (pooled) __gpumemprof_post_cuMemFreeAsync(care->address, stream, error);
    else __gpumemprof_post_cuMemFree_v2(care->address, error);
  }
  gpm_native_pop(frame);
}

void gpumemprof_torch_free(void *pointer, ssize_t size, int device, void *stream) {
  (void)size;
  if (!pointer) return;
  int saved = errno;
  bool pushed;
  const struct gpm_driver *d = driver_or_null();
  int mode = d ? exchange_mode(d, GPM_CAPTURE_RELAXED) : 0;
  if (d && !gpm_torch_enter(d, device, &pushed)) {
    struct gpm_torch_care care;
    gpm_torch_take_care((uintptr_t)pointer, &care);
    enum gpm_torch_stream state = gpm_torch_captured(d, &care, stream);
    /* Memory that other streams used stays with the graph until the graph ends, because those
     * streams need not be part of the capture. */
    bool kept = state == GPM_TORCH_CAPTURED && care.users;
    if (state == GPM_TORCH_HELD_UP || (state == GPM_TORCH_CAPTURED && !care.of_graph))
      free_later(&care, device, stream);
    else free_now(d, &care, stream, gpm_torch_has_pools(d, device), kept);
    if (pushed) gpm_torch_leave(d);
  }
  if (d) exchange_mode(d, mode);
  errno = saved;
}
