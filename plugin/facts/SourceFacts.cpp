//===- SourceFacts.cpp - paths, and answers without a front end -----------===//
#include "facts/SourceFacts.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpumemprof {

std::string absolutePath(StringRef Directory, StringRef File) {
  SmallString<256> Path;
  if (!sys::path::is_absolute(File)) Path = Directory;
  sys::path::append(Path, File);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return std::string(Path);
}

bool NoSourceFacts::isSystemFile(StringRef Path) {
  return Path.starts_with("/usr/include/") || Path.starts_with("/usr/lib/") ||
         (Path.starts_with("/usr/local/cuda") && Path.contains("/include/"));
}

} // namespace gpumemprof
