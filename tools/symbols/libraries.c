/* libraries.c - see symbols.h. Whose functions are no part of a call path: those of the C and C++
 * libraries, of the CUDA runtime, and what headers of the system declare. The plugin does not
 * rebuild them either.
 *
 * The file that declares a function decides, as far as debug information has it; otherwise its
 * module and its name.
 */
#include "symbols/symbols.h"

#include "support/text.h"

#include <ctype.h>
#include <string.h>

static bool begins_with(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}
#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

/* A program may be called libc-tools or ld-solver. */
static bool is_language_library(const char *module) {
  static const char *const beginnings[] = {
      "libc.so.",     "libc-2.",     "libc.musl-", "libpthread.so.", "libpthread-2.", "ld-linux",
      "ld-musl-",     "ld-2.",       "ld.so.",     "ld64.so.",       "libstdc++.so",  "libc++.so",
      "libc++abi.so", "libgcc_s.so", "libgomp.so", "libomp.so",      "libiomp5.so"};
  const char *base = gpm_text_base(module);
  if (!strstr(base, ".so")) return false;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (begins_with(base, beginnings[i])) return true;
  return false;
}

/* What starts programs and threads is in the program itself, too: the first of them in each, and
 * all of them in a static one. */
static bool starts(const struct gpm_source_frame *f) {
  static const char *const names[] = {"_start",
                                      "__libc_start_main",
                                      "__libc_start_main_impl",
                                      "__libc_start_call_main",
                                      "__libc_csu_init",
                                      "start_thread",
                                      "clone",
                                      "clone3",
                                      "__clone",
                                      "__clone3",
                                      "execute_native_thread_routine"};
  return f->function && IS_ONE_OF(f->function, names);
}

/* As compilers know them: what was built from /usr/src is a program. */
static bool is_system_header(const char *file) {
  if (strstr(file, "/include/c++/")) return true; /* a compiler's, wherever it is installed */
  if (strstr(file, "/targets/") && strstr(file, "-linux/include/")) return true; /* CUDA's */
  return gpm_text_is_of_the_system(file) && strstr(file, "/include/") &&
         !begins_with(file, "/usr/src/");
}

/* ---- the CUDA runtime --------------------------------------------------------------------------
 */

static bool sounds_like_cuda(const char *name, size_t size) {
  return size > 4 && begins_with(name, "cuda") && isupper((unsigned char)name[4]);
}

/* A function that the toolkit has: a program's own may be called cudaAllocOrDie. */
static bool is_of_cuda_api(const char *name, size_t size) {
  static const char *const names[] = {
#define GPUMEMPROF_ALLOC(name, ...) #name,
#define GPUMEMPROF_POOL_ALLOC(name, ...) #name,
#define GPUMEMPROF_FREE(name, ...) #name,
#define GPUMEMPROF_POOL_FREE(name, ...) #name,
#define GPUMEMPROF_CREATE(name, ...) #name,
#define GPUMEMPROF_AFTER(name, ...) #name,
#define GPUMEMPROF_AROUND(name, ...) #name,
#define GPUMEMPROF_RECORDED(name, ...) #name,
#define GPUMEMPROF_RESET(name, ...) #name,
#include "gpumemprof/cuda_api.def"
      /* These may allocate because they are the first to use a context, a module or a library. */
      "cudaDeviceSynchronize",
      "cudaEventCreate",
      "cudaFuncGetAttributes",
      "cudaFuncSetAttribute",
      "cudaGetSymbolAddress",
      "cudaGetSymbolSize",
      "cudaInitDevice",
      "cudaLaunchCooperativeKernel",
      "cudaLaunchKernel",
      "cudaLaunchKernelExC",
      "cudaMemcpy",
      "cudaMemcpyAsync",
      "cudaMemcpyFromSymbol",
      "cudaMemcpyToSymbol",
      "cudaMemset",
      "cudaMemsetAsync",
      "cudaSetDevice",
      "cudaStreamCreate",
      "cudaStreamCreateWithFlags"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == size && !strncmp(name, names[i], size)) return true;
  return false;
}

static bool is_cuda_header(const char *file) {
  static const char *const names[] = {"cuda_runtime.h", "cuda_runtime_api.h", "driver_functions.h",
                                      "channel_descriptor.h", "device_functions.h"};
  return IS_ONE_OF(gpm_text_base(file), names) || is_system_header(file);
}

bool gpm_symbols_is_cuda_runtime(const struct gpm_source_frame *f) {
  if (!f->function) return false;
  if (begins_with(f->function, "libcudart_static_")) return true;
  size_t size = strcspn(f->function, "<");
  const char *name = f->function;
  for (size_t i = 0; i < size; i++) /* "cudaError cudaMalloc<float>" */
    if (f->function[i] == ' ') name = f->function + i + 1;
  size -= (size_t)(name - f->function);
  if (!sounds_like_cuda(name, size)) return false;
  return f->declared_file ? is_cuda_header(f->declared_file) : is_of_cuda_api(name, size);
}

/* ---- the standard library of C++ ---------------------------------------------------------------
 */

/* By a linkage name: std::f, a lambda in it, and what it is implemented with. */
bool gpm_symbols_is_standard(const char *linkage) {
  static const char *const spaces[] = {"St", "Sa", "Ss",         "Sb",          "Si",
                                       "So", "Sd", "9__gnu_cxx", "10__cxxabiv1"};
  if (!begins_with(linkage, "_Z")) return false;
  if (strstr(linkage, "__gthread_")) return true; /* static functions of its headers */
  const char *rest = linkage + 2 + strspn(linkage + 2, "ZNKVrRO");
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (begins_with(rest, spaces[i])) return true;
  return false;
}

enum gpm_left_out gpm_symbols_left_out(const char *module, const struct gpm_source_frame *f) {
  if (is_language_library(module) || gpm_symbols_is_cuda_runtime(f)) return GPM_LEFT_OUT_ALWAYS;
  if (starts(f)) return GPM_LEFT_OUT_AT_BOTTOM;
  const char *file = f->declared_file ? f->declared_file : f->file;
  if (file ? is_system_header(file) : f->standard) return GPM_LEFT_OUT_ALWAYS;
  return GPM_LEFT_OUT_NEVER;
}
