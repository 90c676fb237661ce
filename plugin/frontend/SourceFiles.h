//===- SourceFiles.h - the front end's answers to SourceFacts -------------===//
//
// Knows which files are system headers and what the text of a line is. It works for
// plain sources, for preprocessed ones (line markers) and for those that nvcc prints
// for its host compiler, because files have the name that debug locations will have.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SOURCEFILES_H
#define GPUMEMPROF_PLUGIN_SOURCEFILES_H

#include "facts/SourceFacts.h"
#include "frontend/AllocationTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace clang {
class CompilerInstance;
class SourceLocation;
} // namespace clang

namespace gpumemprof {

class SourceFiles final : public SourceFacts {
public:
  explicit SourceFiles(clang::CompilerInstance &CI) : CI(CI) {}

  bool isSystemFile(llvm::StringRef Path) override;
  const AllocationText *allocationAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                     llvm::StringRef Function, bool Exact) override {
    return Allocations.find(Path, Line, Column, Function, Exact);
  }
  const AllocationText *callAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                               llvm::StringRef Function) override {
    return Calls.find(Path, Line, Column, Function, /*Exact=*/true);
  }
  const SizeOperands *operandsAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                 llvm::StringRef Function, llvm::StringRef Callee) override {
    return Allocations.findOperands(Path, Line, Column, Function, Callee);
  }
  Declaration variableAt(llvm::StringRef Name) override { return Variables.lookup(Name); }
  const KernelParameters *kernel(llvm::StringRef Function) override {
    auto Known = Kernels.find(Function);
    return Known == Kernels.end() ? nullptr : &Known->second;
  }
  std::string pathOfFile(llvm::StringRef Written) override;
  std::string lineText(llvm::StringRef Path, unsigned Line, unsigned Column) override;
  bool columnsAreReal() override;
  bool isUserFunction(llvm::StringRef Name) override { return UserFunctions.contains(Name); }

  /// Line and column of a source location, and the path that its debug location has.
  struct Location {
    std::string Path;
    unsigned Line = 0, Column = 0;
  };
  Location location(clang::SourceLocation Loc);

  /// The rest of the file from the start of a line on; "" when it cannot be read.
  llvm::StringRef textFrom(llvm::StringRef Path, unsigned Line);

  /// AllocationText.cpp fills these.
  AllocationTable Allocations, Calls;
  llvm::StringSet<> UserFunctions;
  llvm::StringMap<Declaration> Variables;
  llvm::StringMap<KernelParameters> Kernels; // by the function that launches name
  bool seesCudaHeader();

private:
  struct File {
    bool System = false;
    std::string Name; // to open it
  };
  void scan();
  void scanLoaded();
  void add(llvm::StringRef Name, bool System);
  std::string path(llvm::StringRef Name);

  struct Text {
    std::unique_ptr<llvm::MemoryBuffer> Buffer;
    std::vector<size_t> LineStarts;
  };

  clang::CompilerInstance &CI;
  llvm::StringMap<File> Files;
  llvm::StringMap<std::string> PathsByMacro; // from the text of __FILE__ to the path of sites
  std::vector<std::string> CudaFolders;      // where cuda_runtime_api.h is
  bool Scanned = false, ScannedLoaded = false;
  llvm::StringMap<Text> Texts;
  llvm::StringMap<std::string> Paths;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SOURCEFILES_H
