/* symbols.h - names for the addresses of a capture that lie in code that was not rebuilt.
 *
 * symbols.c gives the sites of such addresses function, file and line, after the run and on the
 * machine of the tool: symbols_elf.c finds and opens the modules, symbols_dwarf.c asks their debug
 * information, inlined functions included, and symbols_lines.c which file a line is of.
 */
#ifndef GPM_TOOLS_SYMBOLS_H
#define GPM_TOOLS_SYMBOLS_H

#include "capture/reader.h"

/* Rewrites the NATIVE sites of the capture. Reports one sentence for each module that is gone or
 * was replaced. */
void gpm_symbols_name(struct gpm_reader *reader);

/* A function's linkage name as people write it: qualified, without parameters. Takes the text and
 * gives one that is to be freed; null stays null. */
char *gpm_symbols_readable(char *name);

/* ---- symbols_elf.c: a module's files ------------------------------------------------------------
 */
struct gpm_elf {
  int fd;
  const unsigned char *base;
  uint64_t size;
};
enum gpm_elf_match { GPM_ELF_SAME, GPM_ELF_OTHER, GPM_ELF_MISSING };
/* Opens the file if it has that build-id ("": any will do). To be closed if it is the same. */
enum gpm_elf_match gpm_elf_open(struct gpm_elf *elf, const char *path, const char *build_id);
void gpm_elf_close(struct gpm_elf *elf);
/* Whether it is a program or a library, and not one object of them. */
bool gpm_elf_is_linked(const struct gpm_elf *elf);
/* The function that holds an address, to be freed; null if no symbol covers it. */
char *gpm_elf_function(const struct gpm_elf *elf, uint64_t address);
/* The bytes of a section; null if it is missing or compressed. */
const unsigned char *gpm_elf_section(const struct gpm_elf *elf, const char *name, uint64_t *size);

/* ---- symbols_lines.c: the file of an address by a line table of DWARF 5 ------------------------
 */
/* The number in the unit's table of files, which begins at `offset` of .debug_line; `unknown` if
 * the table does not say. */
uint64_t gpm_lines_file(const unsigned char *section, uint64_t size, uint64_t offset,
                        uint64_t address, uint64_t unknown);

/* ---- symbols_dwarf.c: where an address is in source ---------------------------------------------
 */
struct gpm_source_frame { /* texts are to be freed; null: not known */
  char *function, *file;
  uint32_t line;
};
struct gpm_source { /* innermost first: a function inlined into the next */
  uint64_t address;
  struct gpm_source_frame frame[16];
  unsigned count; /* 0: the file has no debug information for the address */
  bool partial;   /* who was inlined is in another file (-gsplit-dwarf), which is not read */
};
/* Fills the sources that are not known yet. False: this tool was built without libdwarf. */
bool gpm_dwarf_find(const struct gpm_elf *elf, struct gpm_source *sources, size_t count);

#endif
