/* object_file.h - the file of a loaded object, as ELF has it: its sections, and what they hold. See
 * object_file.c.
 *
 * All functions are called within gpm_private_files_run, by one thread for one file.
 */
#ifndef GPM_OBJECT_FILE_H
#define GPM_OBJECT_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* A part of a file in memory, with a 0 behind it. */
struct gpm_file_part {
  char *bytes; /* null: it could not be read */
  uint64_t size;
  uint64_t mapped;
};
struct gpm_object_file {
  int fd;
  unsigned count; /* of sections */
  const Elf64_Shdr *section;
  struct gpm_file_part sections, names;
};

/* False: it cannot be read, or is none of ELF's of 64 bits. Then there is nothing to close. */
bool gpm_object_file_open(struct gpm_object_file *file, const char *path);
void gpm_object_file_close(struct gpm_object_file *file);

const char *gpm_object_file_name(const struct gpm_object_file *file, const Elf64_Shdr *section);
/* The first section of a type, or null. */
const Elf64_Shdr *gpm_object_file_find(const struct gpm_object_file *file, uint32_t type);
/* Reads a section, and gives it back. Null reads nothing. */
struct gpm_file_part gpm_object_file_read(const struct gpm_object_file *file,
                                          const Elf64_Shdr *section);
void gpm_object_file_free(struct gpm_file_part *part);

/* A table of symbols with its texts. */
struct gpm_symbols {
  struct gpm_file_part symbols, texts;
  const Elf64_Sym *symbol;
  uint64_t count;
};
/* Those of the first section of that type: SHT_DYNSYM or SHT_SYMTAB. None: count is 0. */
struct gpm_symbols gpm_object_file_symbols(const struct gpm_object_file *file, uint32_t type);
void gpm_object_file_free_symbols(struct gpm_symbols *symbols);
/* The text of a symbol; "" for one that is not there. */
const char *gpm_object_file_text(const struct gpm_symbols *symbols, uint64_t number);

#endif /* GPM_OBJECT_FILE_H */
