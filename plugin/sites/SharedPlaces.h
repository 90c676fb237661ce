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
#include <optional>
#include <tuple>

namespace llvm {
class CallBase;
class Function;
class Module;
class Value;
} // namespace llvm

namespace gpumemprof {

class SourceFacts;

class SharedPlaces {
public:
  /// Counts the calls of \p M as they are now.
  SharedPlaces(const llvm::Module &M, SourceFacts &Facts);

  /// How often the function calls the callee of \p Call at its place. It has to be one of the calls
  /// that were counted.
  unsigned count(const llvm::CallBase &Call) const;

private:
  /// The function, the callee, and the line and column.
  using Place = std::tuple<const llvm::Function *, const llvm::Value *, uint64_t>;
  std::optional<Place> placeOf(const llvm::CallBase &Call) const;

  bool ColumnsAreReal;
  llvm::DenseMap<Place, unsigned> Calls;
};

} // namespace gpumemprof

#endif
