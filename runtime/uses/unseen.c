/* unseen.c - objects of the process that were not rebuilt and use memory of devices. In those that
 * were, unseen_parts.c looks for parts that were not.
 *
 * What such code does is not recorded, so nothing can be said about memory that it may have been
 * given. An object counts if it has device code, or if it takes a function from CUDA or from one of
 * its libraries by which memory is used. The libraries themselves do not count: rebuilt code calls
 * them, which is recorded, and code that was not rebuilt and calls them is found by what it takes.
 * The files of the objects are read, because a section of device code is not named in memory.
 */
#include "uses/unseen.h"
#include "base/loaded.h"
#include "base/memory.h"
#include "base/private_files.h"
#include "base/state.h"
#include "base/text.h"
#include "capture/capture.h"
#include "cuda/statics.h"
#include "options/options.h"
#include "records/modules.h"
#include "threads/threads.h"
#include "uses/device_code.h"
#include "uses/object_file.h"
#include "uses/uses.h"

#include <stdlib.h>
#include <string.h>

#define MOST_OBJECTS 1024u
#define LONGEST_PATH 512u
#define PROGRAM "/proc/self/exe" /* also when its file was replaced since it was started */

static _Atomic bool has_checked, exits;

struct seen_object {
  uintptr_t begin, end, bias;
  char path[LONGEST_PATH];
};
struct unseen_check {
  uint32_t count, given; /* given: found before */
  uint64_t changes;      /* of the loader, when it was checked at */
  struct seen_object object[MOST_OBJECTS];
};

static uint64_t last_changes; /* by the thread that checks; the program's end comes after all */
static _Atomic uint32_t reported[64]; /* hashes of what was recorded; 0: none */
static bool managed_known;            /* that there are __managed__ variables */

void gpm_unseen_start(void) {
  atomic_store(&has_checked, false);
  memset(reported, 0, sizeof reported);
  gpm_device_code_start();
  atomic_store(&exits, false);
  last_changes = 0;
  managed_known = false;
}

/* ---- names -------------------------------------------------------------------------------------
 */

static bool starts_with_one(const char *text, const char *const *prefix, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strncmp(text, prefix[i], strlen(prefix[i]))) return true;
  return false;
}

/* CUDA, what belongs to the driver, and libraries whose calls are recorded (LibraryUses.def). */
static bool is_known_library(const char *path) {
  static const char *const libraries[] = {
      "libcuda.",     "libcudart",   "libgpumemprof", "libnvidia-",  "libcupti",      "libnvrtc",
      "libcublas",    "libcufft",    "libcurand",     "libcusolver", "libcusparse",   "libcudnn",
      "libnccl",      "libcutensor", "libcudss",      "libnpp",      "libnvjpeg",     "libnvshmem",
      "libnvJitLink", "libcufile",   "libnvToolsExt", "libnvtx",     "libcustatevec", "libnvperf"};
  const char *name = strrchr(path, '/');
  return starts_with_one(name ? name + 1 : path, libraries, sizeof libraries / sizeof *libraries);
}

bool gpm_unseen_is_use(const char *function) {
  static const char *const functions[] = {"cudaLaunch",
                                          "__cudaLaunchKernel",
                                          "cudaMemcpy",
                                          "cudaMemset",
                                          "cudaMemPrefetch",
                                          "cudaGraphLaunch",
                                          "cuLaunch",
                                          "cuMemcpy",
                                          "cuMemset",
                                          "cuMemPrefetch",
                                          "cuGraphLaunch",
                                          "cublas",
                                          "cufft",
                                          "curandGenerate",
                                          "cusolver",
                                          "cusparse",
                                          "cudnn",
                                          "nccl",
                                          "cutensor",
                                          "cudss",
                                          "npp",
                                          "nvjpeg",
                                          "nvshmem",
                                          "custatevec"};
  return starts_with_one(function, functions, sizeof functions / sizeof *functions);
}

