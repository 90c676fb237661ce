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
  if (!strncmp(name, "libgpumemprof.so", 16))
    snprintf(out->runtime, sizeof out->runtime, "%s", name);
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

/* ---- names -------------------------------------------------------------------------------------
 */

static bool has_text(const struct image *f, uint64_t offset, uint64_t size, const char *text) {
  const void *part = at(f, offset, size);
  return part && memmem(part, size, text, strlen(text));
}

static bool section(const struct image *f, const Elf64_Ehdr *e, uint32_t i, Elf64_Shdr *out) {
  const void *p =
      i < e->e_shnum ? at(f, e->e_shoff + (uint64_t)i * sizeof *out, sizeof *out) : NULL;
  if (p) memcpy(out, p, sizeof *out);
  return p;
}

/* Whether the names of symbols contain a text, which elsewhere in a program may just be a text of
 * its own. *stripped: there are only the names that the dynamic linker needs. */
static bool has_symbol(const struct image *f, const Elf64_Ehdr *e, const char *text,
                       bool *stripped) {
  Elf64_Shdr table, names;
  bool found = false, linked = false; /* a program has one table of each type */
  *stripped = true;
  for (uint32_t i = 0; section(f, e, i, &table) && (*stripped || !linked); i++) {
    bool all = table.sh_type == SHT_SYMTAB && *stripped;
    bool some = table.sh_type == SHT_DYNSYM && !linked;
    if (!all && !some) continue;
    if (all) *stripped = false;
    else linked = true;
    if (section(f, e, table.sh_link, &names))
      found = found || has_text(f, names.sh_offset, names.sh_size, text);
  }
  return found;
}

/* The runtime in a program has a note (runtime/life/one_runtime.c), also if that is stripped. */
static bool has_note(const struct image *f, const Elf64_Ehdr *e) {
  enum { MOST_NOTES = 16, LONGEST = 64 << 10 };
  static const char name[] = "gpumemprof";
  Elf64_Phdr p;
  for (uint16_t i = 0, notes = 0; i < e->e_phnum && notes < MOST_NOTES; i++) {
    if (!segment(f, e, i, &p) || p.p_type != PT_NOTE) continue;
    notes++;
    const char *note = p.p_filesz <= LONGEST ? at(f, p.p_offset, p.p_filesz) : NULL;
    if (note && memmem(note, p.p_filesz, name, sizeof name)) return true;
  }
  return false;
}

/* The static runtime opens the driver by name, and names its shared memory in its own way. These
 * texts count only where there are no symbols. */
static bool has_static_cudart(const struct image *f, const Elf64_Ehdr *e) {
  char own[32], driver[32]; /* put together here, so that this tool does not contain them */
  snprintf(own, sizeof own, "/%s.shm.", "cudart");
  snprintf(driver, sizeof driver, "lib%s.so.1", "cuda");
  bool stripped, symbol = has_symbol(f, e, "cudaMalloc", &stripped);
  return (symbol || stripped) && has_text(f, 0, f->size, own) && has_text(f, 0, f->size, driver);
}

static bool is_musl(const struct image *f, const Elf64_Phdr *p) {
  return p->p_filesz < 4096 && has_text(f, p->p_offset, p->p_filesz, "/ld-musl-");
}

static void inspect(const struct image *f, struct gpm_program *out) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64) return;
  out->elf = true;
  bool driver = false, stripped;
  Elf64_Phdr p;
  for (uint16_t i = 0; i < e->e_phnum; i++) {
    if (!segment(f, e, i, &p)) continue;
    if (p.p_type == PT_DYNAMIC && !out->dynamic) driver = inspect_dynamic(f, e, &p, out);
    if (p.p_type == PT_INTERP) out->musl = is_musl(f, &p);
  }
  /* Compiled code registers with it. */
  out->instrumented = has_symbol(f, e, "__gpumemprof_abi_v", &stripped) || has_note(f, e);
  if (!out->needs_cudart && !*out->other && !driver) out->static_cudart = has_static_cudart(f, e);
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
