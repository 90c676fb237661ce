/* elf_file.c - see symbols.h. ELF files from disk: nothing in them is trusted, every offset is
 * checked against the file's size.
 */
#include "symbols/symbols.h"

#include "support/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *at(const struct gpm_elf *f, uint64_t offset, uint64_t size) {
  return offset <= f->size && size <= f->size - offset ? f->base + offset : NULL;
}

/* Whether a range of notes contains the build-id. */
static bool notes_have(const unsigned char *note, uint64_t size, const char *build_id) {
  while (size >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr n;
    memcpy(&n, note, sizeof n);
    uint64_t name = sizeof n, id = name + (((uint64_t)n.n_namesz + 3) & ~UINT64_C(3));
    uint64_t next = id + (((uint64_t)n.n_descsz + 3) & ~UINT64_C(3));
    if (next > size) return false;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(note + name, "GNU", 4) &&
        strlen(build_id) == 2 * (size_t)n.n_descsz) {
      bool same = true;
      for (uint32_t i = 0; i < n.n_descsz; i++)
        same &= build_id[2 * i] == "0123456789abcdef"[note[id + i] >> 4] &&
                build_id[2 * i + 1] == "0123456789abcdef"[note[id + i] & 15];
      return same;
    }
    note += next;
    size -= next;
  }
  return false;
}

/* Files that have only debug information keep their notes in sections. */
static bool has_build_id(const struct gpm_elf *f, const char *build_id) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  for (uint16_t i = 0; i < e->e_phnum; i++) {
    Elf64_Phdr p;
    const void *header = at(f, e->e_phoff + (uint64_t)i * sizeof p, sizeof p);
    if (!header) break;
    memcpy(&p, header, sizeof p);
    const void *notes = p.p_type == PT_NOTE ? at(f, p.p_offset, p.p_filesz) : NULL;
    if (notes && notes_have(notes, p.p_filesz, build_id)) return true;
  }
  for (uint16_t i = 0; i < e->e_shnum; i++) {
    Elf64_Shdr s;
    const void *header = at(f, e->e_shoff + (uint64_t)i * sizeof s, sizeof s);
    if (!header) break;
    memcpy(&s, header, sizeof s);
    const void *notes = s.sh_type == SHT_NOTE ? at(f, s.sh_offset, s.sh_size) : NULL;
    if (notes && notes_have(notes, s.sh_size, build_id)) return true;
  }
  return false;
}

bool gpm_elf_is_linked(const struct gpm_elf *f) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  return e->e_type == ET_EXEC || e->e_type == ET_DYN;
}

enum gpm_elf_match gpm_elf_open(struct gpm_elf *elf, const char *path, const char *build_id) {
  struct stat st;
  *elf = (struct gpm_elf){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (elf->fd < 0) return GPM_ELF_MISSING;
  void *base = fstat(elf->fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr)
                   ? MAP_FAILED
                   : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, elf->fd, 0);
  if (base == MAP_FAILED) {
    close(elf->fd);
    return GPM_ELF_OTHER;
  }
  elf->base = base;
  elf->size = (uint64_t)st.st_size;
  const Elf64_Ehdr *e = base;
  if (!memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_ident[EI_CLASS] == ELFCLASS64 &&
      (!*build_id || has_build_id(elf, build_id)))
    return GPM_ELF_SAME;
  gpm_elf_close(elf);
  return GPM_ELF_OTHER;
}

void gpm_elf_close(struct gpm_elf *elf) {
  munmap((void *)(uintptr_t)elf->base, elf->size);
  close(elf->fd);
}

static char *function_in(const struct gpm_elf *f, const Elf64_Shdr *table, uint64_t address) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  Elf64_Shdr strings;
  const void *header =
      at(f, e->e_shoff + (uint64_t)table->sh_link * sizeof strings, sizeof strings);
  if (!header || table->sh_link >= e->e_shnum) return NULL;
  memcpy(&strings, header, sizeof strings);
  const unsigned char *symbols = at(f, table->sh_offset, table->sh_size);
  const char *text = at(f, strings.sh_offset, strings.sh_size);
  if (!symbols || !text) return NULL;
  for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym s;
    memcpy(&s, symbols + i * sizeof s, sizeof s);
    if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || address < s.st_value ||
        address - s.st_value >= s.st_size || s.st_name >= strings.sh_size)
      continue;
    size_t most = strings.sh_size - s.st_name;
    if (memchr(text + s.st_name, 0, most)) return gpm_memory_text(text + s.st_name);
  }
  return NULL;
}

char *gpm_elf_function(const struct gpm_elf *f, uint64_t address) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
  for (int t = 0; t < 2; t++)
    for (uint16_t i = 0; i < e->e_shnum; i++) {
      Elf64_Shdr s;
      const void *header = at(f, e->e_shoff + (uint64_t)i * sizeof s, sizeof s);
      if (!header) return NULL;
      memcpy(&s, header, sizeof s);
      char *name = s.sh_type == types[t] ? function_in(f, &s, address) : NULL;
      if (name) return name;
    }
  return NULL;
}

const unsigned char *gpm_elf_section(const struct gpm_elf *f, const char *name, uint64_t *size) {
  const Elf64_Ehdr *e = at(f, 0, sizeof *e);
  Elf64_Shdr s, names;
  const void *header = at(f, e->e_shoff + (uint64_t)e->e_shstrndx * sizeof names, sizeof names);
  if (!header || e->e_shstrndx >= e->e_shnum) return NULL;
  memcpy(&names, header, sizeof names);
  const char *text = at(f, names.sh_offset, names.sh_size);
  size_t length = strlen(name) + 1;
  for (uint16_t i = 0; text && i < e->e_shnum; i++) {
    if (!(header = at(f, e->e_shoff + (uint64_t)i * sizeof s, sizeof s))) return NULL;
    memcpy(&s, header, sizeof s);
    if (s.sh_name > names.sh_size || length > names.sh_size - s.sh_name ||
        memcmp(text + s.sh_name, name, length) || s.sh_type == SHT_NOBITS ||
        s.sh_flags & SHF_COMPRESSED)
      continue;
    *size = s.sh_size;
    return at(f, s.sh_offset, s.sh_size);
  }
  return NULL;
}
