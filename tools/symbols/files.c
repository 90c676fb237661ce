/* files.c - see symbols.h. The files of a module: itself, and its debug information where
 * that is a file of its own.
 *
 * libdwfl finds the latter as debuggers do: by build-id and .gnu_debuglink, in the folder of the
 * module, below /usr/lib/debug and, if DEBUGINFOD_URLS is set, from those servers. Where the module
 * itself is gone or was replaced, its build-id may still lead to its debug information.
 */
#include "symbols/files.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

void gpm_symbols_free_frame(struct gpm_source_frame *f) {
  free(f->function);
  free(f->file);
  free(f->declared_file);
}

void gpm_symbols_free_sources(struct gpm_source *sources, size_t count) {
  for (size_t s = 0; s < count; s++) {
    for (unsigned i = 0; i < sources[s].count; i++) gpm_symbols_free_frame(&sources[s].frame[i]);
    free(sources[s].frame);
  }
  free(sources);
}

/* The folder of debug information is another one in tests and on unusual systems. */
static char *debug_folder(void) {
  const char *folder = getenv("GPUMEMPROF_DEBUG_FOLDER");
  return gpm_memory_text(folder && *folder ? folder : "/usr/lib/debug");
}

/* The file of debug information with a build-id, if it is there. */
static bool open_debug_file(struct gpm_elf *elf, const char *build_id) {
  if (strlen(build_id) <= 2) return false;
  char *folder = debug_folder();
  char *path = gpm_memory_format("%s/.build-id/%.2s/%s.debug", folder, build_id, build_id + 2);
  bool found = gpm_elf_open(elf, path, build_id) == GPM_ELF_SAME;
  free(path);
  free(folder);
  return found;
}

/* Gives an address that has no function yet that of the symbol, and takes the symbol's memory. A
 * C++ function that no other file can call has a plain name in debug information, without
 * namespace, and a whole one as a symbol. */
static void take_symbol(struct gpm_source *s, char *symbol) {
  if (!symbol) return;
  if (!s->count) {
    free(s->frame);
    s->frame = gpm_memory_array(1, sizeof *s->frame);
    s->count = 1;
  }
  struct gpm_source_frame *outermost = &s->frame[s->count - 1];
  char **function = &outermost->function;
  outermost->standard = gpm_symbols_is_standard(symbol);
  if (*function && (strncmp(symbol, "_Z", 2) != 0 || strstr(*function, "::"))) {
    free(symbol);
    return;
  }
  free(*function);
  *function = gpm_symbols_readable(symbol);
}

bool gpm_symbols_asks_servers(void) {
  const char *servers = getenv("DEBUGINFOD_URLS");
  return servers && *servers;
}

#ifdef GPM_HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <unistd.h>

/* A module whose file is not there, which a server may have. */
static Dwfl_Module *report_by_build_id(Dwfl *dwfl, const char *path, const char *build_id) {
  unsigned char bits[64];
  size_t size = strlen(build_id) / 2;
  if (!size || size > sizeof bits) return NULL;
  for (size_t i = 0; i < size; i++) {
    char digits[3] = {build_id[2 * i], build_id[2 * i + 1], 0};
    bits[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  Dwfl_Module *module = dwfl_report_module(dwfl, path, 0, UINT64_MAX / 2);
  if (module) dwfl_module_report_build_id(module, bits, size, 0);
  return module;
}

static Dwfl_Module *report(Dwfl *dwfl, const char *path, const char *build_id,
                           struct gpm_found *found) {
  struct gpm_elf elf;
  found->match = gpm_elf_open(&elf, path, build_id);
  found->files = found->match == GPM_ELF_SAME || open_debug_file(&elf, build_id);
  if (!found->files)
    return gpm_symbols_asks_servers() ? report_by_build_id(dwfl, path, build_id) : NULL;
  int fd = dup(elf.fd);
  gpm_elf_close(&elf);
  Dwfl_Module *module = dwfl_report_elf(dwfl, path, path, fd, 0, true);
  if (!module) close(fd);
  return module;
}

static char *symbol_of(Dwfl_Module *module, uint64_t pc) {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char *name = dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
  if (!name || offset >= symbol.st_size) return NULL; /* or what precedes it */
  int type = GELF_ST_TYPE(symbol.st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC ? gpm_memory_text(name) : NULL;
}

static void find(Dwfl_Module *module, struct gpm_source *sources, size_t count,
                 struct gpm_found *found) {
  GElf_Addr bias = 0, debug_bias = 0;
  if (!dwfl_module_getelf(module, &bias)) return;
  found->files = true;
  Dwarf *dwarf = dwfl_module_getdwarf(module, &debug_bias);
  if (dwarf) gpm_dwarf_find(dwarf, bias - debug_bias, sources, count);
  for (size_t s = 0; s < count; s++)
    take_symbol(&sources[s], symbol_of(module, sources[s].address + bias));
}

struct gpm_found gpm_symbols_find(const char *path, const char *build_id,
                                  struct gpm_source *sources, size_t count) {
  struct gpm_found found = {.match = GPM_ELF_MISSING, .can_find_lines = true};
  char *folder = debug_folder(), *folders = gpm_memory_format("+:.debug:%s", folder);
  const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = &folders};
  Dwfl *dwfl = dwfl_begin(&callbacks);
  if (dwfl) {
    Dwfl_Module *module = report(dwfl, path, build_id, &found);
    dwfl_report_end(dwfl, NULL, NULL);
    if (module) find(module, sources, count, &found);
    dwfl_end(dwfl);
  }
  free(folders);
  free(folder);
  return found;
}

#else

static void find(struct gpm_elf *elf, struct gpm_source *sources, size_t count,
                 struct gpm_found *found) {
  found->files = true;
  for (size_t s = 0; s < count; s++)
    if (!sources[s].count) take_symbol(&sources[s], gpm_elf_function(elf, sources[s].address));
  gpm_elf_close(elf);
}

struct gpm_found gpm_symbols_find(const char *path, const char *build_id,
                                  struct gpm_source *sources, size_t count) {
  struct gpm_elf elf;
  struct gpm_found found = {.match = gpm_elf_open(&elf, path, build_id)};
  if (found.match == GPM_ELF_SAME) find(&elf, sources, count, &found);
  if (open_debug_file(&elf, build_id)) find(&elf, sources, count, &found);
  return found;
}

#endif
