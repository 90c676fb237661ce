//===- Filter.h - the user's list of functions to treat differently -------===//
//
// The file has the form of the sanitizers' special case lists:
//
//   src:*/third_party/*      every function of these files
//   fun:trace_*              these functions, by linkage name or as written
//
//   harmless:log_*           these neither allocate nor free, and call no function of the program
//
//   allocates:operator new   these may allocate, free, or call the program, although a library has
//                            functions of these names (or although they do not return)
//
//   library:blas_*           these belong to a closed library: uses=on records their pointers, and
//                            with unaccounted=calls free memory is sampled around them
//
// under no section or [gpumemprof]. A function that matches src or fun is transparent:
// memory is attributed to the line that calls it. A harmless function that this file
// shows to allocate is an error; one of another file is found at run time
// (hooks/Assumptions.h).
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_FILTER_H
#define GPUMEMPROF_PLUGIN_FILTER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>
#include <string>

namespace gpumemprof {

class Filter {
public:
  /// Returns "", or one sentence if the file is missing or broken.
  std::string load(const std::string &Path,
                   llvm::vfs::FileSystem &Files = *llvm::vfs::getRealFileSystem()) {
    std::string Error = unfit(Path, Files);
    if (!Error.empty()) return "gpumemprof filter file '" + Path + "': " + Error;
    List = llvm::SpecialCaseList::create({Path}, Files, Error);
    if (List) return "";
    return "gpumemprof filter file '" + Path + "': " + Error;
  }

  bool empty() const { return !List; }

  bool excludes(llvm::StringRef Linkage, llvm::StringRef Display, llvm::StringRef Path) const {
    return List && (List->inSection("gpumemprof", "fun", Linkage) ||
                    List->inSection("gpumemprof", "fun", Display) ||
                    List->inSection("gpumemprof", "src", Path));
  }

  bool isHarmless(llvm::StringRef Linkage, llvm::StringRef Display) const {
    return List && (List->inSection("gpumemprof", "harmless", Linkage) ||
                    List->inSection("gpumemprof", "harmless", Display));
  }

  bool isListedAsAllocating(llvm::StringRef Linkage, llvm::StringRef Display) const {
    return List && (List->inSection("gpumemprof", "allocates", Linkage) ||
                    List->inSection("gpumemprof", "allocates", Display));
  }

  bool isLibrary(llvm::StringRef Linkage) const {
    return List && List->inSection("gpumemprof", "library", Linkage);
  }

  bool SamplesLibraries = false; // unaccounted=calls

private:
  /// To read a pipe or a device could take for ever, and no list of rules is larger than MaxSize.
  static std::string unfit(const std::string &Path, llvm::vfs::FileSystem &Files) {
    llvm::ErrorOr<llvm::vfs::Status> Status = Files.status(Path);
    if (!Status || Path == "/dev/null") return ""; // SpecialCaseList says what is wrong
    if (Status->isDirectory()) return "it is a folder";
    if (!Status->isRegularFile()) return "it is no regular file";
    if (Status->getSize() > MaxSize) return "it is larger than 16 MiB";
    return "";
  }

  static constexpr uint64_t MaxSize = 16 << 20;
  std::unique_ptr<llvm::SpecialCaseList> List;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_FILTER_H
