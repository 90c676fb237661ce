//===- AllocationTable.h - allocation calls by their location -------------===//
//
// AllocationText.cpp puts in what the source says of each allocation call, under
// the location that CodeGen will use as the call's debug location; SourceFiles.h looks
// a call up by that location for the passes.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ALLOCATIONTABLE_H
#define GPUMEMPROF_PLUGIN_ALLOCATIONTABLE_H

#include "facts/SourceFacts.h"

#include "llvm/ADT/StringMap.h"
#include <vector>

namespace gpumemprof {

class AllocationTable {
public:
  /// \p Function is the linkage name, "" for the pattern of a template. \p Call identifies the
  /// call.
  void add(llvm::StringRef Path, unsigned Line, unsigned Column, llvm::StringRef Function,
           const AllocationText &Text, const void *Call);
  const AllocationText *find(llvm::StringRef Path, unsigned Line, unsigned Column,
                             llvm::StringRef Function, bool Exact) const;
  /// Null where more than one call fits.
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

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ALLOCATIONTABLE_H
