/* weaken_host_symbols.c - weaken_host_symbols FILE: makes a plugin's references into clang and LLVM
 * weak.
 *
 * CMake runs it on gpumemprof.so right after linking. A program that lacks these symbols (usually
 * gcc) can then load that file and run HostCheck.cpp, which says in one sentence what to do.
 * Otherwise the loader would print the mangled name of one of the symbols. No linker has an option
 * for this.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file has this machine's ELF class. Binding and type of a symbol have one encoding in both
 * classes, so the macros of ELF64 fit. */
static size_t weaken(char *file, const ElfW(Shdr) * table, const ElfW(Shdr) * sections) {
  ElfW(Sym) *symbols = (ElfW(Sym) *)(file + table->sh_offset);
  const char *names = file + sections[table->sh_link].sh_offset;
  size_t weak = 0;
  for (size_t i = 1; i < table->sh_size / sizeof *symbols; i++) {
    const char *name = names + symbols[i].st_name;
    if (symbols[i].st_shndx != SHN_UNDEF || (!strstr(name, "4llvm") && !strstr(name, "5clang")))
      continue;
    symbols[i].st_info = (unsigned char)ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbols[i].st_info));
    weak++;
  }
  return weak;
}

int main(int argc, char **argv) {
  struct stat info;
  int fd = argc == 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0 || fstat(fd, &info)) {
    fprintf(stderr, "weaken_host_symbols: cannot open %s\n", argc == 2 ? argv[1] : "FILE");
    return 1;
  }
  char *file = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  size_t weak = 0;
  if (file != MAP_FAILED && (size_t)info.st_size > sizeof(ElfW(Ehdr)) &&
      !memcmp(file, ELFMAG, SELFMAG)) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++)
      if (sections[i].sh_type == SHT_DYNSYM) weak += weaken(file, &sections[i], sections);
  }
  if (!weak) fprintf(stderr, "weaken_host_symbols: %s refers to nothing of clang\n", argv[1]);
  return weak ? 0 : 1;
}
