/* object_file.c - reads the files of loaded objects, because a section is not named in memory and
 * symbols that are not exported are not mapped. unseen.c and unseen_parts.c use it.
 */
#include "uses/object_file.h"
#include "base/memory.h"
#include "base/private_files.h"

#include <fcntl.h>
#include <string.h>

#define LARGEST_SECTION ((uint64_t)256 << 20) /* of a section that is read */

static struct gpm_file_part read_part(int fd, uint64_t size, uint64_t from) {
  struct gpm_file_part p = {NULL, size, size + 1};
  if (!size || size > LARGEST_SECTION || !(p.bytes = gpm_memory_try(p.mapped)))
    return (struct gpm_file_part){NULL, 0, 0};
  if (gpm_private_files_read(fd, p.bytes, size, from) == (int64_t)size) return p;
  gpm_object_file_free(&p);
  return p;
}

void gpm_object_file_free(struct gpm_file_part *part) {
  if (part->bytes) gpm_memory_unmap(part->bytes, part->mapped);
  *part = (struct gpm_file_part){NULL, 0, 0};
}

bool gpm_object_file_open(struct gpm_object_file *file, const char *path) {
  Elf64_Ehdr head;
  *file = (struct gpm_object_file){.fd = gpm_private_files_open(path, O_RDONLY | O_CLOEXEC, 0)};
  if (file->fd < 0) return false;
  bool known = gpm_private_files_read(file->fd, &head, sizeof head, 0) == (int64_t)sizeof head &&
               !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_shentsize == sizeof(Elf64_Shdr) &&
               head.e_shstrndx < head.e_shnum;
  if (known)
    file->sections = read_part(file->fd, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr), head.e_shoff);
  if (!file->sections.bytes) {
    gpm_object_file_close(file);
    return false;
  }
  file->section = (const void *)file->sections.bytes;
  file->count = head.e_shnum;
  file->names = gpm_object_file_read(file, &file->section[head.e_shstrndx]);
  return true;
}

void gpm_object_file_close(struct gpm_object_file *file) {
  gpm_object_file_free(&file->sections);
  gpm_object_file_free(&file->names);
  gpm_private_files_close(file->fd);
}

const char *gpm_object_file_name(const struct gpm_object_file *file, const Elf64_Shdr *section) {
  return section->sh_name < file->names.size ? file->names.bytes + section->sh_name : "";
}

const Elf64_Shdr *gpm_object_file_find(const struct gpm_object_file *file, uint32_t type) {
  for (unsigned i = 0; i < file->count; i++)
    if (file->section[i].sh_type == type) return &file->section[i];
  return NULL;
}

struct gpm_file_part gpm_object_file_read(const struct gpm_object_file *file,
                                          const Elf64_Shdr *section) {
  if (!section || section->sh_type == SHT_NOBITS) return (struct gpm_file_part){NULL, 0, 0};
  return read_part(file->fd, section->sh_size, section->sh_offset);
}

struct gpm_symbols gpm_object_file_symbols(const struct gpm_object_file *file, uint32_t type) {
  struct gpm_symbols s = {.count = 0};
  const Elf64_Shdr *section = gpm_object_file_find(file, type);
  if (!section || section->sh_link >= file->count) return s;
  s.symbols = gpm_object_file_read(file, section);
  s.texts = gpm_object_file_read(file, &file->section[section->sh_link]);
  s.symbol = (const void *)s.symbols.bytes;
  s.count = s.symbols.size / sizeof *s.symbol;
  return s;
}

void gpm_object_file_free_symbols(struct gpm_symbols *symbols) {
  gpm_object_file_free(&symbols->symbols);
  gpm_object_file_free(&symbols->texts);
}

const char *gpm_object_file_text(const struct gpm_symbols *symbols, uint64_t number) {
  bool known = number < symbols->count && symbols->symbol[number].st_name < symbols->texts.size;
  return known ? symbols->texts.bytes + symbols->symbol[number].st_name : "";
}