static bool file_uses_memory(const struct gpm_object_file *file) {
  bool found = false;
  for (unsigned i = 0; i < file->count && !found; i++) {
    const char *name = gpm_object_file_name(file, &file->section[i]);
    found = !strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin");
  }
  struct gpm_symbols taken = gpm_object_file_symbols(file, SHT_DYNSYM);
  for (uint64_t i = 0; i < taken.count && !found; i++)
    found =
        taken.symbol[i].st_shndx == SHN_UNDEF && gpm_unseen_is_use(gpm_object_file_text(&taken, i));
  gpm_object_file_free_symbols(&taken);
  return found;
}

/* ---- objects -----------------------------------------------------------------------------------
 */

/* Under the lock of the loader. */
static int add_object(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct unseen_check *l = data;
  if (l->count == MOST_OBJECTS) return 1;
  struct seen_object *o = &l->object[l->count];
  o->begin = UINTPTR_MAX;
  o->end = 0;
  o->bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD) continue;
    if (from < o->begin) o->begin = from;
    if (from + p->p_memsz > o->end) o->end = from + p->p_memsz;
  }
  const char *path = info->dlpi_name;
  if (!l->count && (!path || !*path)) path = PROGRAM;
  if (!path || !strchr(path, '/') || strlen(path) >= LONGEST_PATH)
    return 0; /* the vdso has no file */
  strcpy(o->path, path);
  l->count++;
  return 0;
}

static uint32_t hash_more(uint32_t hash, const char *text) {
  for (const char *c = text ? text : ""; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  return hash;
}

void gpm_unseen_add(enum gpumemprof_unseen what, const char *path, const char *function) {
  uint32_t hash = hash_more(hash_more(2166136261u + what, path), function) | 1;
  for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
    uint32_t known = 0;
    if (atomic_compare_exchange_strong(&reported[i], &known, hash)) {
      gpm_uses_add_known(&(struct gpm_known_use){
          .what = GPUMEMPROF_USE_UNSEEN, .unseen = what, .path = path, .function = function});
      return;
    }
    if (known == hash) return;
  } /* one would be enough: nothing is judged */
}

static void check_files(void *argument) {
  struct unseen_check *l = argument;
  for (uint32_t i = 0; i < l->count; i++) {
    const struct seen_object *o = &l->object[i];
    struct gpm_object_file file;
    struct gpm_code_range thunks;
    bool rebuilt = gpm_modules_are_in(o->begin, o->end),
         marked = rebuilt && gpm_modules_thunks(o->begin, o->end, &thunks);
    if (rebuilt != marked || is_known_library(o->path) || !gpm_object_file_open(&file, o->path))
      continue;
    const char *path = strcmp(o->path, PROGRAM) ? o->path : gpm_capture->executable;
    if (marked) gpm_unseen_check_parts(&file, path, o->bias, &thunks);
    else if (file_uses_memory(&file)) gpm_unseen_add(GPUMEMPROF_UNSEEN_OBJECT, path, NULL);
    if (rebuilt) gpm_device_code_note(&file, path);
    gpm_object_file_close(&file);
  }
}

static void check_objects(void) {
  if (!managed_known && gpm_statics_are_managed()) {
    managed_known = true;
    gpm_uses_add_known(&(struct gpm_known_use){.what = GPUMEMPROF_USE_MANAGED_VARIABLES});
  }
  uint64_t changes = gpm_loaded_changes();
  if (changes == last_changes) return;
  struct unseen_check *l = gpm_memory_try(sizeof *l);
  if (!l) return;
  last_changes = changes;
  gpm_loaded_each(add_object, l);
  gpm_private_files_run(check_files, l);
  gpm_memory_unmap(l, sizeof *l);
}

bool gpm_unseen_has_checked(void) {
  return atomic_load(&has_checked);
}

/* Enters the runtime to check once more, if anything was loaded since. */
static void check_once_more(void) {
  struct gpm_thread *thread = gpm_options.uses && gpm_recording() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  check_objects();
  gpm_end(thread);
}

static void program_exits(void) {
  check_once_more();
  atomic_store(&exits, true);
}

void gpm_unseen_check(void) {
  bool checked = false;
  if (!atomic_compare_exchange_strong(&has_checked, &checked, true)) return;
  check_objects();
  atexit(program_exits); /* it runs before objects of the program end, and with them what says that
                          * they were rebuilt */
}

void gpm_uses_end(void) {
  if (atomic_load(&has_checked) && !atomic_load(&exits)) check_once_more();
}
