//===- HostCheck.cpp - is it the right clang that loads this? -------------===//
//
// Runs before the constructors of all other static objects of gpumemprof.so, which
// would crash in a clang of another version. gcc, opt and lld can load the file too,
// because its references into clang are weak (weaken_host_symbols.c). A program that
// cannot use the plugin gets one sentence that says what to do. Nothing here may call
// LLVM.
//
//===----------------------------------------------------------------------===//
#include "base/Compat.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <string>
#include <unistd.h>
#include <vector>

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

std::string pathFor(const std::string &Major) {
  std::string Folder = ownFolder();
  return Folder.substr(0, Folder.rfind('/')) + "/llvm-" + Major + "/gpumemprof.so";
}

/// The versions of clang that have a plugin beside this one, as "clang 19 and 22".
std::string installed() {
  std::vector<int> Majors;
  std::string Pattern = pathFor("*");
  glob_t Found;
  if (!glob(Pattern.c_str(), 0, nullptr, &Found)) {
    for (size_t I = 0; I < Found.gl_pathc; ++I)
      Majors.push_back(std::atoi(Found.gl_pathv[I] + Pattern.find('*')));
    globfree(&Found);
  }
  if (Majors.empty()) Majors.push_back(Own); // this library is a copy in another folder
  std::sort(Majors.begin(), Majors.end());
  std::string Text = "clang " + std::to_string(Majors[0]);
  for (size_t I = 1; I < Majors.size(); ++I)
    Text += (I + 1 < Majors.size() ? ", " : " and ") + std::to_string(Majors[I]);
  return Text;
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

[[noreturn]] void refuseOtherProgram() {
  std::string Program = program_invocation_short_name, Major = std::to_string(Own);
  if (Program.find("clang") != std::string::npos)
    refuse("this " + Program +
           " does not show its functions to plugins, or was built with "
           "another C++ library, and cannot load gpumemprof.so; use clang-" +
           Major + " of the distribution or of apt.llvm.org");
  if (dlsym(RTLD_DEFAULT, "LLVMContextCreate"))
    refuse("gpumemprof.so is a plugin of clang " + Major + ", and " + Program +
           " is not clang; load gpumemprof-pass.so, which lies beside it");
  refuse("gpumemprof.so is a plugin of clang " + Major + ", and " + Program +
         " is not clang; compile with clang-" + Major + " or clang++-" + Major +
         " (CMake: -DCMAKE_C_COMPILER=clang-" + Major + " -DCMAKE_CXX_COMPILER=clang++-" + Major +
         " in a new build folder; nvcc: as `gpumemprof flags nvcc` says)");
}

__attribute__((constructor(101))) void checkHost() {
  if (!clang::getClangFullVersion) refuseOtherProgram();
  std::string Version = clang::getClangFullVersion();
  size_t At = Version.find("version ");
  int Major = At == std::string::npos ? 0 : std::atoi(Version.c_str() + At + 8);
  if (Major == Own) {
    std::string Missing = missingSymbol();
    if (Missing.empty()) return;
    refuse("this clang lacks " + Missing + ", which gpumemprof.so needs; use clang-" +
           std::to_string(Own) + " of the distribution or of apt.llvm.org");
  }
  std::string Other = pathFor(std::to_string(Major));
  std::string Text =
      "this gpumemprof.so is for clang " + std::to_string(Own) + " but was loaded by " + Version;
  if (!access(Other.c_str(), R_OK)) refuse(Text + "; use " + Other);
  refuse(Text + ", for which there is none; installed: for " + installed());
}

} // namespace
