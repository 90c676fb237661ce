//===- SharedPlaces.h - several calls at one place of the source ----------===//
//
// The calls of a macro all have the place at which it is used, and in code that nvcc
// prints again the calls of a line have one place. Their sites are the same, so a site
// alone does not tell whether one call ran twice or two calls ran once.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SHAREDPLACES_H
#define GPUMEMPROF_PLUGIN_SHAREDPLACES_H

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class SourceFacts;

class SharedPlaces {
public:
  /// Finds the calls of \p M that share their places, as the module is now.
  SharedPlaces(const llvm::Module &M, SourceFacts &Facts);

  /// How many calls of the callee of \p Call the source has at its place in the same function.
  /// \p Call was there when the places were found.
  unsigned count(const llvm::CallBase &Call) const {
    auto Found = Shared.find(&Call);
    return Found == Shared.end() ? 1 : Found->second;
  }

private:
  void findIn(const llvm::Function &F, bool ColumnsAreReal);

  llvm::DenseMap<const llvm::CallBase *, unsigned> Shared; // how many there are
};

} // namespace gpumemprof

#endif
