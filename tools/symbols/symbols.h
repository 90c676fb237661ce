/* symbols.h - names for the addresses of a capture that lie in code that was not rebuilt.
 *
 * symbols.c gives the sites of such addresses function, file and line. recorded_names.c finds these
 * in the capture, where kept_names.c has put them, or else in the files of a module, on the machine
 * of the tool: files.c finds the files, dwarf.c asks their debug information, inlined functions
 * included, and elf_file.c opens ELF files.
 */
#ifndef GPM_TOOLS_SYMBOLS_H
#define GPM_TOOLS_SYMBOLS_H

#include "capture/reader.h"

/* Rewrites the NATIVE sites of the capture, and its call tree where functions of such code are
 * scopes. Reports one sentence for each module that is gone or
 * was replaced. */
void gpm_symbols_name(struct gpm_reader *reader);

/* "app, libone.so and libtwo.so": the modules whose functions are scopes because they were on
 * machine stacks; to be freed. Null if there are none. */
char *gpm_symbols_modules(const struct gpm_reader *reader);

/* A function's linkage name as people write it: qualified, without parameters, and without what a
 * compiler adds to the name of a part or copy of it ("f.cold"). Takes the text and gives one that
 * is to be freed; null stays null. */
char *gpm_symbols_readable(char *name);
/* ---- elf_file.c: a module's files -------------------------------------------------------
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

/* ---- where addresses are in source ------------------------------------------------------
 */
struct gpm_source_frame { /* texts are to be freed; null: not known */
  char *function, *file;
  uint32_t line;
  char *declared_file; /* where the function is declared */
  uint32_t declared_line;
  bool standard; /* by its linkage name it is of the standard library of C++ */
};
struct gpm_source { /* innermost first: a function inlined into the next */
  uint64_t address;
  struct gpm_source_frame *frame;
  unsigned count; /* 0: nothing is known of the address */
  bool partial;   /* who was inlined is in another file (-gsplit-dwarf), which is not there */
};
struct gpm_found {
  enum gpm_elf_match match; /* whether the module is the file that ran */
  bool files;               /* it, or debug information with its build-id, or names of it */
  bool lines;               /* of any address; only of gpm_symbols_find_in */
  bool can_find_lines;      /* this tool was built with libdw */
};
/* recorded_names.c: fills the sources with what the capture says of a module (a record of
 * NATIVE_MODULES) or else its file, if it is the one that ran. */
struct gpm_found gpm_symbols_find_in(const struct gpm_reader *reader, uint32_t module,
                                     struct gpm_source *sources, size_t count);
/* files.c: fills them by the debug information of a file, and by its symbols. Without a build-id
 * any file will do. */
struct gpm_found gpm_symbols_find(const char *path, const char *build_id,
                                  struct gpm_source *sources, size_t count);
/* Whether servers of debuginfod are asked, which may take long: the user has named some. */
bool gpm_symbols_asks_servers(void);
void gpm_symbols_free_sources(struct gpm_source *sources, size_t count);
void gpm_symbols_free_frame(struct gpm_source_frame *frame);

/* ---- libraries.c: whose functions are no part of a call path ----------------------------
 */
enum gpm_left_out {
  GPM_LEFT_OUT_NEVER,
  GPM_LEFT_OUT_AT_BOTTOM, /* of a stack: it starts threads and programs */
  GPM_LEFT_OUT_ALWAYS     /* it is of the CUDA runtime, of a C or C++ library, or of a header of
                             the system */
};
enum gpm_left_out gpm_symbols_left_out(const char *module, const struct gpm_source_frame *frame);
/* Of a CUDA runtime that a program or library has linked in, whose own functions have scrambled
 * names, or of its headers. */
bool gpm_symbols_is_cuda_runtime(const struct gpm_source_frame *frame);
bool gpm_symbols_is_standard(const char *linkage_name);

#endif
