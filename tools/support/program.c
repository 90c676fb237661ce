/* program.c - see program.h. Trusts nothing in the file: every offset is checked against its size.
 */
#include "support/program.h"

#include "support/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *gpm_program_find(const char *name) {
  if (strchr(name, '/')) return is_program(name) ? gpm_memory_text(name) : NULL;
  const char *path = getenv("PATH");
  if (!path) path = "/usr/bin:/bin";
  for (const char *end;; path = end + 1) {
    end = strchrnul(path, ':');
    int length = (int)(end - path);
    char *file =
        length ? gpm_memory_format("%.*s/%s", length, path, name) : gpm_memory_format("./%s", name);
    if (is_program(file)) return file;
    free(file);
    if (!*end) return NULL;
  }
}

struct image {
  const unsigned char *base;
  uint64_t size;
};

static const void *at(const struct image *f, uint64_t offset, uint64_t size) {
  return offset <= f->size && size <= f->size - offset ? f->base + offset : NULL;
}

/* Reads into a copy, because headers need not be aligned. */
static bool segment(const struct image *f, const Elf64_Ehdr *e, uint16_t i, Elf64_Phdr *out) {
  const void *p = at(f, e->e_phoff + (uint64_t)i * sizeof *out, sizeof *out);
  if (p) memcpy(out, p, sizeof *out);
  return p;
}

/* File offset of a virtual address; UINT64_MAX when no segment holds it. */
static uint64_t offset_of(const struct image *f, const Elf64_Ehdr *e, uint64_t address) {
  Elf64_Phdr p;
  for (uint16_t i = 0; i < e->e_phnum; i++)
    if (segment(f, e, i, &p) && p.p_type == PT_LOAD && address >= p.p_vaddr &&
        address - p.p_vaddr < p.p_filesz)
      return p.p_offset + (address - p.p_vaddr);
  return UINT64_MAX;
}

static void inspect_library(struct gpm_program *out, const char *name, bool *driver) {
  if (!strcmp(name, "libcudart.so.13") || !strcmp(name, "libcudart.so.12"))
    out->needs_cudart = true;
  else if (!strncmp(name, "libcudart.so", 12)) snprintf(out->other, sizeof out->other, "%s", name);
  if (!strncmp(name, "libcuda.so", 10)) *driver = true;
  if (!strncmp(name, "libgpumemprof.so", 16)) out->needs_runtime = true;
}

static bool inspect_dynamic(const struct image *f, const Elf64_Ehdr *e, const Elf64_Phdr *p,
                            struct gpm_program *out) {
  const unsigned char *entries = at(f, p->p_offset, p->p_filesz);
  if (!entries) return false;
  uint64_t count = 0, table = 0;
  bool run_path = false, r_path = false, driver = false;
  Elf64_Dyn d;
  for (; count < p->p_filesz / sizeof d; count++) {
    memcpy(&d, entries + count * sizeof d, sizeof d);
    if (d.d_tag == DT_NULL) break;
    if (d.d_tag == DT_STRTAB) table = d.d_un.d_ptr;
    if (d.d_tag == DT_RUNPATH) run_path = true;
    if (d.d_tag == DT_RPATH) r_path = true;
  }
  uint64_t strings = offset_of(f, e, table);
  for (uint64_t i = 0; i < count && strings < f->size; i++) {
    memcpy(&d, entries + i * sizeof d, sizeof d);
    if (d.d_tag != DT_NEEDED || d.d_un.d_val >= f->size - strings) continue;
    const char *name = (const char *)f->base + strings + d.d_un.d_val;
    if (memchr(name, 0, f->size - strings - d.d_un.d_val)) inspect_library(out, name, &driver);
  }
  out->dynamic = true;
  out->fixed_path = r_path && !run_path;
  return driver;
}

static void inspect(const struct image *f, struct gpm_program *out) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64) return;
  out->elf = true;
  bool driver = false;
  Elf64_Phdr p;
  for (uint16_t i = 0; i < e->e_phnum && !out->dynamic; i++)
    if (segment(f, e, i, &p) && p.p_type == PT_DYNAMIC) driver = inspect_dynamic(f, e, &p, out);
  /* The static runtime opens the driver by name, and names its shared memory in its own way. */
  static const char own[] = "/cudart.shm.", driver_name[] = "libcuda.so.1";
  static const char plugin[] = "__gpumemprof_abi_v"; /* compiled code registers with it */
  out->instrumented = memmem(f->base, f->size, plugin, sizeof plugin - 1);
  if (!out->needs_cudart && !*out->other && !driver)
    out->static_cudart = memmem(f->base, f->size, own, sizeof own - 1) &&
                         memmem(f->base, f->size, driver_name, sizeof driver_name - 1);
}

struct gpm_program gpm_program_inspect(const char *path) {
  struct gpm_program out = {.elf = false};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0) return out;
  void *base = fstat(fd, &st) || !st.st_size
                   ? MAP_FAILED
                   : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (base == MAP_FAILED) return out;
  struct image f = {base, (uint64_t)st.st_size};
  inspect(&f, &out);
  munmap(base, (size_t)st.st_size);
  return out;
}
