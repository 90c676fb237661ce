//===- HostCheck.cpp - is it the right clang that loads this? -------------===//
//
// The stub (stub/stub.c) loads the module for the right clang. This check is for who
// loads a module himself, and for a clang that lacks something. It runs before the
// constructors of all other static objects, which would crash in a clang of another
// version. gcc, opt and lld can load the file too, because its references into clang
// are weak (weaken_host_symbols.c). A program that cannot use the module gets one
// sentence that says what to do. Nothing here may call LLVM.
//
//===----------------------------------------------------------------------===//
#include "base/Compat.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string>
#include <unistd.h>

/// The dynamic section of this library, which the linker makes.
extern __attribute__((visibility("hidden"))) ElfW(Dyn) _DYNAMIC[];

namespace clang {
__attribute__((weak)) std::string getClangFullVersion();
}

namespace {

constexpr int Own = gpumemprof::compat::BuiltForMajor;

[[noreturn]] void refuse(const std::string &Text) {
  std::fprintf(stderr, "error: %s\n", Text.c_str());
  _exit(1);
}

/// The folder llvm-N that holds this library, with links resolved.
std::string ownFolder() {
  Dl_info Info;
  char Path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &Info) || !realpath(Info.dli_fname, Path))
    return ".";
  std::string Folder = Path;
  return Folder.substr(0, Folder.rfind('/'));
}

/// What to load instead. A copy of this library that lies alone does not know where that is.
std::string stub() {
  std::string Folder = ownFolder();
  std::string Path = Folder.substr(0, Folder.rfind('/')) + "/gpumemprof.so";
  return access(Path.c_str(), R_OK) ? "lib/gpumemprof/gpumemprof.so of an installed gpumemprof"
                                    : Path;
}

/// A symbol that this library needs and the program lacks; "" if it has all. Undefined symbols come
/// before the first one of the hash table.
std::string missingSymbol() {
  Dl_info Info;
  if (!dladdr(reinterpret_cast<void *>(&missingSymbol), &Info)) return "";
  auto Base = reinterpret_cast<ElfW(Addr)>(Info.dli_fbase);
  const char *Names = nullptr;
  const ElfW(Sym) *Symbols = nullptr;
  const uint32_t *Hash = nullptr;
  for (const ElfW(Dyn) *Entry = _DYNAMIC; Entry->d_tag != DT_NULL; ++Entry) {
    ElfW(Addr) At = Entry->d_un.d_ptr; // glibc has relocated it, musl has not
    if (At < Base) At += Base;
    if (Entry->d_tag == DT_STRTAB) Names = reinterpret_cast<const char *>(At);
    if (Entry->d_tag == DT_SYMTAB) Symbols = reinterpret_cast<const ElfW(Sym) *>(At);
    if (Entry->d_tag == DT_GNU_HASH) Hash = reinterpret_cast<const uint32_t *>(At);
  }
  if (!Names || !Symbols || !Hash) return "";
  for (uint32_t I = 1; I < Hash[1]; ++I) {
    const char *Name = Names + Symbols[I].st_name;
    bool OfHost = std::strstr(Name, "4llvm") || std::strstr(Name, "5clang");
    if (Symbols[I].st_shndx == SHN_UNDEF && OfHost && !dlsym(RTLD_DEFAULT, Name)) return Name;
  }
  return "";
}

__attribute__((constructor(101))) void checkHost() {
  if (!clang::getClangFullVersion)
    refuse("this file is gpumemprof's module for clang " + std::to_string(Own) + ", and " +
           program_invocation_short_name + " is not clang; use " + stub());
  std::string Version = clang::getClangFullVersion();
  size_t At = Version.find("version ");
  int Major = At == std::string::npos ? 0 : std::atoi(Version.c_str() + At + 8);
  if (Major != Own)
    refuse("this file is gpumemprof's module for clang " + std::to_string(Own) +
           " but was loaded by " + Version + "; use " + stub() +
           ", which loads the module for each clang");
  std::string Missing = missingSymbol();
  if (!Missing.empty())
    refuse("this clang lacks " + Missing + ", which gpumemprof's module for clang " +
           std::to_string(Own) + " needs; use clang-" + std::to_string(Own) +
           " of the distribution or of apt.llvm.org");
}

} // namespace
