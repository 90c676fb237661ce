/* unseen.c - objects of the process that were not rebuilt and use memory of devices.
 *
 * What such code does is not recorded, so nothing can be said about memory that it may have been
 * given. An object counts if it has device code, or if it takes a function from CUDA or from one of
 * its libraries by which memory is used. The libraries themselves do not count: rebuilt code calls
 * them, which is recorded, and code that was not rebuilt and calls them is found by what it takes.
 * The files of the objects are read, because a section of device code is not named in memory.
 */
#include "base/loaded.h"
#include "base/memory.h"
#include "base/private_files.h"
#include "base/state.h"
#include "base/text.h"
#include "options/options.h"
#include "records/modules.h"
#include "threads/threads.h"
#include "uses/uses.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>

#define MOST_OBJECTS 1024u
#define LONGEST_PATH 512u
#define LARGEST_SECTION ((uint64_t)256 << 20) /* of a section that is read */

static _Atomic bool has_checked;

struct seen_object {
  uintptr_t begin, end;
  char path[LONGEST_PATH];
};
struct unseen_check {
  uint32_t count, given; /* given: found before */
  uint64_t changes;      /* of the loader, when it was checked at */
  struct seen_object object[MOST_OBJECTS];
};

static uint64_t last_changes; /* by the thread that checks; the program's end comes after all */
static _Atomic uint32_t reported[64]; /* hashes of what was recorded; 0: none */

void gpm_unseen_start(void) {
  atomic_store(&has_checked, false);
  memset(reported, 0, sizeof reported);
  last_changes = 0;
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

/* ---- files -------------------------------------------------------------------------------------
 */

static bool read_all(int fd, void *to, uint64_t size, uint64_t from) {
  return gpm_private_files_read(fd, to, size, from) == (int64_t)size;
}

struct part {
  char *bytes;
  uint64_t size, mapped;
};

/* Reads a part of the file, with a 0 behind it. */
static bool read_part(int fd, struct part *p, uint64_t size, uint64_t from) {
  *p = (struct part){NULL, size, size + 1};
  if (!size || size > LARGEST_SECTION || !(p->bytes = gpm_memory_try(p->mapped))) return false;
  return read_all(fd, p->bytes, size, from);
}

static void free_part(struct part *p) {
  if (p->bytes) gpm_memory_unmap(p->bytes, p->mapped);
}

static bool takes_a_use(int fd, const Elf64_Shdr *symbols, const Elf64_Shdr *texts) {
  struct part symbol = {NULL, 0, 0}, text = {NULL, 0, 0};
  bool found = false, read = read_part(fd, &symbol, symbols->sh_size, symbols->sh_offset) &&
                             read_part(fd, &text, texts->sh_size, texts->sh_offset);
  const Elf64_Sym *s = (const void *)symbol.bytes;
  for (uint64_t i = 0; read && !found && i < symbol.size / sizeof *s; i++)
    found = s[i].st_shndx == SHN_UNDEF && s[i].st_name < text.size &&
            gpm_unseen_is_use(text.bytes + s[i].st_name);
  free_part(&symbol);
  free_part(&text);
  return found;
}

static bool file_uses_memory(int fd) {
  Elf64_Ehdr head;
  struct part part = {NULL, 0, 0}, names = {NULL, 0, 0};
  if (!read_all(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
      head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum)
    return false;
  bool found = false;
  if (read_part(fd, &part, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr), head.e_shoff)) {
    const Elf64_Shdr *section = (const void *)part.bytes, *of_names = &section[head.e_shstrndx];
    bool named = read_part(fd, &names, of_names->sh_size, of_names->sh_offset);
    for (unsigned i = 0; named && !found && i < head.e_shnum; i++) {
      const Elf64_Shdr *s = &section[i];
      const char *name = s->sh_name < names.size ? names.bytes + s->sh_name : "";
      found = !strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin");
      if (s->sh_type == SHT_DYNSYM && s->sh_link < head.e_shnum)
        found |= takes_a_use(fd, s, &section[s->sh_link]);
    }
  }
  free_part(&part);
  free_part(&names);
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
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD) continue;
    if (from < o->begin) o->begin = from;
    if (from + p->p_memsz > o->end) o->end = from + p->p_memsz;
  }
  const char *path = info->dlpi_name;
  bool first = !l->count;
  if (first && (!path || !*path)) path = "/proc/self/exe";
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
      gpm_uses_add_unseen(what, path, function);
      return;
    }
    if (known == hash) return;
  } /* one would be enough: nothing is judged */
}

static void check_files(void *argument) {
  struct unseen_check *l = argument;
  for (uint32_t i = 0; i < l->count; i++) {
    const struct seen_object *o = &l->object[i];
    if (is_known_library(o->path) || gpm_modules_are_in(o->begin, o->end)) continue;
    int fd = gpm_private_files_open(o->path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) continue;
    bool uses = file_uses_memory(fd);
    gpm_private_files_close(fd);
    if (uses) gpm_unseen_add(GPUMEMPROF_UNSEEN_OBJECT, o->path, NULL);
  }
}

static void check_objects(void) {
  uint64_t changes = gpm_loaded_changes();
  if (changes == last_changes) return;
  struct unseen_check *l = gpm_memory_try(sizeof *l);
  if (!l) return;
  last_changes = changes;
  gpm_loaded_each(add_object, l);
  gpm_private_files_run(check_files, l);
  gpm_memory_unmap(l, sizeof *l);
}

void gpm_unseen_check(void) {
  bool checked = false;
  if (atomic_compare_exchange_strong(&has_checked, &checked, true)) check_objects();
}

void gpm_uses_end(void) {
  struct gpm_thread *thread = gpm_options.uses && gpm_recording() ? gpm_thread_enter() : NULL;
  if (!thread) return;
  if (atomic_load(&has_checked)) check_objects();
  gpm_end(thread);
}
