//===- AllocationText.h - allocation calls as the source has them ---------===//
//
// The AST knows what the IR does not: which variable receives the pointer, its
// element type, how the size was written. Collected by the place CodeGen will
// use as the call's debug location; the pass looks them up by it.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H
#define GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H

#include "facts/SourceFacts.h"

#include "llvm/ADT/StringMap.h"
#include <vector>

namespace clang {
class ASTContext;
class Decl;
} // namespace clang

namespace gpumemprof {

class SourceFiles;

class AllocationTable {
public:
  /// \p Function is the linkage name, "" for the pattern of a template. \p Call tells calls apart.
  void add(llvm::StringRef Path, unsigned Line, unsigned Column, llvm::StringRef Function,
           const AllocationText &Text, const void *Call);
  const AllocationText *find(llvm::StringRef Path, unsigned Line, unsigned Column,
                             llvm::StringRef Function, bool Exact) const;
  /// Null where more than one call may be meant.
  const SizeOperands *findOperands(llvm::StringRef Path, unsigned Line, unsigned Column,
                                   llvm::StringRef Function, llvm::StringRef Callee) const;

private:
  struct Entry {
    unsigned Column;
    std::string Function;
    AllocationText Text;
    const void *Call;
  };
  llvm::StringMap<std::vector<Entry>> Lines; // by "path:line"
};

/// Walks the user's declarations into Files.Allocations and Files.UserFunctions.
void collectAllocations(clang::ASTContext &Context, const std::vector<clang::Decl *> &Declarations,
                        SourceFiles &Files);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H
